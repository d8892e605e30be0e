#![deny(warnings)]

use crate::shop::*;

type Answer<T> = Result<T, ApiError>;

#[idempotent(key = (merchant.id, key))]
async fn nothing(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) {
    let _ = tx;
}

#[idempotent(key = (merchant.id, key))]
async fn opaque(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> impl IntoResponse {
    let _ = tx;
    (StatusCode::ACCEPTED, "x")
}

#[idempotent(key = (merchant.id, key))]
async fn alias(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> Answer<String> {
    let _ = tx;
    Ok(merchant.id)
}

#[idempotent(key = (merchant.id, key))]
async fn axums(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> axum::response::Result<String> {
    let _ = tx;
    if merchant.id.is_empty() {
        Err(StatusCode::FORBIDDEN)?;
    }
    Ok(merchant.id)
}

#[idempotent(key = (merchant.id, key))]
async fn text(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> &'static str {
    let _ = tx;
    "x"
}

#[idempotent(key = (merchant.id, key))]
async fn whole(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> Response {
    let _ = tx;
    StatusCode::NO_CONTENT.into_response()
}

#[idempotent(key = (merchant.id, key))]
async fn opaque_error(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> Result<impl IntoResponse, StatusCode> {
    let _ = tx;
    Ok([(axum::http::header::LOCATION, "/")])
}

#[test]
fn compiles() {
    routes(nothing);
    routes(opaque);
    routes(alias);
    routes(axums);
    routes(text);
    routes(whole);
    routes(opaque_error);
}
