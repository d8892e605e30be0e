//! Joins: an operation inside the transaction of another one.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::Poll;

use axum::extract::Path;
use axum::http::{Request, StatusCode};
use axum::routing::post;
use axum::{Router, body::Body};
use futures::FutureExt as _;
use idem_core::axum::{IdempotencyKey, idempotent};
use idem_core::{Error, Idem, Tx, shared};
use idem_test_support::gate::Gate;
use idem_test_support::http::send;
use sqlx::Executor as _;

use super::plain::{Failed, Refused, Shop, inner, outer, refusing, write};
use super::store::Db;

const NOBODY: &str = "the recorded answer is given instead";

/// A body that must not run.
macro_rules! never {
    () => {
        async |_: &mut Tx<Db>| panic!("{NOBODY}")
    };
}

/// case L16: both are committed together, each under its own key, and each is replayed by itself.
#[tokio::test]
async fn an_operation_joins_the_one_around_it() {
    let shop = Shop::new().await;
    let both = outer(&shop.idem, 1, async |tx| {
        write(tx, 100).await?;
        let joined = inner(&mut *tx, 7, 0, shop.counted(7)).await?;
        write(tx, 101).await?;
        Ok(joined + 10)
    });
    assert_eq!(both.await.unwrap(), 11);
    assert_eq!(shop.effects().await, [7, 100, 101]);
    assert_eq!(outer(&shop.idem, 1, never!()).await.unwrap(), 11);
    assert_eq!(inner(&shop.idem, 7, 0, never!()).await.unwrap(), 1);
    let elsewhere = shop.neighbour().await;
    assert_eq!(inner(&elsewhere, 7, 0, never!()).await.unwrap(), 1);
    assert_eq!(shop.records().await, 2);
}

#[tokio::test]
async fn the_memo_of_a_join_reaches_nobody_before_the_outer_commit() {
    let shop = Shop::new().await;
    let (joined, waiting) = (Gate::new(), Gate::new());
    let whole = outer(&shop.idem, 1, async |tx| {
        let answer = inner(&mut *tx, 7, 0, shop.counted(7)).await?;
        joined.pass().await;
        Ok(answer)
    });
    let copy = async {
        joined.arrived(1).await;
        let mut copy = pin!(inner(&shop.idem, 7, 0, never!()));
        // It waits for the one that joined; its answer is not there yet.
        assert!(futures::poll!(copy.as_mut()).is_pending());
        assert_eq!(shop.records().await, 0);
        waiting.open();
        joined.open();
        copy.await
    };
    let (whole, copy) = tokio::join!(whole, copy);
    assert_eq!((whole.unwrap(), copy.unwrap()), (1, 1));
}

#[tokio::test]
async fn when_the_outer_one_fails_a_waiting_copy_of_the_joined_one_runs() {
    let shop = Shop::new().await;
    let joined = Gate::new();
    let whole = outer(&shop.idem, 1, async |tx| {
        inner(&mut *tx, 7, 0, shop.counted(7)).await?;
        joined.pass().await;
        Err(Failed::Told)
    });
    let copy = async {
        joined.arrived(1).await;
        let mut copy = pin!(shop.inner_alone(7));
        assert!(futures::poll!(copy.as_mut()).is_pending());
        joined.open();
        copy.await
    };
    let (whole, copy) = tokio::join!(whole, copy);
    assert!(matches!(whole, Err(Failed::Told)));
    // The first run's writes and record went with the outer one's.
    assert_eq!(copy.unwrap(), 2);
    assert_eq!(shop.effects().await, [7]);
}

#[tokio::test]
async fn both_are_undone_when_the_outer_one_fails() {
    let shop = Shop::new().await;
    for run in 1..=2 {
        let whole = outer(&shop.idem, 1, async |tx| {
            assert_eq!(inner(&mut *tx, 7, 0, shop.counted(7)).await?, run);
            Err(Failed::Told)
        });
        assert!(matches!(whole.await, Err(Failed::Told)));
        assert_eq!((shop.effects().await, shop.records().await), (vec![], 0));
    }
    assert_eq!(shop.inner_alone(7).await.unwrap(), 3);
}

