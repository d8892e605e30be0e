#![deny(warnings)]
#![allow(dead_code)]

use crate::shop::*;

#[derive(Operational)]
struct Filter {
    #[operational(skip)]
    from: u32,
}

#[test]
fn compiles() {
    operational::<Filter>();
}
