#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(Operational)]
struct Filter {
    kind: Option<Device>,
}

fn main() {}
