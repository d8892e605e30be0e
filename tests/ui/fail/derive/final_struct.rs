#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(Final)]
struct PaymentError;

fn main() {}
