#![deny(warnings)]

use crate::shop::*;

#[derive(Final)]
enum PaymentError {
    #[final_error]
    CardRefused,
    #[final_error]
    Fraud,
}

#[test]
fn compiles() {
    assert!(PaymentError::CardRefused.is_final() && PaymentError::Fraud.is_final());
}
