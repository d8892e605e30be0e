#![deny(warnings)]

use crate::shop::*;

#[derive(Clone, Serialize, Deserialize, KeyPart)]
struct OrderId(uuid::Uuid);

#[derive(Clone, Serialize, Deserialize, KeyPart)]
enum Channel {
    Web,
    Shop,
}

#[derive(Clone, Serialize, Deserialize, KeyPart)]
struct Line<T> {
    order: T,
    number: u32,
}

#[derive(Serialize, Deserialize)]
struct Order {
    id: uuid::Uuid,
    own_id: OrderId,
    channel: Channel,
    day: time::Date,
    number: Option<i64>,
    digest: Vec<u8>,
    line: Line<OrderId>,
}

/// case K13
#[idempotent(
    key = (merchant.id, order.id, order.day, order.number, order.channel, order.digest, order.line),
    fingerprint = none
)]
async fn pay(merchant: Merchant, tx: &mut Tx<Sqlite>, Json(order): Json<Order>) -> Json<Order> {
    let _ = tx;
    Json(order)
}

/// case K13
#[idempotent(key = (merchant.id.as_str(), order.own_id, "text", 'c', true, [1_u8; 4]), fingerprint = none)]
async fn texts(merchant: Merchant, tx: &mut Tx<Sqlite>, Json(order): Json<Order>) -> Json<Order> {
    let _ = (tx, Channel::Web, Channel::Shop);
    Json(order)
}

#[test]
fn compiles() {
    routes(pay);
    routes(texts);
}
