//! case M10: handlers, plain fns and methods under every lint that people turn on; none may fire for generated code.
//!
//! That it passes `cargo clippy --workspace` is the test, in edition 2021 and 2024.

#![deny(warnings)]
#![deny(
    missing_debug_implementations,
    missing_docs,
    rust_2018_idioms,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unsafe_code,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
#![allow(
    clippy::absolute_paths,
    clippy::blanket_clippy_restriction_lints,
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::missing_inline_in_public_items,
    clippy::needless_return,
    reason = "about this file, and against other lints of the group"
)]

use axum::extract::{FromRequestParts, Json, Path};
use axum::http::{request::Parts, StatusCode};
use idem_core::axum::{idempotent, IdempotencyKey};
use idem_core::{shared, Caller, Final, Idem, KeyPart, Operational, Tx};
use serde::{Deserialize, Serialize};
use sqlx::Sqlite;

/// Whose payments they are.
#[derive(Debug, Clone, Caller)]
pub struct Merchant {
    /// Its id.
    pub id: u64,
}

impl<S: Sync> FromRequestParts<S> for Merchant {
    type Rejection = StatusCode;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, StatusCode> {
        return Err(StatusCode::UNAUTHORIZED);
    }
}

/// What is paid.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NewPayment {
    /// How much.
    pub amount: u64,
    /// What for.
    pub order: String,
}

/// What is looked for.
#[derive(Debug, Clone, Operational)]
pub struct Filter {
    /// From when on.
    pub from: u64,
    /// Of no interest.
    #[operational(skip)]
    pub page: u64,
}

/// Part of a key.
#[derive(Debug, Clone, Copy, KeyPart)]
pub enum Kind {
    /// By bank.
    Bank,
    /// By card.
    Card,
}

/// Part of a key.
#[derive(Debug, Clone, Copy, KeyPart)]
pub struct OrderKey {
    /// How.
    pub kind: Kind,
    /// Which.
    pub number: u64,
}

/// Why not.
#[derive(Debug, Clone, Copy, Final)]
pub enum PaymentError {
    /// Nobody answered.
    #[retryable]
    Down,
    /// The bank said no.
    #[final_error]
    Refused {
        /// Why.
        code: u16,
    },
}

/// Pays.
#[idempotent(key = (merchant.id, key), ttl = "24h", wait = "1s", timeout = "30s")]
pub async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(mut new): Json<NewPayment>,
) -> Result<Json<NewPayment>, StatusCode> {
    new.amount = new.amount.saturating_add(1);
    if sqlx::query("..").execute(&mut **tx).await.is_err() {
        return Err(StatusCode::INTERNAL_SERVER_ERROR);
    }
    return Ok(Json(new));
}

/// Pays through a repository.
#[idempotent(
    key = (merchant.id, OrderKey { kind: Kind::Card, number: order }),
    fingerprint = (new.order, new.amount),
    memoize = all
)]
#[tracing::instrument(skip_all, fields(order = order))]
pub async fn pay_generic<T>(
    merchant: Merchant,
    Path(order): Path<u64>,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> Result<String, StatusCode>
where
    T: Clone + Into<String>,
{
    let ran = sqlx::query("..").bind(new.order).execute(&mut **tx).await;
    return ran.map_or(Err(StatusCode::CONFLICT), |_| return Ok(String::new()));
}

/// Receives an event.
#[idempotent(key = shared((key, "v1")), fingerprint = none, memoize = success, missing_key = run)]
pub async fn receive(key: IdempotencyKey, _: &mut Tx<Sqlite>) -> StatusCode {
    core::future::ready(()).await;
    return StatusCode::NO_CONTENT;
}

/// What plain operations fail with.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failed;

impl From<idem_core::Error> for Failed {
    fn from(_: idem_core::Error) -> Self {
        return Self;
    }
}

/// Books a payment.
///
/// # Errors
/// When the database is out of reach.
#[idem_core::idempotent(key = (merchant.id, new.order), ttl = "7d", timeout = "30s")]
pub async fn book(
    merchant: &Merchant,
    mut new: NewPayment,
    tags: &[&str],
    tx: &mut Tx<Sqlite>,
) -> Result<NewPayment, Failed> {
    new.amount = new.amount.saturating_add(1);
    if sqlx::query("..")
        .bind(merchant.id.to_string())
        .execute(&mut **tx)
        .await
        .is_err()
    {
        return Err(Failed);
    }
    new.order.push_str(&tags.join(" "));
    return Ok(new);
}

/// Where it is paid.
#[derive(Debug)]
#[non_exhaustive]
pub struct Teller {
    /// Whose.
    pub tenant: String,
}

impl Teller {
    /// Gives change.
    ///
    /// # Errors
    /// When the database is out of reach.
    #[idem_core::idempotent(key = (self.tenant, id), scope = "teller.change", fingerprint = none)]
    pub async fn change<T>(
        &self,
        tx: &mut Tx<Sqlite>,
        id: u64,
        #[ambient] (first, _): (T, u8),
    ) -> Result<u64, Failed>
    where
        T: Into<u64> + Send,
    {
        let ran = sqlx::query("..").execute(&mut **tx).await;
        return ran.map_or(Err(Failed), |_| return Ok(first.into().saturating_add(id)));
    }
}

/// Both, as a server awaits them.
///
/// # Errors
/// When the database is out of reach.
pub async fn all(idem: &Idem<Sqlite>, merchant: &Merchant, new: NewPayment) -> Result<u64, Failed> {
    let Ok(booked) = book(idem, merchant, new, &["a"]).await else {
        return Err(Failed);
    };
    let teller = Teller {
        tenant: booked.order,
    };
    return teller.change(idem, booked.amount, (true, 2)).await;
}

/// All of them, as a router.
pub fn router() -> axum::Router<Idem<Sqlite>> {
    use axum::routing::post;
    return axum::Router::new()
        .route("/1", post(pay))
        .route("/2/{order}", post(pay_generic::<String>))
        .route("/3", post(receive));
}
