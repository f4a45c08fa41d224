CREATE TABLE sessions (
  id        TEXT PRIMARY KEY,
  title     TEXT NOT NULL,
  workspace TEXT NOT NULL,
  mode      TEXT NOT NULL DEFAULT '',
  model     TEXT NOT NULL DEFAULT '',
  channel   TEXT NOT NULL DEFAULT '',
  pinned    INTEGER NOT NULL DEFAULT 0,
  messages  INTEGER NOT NULL DEFAULT 0,
  created   INTEGER NOT NULL, -- microseconds since 1970, as all times here
  updated   INTEGER NOT NULL,
  deleted   INTEGER NOT NULL DEFAULT 0 -- when; 0 is not
) STRICT;
CREATE INDEX sessions_order ON sessions (deleted, pinned DESC, updated DESC);

CREATE TABLE messages (
  session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  n       INTEGER NOT NULL, -- from 1, in order
  turn    TEXT NOT NULL,
  role    TEXT NOT NULL,
  parts   BLOB NOT NULL, -- provider.MarshalParts
  at      INTEGER NOT NULL,
  PRIMARY KEY (session, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq     INTEGER NOT NULL, -- from 1, without a gap
  event   BLOB NOT NULL, -- agent.Event as JSON, without its number
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE search USING fts5 (session UNINDEXED, text, tokenize = 'unicode61 remove_diacritics 2');

CREATE TABLE changes ( -- the undo journal
  id      TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  call    TEXT NOT NULL,
  path    TEXT NOT NULL,
  at      INTEGER NOT NULL,
  existed INTEGER NOT NULL,
  mode    INTEGER NOT NULL,
  before  BLOB,                   -- small pre-images
  kept    TEXT NOT NULL DEFAULT '', -- SHA-256 of a large one, a file in undo/
  after   TEXT NOT NULL,
  undone  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX changes_session ON changes (session, undone, at DESC);
CREATE INDEX changes_path ON changes (path, undone, at DESC);

CREATE TABLE outputs (
  session TEXT NOT NULL,
  call    TEXT NOT NULL,
  path    TEXT NOT NULL,
  bytes   INTEGER NOT NULL,
  at      INTEGER NOT NULL
) STRICT;
CREATE INDEX outputs_session ON outputs (session);

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
