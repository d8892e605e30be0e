#![deny(warnings)]

use crate::shop::*;

trait Store: Clone {}

#[idempotent(key = shared(key))]
async fn pay<T: Store>(State(store): State<T>, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String {
    let _ = tx;
    let _ = store;
    String::new()
}

impl Store for Region {}

#[derive(Clone)]
struct Region;

impl axum::extract::FromRef<App> for Region {
    fn from_ref(_: &App) -> Self {
        Region
    }
}

#[test]
fn compiles() {
    routes(pay::<Region>);
}
