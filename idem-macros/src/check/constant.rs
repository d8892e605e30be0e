//! Rule: the key uses a parameter, or every call would be the same operation.

use quote::ToTokens;
use syn::Expr;

use super::input_names;
use crate::errors::{Errors, Message};
use crate::form::Form;
use crate::handler::Handler;
use crate::key::{Flow, Reading};

pub(super) fn check_key(
    key: &Expr,
    reading: &Reading,
    handler: &Handler,
    form: Form,
    errors: &mut Errors,
) {
    if reading.flow != Flow::Constant {
        return;
    }
    let names = input_names(handler, form);
    let message = Message::new("this key is the same on every call")
        .why(match form {
            Form::Axum => "every request would be given the answer of the first one",
            Form::Plain | Form::Apalis => "every call would be given the answer of the first one",
        })
        .fix(match (&names[..], form) {
            ([], Form::Axum) => {
                "add a parameter that tells operations apart: `key: IdempotencyKey`".to_owned()
            }
            ([], Form::Plain) => {
                "add a parameter that tells operations apart: `id: u64`".to_owned()
            }
            ([], Form::Apalis) => "name the job, and use what tells it apart: `job.id`".to_owned(),
            (names, _) => format!(
                "use a parameter that tells operations apart: {}",
                names.join(", ")
            ),
        });
    errors.push(message.at(key.to_token_stream()));
}

pub(super) fn check_fingerprint(value: &Expr, reading: &Reading, errors: &mut Errors) {
    if reading.flow != Flow::Constant {
        return;
    }
    let message = Message::new("this fingerprint is the same for every request")
        .why("a key reused for another request would not be noticed")
        .fix("`fingerprint = none`, if that is what you want, or name what must match");
    errors.push(message.at(value.to_token_stream()));
}
