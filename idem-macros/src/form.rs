//! `Form`: what kind of fn is annotated; from its tokens to the expansion's.

use std::fmt::{self, Display};

use proc_macro2::TokenStream;

use crate::args::Args;
use crate::errors::Errors;
use crate::handler::Handler;
use crate::{check, expand, instrument};

/// The forms of the attribute, one entry point each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Handlers of an axum router.
    Axum,
    /// Any other async fn or method.
    Plain,
    /// Tasks of an apalis worker.
    Apalis,
}

impl Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Axum => "axum",
            Form::Plain => "plain",
            Form::Apalis => "apalis",
        })
    }
}

impl Form {
    /// Parses, checks and expands. After mistakes the item still comes out, without its body,
    /// so that code that names it is no second mistake.
    pub(crate) fn expand(self, args: TokenStream, item: TokenStream) -> TokenStream {
        let mut errors = Errors::new();
        let args = Args::parse(args, &mut errors);
        let handler = match syn::parse2::<Handler>(item.clone()) {
            Ok(handler) => handler,
            Err(error) => {
                errors.push(error);
                let mut tokens = errors.finish().expect_err("BUG: the error just pushed");
                // A closure beside the error would be parsed as part of it.
                if syn::parse2::<syn::Expr>(item.clone()).is_err() {
                    tokens.extend(item);
                }
                return tokens;
            }
        };
        if let Some(above) = instrument::lifted(self, &args, &handler) {
            errors.discard();
            return above;
        }
        let approved = check::run(&args, &handler, self, &mut errors);
        match (errors.finish(), approved) {
            (Ok(()), Some(approved)) => match self {
                Form::Axum => expand::axum(&args, &handler, &approved),
                Form::Plain => expand::plain(&args, &handler, &approved),
                Form::Apalis => expand::apalis(&args, &handler, &approved),
            },
            (Ok(()), None) => unreachable!("BUG: nothing approved and no mistake reported"),
            (Err(mut tokens), _) => {
                tokens.extend(expand::fallback(&args, &handler, self));
                tokens
            }
        }
    }
}
