//! Rule: a name in the key is a parameter, a const or a path.
//!
//! Only near misses of a parameter's name are reported here; for all others rustc's own
//! "cannot find value" says as much.

use crate::errors::{Errors, Message};
use crate::key::{Reading, UnknownName};

pub(super) fn check(reading: &Reading, errors: &mut Errors) {
    for UnknownName {
        tokens,
        name,
        nearest,
    } in &reading.unknown
    {
        let message = Message::new(format!(
            "`{name}` is no parameter; did you mean `{nearest}`?"
        ))
        .fix(format!("`{nearest}`"));
        errors.push(message.at(tokens));
    }
}
