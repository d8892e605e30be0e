#![deny(warnings, missing_docs, unreachable_pub)]
//! Docs.

use crate::shop::*;

mod payments {
    use crate::shop::*;

    /// Pays.
    #[idempotent(key = (merchant.id, key))]
    pub(crate) async fn pay(
        merchant: Merchant,
        key: IdempotencyKey,
        tx: &mut Tx<Sqlite>,
    ) -> Result<String, ApiError> {
        let _ = tx;
        Ok(merchant.id)
    }
}

use payments::pay;

#[test]
fn compiles() {
    routes(pay);
}
