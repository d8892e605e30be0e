#![deny(warnings)]

use crate::shop::*;

#[derive(Final)]
enum PaymentError {
    #[retryable]
    ProviderDown,
}

#[test]
fn compiles() {
    assert!(!PaymentError::ProviderDown.is_final());
}
