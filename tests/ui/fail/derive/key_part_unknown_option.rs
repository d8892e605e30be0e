#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(KeyPart)]
#[key_part(skip)]
struct OrderId(u64);

fn main() {}