#[tokio::test]
async fn only_the_joined_one_is_undone_when_the_outer_one_goes_on() {
    let shop = Shop::new().await;
    let whole = outer(&shop.idem, 1, async |tx| {
        write(tx, 100).await?;
        let failed = inner(&mut *tx, 7, 0, async |tx| {
            write(tx, 7).await?;
            Err(Failed::Told)
        });
        assert!(matches!(failed.await, Err(Failed::Told)));
        let failed = inner(&mut *tx, 8, 0, async |tx| {
            write(tx, 8).await?;
            tx.execute("SELECT * FROM nowhere").await?;
            Ok(0)
        });
        assert!(matches!(failed.await, Err(Failed::Sql(_))));
        write(tx, 101).await?;
        Ok(5)
    });
    assert_eq!(whole.await.unwrap(), 5);
    assert_eq!(shop.effects().await, [100, 101]);
    assert_eq!(shop.inner_alone(7).await.unwrap(), 1);
}

#[tokio::test]
async fn one_key_twice_in_one_transaction_runs_once() {
    let shop = Shop::new().await;
    let whole = outer(&shop.idem, 1, async |tx| {
        let first = inner(&mut *tx, 7, 0, shop.counted(7)).await?;
        let second = inner(&mut *tx, 7, 0, never!()).await?;
        let reused = inner(&mut *tx, 7, 1, never!()).await;
        assert!(matches!(reused, Err(Failed::Engine(Error::KeyReused))));
        Ok(first + second)
    });
    assert_eq!(whole.await.unwrap(), 2);
    assert_eq!(shop.effects().await, [7]);
}

#[tokio::test]
async fn an_operation_inside_itself_is_an_error_at_once() {
    let shop = Shop::new().await;
    let whole = outer(&shop.idem, 1, async |tx| {
        let itself = Box::pin(outer(&mut *tx, 1, never!()));
        assert!(matches!(itself.await, Err(Failed::Engine(Error::Nested))));
        let deeper = inner(&mut *tx, 7, 0, async |tx| {
            let itself = Box::pin(outer(&mut *tx, 1, never!()));
            assert!(matches!(itself.await, Err(Failed::Engine(Error::Nested))));
            write(tx, 7).await?;
            Ok(1)
        });
        deeper.await
    });
    assert_eq!(whole.await.unwrap(), 1);
    assert_eq!(shop.effects().await, [7]);
}

#[tokio::test]
async fn the_engine_inside_a_body_is_an_error_at_once() {
    let shop = Shop::with(1, |builder| builder).await;
    let whole = outer(&shop.idem, 1, async |tx| {
        for id in [1, 7] {
            let anew = inner(&shop.idem, id, 0, never!());
            assert!(matches!(anew.await, Err(Failed::Engine(Error::Nested))));
        }
        let in_a_join = inner(&mut *tx, 7, 0, async |_| {
            let anew = Box::pin(inner(&shop.idem, 8, 0, never!()));
            assert!(matches!(anew.await, Err(Failed::Engine(Error::Nested))));
            Ok(1)
        });
        in_a_join.await
    });
    assert_eq!(whole.await.unwrap(), 1);
    // Outside of the body it is none.
    assert_eq!(shop.inner_alone(8).await.unwrap(), 1);
}

/// The engine of another database is no nesting.
#[tokio::test]
async fn another_engine_inside_a_body_is_its_own_operation() {
    let (shop, other) = (Shop::new().await, Shop::new().await);
    let whole = outer(&shop.idem, 1, async |_| other.inner_alone(7).await);
    assert_eq!(whole.await.unwrap(), 1);
    assert_eq!(other.effects().await, [7]);
}

