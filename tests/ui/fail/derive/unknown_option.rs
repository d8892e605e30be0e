#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(Operational)]
struct Filter {
    #[operational(skipp)]
    from: u32,
}

fn main() {}
