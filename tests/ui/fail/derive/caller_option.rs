#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(Caller)]
#[caller(skip)]
struct Tenant {
    id: u64,
}

fn main() {}
