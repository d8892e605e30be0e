//! Rule: no part of the key comes from a parameter that describes the server, the connection
//! or the attempt instead of the operation.
//!
//! Types that are spelled like nothing else are refused here, together with all other mistakes;
//! an alias, or a type of another kind, is judged by its traits (`kinds::in_key`).

use proc_macro2::TokenStream;

use crate::errors::{Errors, Message};
use crate::form::Form;
use crate::handler::{Handler, Parameter};
use crate::key::Reading;
use crate::syntax::spelled;

/// Ambient types of a form, with what is to be said of a parameter of theirs.
fn types(form: Form) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let own = match form {
        Form::Axum => AXUM,
        Form::Plain => &[],
        Form::Apalis => APALIS,
    };
    own.iter().chain(POOLS)
}

const AXUM: &[(&str, &str)] = &[
    ("State", "is the server's state"),
    (
        "HeaderMap",
        "is all headers, some of which differ on every attempt",
    ),
    ("ConnectInfo", "is the connection"),
    ("MatchedPath", "is the route"),
    ("OriginalUri", "is the URI"),
];

const APALIS: &[(&str, &str)] = &[
    ("Attempt", "differs on every try of the same job"),
    ("Data", "is the worker's data"),
    (
        "WorkerContext",
        "is the worker, another one on the next try",
    ),
    (
        "TaskContext",
        "is the task's state, which differs between tries",
    ),
    ("Meta", "is what was noted beside the job"),
    ("MetadataStore", "is what was noted beside the job"),
    ("Queue", "is the queue"),
];

const POOLS: &[(&str, &str)] = &[
    ("Pool", "is a connection pool"),
    ("PgPool", "is a connection pool"),
    ("SqlitePool", "is a connection pool"),
    ("MySqlPool", "is a connection pool"),
];

pub(super) fn check(reading: &Reading, handler: &Handler, form: Form, errors: &mut Errors) {
    for (index, tokens) in &reading.used {
        let parameter = &handler.parameters[*index];
        if let Some(what) = ambient(parameter, form) {
            errors.push(refused(tokens, what, handler, form));
        }
    }
    check_context(reading, handler, form, errors);
}

pub(super) fn check_context(reading: &Reading, handler: &Handler, form: Form, errors: &mut Errors) {
    for (index, tokens) in &reading.used {
        if handler.parameters[*index].context_type().is_some() {
            errors.push(refused(
                tokens,
                "is what the body works with",
                handler,
                form,
            ));
        }
    }
}

pub(super) fn is_ambient(parameter: &Parameter, form: Form) -> bool {
    ambient(parameter, form).is_some()
}

fn ambient(parameter: &Parameter, form: Form) -> Option<&'static str> {
    if parameter.ambient.is_some() {
        return Some("is marked `#[ambient]`");
    }
    let ty = spelled(&parameter.ty)?;
    types(form)
        .find(|(name, _)| ty.ident == name)
        .map(|(_, what)| *what)
}

fn refused(tokens: &TokenStream, what: &str, handler: &Handler, form: Form) -> syn::Error {
    let fix = match form {
        Form::Axum => {
            "take it from the request: the caller, the `Idempotency-Key`, path, query or body"
                .to_owned()
        }
        Form::Plain => format!("take it from {}", super::inputs(handler, form)),
        Form::Apalis => format!(
            "take it from {}, or from a `TaskId`, the same on every try of a task",
            super::inputs(handler, form)
        ),
    };
    let why = match form {
        Form::Axum => "a retry may meet another server, connection or configuration",
        Form::Plain | Form::Apalis => {
            "a retry is recognised only by carrying the key of the attempt it repeats"
        }
    };
    Message::new(format!(
        "`{tokens}` {what}: no part of what the caller asked for"
    ))
    .why(why)
    .fix(fix)
    .at(tokens)
}
