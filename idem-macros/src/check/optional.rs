//! Rule: the key header is no `Option`: whether a request without it may run is the
//! attribute's to say.

use crate::errors::{Errors, Message};
use crate::handler::Handler;
use crate::syntax::{spelled, type_arguments};

pub(super) fn check(handler: &Handler, errors: &mut Errors) {
    for parameter in &handler.parameters {
        let Some(option) = spelled(&parameter.ty).filter(|one| one.ident == "Option") else {
            continue;
        };
        let mut held = type_arguments(option).filter_map(spelled);
        if held.any(|one| one.ident == "IdempotencyKey") {
            let message = Message::new("`Option<IdempotencyKey>` is no parameter")
                .why("without its key a request is no operation that a retry could repeat")
                .fix(
                    "`IdempotencyKey`; `missing_key = run` lets requests without it run unprotected",
                );
            errors.push(message.at(&parameter.ty));
        }
    }
}
