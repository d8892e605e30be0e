#[path = "../../shop.rs"]
mod shop;
use shop::*;

/// case M11
#[idempotent(key = (merchant.id, key))]
struct Payment {
    merchant: Merchant,
}

fn main() {
    let _ = |payment: Payment| payment.merchant;
}
