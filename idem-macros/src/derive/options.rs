//! Helper attributes of the derives: `#[caller(crate = ..)]`, `#[operational(skip)]`.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Token};

use crate::crate_path::CratePath;
use crate::errors::{Errors, Message};
use crate::slot::Slot;
use crate::syntax::is_named;

/// `crate = path` of all attributes named `helper`.
pub(super) fn crate_path(attributes: &[Attribute], helper: &str, errors: &mut Errors) -> CratePath {
    let mut slot = Slot::default();
    read_options(
        attributes,
        helper,
        "crate",
        errors,
        |name, input, errors| {
            input.parse::<Token![=]>()?;
            let path = input.call(CratePath::parse)?;
            slot.set(name, path, errors);
            Ok(())
        },
    );
    slot.get().cloned().unwrap_or_default()
}

/// Whether an attribute named `helper` says `skip`.
pub(super) fn skips(attributes: &[Attribute], helper: &str, errors: &mut Errors) -> bool {
    let mut slot = Slot::default();
    read_options(attributes, helper, "skip", errors, |name, _, errors| {
        slot.set(name, (), errors);
        Ok(())
    });
    slot.get().is_some()
}

/// Reads the comma-separated options of a helper that knows one option, `known`.
fn read_options(
    attributes: &[Attribute],
    helper: &str,
    known: &str,
    errors: &mut Errors,
    mut read: impl FnMut(Ident, ParseStream<'_>, &mut Errors) -> syn::Result<()>,
) {
    for attribute in attributes.iter().filter(|one| is_named(one, helper)) {
        let parsed = attribute.parse_args_with(|input: ParseStream<'_>| {
            while !input.is_empty() {
                let name = input.call(Ident::parse_any)?;
                if name != known {
                    return Err(Message::new(format!(
                        "unknown option `{name}` of `{helper}` here"
                    ))
                    .fix(format!("the option here is `{known}`"))
                    .at(name));
                }
                read(name, input, errors)?;
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        });
        if let Err(error) = parsed {
            errors.push(error);
        }
    }
}
