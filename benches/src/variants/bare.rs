//! a: one transaction, and no idempotency.

use std::sync::Arc;

use axum::extract::State;
use axum::response::IntoResponse as _;
use axum::routing::post;
use axum::{Json, Router};
use sqlx::Pool;

use super::super::database::{BEGIN, Db};
use super::payment::{Created, pay};
use crate::call::{ApiError, Call, Merchant, NewPayment};
use crate::subject::Direct;

async fn create_payment(
    State(pool): State<Pool<Db>>,
    merchant: Merchant,
    Json(new): Json<NewPayment>,
) -> Result<Created, ApiError> {
    let mut transaction = pool.begin_with(BEGIN).await?;
    let created = pay(&mut transaction, &merchant, new).await?;
    transaction.commit().await?;
    Ok(created)
}

/// The handler, as a service and as a function.
pub(super) fn handler(pool: Pool<Db>) -> (Router, Direct) {
    let router = Router::new()
        .route("/payments", post(create_payment))
        .with_state(pool.clone());
    let direct: Direct = Arc::new(move |Call { merchant, new, .. }| {
        let pool = State(pool.clone());
        Box::pin(async move {
            let answer = create_payment(pool, merchant, Json(new)).await;
            answer.into_response()
        })
    });
    (router, direct)
}
