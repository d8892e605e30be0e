#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case M11
fn handler() {
    let _ = #[idempotent(key = key)]
    |key: IdempotencyKey| key;
}

fn main() {}
