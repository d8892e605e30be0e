//! Crashes of PostgreSQL and of the wire to it.

use std::time::Duration;

use axum::http::StatusCode;
use idem_core::Idem;
use idem_test_support::gate::Gate;
use idem_test_support::http::Answer;
use idem_test_support::patience::soon;
use idem_test_support::postgres::{PrivateServer, Server, server};
use idem_test_support::proxy::{Fault, Proxy};
use sqlx::Executor as _;

use super::app::App;
use super::stage::{Plan, Step, post};
use super::store::Files;

/// An app whose engine reaches the database through a wire that fails.
struct Wired {
    app: App,
    proxy: Proxy,
}

impl Wired {
    async fn new(connections: u32) -> Self {
        Self::on(server().await, connections).await
    }

    async fn on(server: &Server, connections: u32) -> Self {
        let files = Files(server.database().await);
        let proxy = Proxy::start(files.0.address()).await;
        let pool = files.0.pool_at(proxy.address(), connections).await;
        let idem = Idem::builder(pool.clone()).cache(0).build().unwrap();
        idem.setup().await.unwrap();
        pool.execute("CREATE TABLE effect (run BIGINT NOT NULL)")
            .await
            .unwrap();
        Wired {
            app: App::on(files, pool, idem),
            proxy,
        }
    }

    /// The retry: answered at once, with one effect.
    async fn retry(&self, key: &str) -> Answer {
        let answer = soon("the retry", self.app.post(key, 1)).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
        assert_eq!((self.app.effects().await, self.app.records().await), (1, 1));
        answer
    }
}

fn assert_unavailable(answer: &Answer) {
    assert_eq!(
        answer.status,
        StatusCode::SERVICE_UNAVAILABLE,
        "{}",
        answer.text()
    );
    assert_eq!(
        answer.problem_type().as_deref(),
        Some("urn:idem:error:unavailable")
    );
}

/// case C09: the commit happened, its reply did not: the retry finds the truth and replays it.
#[tokio::test]
async fn a_lost_reply_to_commit_is_found_out_by_the_retry() {
    let wired = Wired::new(4).await;
    let lost = wired.proxy.on("COMMIT", Fault::LoseReply);
    assert_unavailable(&wired.app.post("k1", 1).await);
    assert!(lost.has_fired());
    assert!(wired.retry("k1").await.is_replay());
    assert_eq!(wired.app.script.runs.count(), 1);
}

/// A lost reply to any other statement of ours: nothing was committed, the retry runs.
#[tokio::test]
async fn a_connection_lost_at_any_statement_is_undone() {
    for (sql, fault) in [
        ("BEGIN", Fault::DropBefore),
        ("BEGIN", Fault::LoseReply),
        ("idem_claim", Fault::DropBefore),
        ("idem_claim", Fault::LoseReply),
        ("INSERT INTO effect", Fault::DropBefore),
        ("INSERT INTO effect", Fault::LoseReply),
        ("idem_record", Fault::DropBefore),
        ("idem_record", Fault::LoseReply),
        ("COMMIT", Fault::DropBefore),
    ] {
        let wired = Wired::new(4).await;
        let lost = wired.proxy.on(sql, fault);
        let answer = wired.app.post("k1", 1).await;
        assert!(
            answer.status.is_server_error(),
            "{sql} {fault:?}: {}",
            answer.text()
        );
        assert!(lost.has_fired(), "{sql} {fault:?}");
        assert!(!wired.retry("k1").await.is_replay(), "{sql} {fault:?}");
    }
}

