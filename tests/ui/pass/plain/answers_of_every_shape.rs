#![deny(warnings)]

use std::error::Error as StdError;

use crate::shop::*;
use idem_core::idempotent;

type Answer<T> = Result<T, PayError>;

#[derive(Debug, Serialize, Deserialize, Final)]
enum Refused {
    #[final_error]
    SoldOut,
    #[retryable]
    Engine(String),
}

impl From<idem_core::Error> for Refused {
    fn from(error: idem_core::Error) -> Self {
        Refused::Engine(error.to_string())
    }
}

/// A final error that nothing records need not be `Serialize`.
#[derive(Debug, Final)]
#[allow(dead_code)]
enum NotStored {
    #[final_error]
    SoldOut,
    #[retryable]
    Engine(idem_core::Error),
}

impl From<idem_core::Error> for NotStored {
    fn from(error: idem_core::Error) -> Self {
        NotStored::Engine(error)
    }
}

/// case M14: only what is recorded needs serde.
#[idempotent(key = id)]
async fn boxed(
    id: u64,
    tx: &mut Tx<Sqlite>,
) -> Result<NewPayment, Box<dyn StdError + Send + Sync>> {
    let _ = (id, tx);
    Err("no".into())
}

#[idempotent(key = id)]
async fn behind_an_alias(id: u64, tx: &mut Tx<Sqlite>) -> Answer<Option<u64>> {
    let _ = tx;
    Ok(Some(id))
}

#[idempotent(key = id)]
async fn the_engines_own(id: u64, tx: &mut Tx<Sqlite>) -> idem_core::Result<()> {
    let _ = (id, tx);
    Ok(())
}

#[idempotent(key = id)]
async fn with_final_errors(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, Refused> {
    let _ = tx;
    if id == 0 {
        Err(Refused::SoldOut)
    } else {
        Ok(id)
    }
}

#[idempotent(key = id, memoize = success)]
async fn successes_only(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, NotStored> {
    let _ = tx;
    if id == 0 {
        Err(NotStored::SoldOut)
    } else {
        Ok(id)
    }
}

/// case M17: a second copy of the body would make a second type.
#[idempotent(key = id)]
async fn closures_inside(id: u64, tx: &mut Tx<Sqlite>) -> Answer<u64> {
    let _ = tx;
    let both = [|one: u64| one + 1; 2];
    Ok(both.iter().map(|add| add(id)).sum())
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| {
        is_send(&boxed(idem, 1));
        is_send(&behind_an_alias(idem, 1));
        is_send(&the_engines_own(idem, 1));
        is_send(&with_final_errors(idem, 1));
        is_send(&successes_only(idem, 1));
        is_send(&closures_inside(idem, 1));
    };
}
