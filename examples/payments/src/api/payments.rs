//! Making a payment, once; and reading payments.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{HeaderName, LOCATION};
use idem_core::Tx;
use idem_core::axum::{IdempotencyKey, idempotent};
use sqlx::Pool;
use uuid::Uuid;

use crate::input::{Input, PaymentId};
use crate::ledger::Ledger;
use crate::merchant::Merchant;
use crate::model::{Account, Card, NewPayment, Payment};
use crate::problem::ApiError;

/// `POST /payments`: both writes and the answer are one transaction, so whatever happens between
/// them happens to all or none.
#[idempotent(key = (merchant.id, key), ttl = "24h")]
pub(super) async fn create_payment<D: Ledger>(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<D>,
    Input(new): Input<NewPayment>,
) -> Result<(StatusCode, [(HeaderName, String); 1], Json<Payment>), ApiError> {
    let payment = Payment {
        // Made inside the operation, so a replay gives the first attempt's.
        id: Uuid::new_v4().to_string(),
        order: new.order.into(),
        amount: new.amount.into(),
        currency: new.currency.code().to_owned(),
        status: "paid",
    };
    D::insert_payment(tx, &merchant, &payment).await?;
    if let Some(delay_ms) = new.delay_ms {
        tokio::time::sleep(Duration::from_millis(i64::from(delay_ms).unsigned_abs())).await;
    }
    match new.card {
        Card::Accepted => D::move_balance(tx, &merchant, payment.amount).await?,
        // An `Err` undoes the first write. Being final, 402 is still recorded and replayed.
        Card::Declined => return Err(ApiError::Declined),
        // 503 is not final: the key is free again, and the next attempt runs.
        Card::Down => return Err(ApiError::ProviderDown),
    }
    let location = format!("/payments/{}", payment.id);
    Ok((StatusCode::CREATED, [(LOCATION, location)], Json(payment)))
}

/// `GET /payments`: reading needs no key.
pub(super) async fn list_payments<D: Ledger>(
    merchant: Merchant,
    State(pool): State<Pool<D>>,
) -> Result<Json<Account>, ApiError> {
    let mut snapshot = pool.begin_with(D::SNAPSHOT).await?;
    let payments = D::payments(&mut snapshot, &merchant).await?;
    let balance = D::balance(&mut snapshot, &merchant).await?;
    snapshot.commit().await?;
    Ok(Json(Account { payments, balance }))
}

/// `GET /payments/{id}`.
pub(super) async fn show_payment<D: Ledger>(
    merchant: Merchant,
    PaymentId(id): PaymentId,
    State(pool): State<Pool<D>>,
) -> Result<Json<Payment>, ApiError> {
    let mut connection = pool.acquire().await?;
    let found = D::payment(&mut connection, &merchant, &id).await?;
    found.map(Json).ok_or(ApiError::NoSuchPayment)
}
