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

CREATE INDEX idem_record_expires_at ON idem_record (expires_at);

-- Memos are written once and rarely read, and most are too small for TOAST to help.
ALTER TABLE idem_record ALTER COLUMN memo SET STORAGE EXTERNAL;

-- Claims a key for the rest of the caller's transaction, or says what holds it. Names its table
-- with its schema, so that no later search_path can point it elsewhere.
DO $migration$
BEGIN
    EXECUTE format($body$
        CREATE FUNCTION %1$I.idem_claim_v1(
            p_operation_lock bigint,    -- 64 bits of key and inputs
            p_identity_lock bigint,     -- 64 bits of the key
            p_id bytea,
            OUT state text,             -- free, running, other_inputs or done
            OUT fingerprint bytea,
            OUT memo bytea,
            OUT remaining_us bigint,    -- until the memo expires; null: never
            OUT birth_us bigint,        -- the transaction's now(): it changes if the body ends it
            OUT backend integer         -- whom to end if it stops answering
        )
        LANGUAGE plpgsql VOLATILE AS $function$
        DECLARE
            -- Lock names are one space per database: the table's OID keeps schemas apart.
            v_table constant bigint := %2$L::regclass::oid::bigint << 32;
            v_operation constant bigint := p_operation_lock # v_table;
            v_identity constant bigint := p_identity_lock # v_table;
        BEGIN
            birth_us := (extract(epoch FROM now()) * 1000000)::bigint;
            backend := pg_backend_pid();
            state := 'free';
            -- Advisory locks end with the transaction, however it ends. The lock that names the
            -- inputs comes first: a holder with the same ones would hold both, so whoever gets it
            -- and not the second meets other inputs, with two exceptions. An attempt that is only
            -- being refused or answered is gone in a moment. And an ending transaction frees its
            -- locks one by one, its virtual transaction id before any advisory lock.
            IF NOT pg_try_advisory_xact_lock(v_operation) THEN
                state := 'running';
            ELSIF NOT pg_try_advisory_xact_lock(v_identity) THEN
                PERFORM pg_sleep(0.01);
                IF NOT pg_try_advisory_xact_lock(v_identity) THEN
                    state := 'running';
                    PERFORM FROM pg_locks held JOIN pg_locks alive USING (pid)
                      WHERE held.locktype = 'advisory' AND held.granted AND held.objsubid = 1
                        AND held.database =
                            (SELECT oid FROM pg_database WHERE datname = current_database())
                        AND held.classid::bigint = (v_identity >> 32) & 4294967295
                        AND held.objid::bigint = v_identity & 4294967295
                        AND alive.locktype = 'virtualxid' AND alive.granted;
                    IF FOUND THEN
                        state := 'other_inputs';
                    END IF;
                END IF;
            END IF;
            -- A statement of its own after the locks: under READ COMMITTED its snapshot holds
            -- whatever their last holder committed. A committed memo is the truth even when a lock
            -- was not to be had: another caller may be reading it just now.
            SELECT r.fingerprint, r.memo,
                   CASE WHEN isfinite(r.expires_at) THEN
                       (extract(epoch FROM r.expires_at - clock_timestamp()) * 1000000)::bigint
                   END
              INTO fingerprint, memo, remaining_us
              FROM %1$I.idem_record r
             WHERE r.id = p_id AND r.expires_at > clock_timestamp();
            IF FOUND THEN
                state := 'done';
            END IF;
        END
        $function$
    $body$, current_schema(), quote_ident(current_schema()) || '.idem_record');
END
$migration$;

INSERT INTO idem_version (version) VALUES (1);
