//! Macros of the `idem` toolkit. Use them through `idem-core`, which re-exports them.

mod args;
mod check;
mod crate_path;
mod derive;
mod duration;
mod errors;
mod expand;
mod form;
mod handler;
mod instrument;
mod key;
mod nearest;
mod slot;
mod span;
mod syntax;

use form::Form;
use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

// One page for all forms, whose examples are compiled once, with the form of axum.
#[cfg_attr(not(doctest), doc = include_str!("docs/idempotent.md"))]
#[proc_macro_attribute]
pub fn idempotent(args: TokenStream, item: TokenStream) -> TokenStream {
    Form::Plain.expand(args.into(), item.into()).into()
}

#[cfg_attr(not(doctest), doc = include_str!("docs/idempotent.md"))]
#[proc_macro_attribute]
pub fn apalis_idempotent(args: TokenStream, item: TokenStream) -> TokenStream {
    Form::Apalis.expand(args.into(), item.into()).into()
}

#[doc = include_str!("docs/idempotent.md")]
#[proc_macro_attribute]
pub fn axum_idempotent(args: TokenStream, item: TokenStream) -> TokenStream {
    Form::Axum.expand(args.into(), item.into()).into()
}

#[doc = include_str!("docs/caller.md")]
#[proc_macro_derive(Caller, attributes(caller))]
pub fn caller(input: TokenStream) -> TokenStream {
    derive::caller(&parse_macro_input!(input as DeriveInput)).into()
}

#[doc = include_str!("docs/final.md")]
#[proc_macro_derive(Final, attributes(final_error, retryable))]
pub fn finality(input: TokenStream) -> TokenStream {
    derive::finality(&parse_macro_input!(input as DeriveInput)).into()
}

#[doc = include_str!("docs/key_part.md")]
#[proc_macro_derive(KeyPart, attributes(key_part))]
pub fn key_part(input: TokenStream) -> TokenStream {
    derive::key_part(&parse_macro_input!(input as DeriveInput)).into()
}

#[doc = include_str!("docs/operational.md")]
#[proc_macro_derive(Operational, attributes(operational))]
pub fn operational(input: TokenStream) -> TokenStream {
    derive::operational(&parse_macro_input!(input as DeriveInput)).into()
}
