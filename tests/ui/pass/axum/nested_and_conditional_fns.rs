#![deny(warnings)]

use crate::shop::*;

/// Each fn of a fn has the scope of its module and its own name.
#[test]
fn compiles() {
    #[idempotent(key = (merchant.id, key), scope = "nested.pay")]
    async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
        #[idempotent(key = (merchant.id, key), scope = "nested.inner")]
        async fn inner(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
            let _ = tx;
            merchant.id
        }
        let _ = (tx, inner);
        merchant.id
    }
    routes(pay);

    #[cfg(any())]
    #[idempotent(key = (merchant.id, key))]
    async fn gone(merchant: Missing, key: IdempotencyKey, tx: &mut Tx<Sqlite>) {}
}
