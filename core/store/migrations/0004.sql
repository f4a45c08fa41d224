-- What the agent remembers. The words of a row never change: a correction is a
-- new row that takes the place of the old one, and the old one can come back.
CREATE TABLE memories (
  num        INTEGER PRIMARY KEY, -- the order in which they came
  id         TEXT NOT NULL UNIQUE,
  scope      TEXT NOT NULL,            -- owner, agent, session or job
  subject    TEXT NOT NULL DEFAULT '', -- which session or job; empty for the others
  category   TEXT NOT NULL,
  key        TEXT NOT NULL,
  value      TEXT NOT NULL,
  grams      TEXT NOT NULL,    -- key and value for scripts without spaces, else empty
  digest     INTEGER NOT NULL, -- of the value, to find the same thing under another key
  confidence REAL NOT NULL,    -- 0 to 1
  state      TEXT NOT NULL,    -- active, held, replaced, archived, denied or applied
  action     TEXT NOT NULL,    -- what a held one asks for: add, replace or archive
  target     TEXT NOT NULL DEFAULT '', -- id of the row whose place it took or would take
  session    TEXT NOT NULL DEFAULT '', -- where it was said
  turn       TEXT NOT NULL DEFAULT '',
  call       TEXT NOT NULL DEFAULT '',
  source     TEXT NOT NULL,            -- who or what told it, for people
  reason     TEXT NOT NULL DEFAULT '', -- why it was held
  at         INTEGER NOT NULL,
  changed    INTEGER NOT NULL -- when its state changed last
) STRICT;
CREATE UNIQUE INDEX memories_place ON memories (scope, subject, key) WHERE state = 'active';
CREATE INDEX memories_key ON memories (key) WHERE state = 'active';
CREATE INDEX memories_digest ON memories (digest) WHERE state = 'active';
CREATE INDEX memories_view ON memories (scope, subject, category, num) WHERE state = 'active';
CREATE INDEX memories_category ON memories (category, num) WHERE state = 'active';
CREATE INDEX memories_newest ON memories (scope, subject, num) WHERE state = 'active';
CREATE INDEX memories_state ON memories (state, num);
CREATE INDEX memories_target ON memories (target) WHERE target <> '';

CREATE TABLE memory_history ( -- what became of each, never changed
  num    INTEGER PRIMARY KEY,
  memory TEXT NOT NULL, -- id; empty for what concerns all of them
  action TEXT NOT NULL, -- added, held, approved, denied, replaced, archived, restored, reviewed
  by     TEXT NOT NULL,
  at     INTEGER NOT NULL
) STRICT;
CREATE INDEX memory_history_memory ON memory_history (memory, num);

-- Files of the owner's that recall looks into.
CREATE TABLE memory_sources (
  id       TEXT PRIMARY KEY,
  path     TEXT NOT NULL UNIQUE, -- absolute
  bytes    INTEGER NOT NULL,     -- size and time of the file as it was read
  modified INTEGER NOT NULL,
  problem  TEXT NOT NULL,        -- why it could not be read, in a sentence
  added    INTEGER NOT NULL,
  read     INTEGER NOT NULL
) STRICT;
CREATE TABLE memory_passages (
  num    INTEGER PRIMARY KEY,
  source TEXT NOT NULL REFERENCES memory_sources (id) ON DELETE CASCADE,
  place  INTEGER NOT NULL, -- from 1
  text   TEXT NOT NULL,
  grams  TEXT NOT NULL
) STRICT;
CREATE INDEX memory_passages_source ON memory_passages (source, place);

-- The search holds nothing of its own. Of memories it has those that count now.
CREATE VIEW memory_text AS SELECT num, key, value, grams FROM memories WHERE state = 'active';
CREATE VIRTUAL TABLE memory_search USING fts5 (key, value, grams, content = 'memory_text', content_rowid = 'num', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE passage_search USING fts5 (text, grams, content = 'memory_passages', content_rowid = 'num', tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TRIGGER memory_added AFTER INSERT ON memories WHEN new.state = 'active' BEGIN
  INSERT INTO memory_search (rowid, key, value, grams) VALUES (new.num, new.key, new.value, new.grams);
END;
CREATE TRIGGER memory_raised AFTER UPDATE OF state ON memories WHEN new.state = 'active' AND old.state <> 'active' BEGIN
  INSERT INTO memory_search (rowid, key, value, grams) VALUES (new.num, new.key, new.value, new.grams);
END;
CREATE TRIGGER memory_lowered AFTER UPDATE OF state ON memories WHEN new.state <> 'active' AND old.state = 'active' BEGIN
  INSERT INTO memory_search (memory_search, rowid, key, value, grams) VALUES ('delete', old.num, old.key, old.value, old.grams);
END;
CREATE TRIGGER memory_removed AFTER DELETE ON memories WHEN old.state = 'active' BEGIN
  INSERT INTO memory_search (memory_search, rowid, key, value, grams) VALUES ('delete', old.num, old.key, old.value, old.grams);
END;
CREATE TRIGGER passage_added AFTER INSERT ON memory_passages BEGIN
  INSERT INTO passage_search (rowid, text, grams) VALUES (new.num, new.text, new.grams);
END;
CREATE TRIGGER passage_removed AFTER DELETE ON memory_passages BEGIN
  INSERT INTO passage_search (passage_search, rowid, text, grams) VALUES ('delete', old.num, old.text, old.grams);
END;
