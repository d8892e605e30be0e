#![deny(warnings)]

use crate::shop::*;

#[derive(KeyPart)]
struct Price {
    order: u64,
    amount: u64,
}

#[test]
fn compiles() {
    let _ = key_part(&Price {
        order: 1,
        amount: 2,
    });
}
