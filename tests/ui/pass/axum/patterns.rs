#![deny(warnings)]

use crate::shop::*;

#[derive(serde::Serialize, serde::Deserialize)]
struct Order {
    id: u32,
    lines: Vec<u32>,
    #[allow(dead_code)]
    note: String,
}

/// case M04
#[idempotent(key = (merchant.id, id))]
async fn pay(
    State(mut app): State<App>,
    merchant: Merchant,
    _: HeaderMap,
    Path((shop, _page)): Path<(u32, u32)>,
    tx: &mut Tx<Sqlite>,
    Json(Order { id, mut lines, .. }): Json<Order>,
) -> String {
    let _ = tx;
    app.region.push('x');
    lines.push(id + shop);
    app.region + &lines.len().to_string()
}

#[test]
fn compiles() {
    routes(pay);
}
