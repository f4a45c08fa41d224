-- What stands for the beginning of a long session: the conversation as it was
-- sent after it was shortened last. The messages themselves stay whole.
CREATE TABLE compactions (
  session  INTEGER PRIMARY KEY REFERENCES sessions (num) ON DELETE CASCADE,
  turn     TEXT NOT NULL,    -- the turn under way then; empty between turns
  first    INTEGER NOT NULL, -- messages.id of its first message
  last     INTEGER NOT NULL, -- messages.id of its last message then
  at       INTEGER NOT NULL,
  messages BLOB NOT NULL     -- [{"role": …, "parts": provider.MarshalParts}]
) STRICT;

-- Finds the messages of a turn without reading the session.
CREATE INDEX messages_turn ON messages (turn);
