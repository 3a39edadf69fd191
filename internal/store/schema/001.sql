-- Times are microseconds since 1970 UTC; usage, budget, asks and the like are JSON.
CREATE TABLE run (
    n        INTEGER PRIMARY KEY,
    id       TEXT    NOT NULL UNIQUE,
    graph    TEXT    NOT NULL,
    version  TEXT    NOT NULL,
    key      TEXT    NOT NULL,
    caller   TEXT    NOT NULL,
    title    TEXT    NOT NULL,
    status   TEXT    NOT NULL,
    reason   TEXT    NOT NULL DEFAULT '',
    budget   TEXT    NOT NULL,
    usage    TEXT    NOT NULL DEFAULT '{}',
    asks     TEXT    NOT NULL DEFAULT '[]',
    owner    TEXT    NOT NULL DEFAULT '',
    fence    INTEGER NOT NULL DEFAULT 0,
    command  TEXT    NOT NULL DEFAULT '',
    why      TEXT    NOT NULL DEFAULT '',
    step     INTEGER NOT NULL DEFAULT 0,
    events   INTEGER NOT NULL DEFAULT 0,
    created  INTEGER NOT NULL,
    updated  INTEGER NOT NULL
);
CREATE INDEX run_key ON run (key, caller, n) WHERE key <> '';
CREATE INDEX run_caller ON run (caller, n);

-- The newest saved state; a newer one replaces it.
CREATE TABLE snapshot (
    run   INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
    step  INTEGER NOT NULL,
    state BLOB    NOT NULL
);
CREATE TABLE step (
    run      INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    step     INTEGER NOT NULL,
    frontier BLOB    NOT NULL,
    PRIMARY KEY (run, step)
) WITHOUT ROWID;
CREATE TABLE branch (
    run    INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    step   INTEGER NOT NULL,
    idx    INTEGER NOT NULL,
    result BLOB    NOT NULL,
    PRIMARY KEY (run, step, idx)
) WITHOUT ROWID;
CREATE TABLE call (
    run        INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    step       INTEGER NOT NULL,
    idx        INTEGER NOT NULL,
    hash       TEXT    NOT NULL,
    occurrence INTEGER NOT NULL,
    try        INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    request    BLOB    NOT NULL,
    state      TEXT    NOT NULL,
    usage      TEXT    NOT NULL,
    result     BLOB, -- like request JSON, compressed with zstd when it is long
    err        TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    seconds    REAL    NOT NULL,
    PRIMARY KEY (run, step, idx, hash, occurrence, try)
);
CREATE TABLE event (
    run  INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    seq  INTEGER NOT NULL,
    at   INTEGER NOT NULL,
    step INTEGER NOT NULL,
    idx  INTEGER NOT NULL,
    node TEXT    NOT NULL,
    kind TEXT    NOT NULL,
    body BLOB,
    PRIMARY KEY (run, seq)
) WITHOUT ROWID;
CREATE TABLE answer (
    run   INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    ask   TEXT    NOT NULL,
    value BLOB    NOT NULL,
    PRIMARY KEY (run, ask)
) WITHOUT ROWID;
CREATE TABLE hold (
    run   INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    id    TEXT    NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- Archived texts by the SHA-256 of the text, compressed with zstd, and who cites them.
CREATE TABLE page (
    sha256 BLOB    PRIMARY KEY,
    body   BLOB    NOT NULL,
    stored INTEGER NOT NULL
);
CREATE TABLE citation (
    run    INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    sha256 BLOB    NOT NULL REFERENCES page DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (run, sha256)
) WITHOUT ROWID;
CREATE INDEX citation_page ON citation (sha256);

CREATE TABLE cache (
    kind    TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    body    BLOB    NOT NULL,
    stored  INTEGER NOT NULL,
    expires INTEGER NOT NULL, -- fresh until then
    dropped INTEGER NOT NULL, -- readable as stale until then
    PRIMARY KEY (kind, key)
);
CREATE INDEX cache_dropped ON cache (dropped);
CREATE INDEX cache_stored ON cache (stored);

CREATE TABLE fact (
    name  TEXT    PRIMARY KEY,
    value TEXT    NOT NULL,
    until INTEGER NOT NULL
) WITHOUT ROWID;
