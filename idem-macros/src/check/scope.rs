//! Rule: a method or an associated fn says its scope: the default, module and name, is the same for
//! fns of one name in two types, whose records would answer each other's calls.
//!
//! A macro on a fn does not see the `impl` around it. Seen are a receiver and the word `Self`; an
//! associated fn with neither passes, and `Idem::builder(..).build()` finds two that share a scope.

use quote::ToTokens;

use crate::args::Args;
use crate::errors::{Errors, Message};
use crate::form::Form;
use crate::handler::Handler;
use crate::syntax::{name_of, names};

pub(super) fn check(args: &Args, handler: &Handler, form: Form, errors: &mut Errors) {
    // Handlers and jobs are free fns.
    if form != Form::Plain || args.names_scope || !is_associated(args, handler) {
        return;
    }
    let name = name_of(handler.name());
    let message = Message::new(format!("the method `{name}` has no `scope`"))
        .why("methods of one name in two types would share one set of keys, and get each other's answers")
        .fix(format!("`scope = \"payments.{name}\"`"));
    errors.push(message.at(handler.name()));
}

fn is_associated(args: &Args, handler: &Handler) -> bool {
    let body = handler.body.iter().map(|body| body.statements.clone());
    let parameters = handler
        .parameters
        .iter()
        .map(|one| one.ty.to_token_stream());
    let key = args.key.get().map(ToTokens::to_token_stream);
    handler.receiver().is_some()
        || names(handler.signature.to_token_stream(), "Self")
        || body
            .chain(parameters)
            .chain(key)
            .any(|tokens| names(tokens, "Self"))
}
