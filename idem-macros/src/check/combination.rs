//! Rule: each argument suits the form of the attribute.

use crate::args::{Args, Memoize};
use crate::errors::{Errors, Message};
use crate::form::Form;

pub(super) fn check(args: &Args, form: Form, errors: &mut Errors) {
    if form == Form::Axum {
        return;
    }
    if let Some(name) = args.missing_key.name() {
        let message = Message::new("`missing_key` is not for this form")
            .why("only a request can come without its `Idempotency-Key` header")
            .fix("delete it");
        errors.push(message.at(name));
    }
    if let (Some(name), Some(Memoize::All)) = (args.memoize.name(), args.memoize.get()) {
        let message = Message::new("`memoize = all` is not for this form")
            .why("an `Err` of this form is recorded only if its type says that it is final")
            .fix("`memoize = final`, and `#[derive(Final)]` on the error");
        errors.push(message.at(name));
    }
}
