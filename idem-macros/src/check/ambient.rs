//! Rule: no part of the key comes from a parameter that describes the server, the connection
//! or the attempt instead of the operation.
//!
//! Types that are spelled like nothing else are refused here, together with all other mistakes;
//! an alias, or a type of another kind, is judged by its traits (`kinds::in_key`).

use proc_macro2::TokenStream;

use crate::errors::{Errors, Message};
use crate::handler::{Handler, Parameter};
use crate::key::Reading;
use crate::syntax::spelled;

/// Ambient types, with what they hold.
const AMBIENT: &[(&str, &str)] = &[
    ("State", "the server's state"),
    (
        "HeaderMap",
        "all headers, some of which differ on every attempt",
    ),
    ("ConnectInfo", "the connection"),
    ("MatchedPath", "the route"),
    ("OriginalUri", "the URI"),
    ("Pool", "a connection pool"),
    ("PgPool", "a connection pool"),
    ("SqlitePool", "a connection pool"),
    ("MySqlPool", "a connection pool"),
];

pub(super) fn check(reading: &Reading, handler: &Handler, errors: &mut Errors) {
    for (index, tokens) in &reading.used {
        let parameter = &handler.parameters[*index];
        if let Some(holds) = ambient(parameter) {
            errors.push(refused(tokens, &format!("is {holds}")));
        }
    }
    check_context(reading, handler, errors);
}

pub(super) fn check_context(reading: &Reading, handler: &Handler, errors: &mut Errors) {
    for (index, tokens) in &reading.used {
        if handler.parameters[*index].context_type().is_some() {
            errors.push(refused(tokens, "is what the body works with"));
        }
    }
}

pub(super) fn is_ambient(parameter: &Parameter) -> bool {
    ambient(parameter).is_some()
}

fn ambient(parameter: &Parameter) -> Option<&'static str> {
    if parameter.ambient.is_some() {
        return Some("marked `#[ambient]`");
    }
    let ty = spelled(&parameter.ty)?;
    AMBIENT
        .iter()
        .find(|(name, _)| ty.ident == name)
        .map(|(_, holds)| *holds)
}

fn refused(tokens: &TokenStream, holds: &str) -> syn::Error {
    Message::new(format!(
        "`{tokens}` {holds}: no part of what the caller asked for"
    ))
    .why("a retry may meet another server, connection or configuration")
    .fix("take it from the request: the caller, the `Idempotency-Key`, path, query or body")
    .at(tokens)
}
