#![deny(warnings)]
#![allow(dead_code)]

use crate::shop::*;

#[derive(Final)]
enum PaymentError {
    #[final_error]
    CardRefused,
    #[final_error]
    Fraud { code: u16 },
    #[retryable]
    ProviderDown,
}

#[test]
fn compiles() {
    assert!(PaymentError::CardRefused.is_final() && PaymentError::Fraud { code: 1 }.is_final());
    assert!(!PaymentError::ProviderDown.is_final());
}
