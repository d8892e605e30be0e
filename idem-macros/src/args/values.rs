//! Reads the value of each argument.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Expr, LitStr, Token, parenthesized, token};

use super::{Allowed, FingerprintArg};
use crate::duration::DurationArg;
use crate::errors::{Errors, Message};
use crate::nearest::nearest;
use crate::slot::Slot;
use crate::syntax::ungrouped;

pub(super) fn parse_expr(name: &Ident, input: ParseStream<'_>) -> syn::Result<Expr> {
    if input.is_empty() || input.peek(Token![,]) {
        return Err(Message::new(format!("`{name}` is given no value"))
            .fix(format!("`{}`", example(&name.to_string())))
            .at(name));
    }
    let before = input.fork();
    input.parse().map_err(|error: syn::Error| {
        // Not at syn's span: where tokens are missing that is the whole attribute.
        Message::new(format!(
            "the value of `{name}` is no whole expression: {error}"
        ))
        .at(skip_to_next(&before))
    })
}

pub(super) fn parse_duration(
    name: Ident,
    input: ParseStream<'_>,
    slot: &mut Slot<DurationArg>,
    errors: &mut Errors,
) -> syn::Result<()> {
    let value = parse_expr(&name, input)?;
    let duration = DurationArg::read(&name.to_string(), &value)?;
    slot.set(name, duration, errors);
    Ok(())
}

pub(super) fn parse_scope(name: &Ident, input: ParseStream<'_>) -> syn::Result<LitStr> {
    let value = parse_expr(name, input)?;
    let refuse = |what: &str| {
        Err(Message::new(what)
            .why("the scope is stored with every key, so it must be the same in every build")
            .fix("`scope = \"payments.create\"`")
            .at(&value))
    };
    match ungrouped(&value) {
        Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => match text.value() {
            scope if scope.trim().is_empty() => refuse("`scope` is empty"),
            scope if scope.len() > 255 => refuse("`scope` is longer than 255 bytes"),
            scope if scope.chars().any(char::is_control) => {
                refuse("`scope` holds a control character")
            }
            _ => Ok(text.clone()),
        },
        _ => refuse("`scope` takes a text"),
    }
}

pub(super) fn parse_fingerprint(
    name: &Ident,
    input: ParseStream<'_>,
) -> syn::Result<FingerprintArg> {
    let value = parse_expr(name, input)?;
    Ok(match ungrouped(&value) {
        Expr::Path(path) if path.path.is_ident("none") => FingerprintArg::None,
        _ => FingerprintArg::Value(value),
    })
}

pub(super) fn parse_choice<T: Copy>(
    name: &Ident,
    input: ParseStream<'_>,
    choices: &[(&str, T)],
) -> syn::Result<T> {
    let names: Vec<_> = choices.iter().map(|(choice, _)| *choice).collect();
    let refuse = |span: Span, seen: &str| {
        Message::new(format!("`{name} = {seen}` is not known"))
            .fix(format!("`{name}` is one of {}", listed(&names)))
            .at_span(span)
    };
    if !input.peek(Ident::peek_any) {
        return Err(refuse(input.span(), ".."));
    }
    let choice = input.call(Ident::parse_any)?;
    choices
        .iter()
        .find(|(known, _)| choice == known)
        .map(|(_, value)| *value)
        .ok_or_else(|| refuse(choice.span(), &choice.to_string()))
}

pub(super) fn parse_allow(
    name: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<Vec<Allowed>> {
    if !input.peek(token::Paren) {
        return Err(
            Message::new("`allow` names the checks it switches off in parentheses")
                .fix("`allow(pool)`, `allow(spawn)` or `allow(pool, spawn)`")
                .at(name),
        );
    }
    let content;
    parenthesized!(content in input);
    let checks = Punctuated::<Ident, Token![,]>::parse_terminated(&content)?;
    let mut allowed = Vec::new();
    for check in checks {
        match check.to_string().as_str() {
            "pool" => allowed.push(Allowed::Pool),
            "spawn" => allowed.push(Allowed::Spawn),
            other => {
                let hint = nearest(other, ["pool", "spawn"])
                    .map(|known| format!("; did you mean `{known}`?"))
                    .unwrap_or_default();
                let message = Message::new(format!("there is no check `{other}`{hint}"))
                    .fix("the checks are `pool` and `spawn`");
                errors.push(message.at(check));
            }
        }
    }
    Ok(allowed)
}

/// An argument with a value that fits it.
pub(super) fn example(name: &str) -> &'static str {
    match name {
        "crate" => "crate = my_prelude::idem_core",
        "fingerprint" => "fingerprint = none",
        "key" => "key = (merchant.id, key)",
        "memoize" => "memoize = final",
        "missing_key" => "missing_key = run",
        "scope" => "scope = \"payments.create\"",
        "timeout" => "timeout = \"30s\"",
        "wait" => "wait = \"5s\"",
        _ => "ttl = \"24h\"",
    }
}

pub(super) fn listed(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// Skips to the comma before the next argument, and gives what was skipped. A comma inside
/// `a::<B, C>()` is not that one.
pub(super) fn skip_to_next(input: ParseStream<'_>) -> TokenStream {
    let mut skipped = TokenStream::new();
    while !(input.is_empty() || input.peek(Token![,]) && starts_argument(&input.fork())) {
        // Any token tree; there is one, as the input is not empty.
        skipped.extend(input.parse::<TokenTree>());
    }
    skipped
}

/// Whether a comma, an argument's name and `=`, `(` or its end come next.
pub(super) fn starts_argument(ahead: ParseStream<'_>) -> bool {
    if ahead.parse::<Token![,]>().is_err() || ahead.is_empty() {
        return true;
    }
    ahead.call(Ident::parse_any).is_ok()
        && (ahead.is_empty()
            || ahead.peek(Token![,])
            || ahead.peek(token::Paren)
            || ahead.peek(Token![=]) && !ahead.peek(Token![==]))
}
