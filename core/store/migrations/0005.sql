-- What happens by itself, and every time it did or should have. Times are
-- microseconds since 1970; 0 is never.
CREATE TABLE jobs (
  num      INTEGER PRIMARY KEY, -- the order
  id       TEXT NOT NULL UNIQUE,
  name     TEXT NOT NULL UNIQUE COLLATE NOCASE,
  state    TEXT NOT NULL, -- active, paused or ended
  reason   TEXT NOT NULL DEFAULT '', -- why it is paused or ended
  next     INTEGER NOT NULL DEFAULT 0, -- the instant that comes next
  failures INTEGER NOT NULL DEFAULT 0, -- in a row
  spec     BLOB NOT NULL, -- JSON: when, what, and with which permissions
  created  INTEGER NOT NULL,
  updated  INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_next ON jobs (next) WHERE state = 'active';

CREATE TABLE runs (
  num      INTEGER PRIMARY KEY, -- the order
  id       TEXT NOT NULL UNIQUE,
  job      TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  kind     TEXT NOT NULL, -- scheduled, now or snoozed
  instant  INTEGER NOT NULL, -- of the schedule; when it was asked for
  until    INTEGER NOT NULL, -- the last one, where one row stands for several that were missed
  count    INTEGER NOT NULL DEFAULT 1, -- how many it stands for
  state    TEXT NOT NULL, -- queued, running, done, failed, missed, skipped or interrupted
  due      INTEGER NOT NULL, -- not begun before
  started  INTEGER NOT NULL DEFAULT 0,
  finished INTEGER NOT NULL DEFAULT 0,
  session  TEXT NOT NULL DEFAULT '',
  code     TEXT NOT NULL DEFAULT '', -- of a failure
  text     TEXT NOT NULL DEFAULT '', -- what came of it, or why not
  attempt  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (job, kind, instant) -- an instant has one run
) STRICT;
CREATE INDEX runs_open ON runs (due) WHERE state IN ('queued', 'running');
CREATE INDEX runs_job ON runs (job, num);
CREATE INDEX runs_session ON runs (session) WHERE session <> '';
