#![deny(warnings)]

use crate::shop::*;
use idem_core::idempotent;

#[derive(Serialize)]
struct Order {
    id: u32,
    lines: Vec<u32>,
    #[allow(dead_code)]
    note: String,
}

/// case M04
#[idempotent(key = (id, shop))]
async fn pay(
    mut app: String,
    Order { id, mut lines, .. }: Order,
    _: u8,
    (shop, _page): (u32, u32),
    tx: &mut Tx<Sqlite>,
    #[allow(unused_variables)] unused: u8,
    &[first, ref rest @ ..]: &[u8; 3],
) -> Result<String, PayError> {
    let _ = tx;
    app.push('x');
    lines.push(id + shop + u32::from(first) + rest.len() as u32);
    Ok(app + &lines.len().to_string())
}

#[test]
fn compiles() {
    let _ = |idem: &'static Idem<Sqlite>, order| {
        is_send(&pay(idem, String::new(), order, 0, (1, 2), 3, &[1, 2, 3]));
    };
}
