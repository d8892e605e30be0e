//! The API: an order, and the job that sends its invoice, in one commit.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use idem_core::apalis::{EnqueueError, enqueue};
use idem_core::axum::{IdempotencyKey, idempotent};
use idem_core::{Idem, Tx, shared};
use serde::{Deserialize, Serialize};
use sqlx::Sqlite;

use crate::worker::{QUEUE, SendInvoice};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NewOrder {
    pub(crate) customer: String,
    pub(crate) amount: i64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) id: i64,
}

pub(crate) fn router(idem: Idem<Sqlite>) -> Router {
    Router::new()
        .route("/orders", post(create_order))
        .with_state(idem)
}

/// Takes an order. The demo has one client, hence `shared`: with more, say whose key it is.
#[idempotent(key = shared(key), ttl = "24h")]
async fn create_order(
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewOrder>,
) -> Result<(StatusCode, Json<Order>), OrderError> {
    let id =
        sqlx::query_scalar("INSERT INTO orders (customer, amount) VALUES ($1, $2) RETURNING id")
            .bind(&new.customer)
            .bind(new.amount)
            .fetch_one(&mut **tx)
            .await?;
    // Committed with the order and the answer, or not at all; a retry enqueues nothing.
    enqueue(tx, QUEUE, &SendInvoice { order: id }).await?;
    Ok((StatusCode::CREATED, Json(Order { id })))
}

#[derive(Debug, thiserror::Error)]
enum OrderError {
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Enqueue(#[from] EnqueueError),
}

impl IntoResponse for OrderError {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, self.to_string()).into_response()
    }
}
