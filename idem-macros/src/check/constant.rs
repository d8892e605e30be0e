//! Rule: the key uses a parameter, or every call would be the same operation.

use quote::ToTokens;
use syn::Expr;

use crate::errors::{Errors, Message};
use crate::handler::Handler;
use crate::key::{Flow, Reading};
use crate::syntax::name_of;

pub(super) fn check_key(key: &Expr, reading: &Reading, handler: &Handler, errors: &mut Errors) {
    if reading.flow != Flow::Constant {
        return;
    }
    let message = Message::new("this key is the same on every call")
        .why("every request would be given the answer of the first one")
        .fix(match &inputs(handler)[..] {
            [] => "add a parameter that tells operations apart: `key: IdempotencyKey`".to_owned(),
            names => format!(
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

fn inputs(handler: &Handler) -> Vec<String> {
    let inputs = handler
        .parameters
        .iter()
        .filter(|one| one.context_type().is_none() && !super::ambient::is_ambient(one));
    let names = inputs.flat_map(|one| one.bindings.iter());
    names.map(|name| format!("`{}`", name_of(name))).collect()
}
