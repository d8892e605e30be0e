#![deny(warnings)]

use crate::shop::*;

#[derive(Final)]
enum PaymentError {
    #[final_error]
    CardRefused,
}

#[test]
fn compiles() {
    assert!(PaymentError::CardRefused.is_final());
}
