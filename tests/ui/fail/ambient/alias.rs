#[path = "../../shop.rs"]
mod shop;
use shop::*;

type Shop = State<App>;

#[idempotent(key = (merchant.id, app.region, key))]
async fn pay(State(app): Shop, merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    String::new()
}

fn main() {}
