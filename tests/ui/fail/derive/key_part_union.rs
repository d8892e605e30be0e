#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(KeyPart)]
union Bits {
    order: u64,
    bytes: [u8; 8],
}

fn main() {}
