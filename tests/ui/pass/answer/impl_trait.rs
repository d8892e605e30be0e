#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[derive(Serialize, Deserialize)]
struct Payment(u64);

#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<Vec<Payment>, PayError> {
    let _ = tx;
    Ok(vec![Payment(id)])
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>| is_send(&pay(idem, 1));
}
