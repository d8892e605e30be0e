#[path = "../../shop.rs"]
mod shop;
use shop::*;

#[derive(KeyPart)]
enum Method {
    Card(u64),
    Cash,
    Bank { iban: String },
}

fn main() {}
