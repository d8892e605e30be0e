//! Rule: what the fn returns can be recorded and given again.
//!
//! Refused is what is spelled so that no trait could accept it; behind an alias, and for the types
//! inside a `Result`, the traits judge.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::Visit;
use syn::{GenericArgument, PathArguments, Type, TypeImplTrait, TypeReference};

use crate::errors::{Errors, Message};
use crate::form::Form;
use crate::handler::Handler;
use crate::syntax::{spelled, ungrouped_type};

/// What nobody calls a `Result`.
const NO_RESULTS: &[&str] = &[
    "Option", "Vec", "String", "Box", "Arc", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "bool",
    "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    "f32", "f64",
];

pub(super) fn check(handler: &Handler, form: Form, errors: &mut Errors) {
    if let Some(mistake) = mistake(handler, form) {
        errors.push(mistake);
    }
}

/// Whether the fn may be emitted with the return type it has.
pub(super) fn usable(handler: &Handler, form: Form) -> bool {
    mistake(handler, form).is_none()
}

fn mistake(handler: &Handler, form: Form) -> Option<syn::Error> {
    let Some(ty) = handler.return_type().map(ungrouped_type) else {
        return (form != Form::Axum).then(|| no_result(handler, None));
    };
    if let Type::Never(never) = ty {
        let message = Message::new("a fn that never returns has no answer to record");
        let message = message.fix(match form {
            Form::Axum => "return what the caller is told: `Result<Json<Payment>, ApiError>`",
            Form::Plain | Form::Apalis => "return what the caller is told: `Result<(), PayError>`",
        });
        return Some(message.at(never));
    }
    if form == Form::Axum {
        // A reference that is not `'static` borrows from what ends with the body.
        return match ty {
            Type::Reference(reference) if !is_static(reference) => Some(
                Message::new("the answer is a reference")
                    .why("it is recorded and sent after everything it could borrow from is gone")
                    .fix("return an owned value, such as `String`, or a `&'static` one")
                    .at(reference),
            ),
            _ => None,
        };
    }
    if let Some(reference) = reference(ty) {
        let message = Message::new("the answer is a reference")
            .why("a retry is given the recorded value, which borrows from nothing")
            .fix("return an owned value, such as `String`");
        return Some(message.at(reference));
    }
    if let Some(found) = impl_trait(ty) {
        let message = Message::new("the answer is an `impl Trait`")
            .why("a retry is given the recorded value, so its type must be one that can be read again")
            .fix("name the type: `Vec<Payment>` instead of `impl Iterator<Item = Payment>`");
        return Some(message.at(found));
    }
    match ty {
        Type::Tuple(_) | Type::Array(_) | Type::Slice(_) | Type::FnPtr(_) => {
            Some(no_result(handler, Some(ty)))
        }
        _ if spelled(ty)
            .is_some_and(|segment| NO_RESULTS.iter().any(|name| segment.ident == name)) =>
        {
            Some(no_result(handler, Some(ty)))
        }
        _ => None,
    }
}

fn no_result(handler: &Handler, ty: Option<&Type>) -> syn::Error {
    let held = ty.map_or_else(|| "()".to_owned(), |ty| ty.to_token_stream().to_string());
    // As it is written, not as tokens are printed.
    let held = [(" < ", "<"), (" >", ">"), (" ,", ","), (" :: ", "::")]
        .iter()
        .fold(held, |text, (printed, written)| {
            text.replace(printed, written)
        });
    let message = Message::new(format!("`{}` returns no `Result`", handler.name()))
        .why("what keeps the operation from running, such as a lost database, is an error of its caller's")
        .fix(format!("`-> Result<{held}, idem_core::Error>`, or an error of your own that is `From<idem_core::Error>`"));
    match ty {
        Some(ty) => message.at(ty),
        None => message.at(handler.name()),
    }
}

/// A reference that is the answer, or the value of the `Result` that is.
fn reference(ty: &Type) -> Option<&TypeReference> {
    if let Type::Reference(reference) = ty {
        return Some(reference);
    }
    let result = spelled(ty).filter(|segment| segment.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &result.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(value) => match ungrouped_type(value) {
            Type::Reference(reference) => Some(reference),
            _ => None,
        },
        _ => None,
    }
}

fn is_static(reference: &TypeReference) -> bool {
    reference
        .lifetime
        .as_ref()
        .is_some_and(|lifetime| lifetime.ident == "static")
}

/// The first `impl Trait` in the type.
fn impl_trait(ty: &Type) -> Option<TokenStream> {
    let mut search = Search(None);
    search.visit_type(ty);
    search.0
}

struct Search(Option<TokenStream>);

impl<'ast> Visit<'ast> for Search {
    fn visit_type_impl_trait(&mut self, ty: &'ast TypeImplTrait) {
        self.0.get_or_insert_with(|| ty.to_token_stream());
    }
}
