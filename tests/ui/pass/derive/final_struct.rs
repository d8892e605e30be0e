#![deny(warnings)]

use crate::shop::*;

struct PaymentError;

impl Final for PaymentError {
    fn is_final(&self) -> bool {
        true
    }
}

#[test]
fn compiles() {
    assert!(PaymentError.is_final());
}
