//! c: claim and record by the attribute.

use std::sync::Arc;

use axum::routing::post;
use axum::{Json, Router};
use idem_core::axum::{IdempotencyKey, Operation, idempotent};
use idem_core::{Idem, Tx};

use super::super::database::Db;
use super::payment::{Created, pay};
use crate::call::{ApiError, Call, Merchant, NewPayment};
use crate::subject::{Direct, extract_key};

#[idempotent(key = (merchant.id, key), ttl = "24h")]
async fn create_payment(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Db>,
    Json(new): Json<NewPayment>,
) -> Result<Created, ApiError> {
    Ok(pay(tx, &merchant, new).await?)
}

/// The handler, as a service and as a function.
#[allow(
    clippy::large_futures,
    reason = "the future of a handler lies in one box here, as under axum"
)]
pub(super) fn handler(idem: Idem<Db>) -> (Router, Direct) {
    let router = Router::new()
        .route("/payments", post(create_payment))
        .with_state(idem.clone());
    let direct: Direct = Arc::new(move |call: Call| {
        let operation = Operation::from(&idem);
        Box::pin(async move {
            let key = extract_key(&call).await;
            create_payment(operation, call.merchant, key, Json(call.new)).await
        })
    });
    (router, direct)
}