/// The reply to the ROLLBACK of a final error is lost, or to its second transaction.
#[tokio::test]
async fn a_connection_lost_while_a_final_error_is_recorded_keeps_no_write() {
    for (sql, fault) in [
        ("ROLLBACK", Fault::DropBefore),
        ("ROLLBACK", Fault::LoseReply),
        ("idem_record", Fault::DropBefore),
        ("idem_record", Fault::LoseReply),
        ("COMMIT", Fault::DropBefore),
        ("COMMIT", Fault::LoseReply),
    ] {
        let wired = Wired::new(4).await;
        wired.app.script.next(Plan::err(402)).next(Plan::err(402));
        let lost = wired.proxy.on(sql, fault);
        let answer = wired.app.post("k1", 1).await;
        assert!(lost.has_fired(), "{sql} {fault:?}");
        let retried = soon("the retry", wired.app.post("k1", 1)).await;
        assert_eq!(
            retried.status,
            StatusCode::PAYMENT_REQUIRED,
            "{sql} {fault:?} {answer:?}"
        );
        assert_eq!(
            (wired.app.effects().await, wired.app.records().await),
            (0, 1)
        );
    }
}

/// The backend is killed between the body's writes, and after them.
#[tokio::test]
async fn a_killed_backend_is_undone() {
    let app = App::with(4, |builder| builder.cache(0)).await;
    for steps_after in [vec![], vec![Step::Write]] {
        let key = format!("k{}", steps_after.len());
        let before = app.effects().await;
        let gate = Gate::new();
        let mut steps = vec![Step::Write, Step::Pass(gate.clone())];
        steps.extend(steps_after);
        app.script.next(Plan::default().steps(steps));
        let running = app.spawn_post(&key, 1);
        gate.arrived(1).await;
        let backend: i32 = sqlx::query_scalar(
            "SELECT pid FROM pg_stat_activity
              WHERE datname = current_database() AND state = 'idle in transaction'",
        )
        .fetch_one(&app.pool)
        .await
        .unwrap();
        server().await.terminate_backend(backend).await;
        gate.open();
        assert!(running.await.unwrap().status.is_server_error());
        let retried = soon("the retry", app.post(&key, 1)).await;
        assert!(retried.status == StatusCode::CREATED && !retried.is_replay());
        assert_eq!(app.effects().await, before + 1);
    }
}

/// case C11: kill -9 of the whole server before, at and after COMMIT.
#[tokio::test]
async fn a_killed_server_keeps_both_or_neither() {
    let server: PrivateServer = Server::private().await;
    // Before COMMIT arrives: neither the writes nor the answer.
    let wired = Wired::on(&server, 4).await;
    let held = wired.proxy.on("COMMIT", Fault::HoldBefore);
    let running = wired.app.spawn_post("k1", 1);
    held.fired().await;
    server.kill9().await;
    wired.proxy.sever();
    assert_unavailable(&running.await.unwrap());
    server.restart().await;
    assert!(!wired.retry("k1").await.is_replay());
    drop(wired);
    // After it: both.
    let wired = Wired::on(&server, 4).await;
    let held = wired.proxy.on("COMMIT", Fault::HoldReply);
    let running = wired.app.spawn_post("k1", 1);
    held.fired().await;
    server.kill9().await;
    wired.proxy.sever();
    assert_unavailable(&running.await.unwrap());
    server.restart().await;
    assert!(wired.retry("k1").await.is_replay());
}

/// A wire that goes silent: the operation's timeout ends it, and nobody waits for the connection.
#[tokio::test]
async fn a_silent_wire_ends_at_the_timeout() {
    let wired = Wired::new(4).await;
    let gate = Gate::new();
    wired
        .app
        .script
        .next(Plan::default().steps([Step::Pass(gate.clone()), Step::Write]));
    let router = wired.app.router.clone();
    let running = tokio::spawn(async move {
        idem_test_support::http::send(&router, post("/brief", "k1", 1)).await
    });
    gate.arrived(1).await;
    wired.proxy.blackhole();
    gate.open();
    assert_unavailable(&soon("the timeout of a second", running).await.unwrap());
    wired.proxy.sever();
    wired.proxy.heal();
    let retried = soon("the retry", wired.app.send(post("/brief", "k1", 1))).await;
    assert_eq!(retried.status, StatusCode::CREATED, "{}", retried.text());
    assert_eq!(wired.app.effects().await, 1);
}

