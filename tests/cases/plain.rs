//! Plain operations by themselves: replays, endings, drops, panics, and memos that changed.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt as _;
use idem_core::{Error, Idem, Tx, idempotent};
use idem_test_support::gate::Gate;

use super::plain::{Failed, Refused, Shop, inner, refusing, write};
use super::store::Db;

macro_rules! never {
    () => {
        async |_: &mut Tx<Db>| panic!("the recorded answer is given instead")
    };
}

#[tokio::test]
async fn the_first_answer_is_given_again() {
    let shop = Shop::new().await;
    assert_eq!(shop.inner_alone(7).await.unwrap(), 1);
    assert_eq!(inner(&shop.idem, 7, 0, never!()).await.unwrap(), 1);
    // Not from memory only.
    let elsewhere = shop.neighbour().await;
    assert_eq!(inner(&elsewhere, 7, 0, never!()).await.unwrap(), 1);
    let reused = inner(&elsewhere, 7, 1, never!()).await;
    assert!(matches!(reused, Err(Failed::Engine(Error::KeyReused))));
    assert_eq!(shop.effects().await, [7]);
}

#[tokio::test]
async fn of_many_copies_one_runs() {
    let shop = Shop::new().await;
    let elsewhere = shop.neighbour().await;
    let copies = (0..32).map(|copy| {
        let idem = if copy % 2 == 0 {
            &shop.idem
        } else {
            &elsewhere
        };
        inner(idem, 7, 0, shop.counted(7))
    });
    for answer in futures::future::join_all(copies).await {
        assert_eq!(answer.unwrap(), 1);
    }
    assert_eq!(shop.effects().await, [7]);
}

#[tokio::test]
async fn an_error_undoes_and_frees_the_key() {
    let shop = Shop::new().await;
    let failed = inner(&shop.idem, 7, 0, async |tx| {
        write(tx, 7).await?;
        Err(Failed::Told)
    });
    assert!(matches!(failed.await, Err(Failed::Told)));
    assert_eq!((shop.effects().await, shop.records().await), (vec![], 0));
    assert_eq!(shop.inner_alone(7).await.unwrap(), 1);
}

#[tokio::test]
async fn a_final_error_is_recorded_without_the_writes() {
    let shop = Shop::new().await;
    let refused = refusing(&shop.idem, 7, async |tx| {
        write(tx, 7).await.unwrap();
        Err(Refused::SoldOut { left: 3 })
    });
    assert_eq!(refused.await, Err(Refused::SoldOut { left: 3 }));
    assert_eq!((shop.effects().await, shop.records().await), (vec![], 1));
    for idem in [&shop.idem, &shop.neighbour().await] {
        let again = refusing(idem, 7, never!()).await;
        assert_eq!(again, Err(Refused::SoldOut { left: 3 }));
    }
    let busy = refusing(&shop.idem, 8, async |_| Err(Refused::Busy)).await;
    assert_eq!(busy, Err(Refused::Busy));
    assert_eq!(refusing(&shop.idem, 8, async |_| Ok(1)).await, Ok(1));
}

/// A fn with borrowed arguments, which no task of its own could hold.
#[idempotent(key = name)]
async fn borrowing(
    name: &str,
    parts: &[&str],
    tx: &mut Tx<Db>,
    #[ambient] gate: &Gate,
) -> Result<String, Failed> {
    write(tx, 1).await?;
    gate.pass().await;
    write(tx, 2).await?;
    Ok(format!("{name}: {}", parts.join(" ")))
}

/// Dropped before its body has returned it is undone, later it ends whole; in both cases the key
/// and the pool are in order.
#[tokio::test]
async fn dropped_at_any_moment_it_is_undone_or_whole() {
    let shop = Shop::with(1, |builder| builder.cache(0)).await;
    let (gate, parts) = (Gate::new(), ["a", "b"]);
    gate.open();
    let (mut undone, mut whole) = (0, 0);
    // How many polls a run takes depends on how fast the database answers, so each number is tried
    // again and again until drops of both kinds were seen.
    for attempt in 0..600 {
        let name = format!("n{attempt}");
        let mut left = 1 + attempt % 12;
        let ended = {
            let mut work = pin!(borrowing(&shop.idem, &name, &parts, &gate));
            std::future::poll_fn(|context| {
                if left == 0 {
                    return Poll::Ready(None);
                }
                left -= 1;
                work.as_mut().poll(context).map(Some)
            })
            .await
        };
        // Waits for what the drop left to be done: there is one connection.
        let before = shop.effects().await;
        assert!(matches!(before.len(), 0 | 2), "{attempt}: {before:?}");
        let again = borrowing(&shop.idem, &name, &parts, &gate).await;
        assert_eq!(again.unwrap(), format!("{name}: a b"));
        assert_eq!(shop.effects().await.len(), 2, "{attempt}");
        sqlx::query("DELETE FROM effect")
            .execute(&shop.pool)
            .await
            .unwrap();
        if ended.is_none() {
            *(if before.is_empty() {
                &mut undone
            } else {
                &mut whole
            }) += 1;
        }
        if undone > 30 && whole > 3 {
            return;
        }
    }
    panic!("{undone} drops before the body had returned, {whole} later");
}

