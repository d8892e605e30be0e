#[path = "../shop.rs"]
mod shop;
use shop::*;

#[idempotent(key = (mercant.id, Uuid::new_v4()), ttl = 5, wiat = "1s")]
async fn pay(merchant: Merchant, tx: &mut Tx<Sqlite>) -> String {
    tokio::spawn(async {});
    String::new()
}

fn main() {
    routes(pay);
}
