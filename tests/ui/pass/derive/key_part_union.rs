#![deny(warnings)]

use crate::shop::*;

#[derive(KeyPart)]
struct Bits {
    order: u64,
}

#[test]
fn compiles() {
    let _ = key_part(&Bits { order: 1 });
}