#[tokio::test]
async fn a_panic_undoes_and_goes_on_to_the_caller() {
    let shop = Shop::new().await;
    let panics = AssertUnwindSafe(inner(&shop.idem, 7, 0, async |tx| {
        write(tx, 7).await?;
        panic!("as the test says")
    }));
    assert!(panics.catch_unwind().await.is_err());
    assert_eq!(shop.inner_alone(7).await.unwrap(), 1);
    assert_eq!(shop.effects().await, [7]);
}

#[idempotent(key = id, timeout = "1s")]
async fn hanging(id: u32, tx: &mut Tx<Db>, #[ambient] hangs: bool) -> Result<u32, Failed> {
    write(tx, id.into()).await?;
    if hangs {
        std::future::pending::<()>().await;
    }
    Ok(id)
}

#[tokio::test]
async fn a_hung_body_is_undone_at_its_timeout() {
    let shop = Shop::new().await;
    let hung = hanging(&shop.idem, 7, true).await;
    assert!(matches!(
        hung,
        Err(Failed::Engine(Error::Unavailable { .. }))
    ));
    assert_eq!((shop.effects().await, shop.records().await), (vec![], 0));
    assert_eq!(hanging(&shop.idem, 7, false).await.unwrap(), 7);
}

/// An old memo whose type has changed is no reason to run again.
#[tokio::test]
async fn a_memo_of_another_type_is_unreadable() {
    let shop = Shop::new().await;
    shop.inner_alone(7).await.unwrap();
    // Version 1, a value, and what RON makes of a text.
    let other = [b"\x01\x03".as_slice(), b"\"seven\""].concat();
    sqlx::query("UPDATE idem_record SET memo = $1")
        .bind(other)
        .execute(&shop.pool)
        .await
        .unwrap();
    let elsewhere = shop.neighbour().await;
    for _ in 0..2 {
        let read = inner(&elsewhere, 7, 0, never!()).await;
        assert!(matches!(
            read,
            Err(Failed::Engine(Error::MemoUnreadable { .. }))
        ));
    }
    assert_eq!(shop.effects().await, [7]);
}

/// A value that does not come back as it was.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct OneWay {
    #[serde(skip_serializing)]
    _secret: u8,
}

#[idempotent(key = id)]
async fn one_way(id: u32, tx: &mut Tx<Db>) -> Result<OneWay, Failed> {
    write(tx, id.into()).await?;
    Ok(OneWay { _secret: 1 })
}

#[idempotent(key = id)]
async fn large(id: u32, tx: &mut Tx<Db>) -> Result<String, Failed> {
    write(tx, id.into()).await?;
    Ok("x".repeat(2000))
}

#[tokio::test]
async fn an_answer_that_cannot_be_recorded_undoes_everything() {
    let shop = Shop::with(2, |builder| builder.max_memo(1000)).await;
    let refused = one_way(&shop.idem, 1).await;
    assert!(matches!(
        refused,
        Err(Failed::Engine(Error::MemoUnwritable { .. }))
    ));
    let refused = large(&shop.idem, 2).await;
    let too_large = matches!(
        refused,
        Err(Failed::Engine(Error::MemoTooLarge { limit_bytes: 1000 }))
    );
    assert!(too_large);
    assert_eq!((shop.effects().await, shop.records().await), (vec![], 0));
}

#[tokio::test]
async fn a_copy_that_waits_in_vain_is_told_so() {
    let shop = Shop::new().await;
    let running = Gate::new();
    let first = inner(&shop.idem, 7, 0, async |tx| {
        running.pass().await;
        write(tx, 7).await?;
        Ok(1)
    });
    let copy = async {
        running.arrived(1).await;
        let copy = impatient(&shop.idem).await;
        running.open();
        copy
    };
    let (first, copy) = tokio::join!(first, copy);
    assert_eq!(first.unwrap(), 1);
    assert!(copy, "`wait` has passed");
}

/// Whether the running copy of key 7 is waited for in vain.
async fn impatient(idem: &Idem<Db>) -> bool {
    let waits = tokio::time::timeout(Duration::from_secs(20), inner(idem, 7, 0, never!()));
    let waited = waits.await.expect("`wait` bounds it");
    matches!(waited, Err(Failed::Engine(Error::InFlight)))
}

#[tokio::test]
async fn while_draining_joins_and_replays_go_on() {
    let shop = Shop::new().await;
    shop.inner_alone(1).await.unwrap();
    let running = Gate::new();
    let whole = super::plain::outer(&shop.idem, 1, async |tx| {
        running.pass().await;
        inner(&mut *tx, 7, 0, shop.counted(7)).await
    });
    let drained = async {
        running.arrived(1).await;
        let mut drain = pin!(shop.idem.drain(Duration::from_secs(30)));
        assert!(futures::poll!(drain.as_mut()).is_pending());
        let refused = inner(&shop.idem, 8, 0, never!());
        assert!(matches!(
            refused.await,
            Err(Failed::Engine(Error::Draining))
        ));
        assert_eq!(inner(&shop.idem, 1, 0, never!()).await.unwrap(), 1);
        running.open();
        drain.await
    };
    let (whole, left) = tokio::join!(whole, drained);
    assert_eq!((whole.unwrap(), left), (2, 0));
    assert_eq!(shop.effects().await, [1, 7]);
}
