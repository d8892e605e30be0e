#![deny(warnings)]

use crate::shop::*;

#[derive(Operational)]
struct Filter {
    kind: Option<Kind>,
}

#[test]
fn compiles() {
    operational::<Filter>();
}
