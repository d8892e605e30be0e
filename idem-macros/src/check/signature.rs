//! Rule: the fn is a plain `async fn` that returns an answer.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{ReturnType, Safety, Type, TypeReference};

use crate::errors::{Errors, Message};
use crate::form::Form;
use crate::handler::Handler;
use crate::syntax::ungrouped_type;

pub(super) fn check(handler: &Handler, form: Form, errors: &mut Errors) {
    let signature = &handler.signature;
    let mut refuse = |at: TokenStream, message: Message| errors.push(message.at(at));

    if let Some(constness) = &signature.constness {
        refuse(constness.to_token_stream(), qualifier("const"));
    }
    if let Safety::Unsafe(unsafety) = &signature.safety {
        refuse(unsafety.to_token_stream(), qualifier("unsafe"));
    }
    if let Some(abi) = &signature.abi {
        refuse(abi.to_token_stream(), qualifier("extern"));
    }
    if let Some(variadic) = &signature.variadic {
        refuse(
            variadic.to_token_stream(),
            Message::new("an idempotent fn takes no `...`"),
        );
    }
    if signature.asyncness.is_none() {
        let message = Message::new(format!("`{}` is not `async`", handler.name()))
            .why("claiming the key and recording the answer wait for the database")
            .fix(format!("`async fn {}`", handler.name()));
        refuse(signature.fn_token.to_token_stream(), message);
    }
    if handler.body.is_none() {
        let message = Message::new(format!("`{}` has no body", handler.name()))
            .why("the attribute runs a body; a trait's declaration has none")
            .fix("put it on the fn in the `impl`, or on a fn that it calls");
        refuse(handler.name().to_token_stream(), message);
    }
    if let Some(receiver) = handler.receiver() {
        let message = Message::new(format!("{form} handlers take no `self`"))
            .why("the router calls them with what it extracts from a request")
            .fix("a free fn that takes `State(app): State<App>`");
        refuse(receiver.to_token_stream(), message);
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        check_return_type(ty, errors);
    }
}

fn check_return_type(ty: &Type, errors: &mut Errors) {
    match ungrouped_type(ty) {
        Type::Never(never) => {
            let message = Message::new("a fn that never returns has no answer to record")
                .fix("return what the caller is told: `Result<Json<Payment>, ApiError>`");
            errors.push(message.at(never));
        }
        // A reference that is not `'static` borrows from what ends with the body.
        Type::Reference(reference) if !is_static(reference) => {
            let message = Message::new("the answer is a reference")
                .why("it is recorded and sent after everything it could borrow from is gone")
                .fix("return an owned value, such as `String`, or a `&'static` one");
            errors.push(message.at(reference));
        }
        _ => {}
    }
}

fn is_static(reference: &TypeReference) -> bool {
    reference
        .lifetime
        .as_ref()
        .is_some_and(|lifetime| lifetime.ident == "static")
}

fn qualifier(word: &str) -> Message {
    Message::new(format!("an idempotent fn cannot be `{word}`")).fix(format!(
        "delete `{word}`, and call the `{word}` code from the body"
    ))
}
