-- Times are microseconds since 1970. Numbers of sessions (num) stay inside the
-- database; people and files know sessions by their id.

CREATE TABLE sessions (
  num       INTEGER PRIMARY KEY,
  id        TEXT NOT NULL UNIQUE,
  title     TEXT NOT NULL,
  grams     TEXT NOT NULL DEFAULT '', -- the title for searches in scripts without spaces
  workspace TEXT NOT NULL,
  mode      TEXT NOT NULL DEFAULT '',
  model     TEXT NOT NULL DEFAULT '',
  channel   TEXT NOT NULL DEFAULT '',
  pinned    INTEGER NOT NULL DEFAULT 0,
  messages  INTEGER NOT NULL DEFAULT 0,
  created   INTEGER NOT NULL,
  updated   INTEGER NOT NULL,
  deleted   INTEGER NOT NULL DEFAULT 0 -- when; 0 is not
) STRICT;
CREATE INDEX sessions_order ON sessions (pinned DESC, updated DESC, num DESC, deleted);
CREATE INDEX sessions_deleted ON sessions (deleted) WHERE deleted > 0;

CREATE TABLE messages (
  id    INTEGER PRIMARY KEY, -- num of the session << 32 | number in it, from 1: a session's messages lie together, and a hit of the search names its session
  uid   TEXT NOT NULL UNIQUE,
  turn  TEXT NOT NULL,
  role  TEXT NOT NULL,
  at    INTEGER NOT NULL,
  text  TEXT NOT NULL, -- its words, for the search
  grams TEXT NOT NULL, -- the same for scripts without spaces, else empty
  parts BLOB NOT NULL  -- provider.MarshalParts
) STRICT;

CREATE TABLE events (
  session INTEGER NOT NULL REFERENCES sessions (num) ON DELETE CASCADE,
  seq     INTEGER NOT NULL, -- from 1, without a gap
  event   BLOB NOT NULL, -- agent.Event as JSON, without its number
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE changes ( -- the undo journal
  num     INTEGER PRIMARY KEY, -- the order
  id      TEXT NOT NULL UNIQUE,
  session TEXT NOT NULL,
  call    TEXT NOT NULL,
  path    TEXT NOT NULL,
  at      INTEGER NOT NULL,
  existed INTEGER NOT NULL,
  mode    INTEGER NOT NULL,
  before  BLOB,                     -- small pre-images
  kept    TEXT NOT NULL DEFAULT '', -- SHA-256 of a large one, a file in undo/
  after   TEXT NOT NULL,
  undone  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX changes_session ON changes (session, undone, num);
CREATE INDEX changes_path ON changes (path, undone, num);
CREATE INDEX changes_kept ON changes (kept) WHERE kept <> '';

CREATE TABLE outputs (
  path    TEXT PRIMARY KEY, -- in the data folder
  session TEXT NOT NULL,
  call    TEXT NOT NULL,
  bytes   INTEGER NOT NULL,
  at      INTEGER NOT NULL
) STRICT;
CREATE INDEX outputs_session ON outputs (session, at);

CREATE TABLE approvals (
  id          TEXT PRIMARY KEY,
  session     TEXT NOT NULL,
  turn        TEXT NOT NULL,
  call        TEXT NOT NULL,
  tool        TEXT NOT NULL,
  args        TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  reason      TEXT NOT NULL,
  decision    TEXT NOT NULL,
  decided_by  TEXT NOT NULL,
  at          INTEGER NOT NULL
) STRICT;
CREATE INDEX approvals_session ON approvals (session, at);

CREATE TABLE grants (
  path   TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  at     INTEGER NOT NULL
) STRICT;

CREATE TABLE usage (
  num      INTEGER PRIMARY KEY,
  session  TEXT NOT NULL,
  turn     TEXT NOT NULL,
  provider TEXT NOT NULL,
  model    TEXT NOT NULL,
  input    INTEGER NOT NULL,
  output   INTEGER NOT NULL,
  cached   INTEGER NOT NULL,
  cost     REAL NOT NULL, -- US dollars
  at       INTEGER NOT NULL
) STRICT;
CREATE INDEX usage_at ON usage (at);
CREATE INDEX usage_session ON usage (session, turn);

-- The search holds nothing of its own: it can be made again from the tables.
CREATE VIRTUAL TABLE title_search USING fts5 (title, grams, content = 'sessions', content_rowid = 'num', tokenize = 'unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE message_search USING fts5 (text, grams, content = 'messages', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');

CREATE TRIGGER session_added AFTER INSERT ON sessions BEGIN
  INSERT INTO title_search (rowid, title, grams) VALUES (new.num, new.title, new.grams);
END;
CREATE TRIGGER session_renamed AFTER UPDATE OF title, grams ON sessions BEGIN
  INSERT INTO title_search (title_search, rowid, title, grams) VALUES ('delete', old.num, old.title, old.grams);
  INSERT INTO title_search (rowid, title, grams) VALUES (new.num, new.title, new.grams);
END;
CREATE TRIGGER session_removed AFTER DELETE ON sessions BEGIN
  INSERT INTO title_search (title_search, rowid, title, grams) VALUES ('delete', old.num, old.title, old.grams);
  DELETE FROM messages WHERE id BETWEEN old.num << 32 AND (old.num << 32) + 4294967295;
END;
CREATE TRIGGER message_added AFTER INSERT ON messages WHEN new.text <> '' BEGIN
  INSERT INTO message_search (rowid, text, grams) VALUES (new.id, new.text, new.grams);
END;
CREATE TRIGGER message_removed AFTER DELETE ON messages WHEN old.text <> '' BEGIN
  INSERT INTO message_search (message_search, rowid, text, grams) VALUES ('delete', old.id, old.text, old.grams);
END;
