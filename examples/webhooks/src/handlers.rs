//! The two receivers of the provider's events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::{FromRef, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use idem_core::apalis::{EnqueueError, enqueue};
use idem_core::axum::idempotent;
use idem_core::{Idem, Tx, shared};
use sqlx::Sqlite;

use crate::event::{Event, Secret};
use crate::mails::{QUEUE, SendMail};

#[derive(Clone, FromRef)]
pub(crate) struct App {
    idem: Idem<Sqlite>,
    secret: Secret,
    broken: Broken,
}

/// Whether the next booking fails, for the demo.
#[derive(Clone, Default)]
pub(crate) struct Broken(Arc<AtomicBool>);

impl App {
    pub(crate) fn new(idem: Idem<Sqlite>, secret: &'static [u8]) -> Self {
        App {
            idem,
            secret: Secret(secret),
            broken: Broken::default(),
        }
    }

    pub(crate) fn fail_next(&self, fails: bool) {
        self.broken.0.store(fails, Ordering::Relaxed);
    }
}

pub(crate) fn router(app: App) -> Router {
    Router::new()
        .route("/webhooks/ledger", post(book_payment))
        .route("/webhooks/receipt", post(send_receipt))
        .with_state(app)
}

/// Books the payment. The provider vouches for the event's id, so the key needs no caller; what
/// else is in the body may change between deliveries, so nothing of it must match.
#[idempotent(key = shared(&event.id), fingerprint = none, ttl = "30d")]
async fn book_payment(
    State(broken): State<Broken>,
    tx: &mut Tx<Sqlite>,
    event: Event,
) -> Result<StatusCode, WebhookError> {
    sqlx::query("INSERT INTO payment (event, order_id, amount) VALUES ($1, $2, $3)")
        .bind(&event.id)
        .bind(event.order)
        .bind(event.amount)
        .execute(&mut **tx)
        .await?;
    if broken.0.swap(false, Ordering::Relaxed) {
        // What was written above is undone, and the next delivery runs.
        return Err(WebhookError::Unavailable);
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Has a receipt sent: the mail's job is committed together with the record of the event.
#[idempotent(key = shared(&event.id), fingerprint = none, ttl = "30d")]
async fn send_receipt(tx: &mut Tx<Sqlite>, event: Event) -> Result<StatusCode, WebhookError> {
    let mail = SendMail {
        event: event.id,
        order: event.order,
    };
    enqueue(tx, QUEUE, &mail).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Why a delivery failed; the provider delivers it again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WebhookError {
    #[error("the ledger is closed just now")]
    Unavailable,
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Enqueue(#[from] EnqueueError),
}

impl IntoResponse for WebhookError {
    fn into_response(self) -> Response {
        let status = match self {
            WebhookError::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            WebhookError::Database(_) | WebhookError::Enqueue(_) => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        };
        (status, self.to_string()).into_response()
    }
}
