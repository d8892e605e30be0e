#![deny(warnings)]

use crate::shop::key_part;

enum Method {
    Card(u64),
    Cash,
    Bank { iban: String },
}

impl Method {
    fn id(&self) -> (&str, String) {
        match self {
            Method::Card(number) => ("card", number.to_string()),
            Method::Cash => ("cash", String::new()),
            Method::Bank { iban } => ("bank", iban.clone()),
        }
    }
}

#[test]
fn compiles() {
    let _ = key_part(&Method::Cash.id());
    let _ = key_part(&Method::Card(1).id());
    let _ = key_part(
        &Method::Bank {
            iban: String::new(),
        }
        .id(),
    );
}
