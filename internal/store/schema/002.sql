-- Named libraries of the user's documents, in segments that are written once.
CREATE TABLE library (
    id          INTEGER PRIMARY KEY,
    name        TEXT    NOT NULL UNIQUE,
    description TEXT    NOT NULL,
    paths       TEXT    NOT NULL, -- JSON list
    version     INTEGER NOT NULL,
    updated     INTEGER NOT NULL
);
CREATE TABLE segment (
    id      INTEGER PRIMARY KEY AUTOINCREMENT, -- the index is numbered by it, so no number comes twice
    library INTEGER NOT NULL REFERENCES library ON DELETE CASCADE,
    shape   BLOB    NOT NULL
);
CREATE INDEX segment_library ON segment (library);
CREATE TABLE document (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    segment  INTEGER NOT NULL REFERENCES segment ON DELETE CASCADE,
    name     TEXT    NOT NULL,
    url      TEXT    NOT NULL,
    title    TEXT    NOT NULL,
    sum      TEXT    NOT NULL,
    size     INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    body     BLOB    NOT NULL -- JSON, compressed with zstd
);
CREATE INDEX document_segment ON document (segment);
CREATE TABLE bucket (
    segment INTEGER NOT NULL REFERENCES segment ON DELETE CASCADE,
    number  INTEGER NOT NULL,
    body    BLOB    NOT NULL,
    PRIMARY KEY (segment, number)
);
