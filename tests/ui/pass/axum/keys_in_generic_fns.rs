#![deny(warnings)]

use crate::shop::*;

trait Shop: Clone {
    const NAME: &'static str;
}

#[derive(Clone)]
struct Corner;

impl Shop for Corner {
    const NAME: &'static str = "corner";
}

/// With the caller, or inside `shared`, in a generic fn too.
#[idempotent(key = (merchant.id, T::NAME, key))]
async fn own<T: Shop>(
    merchant: Merchant,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> &'static str {
    let _ = tx;
    T::NAME
}

#[idempotent(key = shared((T::NAME, key)))]
async fn everybodys<T: Shop>(key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> &'static str {
    let _ = tx;
    T::NAME
}

#[idempotent(key = (merchant.0.id, key))]
async fn extended<T: Shop>(
    merchant: Extension<Merchant>,
    key: IdempotencyKey,
    tx: &mut Tx<Sqlite>,
) -> &'static str {
    let _ = tx;
    T::NAME
}

#[test]
fn compiles() {
    routes(own::<Corner>);
    routes(everybodys::<Corner>);
    routes(extended::<Corner>);
}
