#![deny(warnings)]

use crate::shop::*;

struct Lazy<F>(F);

impl<F: FnOnce() -> String> IntoResponse for Lazy<F> {
    fn into_response(self) -> Response {
        self.0().into_response()
    }
}

/// case M17: a second copy of the body would make a second type.
#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> Lazy<impl FnOnce() -> String> {
    let _ = tx;
    Lazy(move || merchant.id)
}

#[idempotent(key = (merchant.id, key))]
async fn streamed(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
    Json(new): Json<NewPayment>,
) -> axum::body::Body {
    let _ = tx;
    let lines = new
        .lines
        .into_iter()
        .map(|line| Ok::<_, std::io::Error>(line.to_string()));
    axum::body::Body::from_stream(futures::stream::iter(lines))
}

#[test]
fn compiles() {
    routes(pay);
    routes(streamed);
}
