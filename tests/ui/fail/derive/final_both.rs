#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(Final)]
enum PaymentError {
    #[final_error]
    #[retryable]
    CardRefused,
}

fn main() {}
