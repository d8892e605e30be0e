-- Records of finished operations, and the function that claims a key. Creates everything in the
-- first schema of the search path. Never edited once released: later releases add files.

CREATE TABLE idem_version (
    version integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE idem_record (
    id bytea PRIMARY KEY,               -- 16 bytes of SHA-256 over namespace, scope and key
    scope text NOT NULL,                -- for people
    key text NOT NULL,                  -- for people, escaped and shortened
    fingerprint bytea NOT NULL,         -- version byte, then SHA-256 over the inputs
    memo bytea NOT NULL,                -- version byte, kind byte, the recorded answer
    completed_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL     -- 'infinity': until an operator frees the key
);

-- Memos are written once and rarely read, and most are too small for TOAST to help.
ALTER TABLE idem_record ALTER COLUMN memo SET STORAGE EXTERNAL;

-- Claims a key for the rest of the caller's transaction, or says what holds it. Claimed: null, or the
-- byte 0 if an expired record is in the way of the new one. Held: by the first byte, 1 by another
-- attempt, 2 by one with other inputs, 3 by a record, whose microseconds until it expires (8 bytes,
-- big-endian; negative: never), fingerprint and memo follow. One value instead of a row, since each
-- operation pays for it. Names its
-- table with its schema, so that no later search_path can point it elsewhere.
DO $migration$
BEGIN
    EXECUTE format($body$
        CREATE FUNCTION %1$I.idem_claim_v1(
            p_operation_lock bigint,    -- 64 bits of key and inputs
            p_identity_lock bigint,     -- 64 bits of the key
            p_id bytea
        )
        RETURNS bytea LANGUAGE plpgsql VOLATILE AS $function$
        DECLARE
            v_record bytea;
            v_running bytea;
            v_identity bigint;
        BEGIN
            -- Lock names are one space per database: the table's OID keeps schemas apart. Advisory
            -- locks end with the transaction, however it ends. The lock that names the inputs comes
            -- first: a holder with the same ones would hold both, so whoever gets it and not the
            -- second meets other inputs, with two exceptions. An attempt that is only being refused
            -- or answered is gone in a moment. And an ending transaction frees its locks one by
            -- one, its virtual transaction id before any advisory lock.
            IF NOT pg_try_advisory_xact_lock(p_operation_lock # (%2$L::regclass::oid::bigint << 32))
            THEN
                v_running := '\x01';
            ELSIF NOT pg_try_advisory_xact_lock(p_identity_lock # (%2$L::regclass::oid::bigint << 32))
            THEN
                v_identity := p_identity_lock # (%2$L::regclass::oid::bigint << 32);
                PERFORM pg_sleep(0.01);
                IF NOT pg_try_advisory_xact_lock(v_identity) THEN
                    v_running := '\x01';
                    PERFORM FROM pg_locks held JOIN pg_locks alive USING (pid)
                      WHERE held.locktype = 'advisory' AND held.granted AND held.objsubid = 1
                        AND held.database =
                            (SELECT oid FROM pg_database WHERE datname = current_database())
                        AND held.classid::bigint = (v_identity >> 32) & 4294967295
                        AND held.objid::bigint = v_identity & 4294967295
                        AND alive.locktype = 'virtualxid' AND alive.granted;
                    IF FOUND THEN
                        v_running := '\x02';
                    END IF;
                END IF;
            END IF;
            -- A statement of its own after the locks: under READ COMMITTED its snapshot holds
            -- whatever their last holder committed. A committed memo is the truth even when a lock
            -- was not to be had: another caller may be reading it just now.
            SELECT CASE WHEN r.expires_at <= clock_timestamp() THEN '\x00' ELSE
                       '\x03' || int8send(
                           CASE WHEN isfinite(r.expires_at) THEN
                               (extract(epoch FROM r.expires_at - clock_timestamp()) * 1000000)::bigint
                           ELSE -1 END
                       ) || r.fingerprint || r.memo
                   END
              INTO v_record
              FROM %1$I.idem_record r
             WHERE r.id = p_id;
            IF v_running IS NULL THEN
                RETURN v_record;
            END IF;
            RETURN coalesce(nullif(v_record, '\x00'), v_running);
        END
        $function$
    $body$, current_schema(), quote_ident(current_schema()) || '.idem_record');
END
$migration$;

INSERT INTO idem_version (version) VALUES (1);