/// Polls `work` so many times and then drops it; whether it ended before.
async fn dropped_after<T>(polls: usize, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut left = polls;
    std::future::poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        work.as_mut().poll(context).map(Some)
    })
    .await
}

#[tokio::test]
async fn a_join_dropped_at_any_moment_records_nothing() {
    let shop = Shop::new().await;
    for polls in 0..200 {
        let mut ended = false;
        let whole = outer(&shop.idem, 1, async |tx| {
            write(tx, 100).await?;
            let joined = inner(&mut *tx, 7, 0, shop.counted(7));
            ended = dropped_after(polls, joined).await.is_some();
            if !ended {
                let again = inner(&mut *tx, 8, 0, never!()).await;
                if polls > 0 {
                    let refused = matches!(again, Err(Failed::Engine(Error::Unavailable { .. })));
                    assert!(refused, "{polls}: {again:?}");
                }
            }
            Ok(1)
        });
        // Never polled, it never began: then the body that must not run would.
        let whole = if polls == 0 { continue } else { whole.await };
        if ended {
            assert_eq!(whole.unwrap(), 1);
            assert_eq!(shop.effects().await, [7, 100]);
            return;
        }
        let undone = matches!(whole, Err(Failed::Engine(Error::Unavailable { .. })));
        assert!(undone, "{polls}: {whole:?}");
        assert_eq!(
            (shop.effects().await, shop.records().await),
            (vec![], 0),
            "{polls}"
        );
    }
    panic!("the join never ended");
}

#[tokio::test]
async fn a_join_that_was_dropped_inside_a_join_undoes_only_that() {
    let shop = Shop::new().await;
    let hang = Gate::new();
    let whole = outer(&shop.idem, 1, async |tx| {
        write(tx, 100).await?;
        let middle = inner(&mut *tx, 7, 0, async |tx| {
            write(tx, 7).await?;
            let innermost = Box::pin(inner(&mut *tx, 8, 0, async |tx| {
                write(tx, 8).await?;
                hang.pass().await;
                Ok(0)
            }));
            let dropped = tokio::select! {
                biased;
                () = hang.arrived(1) => true,
                _ = innermost => false,
            };
            assert!(dropped);
            Ok(0)
        });
        let middle = middle.await;
        assert!(
            matches!(middle, Err(Failed::Engine(Error::Unavailable { .. }))),
            "{middle:?}"
        );
        Ok(9)
    });
    assert_eq!(whole.await.unwrap(), 9);
    assert_eq!(shop.effects().await, [100]);
    assert_eq!(shop.inner_alone(8).await.unwrap(), 1);
}

#[tokio::test]
async fn a_final_error_of_a_join_is_recorded_with_the_outer_one() {
    let shop = Shop::new().await;
    let whole = outer(&shop.idem, 1, async |tx| {
        let refused = refusing(&mut *tx, 7, async |tx| {
            write(tx, 7).await.unwrap();
            Err(Refused::SoldOut { left: 3 })
        });
        assert_eq!(refused.await, Err(Refused::SoldOut { left: 3 }));
        let busy = refusing(&mut *tx, 8, async |tx| {
            write(tx, 8).await.unwrap();
            Err(Refused::Busy)
        });
        assert_eq!(busy.await, Err(Refused::Busy));
        Ok(1)
    });
    whole.await.unwrap();
    assert_eq!(shop.effects().await, [0_i64; 0]);
    let again = refusing(&shop.idem, 7, async |_| panic!("{NOBODY}")).await;
    assert_eq!(again, Err(Refused::SoldOut { left: 3 }));
    assert_eq!(refusing(&shop.idem, 8, async |_| Ok(1)).await, Ok(1));
}

