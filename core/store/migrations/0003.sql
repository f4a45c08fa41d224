-- The definitions of tool servers' tools as the owner has seen them: a changed
-- one is held back until the owner has seen the change.
CREATE TABLE tool_pins (
  server     TEXT NOT NULL,
  tool       TEXT NOT NULL, -- as the server calls it
  definition TEXT NOT NULL, -- JSON
  at         INTEGER NOT NULL,
  PRIMARY KEY (server, tool)
) STRICT, WITHOUT ROWID;
