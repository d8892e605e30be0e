#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(Final)]
#[final_error]
enum PaymentError {
    CardRefused,
    Fraud,
}

fn main() {}
