#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(KeyPart)]
struct Price {
    order: u64,
    amount: f64,
}

fn main() {}
