//! The toolkit is reached through a crate that re-exports it and its attribute.

#[allow(unused_imports, reason = "they stand in the way")]
use crate::taken::*;

use ::idem_test_facade::once;

/// Whose payments they are.
#[derive(::idem_test_facade::toolkit::Caller)]
#[caller(crate = ::idem_test_facade::toolkit)]
#[allow(missing_debug_implementations, reason = "no prelude")]
pub struct Merchant {
    /// Its id.
    pub id: u64,
}

/// What is paid.
#[derive(::serde::Deserialize, ::idem_test_facade::toolkit::Operational)]
#[operational(crate = ::idem_test_facade::toolkit)]
#[allow(missing_debug_implementations, reason = "no prelude")]
pub struct Payment {
    /// Its order.
    pub order: u64,
}

/// Part of a key.
#[derive(::idem_test_facade::toolkit::KeyPart)]
#[key_part(crate = ::idem_test_facade::toolkit)]
#[allow(missing_debug_implementations, reason = "no prelude")]
pub enum Kind {
    /// By card.
    Card,
    /// By bank.
    Bank,
}

/// Part of a key.
#[derive(::idem_test_facade::toolkit::KeyPart)]
#[key_part(crate = ::idem_test_facade::toolkit)]
#[allow(missing_debug_implementations, reason = "no prelude")]
pub struct Named(u64, Kind);

/// Why not.
#[derive(::idem_test_facade::toolkit::Final)]
#[final_error(crate = ::idem_test_facade::toolkit)]
#[allow(missing_debug_implementations, reason = "no prelude")]
pub enum PaymentError {
    /// The bank said no.
    #[final_error]
    Refused(u8),
    /// Nobody answered.
    #[retryable]
    Down,
}

impl<S: ::core::marker::Sync> ::axum::extract::FromRequestParts<S> for Merchant {
    type Rejection = ::axum::http::StatusCode;

    async fn from_request_parts(
        _: &mut ::axum::http::request::Parts,
        _: &S,
    ) -> ::core::result::Result<Self, ::axum::http::StatusCode> {
        ::core::result::Result::Err(::axum::http::StatusCode::UNAUTHORIZED)
    }
}

/// Pays.
#[once(
    key = (merchant.id, key, Named(new.order, Kind::Card)),
    ttl = "1h",
    wait = "1s",
    timeout = "5s",
    fingerprint = new.order,
    crate = ::idem_test_facade::toolkit
)]
pub async fn pay<T>(
    merchant: Merchant,
    key: ::idem_test_facade::toolkit::axum::IdempotencyKey,
    tx: &mut ::idem_test_facade::toolkit::Tx<::sqlx::Sqlite>,
    ::axum::Json(new): ::axum::Json<Payment>,
) -> ::core::result::Result<::std::string::String, ::axum::http::StatusCode>
where
    T: ::core::clone::Clone,
{
    let _ = (
        tx,
        new,
        Kind::Bank,
        PaymentError::Down,
        PaymentError::Refused(1),
    );
    ::core::result::Result::Ok(::std::string::String::new())
}

/// Pays, for everybody.
#[once(key = ::idem_test_facade::toolkit::shared(key), fingerprint = none, crate = ::idem_test_facade::toolkit)]
pub async fn pay_shared(
    key: ::idem_test_facade::toolkit::axum::IdempotencyKey,
    _: &mut ::idem_test_facade::toolkit::Tx<::sqlx::Sqlite>,
    _: ::axum::Json<u8>,
) {
}

/// Why a plain operation failed.
#[allow(missing_debug_implementations, reason = "no prelude")]
pub struct Failed;

impl ::core::convert::From<::idem_test_facade::toolkit::Error> for Failed {
    fn from(_: ::idem_test_facade::toolkit::Error) -> Self {
        Failed
    }
}

/// Books.
#[::idem_test_facade::toolkit::idempotent(key = (merchant.id, order), fingerprint = order, crate = ::idem_test_facade::toolkit)]
pub async fn book(
    merchant: &Merchant,
    order: u64,
    tx: &mut ::idem_test_facade::toolkit::Tx<::sqlx::Sqlite>,
) -> ::core::result::Result<u64, Failed> {
    let _ = tx;
    ::core::result::Result::Ok(order)
}

impl Merchant {
    /// Pays.
    #[::idem_test_facade::toolkit::idempotent(
        key = (self.id, order.len()),
        scope = "hygiene.idem_test_facade.toolkit.pay",
        memoize = success,
        crate = ::idem_test_facade::toolkit
    )]
    pub async fn pay<T>(
        &mut self,
        _: &mut ::idem_test_facade::toolkit::Tx<::sqlx::Sqlite>,
        order: &[T],
        #[ambient] _: T,
    ) -> ::core::result::Result<u64, Failed>
    where
        T: ::serde::Serialize,
    {
        self.id += 1;
        ::core::result::Result::Ok(self.id)
    }
}

/// axum takes both.
pub fn router() -> ::axum::Router<::idem_test_facade::toolkit::Idem<::sqlx::Sqlite>> {
    ::axum::Router::new()
        .route("/1", ::axum::routing::post(pay::<u8>))
        .route("/2", ::axum::routing::post(pay_shared))
}
