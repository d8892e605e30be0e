#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case M11
impl App {
    #[idempotent(key = (merchant.id, key))]
    async fn pay(&self, merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
        let _ = tx;
        String::new()
    }
}

fn main() {}
