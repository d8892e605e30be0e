//! The HTTP API: its routes and what its handlers share.

mod payments;
mod refunds;

use axum::Router;
use axum::extract::FromRef;
use axum::routing::{get, post};
use idem_core::Idem;
use sqlx::Pool;

use crate::ledger::Ledger;
use crate::merchant::Merchant;
use crate::problem::ApiError;

/// All routes, over one database.
pub(crate) fn router<D: Ledger>(idem: Idem<D>, pool: Pool<D>) -> Router {
    Router::new()
        .route(
            "/payments",
            get(payments::list_payments::<D>).post(payments::create_payment::<D>),
        )
        .route("/payments/{id}", get(payments::show_payment::<D>))
        .route("/payments/{id}/refunds", post(refunds::create_refund::<D>))
        .fallback(async |_: Merchant| ApiError::NotFound)
        .method_not_allowed_fallback(async |_: Merchant| ApiError::MethodNotAllowed)
        .with_state(App { idem, pool })
}

/// The router's state. `#[idempotent]` takes the engine out of it through `FromRef`; handlers that
/// only read take the pool.
struct App<D: Ledger> {
    idem: Idem<D>,
    pool: Pool<D>,
}

/// Not derived, since that would ask for databases that are `Clone`.
impl<D: Ledger> Clone for App<D> {
    fn clone(&self) -> Self {
        App {
            idem: self.idem.clone(),
            pool: self.pool.clone(),
        }
    }
}

impl<D: Ledger> FromRef<App<D>> for Idem<D> {
    fn from_ref(app: &App<D>) -> Self {
        app.idem.clone()
    }
}

impl<D: Ledger> FromRef<App<D>> for Pool<D> {
    fn from_ref(app: &App<D>) -> Self {
        app.pool.clone()
    }
}
