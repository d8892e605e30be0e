#![deny(warnings)]

use crate::shop::*;

#[idempotent(key = (__idem_p0.id, key, pay))]
async fn pay(
    __idem_p0: Merchant,
    key: IdempotencyKey,
    __idem_tx: &mut Tx<Sqlite>,
    Path(pay): Path<u32>,
    Query(__idem_operation): Query<u8>,
) -> String {
    let _ = (__idem_tx, __idem_operation);
    format!("{pay}{}", __idem_p0.id)
}

#[idempotent(key = (pay2.id, r#type))]
async fn pay2(pay2: Merchant, Path(r#type): Path<String>, run: &mut Tx<Sqlite>) -> String {
    let _ = run;
    r#type
}

#[test]
fn compiles() {
    routes(pay);
    routes(pay2);
}