/// A statement that hangs in the server keeps the key no longer than the operation's timeout.
#[tokio::test]
async fn a_hung_statement_does_not_keep_the_key() {
    let app = App::with(4, |builder| builder.cache(0)).await;
    app.script
        .next(Plan::default().steps([Step::Write, Step::Sql("SELECT pg_sleep(3600)")]));
    let answer = soon("the timeout of a second", app.send(post("/brief", "k1", 1))).await;
    assert!(answer.status.is_server_error(), "{}", answer.text());
    let retried = soon("the retry", app.send(post("/brief", "k1", 1))).await;
    assert_eq!(retried.status, StatusCode::CREATED, "{}", retried.text());
    assert_eq!(app.effects().await, 1);
}

/// case L07: a failed statement whose error the body ignores aborts the whole transaction; an `Ok`
/// after it is not recorded as one.
#[tokio::test]
async fn a_swallowed_failure_is_an_unknown_outcome() {
    let app = App::with(4, |builder| builder.cache(0)).await;
    app.pool
        .execute("CREATE UNIQUE INDEX ON effect (run)")
        .await
        .unwrap();
    app.script.next(Plan::default().steps([
        Step::Write,
        Step::Ignored("INSERT INTO effect SELECT run FROM effect"),
    ]));
    let first = app.post("k1", 1).await;
    assert_eq!(
        first.problem_type().as_deref(),
        Some("urn:idem:error:transaction-ended")
    );
    assert_eq!(app.effects().await, 0);
    let again = app.post("k1", 1).await;
    again.assert_replays(&first);
    assert_eq!(app.script.runs.count(), 1);
    // Inside a savepoint of its own, the same failure is the body's to handle.
    app.script.next(Plan::default().steps([
        Step::Write,
        Step::Sql("SAVEPOINT mine"),
        Step::Ignored("INSERT INTO effect SELECT run FROM effect"),
        Step::Sql("ROLLBACK TO SAVEPOINT mine"),
    ]));
    assert_eq!(app.post("k2", 1).await.status, StatusCode::CREATED);
    assert_eq!(app.effects().await, 1);
}

/// A failed statement that the body answers with its own error is that error, and the key is free.
#[tokio::test]
async fn a_reported_failure_is_the_bodys_own_answer() {
    let app = App::with(4, |builder| builder.cache(0)).await;
    app.script
        .next(Plan::default().steps([Step::Write, Step::Sql("SELECT nonsense")]));
    assert_eq!(
        app.post("k1", 1).await.status,
        StatusCode::INTERNAL_SERVER_ERROR
    );
    assert_eq!((app.effects().await, app.records().await), (0, 0));
    assert_eq!(app.post("k1", 1).await.status, StatusCode::CREATED);
}

/// A constraint checked at COMMIT refuses the operation: undone, and not called an outage.
#[tokio::test]
async fn a_refused_commit_is_undone() {
    let app = App::with(2, |builder| builder.cache(0)).await;
    app.pool
        .execute(
            "CREATE TABLE parent (id BIGINT PRIMARY KEY);
             ALTER TABLE effect ADD parent BIGINT REFERENCES parent DEFERRABLE INITIALLY DEFERRED",
        )
        .await
        .unwrap();
    for _ in 0..4 {
        app.script.next(
            Plan::default().steps([Step::Sql("INSERT INTO effect (run, parent) VALUES (1, 1)")]),
        );
        let answer = app.post("k1", 1).await;
        assert_eq!(
            answer.problem_type().as_deref(),
            Some("urn:idem:error:memo-unwritable")
        );
        assert_eq!((app.effects().await, app.records().await), (0, 0));
    }
    assert_eq!(app.post("k1", 1).await.status, StatusCode::CREATED);
}