#[tokio::test]
async fn a_join_that_ends_the_transaction_leaves_both_unknown() {
    for end in ["COMMIT", "ROLLBACK"] {
        let shop = Shop::new().await;
        let whole = outer(&shop.idem, 1, async |tx| {
            write(tx, 100).await?;
            let joined = inner(&mut *tx, 7, 0, async |tx| {
                write(tx, 7).await?;
                tx.execute(end).await?;
                Ok(1)
            });
            let joined = joined.await;
            let ended = matches!(joined, Err(Failed::Engine(Error::TransactionEnded)));
            assert!(ended, "{end}: {joined:?}");
            Ok(1)
        });
        let whole = whole.await;
        let ended = matches!(whole, Err(Failed::Engine(Error::TransactionEnded)));
        assert!(ended, "{end}: {whole:?}");
        let again = outer(&shop.idem, 1, never!()).await;
        assert!(matches!(
            again,
            Err(Failed::Engine(Error::TransactionEnded))
        ));
        let again = inner(&shop.idem, 7, 0, never!()).await;
        assert!(matches!(
            again,
            Err(Failed::Engine(Error::TransactionEnded))
        ));
    }
}

#[tokio::test]
async fn a_transaction_of_the_callers_own_is_joined() {
    let shop = Shop::new().await;
    for (round, commits) in [(1, false), (2, true)] {
        let mut joined = shop
            .idem
            .join(shop.pool.begin().await.unwrap())
            .await
            .unwrap();
        joined
            .execute("INSERT INTO effect VALUES (100)")
            .await
            .unwrap();
        let answer = inner(&mut joined, 7, 0, shop.counted(7)).await.unwrap();
        assert_eq!(answer, round);
        assert_eq!(inner(&mut joined, 7, 0, never!()).await.unwrap(), round);
        if commits {
            joined.commit().await.unwrap();
        } else {
            joined.rollback().await.unwrap();
            assert_eq!((shop.effects().await, shop.records().await), (vec![], 0));
        }
    }
    assert_eq!(shop.effects().await, [7, 100]);
    assert_eq!(inner(&shop.idem, 7, 0, never!()).await.unwrap(), 2);
}

#[tokio::test]
async fn a_dropped_transaction_of_the_callers_own_leaves_nothing() {
    let shop = Shop::with(1, |builder| builder).await;
    let mut joined = shop
        .idem
        .join(shop.pool.begin().await.unwrap())
        .await
        .unwrap();
    inner(&mut joined, 7, 0, shop.counted(7)).await.unwrap();
    drop(joined);
    assert_eq!((shop.effects().await, shop.records().await), (vec![], 0));
    assert_eq!(shop.inner_alone(7).await.unwrap(), 2);
}

#[tokio::test]
async fn a_dropped_join_keeps_the_callers_transaction_from_committing() {
    let shop = Shop::new().await;
    let hang = Gate::new();
    let mut joined = shop
        .idem
        .join(shop.pool.begin().await.unwrap())
        .await
        .unwrap();
    {
        let mut dropped = pin!(inner(&mut joined, 7, 0, async |tx| {
            write(tx, 7).await?;
            hang.pass().await;
            Ok(0)
        }));
        tokio::select! {
            biased;
            () = hang.arrived(1) => (),
            _ = dropped.as_mut() => panic!("the gate is shut"),
        }
    }
    assert!(matches!(
        joined.commit().await,
        Err(Error::Unavailable { .. })
    ));
    assert_eq!((shop.effects().await, shop.records().await), (vec![], 0));
}

/// A handler with an operation joined to it; status 500 fails after that.
#[idempotent(key = shared(key))]
async fn handler(
    key: IdempotencyKey,
    Path(status): Path<u16>,
    tx: &mut Tx<Db>,
) -> Result<StatusCode, StatusCode> {
    let joined = inner(&mut *tx, 7, 0, async |tx| {
        write(tx, 7).await?;
        Ok(1)
    });
    joined.await.map_err(|_| StatusCode::BAD_GATEWAY)?;
    match StatusCode::from_u16(status).unwrap() {
        StatusCode::INTERNAL_SERVER_ERROR => Err(StatusCode::INTERNAL_SERVER_ERROR),
        fine => Ok(fine),
    }
}

