#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(Final)]
enum PaymentError {
    #[retryable(after = 5)]
    ProviderDown,
}

fn main() {}