/// case L17: under a default of SERIALIZABLE, operations on one row end in one of them or the
/// other, never in a 500; ours are READ COMMITTED in any case.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_default_isolation_of_serializable_changes_nothing() {
    let app = App::with(10, |builder| builder.cache(0)).await;
    let name = app.files.0.name();
    let alter = format!(
        "ALTER DATABASE \"{name}\" SET default_transaction_isolation = 'serializable';
         CREATE TABLE account (balance BIGINT NOT NULL); INSERT INTO account VALUES (0)"
    );
    app.pool
        .execute(sqlx::raw_sql(sqlx::AssertSqlSafe(alter)))
        .await
        .unwrap();
    let pool = app.files.pool(10).await;
    let idem = Idem::builder(pool.clone()).cache(0).build().unwrap();
    let serializable = App::on(Files::new().await, pool.clone(), idem);
    let steps = [Step::Sql("UPDATE account SET balance = balance + 1")];
    for _ in 0..20 {
        serializable
            .script
            .next(Plan::default().steps(steps.clone()));
    }
    let calls = (0..20).map(|number| serializable.spawn_post(&format!("k{}", number / 2), 1));
    for call in futures::future::join_all(calls.collect::<Vec<_>>()).await {
        assert_eq!(call.unwrap().status, StatusCode::CREATED);
    }
    let balance: i64 = sqlx::query_scalar("SELECT balance FROM account")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(balance, 10);
}

/// case T04: neither the time zone of a session, nor a transaction that waited long before its
/// claim, moves an expiry: the database's own clock decides, at the moment of the claim.
#[tokio::test]
async fn expiry_is_the_databases_clock_at_the_claim() {
    let app = App::with(4, |builder| builder.cache(0)).await;
    let name = app.files.0.name();
    let alter = format!("ALTER DATABASE \"{name}\" SET timezone = 'Pacific/Kiritimati'");
    app.pool
        .execute(sqlx::raw_sql(sqlx::AssertSqlSafe(alter)))
        .await
        .unwrap();
    let first = app.send(post("/fleeting", "k1", 1)).await;
    let zoned = App::on(
        Files::new().await,
        app.files.pool(2).await,
        Idem::builder(app.files.pool(2).await)
            .cache(0)
            .build()
            .unwrap(),
    );
    zoned
        .send(post("/fleeting", "k1", 1))
        .await
        .assert_replays(&first);
    let left: f64 = sqlx::query_scalar(
        "SELECT extract(epoch FROM expires_at - completed_at)::float8 FROM idem_record",
    )
    .fetch_one(&app.pool)
    .await
    .unwrap();
    assert!((left - 1.0).abs() < 0.001, "{left}");
}

/// A body that changes its search path writes its record where every look-up will find it.
#[tokio::test]
async fn a_bodys_search_path_does_not_move_its_record() {
    let app = App::with(2, |builder| builder.cache(0)).await;
    app.pool
        .execute(
            "CREATE SCHEMA tenant; CREATE TABLE tenant.idem_record (LIKE idem_record INCLUDING ALL)",
        )
        .await
        .unwrap();
    app.script.next(Plan::default().steps([
        Step::Write,
        Step::Sql("SET LOCAL search_path = tenant, public"),
    ]));
    let first = app.post("k1", 1).await;
    assert_eq!(first.status, StatusCode::CREATED, "{}", first.text());
    app.post("k1", 1).await.assert_replays(&first);
    // Nor does one that outlives the transaction on its connection.
    app.script
        .next(Plan::default().steps([Step::Write, Step::Sql("SET search_path = tenant, public")]));
    app.post("k2", 1).await;
    for key in ["k1", "k2", "k1", "k2"] {
        assert!(app.post(key, 1).await.is_replay());
    }
    assert_eq!((app.effects().await, app.records().await), (2, 2));
}

