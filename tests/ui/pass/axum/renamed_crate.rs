#![deny(warnings)]

use crate::shop::*;

mod prelude {
    pub use ::idem_core as toolkit;
}

#[idempotent(key = (merchant.id, key), crate = prelude::toolkit)]
async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    merchant.id
}

#[test]
fn compiles() {
    routes(pay);
}
