-- Records of finished operations. Never edited once released: later releases add files.

CREATE TABLE idem_version (
    version INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE idem_record (
    id BLOB NOT NULL PRIMARY KEY,       -- 16 bytes of SHA-256 over namespace, scope and key
    scope TEXT NOT NULL,                -- for people
    key TEXT NOT NULL,                  -- for people, escaped and shortened
    fingerprint BLOB NOT NULL,          -- version byte, then SHA-256 over the inputs
    memo BLOB NOT NULL,                 -- version byte, kind byte, the recorded answer
    completed_at_ms INTEGER NOT NULL,   -- milliseconds since 1970, UTC
    expires_at_ms INTEGER               -- the same; null: until an operator frees the key
) STRICT;

INSERT INTO idem_version (version) VALUES (1);
