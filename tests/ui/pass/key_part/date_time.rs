#![deny(warnings)]

use crate::shop::*;

#[derive(Operational)]
struct Made(#[operational(skip)] time::Date);

impl axum::extract::FromRequestParts<App> for Made {
    type Rejection = StatusCode;

    async fn from_request_parts(_: &mut Parts, _: &App) -> Result<Self, StatusCode> {
        Err(StatusCode::BAD_REQUEST)
    }
}

#[idempotent(key = (merchant.id, made.0))]
async fn pay(merchant: Merchant, made: Made, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

#[test]
fn compiles() {
    routes(pay);
}