/// What the attribute costs: two statements beside BEGIN, the body and COMMIT; a replay two round
/// trips before its answer; no dead rows.
#[tokio::test]
async fn an_operation_costs_two_statements_and_leaves_no_dead_row() {
    let wired = Wired::new(1).await;
    // Statements are prepared once per connection.
    wired.app.post("warm", 1).await;
    wired.app.post("warm", 1).await;
    // Taking the only connection waits for the replay's ROLLBACK.
    drop(wired.app.pool.acquire().await.unwrap());
    wired.proxy.forget_seen();
    wired.app.post("k1", 1).await;
    let statements = wired.proxy.statements();
    assert_eq!(statements.len(), 5, "{statements:#?}");
    assert_eq!(wired.proxy.round_trips(), 5);
    wired.proxy.forget_seen();
    let rollback = wired.proxy.on("ROLLBACK", Fault::HoldBefore);
    // Answered although its ROLLBACK never arrives: two round trips, BEGIN and the claim.
    let replay = soon("the replay", wired.app.post("k1", 1)).await;
    assert!(replay.is_replay());
    rollback.release();
    let before: Vec<_> = wired.proxy.statements().into_iter().take(2).collect();
    assert!(
        before[0].contains("BEGIN") && before[1].contains("idem_claim"),
        "{before:?}"
    );
    wired
        .app
        .pool
        .execute("SELECT pg_stat_force_next_flush()")
        .await
        .unwrap();
    let dead: i64 = sqlx::query_scalar(
        "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'idem_record'",
    )
    .fetch_one(&wired.app.pool)
    .await
    .unwrap();
    assert_eq!(dead, 0);
}

/// A role without rights is told which ones it needs.
#[tokio::test]
async fn missing_rights_are_named() {
    let app = App::new().await;
    let name = app.files.0.name();
    let role = format!("idem_test_{name}");
    let create = format!(
        "CREATE ROLE \"{role}\" LOGIN PASSWORD 'known'; GRANT USAGE ON SCHEMA public TO \"{role}\";
         GRANT SELECT ON idem_record, idem_version TO \"{role}\""
    );
    app.pool
        .execute(sqlx::raw_sql(sqlx::AssertSqlSafe(create)))
        .await
        .unwrap();
    let options = app.files.0.options().username(&role).password("known");
    let pool = sqlx::postgres::PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(Duration::from_secs(10))
        .connect_with(options)
        .await
        .unwrap();
    let refused = Idem::new(pool.clone()).unwrap().check().await.unwrap_err();
    assert!(refused.to_string().contains("INSERT"), "{refused}");
    pool.close().await;
    let drop = format!("DROP OWNED BY \"{role}\"; DROP ROLE \"{role}\"");
    app.pool
        .execute(sqlx::raw_sql(sqlx::AssertSqlSafe(drop)))
        .await
        .unwrap();
}

/// What a body deallocates is not what its ending needs.
#[tokio::test]
async fn deallocated_statements_end_no_transaction() {
    let app = App::with(1, |builder| builder.cache(0)).await;
    for plan in [Plan::ok(500), Plan::err(402)] {
        let status = plan.status;
        let key = format!("k{}", status.as_u16());
        app.script
            .next(plan.steps([Step::Write, Step::Sql("DEALLOCATE ALL")]));
        let answer = app.post(&key, 1).await;
        assert_ne!(
            answer.problem_type().as_deref(),
            Some("urn:idem:error:transaction-ended")
        );
        let retried = async {
            loop {
                let answer = app.post(&key, 1).await;
                if answer.status != StatusCode::SERVICE_UNAVAILABLE {
                    return answer;
                }
            }
        };
        let retried = soon("a fresh connection", retried).await;
        assert!(
            [StatusCode::CREATED, status].contains(&retried.status),
            "{}",
            retried.text()
        );
    }
}

/// A final error counts as running until it is recorded.
#[tokio::test]
async fn drain_waits_for_a_final_error() {
    let wired = Wired::new(4).await;
    wired.app.script.next(Plan::err(402));
    let held = wired.proxy.on("idem_record", Fault::HoldBefore);
    let running = wired.app.spawn_post("k1", 1);
    held.fired().await;
    assert_eq!(wired.app.idem.drain(Duration::ZERO).await, 1);
    held.release();
    let answer = running.await.unwrap();
    assert_eq!(answer.status, StatusCode::PAYMENT_REQUIRED);
    assert_eq!(wired.app.idem.drain(Duration::from_secs(30)).await, 0);
    assert_eq!(wired.app.records().await, 1);
}

