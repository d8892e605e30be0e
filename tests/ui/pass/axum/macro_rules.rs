#![deny(warnings)]

use crate::shop::*;

macro_rules! handler {
    ($name:ident, $key:expr, $ttl:literal, $merchant:ident: $type:ty, $tx:ty, $answer:ty, $body:expr) => {
        #[idempotent(key = $key, ttl = $ttl)]
        async fn $name($merchant: $type, key: IdempotencyKey, tx: $tx) -> $answer {
            let _ = (key, tx);
            $body
        }
    };
}

handler!(pay, merchant.id, "2h", merchant: Merchant, &mut Tx<Sqlite>, String, "x".to_owned());

macro_rules! hygienic {
    ($name:ident) => {
        #[idempotent(key = (merchant.id, key))]
        async fn $name(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
            let _ = tx;
            merchant.id
        }
    };
}

hygienic!(refund);

#[test]
fn compiles() {
    routes(pay);
    routes(refund);
}
