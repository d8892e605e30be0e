#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

#[derive(Debug, Final)]
enum Refused {
    #[final_error]
    SoldOut,
}

impl From<idem_core::Error> for Refused {
    fn from(_: idem_core::Error) -> Self {
        Refused::SoldOut
    }
}

/// case M14: a final error is recorded, so it needs serde.
#[idempotent(key = id)]
async fn pay(id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, Refused> {
    let _ = tx;
    Ok(id)
}

fn main() {}
