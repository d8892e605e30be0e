//! Rule: the key is an expression that can be evaluated by itself, more than once, before the
//! body runs. Inside a closure `?` and `return` end the closure only, so they pass there.

use crate::errors::{Errors, Message};
use crate::key::Reading;

pub(super) fn check(reading: &Reading, argument: &str, errors: &mut Errors) {
    for (tokens, what) in &reading.unevaluable {
        let message = Message::new(format!("{what} cannot stand in `{argument}`"))
            .why(format!(
                "the {argument} is evaluated before the body, twice in debug builds"
            ))
            .fix("compute it before, in an extractor, and pass it in as a parameter");
        errors.push(message.at(tokens));
    }
}
