//! Rule: exactly one parameter is the context, `&mut Tx<Db>`.
//!
//! Which types are contexts is a trait's to say; refused here, by spelling, are the ones
//! that people know from sqlx, since the trait's error for them would be longer.

use quote::ToTokens;
use syn::{PathSegment, Type, TypeReference};

use super::context_name;
use crate::errors::{Errors, Message};
use crate::form::Form;
use crate::handler::{Handler, Parameter};
use crate::syntax::{spelled, type_arguments, ungrouped_type};

/// What sqlx lets one write through, without the key.
const FOREIGN: &[&str] = &[
    "Transaction",
    "Connection",
    "PoolConnection",
    "PgConnection",
    "PgTransaction",
    "SqliteConnection",
    "SqliteTransaction",
    "MySqlConnection",
    "MySqlTransaction",
    "Pool",
    "PgPool",
    "SqlitePool",
    "MySqlPool",
];

const WHY: &str = "the body's writes and the recorded answer are committed in one transaction";

/// The index of the context parameter, if there is exactly one and nothing speaks against it.
pub(super) fn check(handler: &Handler, form: Form, errors: &mut Errors) -> Option<usize> {
    let contexts: Vec<_> = handler.contexts().collect();
    match &contexts[..] {
        [] => {
            errors.push(missing(handler));
            None
        }
        [(index, context)] => check_type(context, errors).then_some(*index),
        [first, second, ..] => {
            let (name, ty) = (context_name(handler), &first.1.ty);
            let kept = format!("{name}: {}", ty.to_token_stream()).replace("& mut", "&mut");
            let message = Message::new("a second `&mut` parameter")
                .why(match form {
                    Form::Axum | Form::Apalis => {
                        "one is the transaction that also holds the key; extractors are owned values"
                    }
                    Form::Plain => {
                        "the one `&mut` parameter is the transaction that also holds the key"
                    }
                })
                .fix(match form {
                    Form::Axum | Form::Apalis => {
                        format!("keep `{}` and take everything else by value", tight(&kept))
                    }
                    Form::Plain => format!(
                        "keep `{}` and take everything else by value or by `&`",
                        tight(&kept)
                    ),
                });
            errors.push(message.at(&second.1.ty));
            None
        }
    }
}

/// The same without a word.
pub(super) fn usable(handler: &Handler) -> Option<usize> {
    let contexts: Vec<_> = handler.contexts().collect();
    match contexts[..] {
        [(index, context)] => foreign(context).is_none().then_some(index),
        _ => None,
    }
}

fn check_type(context: &Parameter, errors: &mut Errors) -> bool {
    let Some(segment) = foreign(context) else {
        return true;
    };
    let database = ["Pg", "Sqlite", "MySql"]
        .into_iter()
        .find(|start| segment.ident.to_string().starts_with(start));
    let database = match (database, type_arguments(segment).last()) {
        (Some("Pg"), _) => "Postgres".to_owned(),
        (Some(other), _) => other.to_owned(),
        (None, Some(ty)) => ty.to_token_stream().to_string().replace(' ', ""),
        (None, None) => "Postgres".to_owned(),
    };
    let message = Message::new(format!("`{}` does not hold the key", segment.ident))
        .why(WHY)
        .fix(format!(
            "`&mut Tx<{database}>`, and run queries on `&mut **tx`"
        ));
    errors.push(message.at(context.context_type()));
    false
}

/// `Tx < Sqlite >` as people write it.
fn tight(tokens: &str) -> String {
    tokens
        .replace(" <", "<")
        .replace("< ", "<")
        .replace(" >", ">")
}

fn foreign(context: &Parameter) -> Option<&PathSegment> {
    spelled(context.context_type()?).filter(|one| FOREIGN.iter().any(|name| one.ident == name))
}

fn missing(handler: &Handler) -> syn::Error {
    let message = Message::new(format!("`{}` takes no transaction", handler.name())).why(WHY);
    let almost = handler.parameters.iter().find(|one| {
        let ty = match ungrouped_type(&one.ty) {
            Type::Reference(TypeReference { elem, .. }) => elem,
            other => other,
        };
        spelled(ty).is_some_and(|segment| segment.ident == "Tx")
    });
    match almost {
        Some(parameter) => {
            let ty = match ungrouped_type(&parameter.ty) {
                Type::Reference(TypeReference { elem, .. }) => elem.to_token_stream(),
                other => other.to_token_stream(),
            };
            let ty = ty.to_string().replace(' ', "");
            message.fix(format!("`&mut {ty}`")).at(&parameter.ty)
        }
        None => message
            .fix("add the parameter `tx: &mut Tx<Postgres>` (or `Tx<Sqlite>`) and write through it")
            .at(handler.name()),
    }
}