/// An ending transaction frees its locks one by one, here 200,000 of them: whoever comes meanwhile
/// with the same inputs is never told that they are other ones.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slowly_ending_transaction_is_no_mismatch() {
    let server = Server::private_with(&[("max_locks_per_transaction", "4096")]).await;
    let files = Files(server.database().await);
    let pool = files.0.pool(4).await;
    let idem = Idem::builder(pool.clone()).cache(0).build().unwrap();
    idem.setup().await.unwrap();
    let app = App::on(files, pool, idem);
    let neighbour = app
        .neighbour(|builder| builder.cache(0).wait(Duration::ZERO))
        .await;
    for round in 0..40 {
        let locks = "SELECT count(pg_advisory_xact_lock(7, n)) FROM generate_series(1, 200000) n";
        app.script.next(Plan::ok(500).steps([Step::Sql(locks)]));
        let key = format!("k{round}");
        let first = app.spawn_post(&key, 1);
        while !first.is_finished() {
            app.script.next(Plan::ok(500).steps([]));
            let copy = idem_test_support::http::send(&neighbour, post("/op", &key, 1)).await;
            let problem = copy.problem_type();
            assert_ne!(problem.as_deref(), Some("urn:idem:error:key-reused"));
        }
    }
}

/// Keys with characters the database cannot store are readable for people in ASCII.
#[tokio::test]
async fn a_database_in_latin1_takes_every_key() {
    let files = Files::new().await;
    let latin = format!("{}_latin", files.0.name());
    let mut admin = server().await.admin_connection().await;
    let create = format!(
        "CREATE DATABASE \"{latin}\" ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    );
    admin
        .execute(sqlx::raw_sql(sqlx::AssertSqlSafe(create)))
        .await
        .unwrap();
    let pool = sqlx::postgres::PgPoolOptions::new()
        .max_connections(2)
        .connect_with(files.0.options().database(&latin))
        .await
        .unwrap();
    let idem = Idem::builder(pool.clone()).cache(0).build().unwrap();
    idem.setup().await.unwrap();
    pool.execute("CREATE TABLE effect (run BIGINT NOT NULL)")
        .await
        .unwrap();
    let app = App::on(files, pool.clone(), idem);
    for tenant in [
        "t1".to_owned(),
        "t".repeat(300),
        "\u{65e5}\u{672c}".to_owned(),
    ] {
        let mut request = post("/op", &"k".repeat(255), 1);
        let tenant = axum::http::HeaderValue::from_bytes(tenant.as_bytes()).unwrap();
        request.headers_mut().insert("x-tenant", tenant);
        let answer = app.send(request).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    }
    pool.close().await;
    let drop = format!("DROP DATABASE \"{latin}\"");
    admin
        .execute(sqlx::raw_sql(sqlx::AssertSqlSafe(drop)))
        .await
        .unwrap();
}

/// A schema whose name needs quoting, twice.
#[tokio::test]
async fn any_schema_can_hold_the_tables() {
    let files = Files::new().await;
    let setup = files.0.pool(1).await;
    setup
        .execute("CREATE SCHEMA \"o'Brien\"\"x\"")
        .await
        .unwrap();
    let options = files
        .0
        .options()
        .options([("search_path", "\"o'Brien\"\"x\"")]);
    let pool = sqlx::postgres::PgPoolOptions::new()
        .connect_with(options)
        .await
        .unwrap();
    let idem = Idem::builder(pool.clone()).cache(0).build().unwrap();
    idem.setup().await.unwrap();
    pool.execute("CREATE TABLE effect (run BIGINT NOT NULL)")
        .await
        .unwrap();
    let app = App::on(files, pool, idem);
    let first = app.post("k1", 1).await;
    assert_eq!(first.status, StatusCode::CREATED, "{}", first.text());
    app.post("k1", 1).await.assert_replays(&first);
}

/// A role that may only read is told at `check()`, not at 3 a.m.
#[tokio::test]
async fn a_read_only_default_is_not_ready() {
    let app = App::new().await;
    let options = app
        .files
        .0
        .options()
        .options([("default_transaction_read_only", "on")]);
    let pool = sqlx::postgres::PgPoolOptions::new()
        .connect_with(options)
        .await
        .unwrap();
    let refused = Idem::new(pool).unwrap().check().await.unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("default_transaction_read_only"),
        "{refused}"
    );
}
