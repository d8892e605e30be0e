//! The list of a binary's operations, and what it refuses: two of them with one scope.

use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::{StatusCode, request::Parts};
use idem_core::axum::{IdempotencyKey, idempotent};
use idem_core::{Caller, Error, Form, Idem, Tx};
use sqlx::Sqlite;

#[derive(Caller)]
struct Merchant {
    id: u64,
}

impl<S: Sync> FromRequestParts<S> for Merchant {
    type Rejection = StatusCode;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        Err(StatusCode::UNAUTHORIZED)
    }
}

const FIRST: u32 = line!() + 1;
#[idempotent(key = (merchant.id, key), scope = "payments.create")]
async fn create(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) {
    let _ = tx;
}

const SECOND: u32 = line!() + 1;
#[idempotent(key = shared((key, "v2")), scope = "payments.create", ttl = "2h")]
async fn create_again(key: IdempotencyKey, tx: &mut Tx<Sqlite>) {
    let _ = tx;
}

/// Used with two types, and still one operation.
#[idempotent(key = (merchant.id, key))]
async fn generic<T: Clone>(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) {
    let _ = tx;
}

mod elsewhere {
    use super::*;

    macro_rules! operation {
        ($name:ident) => {
            #[idempotent(key = (merchant.id, key))]
            pub async fn $name(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) {
                let _ = tx;
            }
        };
    }
    operation!(create);

    #[cfg(any())]
    operation!(gone);
}

use idem_core::shared;

fn handlers() -> axum::Router<Idem<Sqlite>> {
    use axum::routing::post;
    #[idempotent(key = (merchant.id, key))]
    async fn nested(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) {
        let _ = tx;
    }
    axum::Router::new()
        .route("/1", post(create))
        .route("/2", post(create_again))
        .route("/3", post(generic::<u8>))
        .route("/4", post(generic::<u16>))
        .route("/5", post(elsewhere::create))
        .route("/6", post(nested))
}

#[test]
fn operations_are_listed_once_each() {
    let _ = handlers();
    let listed: Vec<_> = idem_core::operations().map(|one| one.scope()).collect();
    assert_eq!(
        listed,
        [
            "payments.create",
            "payments.create",
            "scopes::elsewhere::create",
            "scopes::generic",
            "scopes::nested",
        ]
    );
}

#[test]
fn a_listed_operation_says_what_it_is_and_where() {
    let second = idem_core::operations()
        .find(|one| one.line() == SECOND)
        .unwrap();
    assert_eq!(second.scope(), "payments.create");
    assert_eq!(second.form(), Form::Axum);
    assert_eq!(second.form().to_string(), "axum");
    assert_eq!(second.key(), r#"shared((key, "v2"))"#);
    assert_eq!(second.ttl(), Duration::from_secs(2 * 60 * 60));
    assert_eq!(second.file(), file!());
}

#[tokio::test]
async fn two_operations_with_one_scope_are_refused_at_build() {
    let pool = sqlx::SqlitePool::connect_lazy("sqlite::memory:").unwrap();
    let refused = Idem::new(pool.clone()).unwrap_err();
    assert!(matches!(refused, Error::NotReady { .. }));
    let file = file!();
    let text = refused.to_string();
    for said in [
        "the scope `payments.create`",
        &format!("{file}:{FIRST} and {file}:{SECOND}"),
        "scope = \"..\"",
    ] {
        assert!(text.contains(said), "{text}");
    }
    assert!(Idem::builder(pool).namespace("eu").build().is_err());
}
