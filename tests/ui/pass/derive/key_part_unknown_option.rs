#![deny(warnings)]

use crate::shop::*;

#[derive(KeyPart)]
#[key_part(crate = idem_core)]
struct OrderId(u64);

#[test]
fn compiles() {
    let _ = key_part(&OrderId(1));
}
