//! Rule: an apalis task fn takes its job first, and everything by value.

use syn::Type;

use crate::errors::{Errors, Message};
use crate::form::Form;
use crate::handler::Handler;
use crate::syntax::{spelled, ungrouped_type};

use super::ambient;

pub(super) fn check(handler: &Handler, form: Form, errors: &mut Errors) {
    if form != Form::Apalis {
        return;
    }
    let mut inputs = handler
        .parameters
        .iter()
        .filter(|one| one.context_type().is_none())
        .peekable();
    let first = inputs.peek();
    let is_extractor = first.is_none_or(|one| {
        ambient::is_ambient(one, form)
            || spelled(&one.ty).is_some_and(|segment| segment.ident == "TaskId")
    });
    if is_extractor {
        let message = Message::new(format!("`{}` does not take its job first", handler.name()))
            .why("the worker passes the job as the first argument, and extracts the others")
            .fix("`job: Invoice` as the first parameter");
        errors.push(match first {
            Some(parameter) => message.at(&parameter.ty),
            None => message.at(handler.name()),
        });
    }
    for parameter in inputs {
        if let Type::Reference(reference) = ungrouped_type(&parameter.ty) {
            let message = Message::new("a job borrows nothing but its transaction")
                .why("the worker passes the job and what it extracts by value")
                .fix("take it by value: `job: Invoice`");
            errors.push(message.at(reference));
        }
    }
}
