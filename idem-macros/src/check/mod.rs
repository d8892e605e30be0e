//! The rules, one file each. All of them run, and all mistakes come out at once; inside a
//! rule the first one stops it, so that nothing is said twice.
//!
//! What only rustc can know (whether a type is a `KeyPart`, a `Caller`, a context) is a bound
//! in `expand/`. A rule that cannot see enough lets the code pass: correct code is never refused.

mod ambient;
mod answer;
mod combination;
mod constant;
mod context;
mod downstream;
mod durations;
mod endless;
mod evaluable;
mod fresh;
mod job;
mod optional;
mod pool;
mod scope;
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
use crate::syntax::{name_of, spelled};

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
    combination::check(args, form, errors);
    signature::check(handler, form, errors);
    scope::check(args, handler, form, errors);
    answer::check(handler, form, errors);
    if form == Form::Axum {
        endless::check(handler, errors);
        optional::check(handler, errors);
    }
    let context = context::check(handler, form, errors);
    job::check(handler, form, errors);
    durations::check(args, errors);

    let key = args.key.get();
    if !args.names_key {
        errors.push(missing_key(handler, form));
    }
    let reading = key.map(|key| check_key(key, handler, form, errors));
    if let Some(FingerprintArg::Value(value)) = args.fingerprint.get() {
        check_fingerprint(value, handler, form, errors);
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

/// Whether the item beside the errors may return what the fn does.
pub(crate) fn has_usable_answer(handler: &Handler, form: Form) -> bool {
    answer::usable(handler, form)
}

fn check_key(key: &Expr, handler: &Handler, form: Form, errors: &mut Errors) -> Reading {
    let reading = Reading::of(key, handler);
    fresh::check(&reading, "key", handler, form, errors);
    unknown_name::check(&reading, errors);
    evaluable::check(&reading, "key", errors);
    ambient::check(&reading, handler, form, errors);
    constant::check_key(key, &reading, handler, form, errors);
    reading
}

/// A fingerprint may hold what a key may not (a header, say), but it too must be the same on
/// every attempt of one operation.
fn check_fingerprint(value: &Expr, handler: &Handler, form: Form, errors: &mut Errors) {
    let reading = Reading::of(value, handler);
    fresh::check(&reading, "fingerprint", handler, form, errors);
    unknown_name::check(&reading, errors);
    evaluable::check(&reading, "fingerprint", errors);
    ambient::check_context(&reading, handler, form, errors);
    constant::check_fingerprint(value, &reading, errors);
}

fn missing_key(handler: &Handler, form: Form) -> syn::Error {
    let names = input_names(handler, form);
    let first = names.first().map(|name| name.trim_matches('`'));
    let fix = match (form, first) {
        (Form::Axum, _) => {
            let name = header_parameter(handler);
            let name = name.map_or_else(|| "key".to_owned(), ToString::to_string);
            format!(
                "`key = (merchant.id, {name})`: whose operation it is, and its `Idempotency-Key`"
            )
        }
        (Form::Plain, Some(name)) => format!("`key = {name}`, or what tells calls apart"),
        (Form::Plain, None) => "`key = order.id`, with a parameter `order`".to_owned(),
        (Form::Apalis, Some(job)) => format!("`key = {job}.id`, or what tells its jobs apart"),
        (Form::Apalis, None) => "`key = job.id`, with the job as the parameter `job`".to_owned(),
    };
    Message::new("`key` is missing")
        .why("it names the operation that a retry repeats")
        .fix(fix)
        .at_span(proc_macro2::Span::call_site())
}

/// The parameters that a key may use, as messages name them: "`order`".
fn input_names(handler: &Handler, form: Form) -> Vec<String> {
    let inputs = handler
        .parameters
        .iter()
        .filter(|one| one.context_type().is_none() && !ambient::is_ambient(one, form));
    let names = inputs.flat_map(|one| one.bindings.iter());
    names.map(|name| format!("`{}`", name_of(name))).collect()
}

/// What the fix of a wrong key offers instead: "what a retry repeats: `order`, `amount`".
fn inputs(handler: &Handler, form: Form) -> String {
    match (&input_names(handler, form)[..], form) {
        ([], Form::Apalis) => "the job: `job.id`".to_owned(),
        ([], _) => "a parameter that a retry repeats: `id: u64`".to_owned(),
        (names, _) => format!("what a retry repeats: {}", names.join(", ")),
    }
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
