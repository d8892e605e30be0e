#![deny(warnings)]

use crate::shop::*;

type Auth = Merchant;
type Header = IdempotencyKey;
type Body<T> = Json<T>;

#[idempotent(key = (merchant.id, key))]
async fn pay(
    merchant: Auth,
    key: Header,
    tx: &mut Tx<Sqlite>,
    Json(new): Body<NewPayment>,
) -> String {
    let _ = tx;
    new.order
}

#[test]
fn compiles() {
    routes(pay);
}
