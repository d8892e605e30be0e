//! Rule: the fn is a plain `async fn`, with a receiver only where it is called by its own name.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Safety;

use crate::errors::{Errors, Message};
use crate::form::Form;
use crate::handler::Handler;
use crate::syntax::{names, spelled};

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
    if signature.asyncness.is_none() && returns_boxed_future(handler) {
        let message = Message::new(format!("`{}` is no longer `async`", handler.name()))
            .why("`#[async_trait]` made it a fn that returns a boxed future, before this attribute saw it")
            .fix(format!(
                "delete `#[async_trait]`, since traits take `async fn {}`, or put the attribute on a fn \
                 that it calls",
                handler.name()
            ));
        refuse(signature.fn_token.to_token_stream(), message);
    } else if signature.asyncness.is_none() {
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
        let message = match form {
            Form::Axum => Message::new("axum handlers take no `self`")
                .why("the router calls them with what it extracts from a request")
                .fix("a free fn that takes `State(app): State<App>`"),
            Form::Apalis => Message::new("apalis jobs take no `self`")
                .why("the worker calls them with the job and what it extracts from its data")
                .fix("a free fn that takes `app: Data<App>`"),
            Form::Plain => return,
        };
        refuse(receiver.to_token_stream(), message);
    }
}

/// `Pin<Box<dyn Future<..>>>`, what `#[async_trait]` makes of an `async fn`.
fn returns_boxed_future(handler: &Handler) -> bool {
    let output = handler.return_type().and_then(spelled);
    output
        .is_some_and(|segment| segment.ident == "Pin" && names(segment.to_token_stream(), "Future"))
}

fn qualifier(word: &str) -> Message {
    Message::new(format!("an idempotent fn cannot be `{word}`")).fix(format!(
        "delete `{word}`, and call the `{word}` code from the body"
    ))
}
