//! The rules, one file each. All of them run, and all mistakes come out at once; inside a
//! rule the first one stops it, so that nothing is said twice.
//!
//! What only rustc can know (whether a type is a `KeyPart`, a `Caller`, a context) is a bound
//! in `expand/`. A rule that cannot see enough lets the code pass: correct code is never refused.

mod ambient;
mod constant;
mod context;
mod downstream;
mod durations;
mod endless;
mod evaluable;
mod fresh;
mod optional;
mod pool;
mod signature;
mod spawn;
#[cfg(test)]
mod tests;
mod unknown_name;

pub(crate) use durations::{ZERO_TIMEOUT, ZERO_TTL};
use proc_macro2::Ident;
use syn::Expr;

use crate::args::{Args, FingerprintArg};
use crate::errors::{Errors, Message};
use crate::form::Form;
use crate::handler::{Handler, Parameter};
use crate::key::Reading;
use crate::syntax::spelled;

/// What the rules approved: the parts that an expansion cannot do without.
#[derive(Debug)]
pub(crate) struct Approved<'a> {
    pub(crate) key: &'a Expr,
    /// The parameters that the key uses.
    pub(crate) reading: Reading,
    /// Index of the context parameter.
    pub(crate) context: usize,
}

/// Runs all rules; nothing is approved if one of them, or the parser before, found a mistake.
pub(crate) fn run<'a>(
    args: &'a Args,
    handler: &Handler,
    form: Form,
    errors: &mut Errors,
) -> Option<Approved<'a>> {
    signature::check(handler, form, errors);
    endless::check(handler, errors);
    let context = context::check(handler, errors);
    optional::check(handler, errors);
    durations::check(args, errors);

    let key = args.key.get();
    if !args.names_key {
        errors.push(missing_key(handler));
    }
    let reading = key.map(|key| check_key(key, handler, errors));
    if let Some(FingerprintArg::Value(value)) = args.fingerprint.get() {
        check_fingerprint(value, handler, errors);
    }

    pool::check(args, handler, errors);
    spawn::check(args, handler, errors);
    downstream::check(handler, errors);

    Some(Approved {
        key: key?,
        reading: reading?,
        context: context?,
    })
}

/// The context parameter, if there is exactly one and its type may be a context.
pub(crate) fn usable_context(handler: &Handler) -> Option<usize> {
    context::usable(handler)
}

fn check_key(key: &Expr, handler: &Handler, errors: &mut Errors) -> Reading {
    let reading = Reading::of(key, handler);
    fresh::check(&reading, "key", handler, errors);
    unknown_name::check(&reading, errors);
    evaluable::check(&reading, "key", errors);
    ambient::check(&reading, handler, errors);
    constant::check_key(key, &reading, handler, errors);
    reading
}

/// A fingerprint may hold what a key may not (a header, say), but it too must be the same on
/// every attempt of one operation.
fn check_fingerprint(value: &Expr, handler: &Handler, errors: &mut Errors) {
    let reading = Reading::of(value, handler);
    fresh::check(&reading, "fingerprint", handler, errors);
    unknown_name::check(&reading, errors);
    evaluable::check(&reading, "fingerprint", errors);
    ambient::check_context(&reading, handler, errors);
    constant::check_fingerprint(value, &reading, errors);
}

fn missing_key(handler: &Handler) -> syn::Error {
    let name = header_parameter(handler).map_or_else(|| "key".to_owned(), ToString::to_string);
    Message::new("`key` is missing")
        .why("it names the operation that a retry repeats")
        .fix(format!(
            "`key = (merchant.id, {name})`: whose operation it is, and its `Idempotency-Key`"
        ))
        .at_span(proc_macro2::Span::call_site())
}

/// What the body calls its transaction.
fn context_name(handler: &Handler) -> String {
    let name = handler
        .contexts()
        .find_map(|(_, context)| context.plain_name());
    name.map_or_else(|| "tx".to_owned(), ToString::to_string)
}

/// The name of the parameter that holds the `Idempotency-Key` header, if it is spelled so.
fn header_parameter(handler: &Handler) -> Option<&Ident> {
    let is_header = |one: &&Parameter| {
        spelled(&one.ty).is_some_and(|segment| segment.ident == "IdempotencyKey")
    };
    handler
        .parameters
        .iter()
        .find(is_header)
        .and_then(Parameter::plain_name)
}
