#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(Final)]
enum PaymentError {
    #[final_error]
    CardRefused,
    Fraud { code: u16 },
    #[retryable]
    ProviderDown,
}

fn main() {}
