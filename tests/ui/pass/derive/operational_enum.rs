#![deny(warnings)]

use crate::shop::*;

#[derive(Serialize)]
enum Target {
    Order(u32),
}

#[derive(Operational)]
struct Input {
    target: Target,
}

#[test]
fn compiles() {
    operational::<Input>();
    let _ = Target::Order(1);
}
