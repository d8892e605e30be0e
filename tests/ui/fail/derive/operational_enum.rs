#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(Operational)]
enum Target {
    Order(u32),
}

fn main() {}
