#![deny(warnings)]

#[allow(dead_code, non_camel_case_types)]
mod shadows {
    pub struct Ok;
    pub struct Err;
    pub struct Some;
    pub struct Result;
    pub struct Option;
    pub struct String;
    pub mod std {}
    pub mod core {}
    pub mod axum {}
    pub trait Send {}
    pub trait Sync {}
    pub trait Future {}
}

use crate::shop::{IdempotencyKey, Merchant, Sqlite, Tx, idempotent, routes};

#[idempotent(key = (merchant.id, key), ttl = "1h", timeout = "5s")]
async fn pay<T>(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>)
where
    T: Clone + ::core::marker::Send,
{
    let _ = (tx, Ok, Err, Some);
}

#[allow(unused_imports)]
use shadows::*;

#[test]
fn compiles() {
    routes(pay::<u8>);
}
