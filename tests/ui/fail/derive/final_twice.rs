#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(Final)]
enum PaymentError {
    #[retryable]
    #[retryable]
    ProviderDown,
}

fn main() {}