/// A handler that begins an operation anew instead of joining.
#[idempotent(key = shared(key))]
async fn forgetful(
    key: IdempotencyKey,
    axum::extract::State(idem): axum::extract::State<Idem<Db>>,
    tx: &mut Tx<Db>,
) -> Result<String, StatusCode> {
    write(tx, 1).await.map_err(|_| StatusCode::BAD_GATEWAY)?;
    match inner(&idem, 7, 0, never!()).await {
        Err(Failed::Engine(error)) => Ok(error.name().to_owned()),
        other => Ok(format!("{other:?}")),
    }
}

fn request(path: &str, key: &str) -> Request<Body> {
    Request::post(path)
        .header("idempotency-key", key)
        .body(Body::empty())
        .unwrap()
}

#[tokio::test]
async fn an_operation_joins_a_handler() {
    let shop = Shop::new().await;
    let router = Router::new()
        .route("/{status}", post(handler))
        .route("/forgetful", post(forgetful))
        .with_state(shop.idem.clone());
    let failed = send(&router, request("/500", "k1")).await;
    assert_eq!(failed.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!((shop.effects().await, shop.records().await), (vec![], 0));
    let first = send(&router, request("/201", "k2")).await;
    assert_eq!(first.status, StatusCode::CREATED);
    send(&router, request("/201", "k2"))
        .await
        .assert_replays(&first);
    assert_eq!((shop.effects().await, shop.records().await), (vec![7], 2));
    assert_eq!(inner(&shop.idem, 7, 0, never!()).await.unwrap(), 1);
    let nested = send(&router, request("/forgetful", "k3")).await;
    assert_eq!(&nested.body[..], b"nested");
}

/// Begins to join key 7, whose body does `ends`, and drops it in there.
async fn dropped_join(tx: &mut Tx<Db>, ends: Option<&'static str>) {
    let hang = Gate::new();
    let joined = inner(tx, 7, 0, async |tx| {
        write(tx, 7).await?;
        if let Some(sql) = ends {
            tx.execute(sql).await?;
        }
        hang.pass().await;
        Ok(0)
    });
    tokio::select! {
        biased;
        () = hang.arrived(1) => (),
        _ = joined => panic!("the gate is shut"),
    }
}

#[tokio::test]
async fn after_a_dropped_join_nothing_more_is_written() {
    let shop = Shop::new().await;
    let whole = AssertUnwindSafe(outer(&shop.idem, 1, async |tx| {
        write(tx, 100).await?;
        dropped_join(tx, None).await;
        write(tx, 101).await?;
        Ok(1)
    }));
    assert!(whole.catch_unwind().await.is_err());
    assert_eq!((shop.effects().await, shop.records().await), (vec![], 0));
    assert_eq!(shop.inner_alone(7).await.unwrap(), 1);
}

#[tokio::test]
async fn a_dropped_join_that_committed_leaves_the_outer_one_unknown() {
    let shop = Shop::new().await;
    for _ in 0..2 {
        let whole = outer(&shop.idem, 1, async |tx| {
            write(tx, 100).await?;
            dropped_join(tx, Some("COMMIT")).await;
            Ok(1)
        });
        let whole = whole.await;
        assert!(
            matches!(whole, Err(Failed::Engine(Error::TransactionEnded))),
            "{whole:?}"
        );
    }
    assert_eq!(shop.effects().await, [7, 100]);
}

/// A join proves its own transaction, and not that of the operation around it.
#[tokio::test]
async fn a_join_does_not_hide_that_the_outer_one_committed() {
    for fails in [false, true] {
        let shop = Shop::new().await;
        for _ in 0..2 {
            let whole = outer(&shop.idem, 1, async |tx| {
                write(tx, 100).await?;
                tx.execute("COMMIT").await?;
                tx.execute("BEGIN").await?;
                let _ = inner(&mut *tx, 7, 0, async |_| Ok(1)).await;
                if fails { Err(Failed::Told) } else { Ok(1) }
            });
            let whole = whole.await;
            let ended = matches!(whole, Err(Failed::Engine(Error::TransactionEnded)));
            assert!(ended, "{fails}: {whole:?}");
        }
        assert_eq!(shop.effects().await, [100]);
    }
}

#[tokio::test]
async fn what_joined_and_committed_is_unknown_however_the_callers_transaction_ends() {
    for rolls_back in [true, false] {
        let shop = Shop::with(1, |builder| builder).await;
        let mut joined = shop
            .idem
            .join(shop.pool.begin().await.unwrap())
            .await
            .unwrap();
        let ended = inner(&mut joined, 7, 0, async |tx| {
            write(tx, 7).await?;
            tx.execute("COMMIT").await?;
            Ok(1)
        });
        assert!(matches!(
            ended.await,
            Err(Failed::Engine(Error::TransactionEnded))
        ));
        if rolls_back {
            assert!(matches!(
                joined.rollback().await,
                Err(Error::TransactionEnded)
            ));
        } else {
            drop(joined);
        }
        let again = inner(&shop.idem, 7, 0, never!()).await;
        assert!(
            matches!(again, Err(Failed::Engine(Error::TransactionEnded))),
            "{again:?}"
        );
        assert_eq!(shop.effects().await, [7]);
        assert_eq!(shop.inner_alone(8).await.unwrap(), 1);
    }
}

#[tokio::test]
async fn a_callers_transaction_that_ended_is_not_said_to_be_committed() {
    let shop = Shop::new().await;
    let mut joined = shop
        .idem
        .join(shop.pool.begin().await.unwrap())
        .await
        .unwrap();
    inner(&mut joined, 7, 0, shop.counted(7)).await.unwrap();
    joined.execute("ROLLBACK").await.unwrap();
    let ended = joined.commit().await;
    assert!(ended.is_err(), "{ended:?}");
    assert_eq!((shop.effects().await, shop.records().await), (vec![], 0));
    assert_eq!(shop.inner_alone(7).await.unwrap(), 2);
}

/// An engine that has not spoken to its database yet, whose only connection is the caller's.
#[tokio::test]
async fn a_join_needs_no_second_connection() {
    let shop = Shop::new().await;
    let pool = shop.files.pool(1).await;
    let fresh = Idem::new(pool.clone()).unwrap();
    let mut joined = fresh.join(pool.begin().await.unwrap()).await.unwrap();
    assert_eq!(inner(&mut joined, 7, 0, shop.counted(7)).await.unwrap(), 1);
    joined.commit().await.unwrap();
    assert_eq!(shop.effects().await, [7]);
}

/// A copy that has the seat of a key, but waits for the transaction that joins it, is no leader.
#[tokio::test]
async fn a_join_does_not_wait_for_who_waits_for_it() {
    let shop = Shop::with(1, |builder| builder).await;
    let (running, go_on) = (Gate::new(), Gate::new());
    let whole = outer(&shop.idem, 1, async |tx| {
        running.pass().await;
        go_on.pass().await;
        inner(&mut *tx, 7, 0, shop.counted(7)).await
    });
    let copy = async {
        running.arrived(1).await;
        let mut copy = pin!(shop.inner_alone(7));
        assert!(futures::poll!(copy.as_mut()).is_pending());
        running.open();
        go_on.open();
        copy.await
    };
    let (whole, copy) = tokio::join!(whole, copy);
    assert_eq!((whole.unwrap(), copy.unwrap()), (1, 1));
    assert_eq!(shop.effects().await, [7]);
}
