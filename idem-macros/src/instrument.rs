//! `#[instrument]` below the attribute, where there is no nested fn that it could stand on.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Attribute, Path};

use crate::args::Args;
use crate::form::Form;
use crate::handler::Handler;
use crate::span::hidden;
use crate::syntax::{is_named, names};

/// The item with its `#[instrument]` above our attribute instead of below: there it sees the fn as
/// it is written, `tx` included, and its span is the body's all the same.
pub(crate) fn lifted(form: Form, args: &Args, handler: &Handler) -> Option<TokenStream> {
    let runtime = args.runtime();
    let ours = match form {
        // Its nested fn takes the attribute.
        Form::Axum => return None,
        Form::Plain => quote_spanned!(hidden()=> #runtime::idempotent),
        Form::Apalis => quote_spanned!(hidden()=> #runtime::apalis::idempotent),
    };
    let (lifted, others): (Vec<_>, Vec<_>) = handler
        .attributes
        .iter()
        .partition(|one| is_instrument(one));
    if lifted.is_empty() {
        return None;
    }
    let arguments = &args.written;
    let item = handler.emit_without_attributes();
    Some(quote!(#(#lifted)* #[#ours(#arguments)] #(#others)* #item))
}

/// Whether the attribute is `#[instrument]`, or is so under some `cfg`.
pub(crate) fn is_instrument(attribute: &Attribute) -> bool {
    if is_named(attribute, "cfg_attr")
        && let Ok(list) = attribute.meta.require_list()
    {
        return names(list.tokens.clone(), "instrument");
    }
    ends_in_instrument(attribute.path())
}

fn ends_in_instrument(path: &Path) -> bool {
    path.segments
        .last()
        .is_some_and(|segment| segment.ident == "instrument")
}
