#[path = "../../shop.rs"]
mod shop;
use shop::*;
use idem_core::idempotent;

use std::pin::Pin;

/// case M18: as `#[async_trait]` above leaves it.
#[idempotent(key = id)]
fn pay<'a>(id: u64, tx: &'a mut Tx<Sqlite>) -> Pin<Box<dyn Future<Output = Result<u64, PayError>> + Send + 'a>> {
    Box::pin(async move {
        let _ = tx;
        Ok(id)
    })
}

fn main() {}
