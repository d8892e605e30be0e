#![deny(warnings)]
#![allow(dead_code)]

use crate::shop::*;

#[derive(Caller)]
#[caller(crate = idem_core)]
struct Tenant {
    id: u64,
}

#[test]
fn compiles() {
    caller::<Tenant>();
}
