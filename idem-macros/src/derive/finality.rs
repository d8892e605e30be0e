//! `#[derive(Final)]`: each variant of an error says whether it is final, so that a new one
//! forces the decision.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Attribute, Data, DataEnum, DeriveInput, Fields, Meta, Variant};

use super::options;
use crate::errors::{Errors, Message};
use crate::span::hidden;
use crate::syntax::is_named;

const FINAL: &str = "final_error";
const RETRYABLE: &str = "retryable";

const WHY: &str = "a final error is recorded and replayed; a retryable one lets a retry run again";

/// One arm for each variant:
///
/// ```text
/// impl ::idem_core::Final for PaymentError {
///     fn is_final(&self) -> bool {
///         match self {
///             Self::CardRefused { .. } => true,
///             Self::ProviderDown => false,
///         }
///     }
/// }
/// ```
pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::new();
    let lists = input
        .attrs
        .iter()
        .filter(|one| matches!(one.meta, Meta::List(_)));
    let runtime = options::crate_path(&lists.cloned().collect::<Vec<_>>(), FINAL, &mut errors);
    let misplaced = |one: &&Attribute| {
        is_named(one, RETRYABLE) || is_named(one, FINAL) && matches!(one.meta, Meta::Path(_))
    };
    let body = match &input.data {
        Data::Enum(data) => match input.attrs.iter().find(misplaced) {
            Some(attribute) => {
                let message = Message::new("this stands on the whole enum")
                    .why(WHY)
                    .fix("put `#[final_error]` or `#[retryable]` on each variant");
                errors.push(message.at(attribute));
                quote_spanned!(hidden()=> false)
            }
            None => decide(data, &mut errors),
        },
        Data::Struct(data) => {
            errors.push(refused(input, "a struct").at(data.struct_token));
            quote_spanned!(hidden()=> false)
        }
        Data::Union(data) => {
            errors.push(refused(input, "a union").at(data.union_token));
            quote_spanned!(hidden()=> false)
        }
    };
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let implementation = quote_spanned! {hidden()=>
        #[automatically_derived]
        impl #impl_generics #runtime::Final for #name #type_generics #where_clause {
            fn is_final(&self) -> bool {
                #body
            }
        }
    };
    let mistakes = errors.finish().err();
    // Also beside mistakes: code that needs the trait is no second one.
    quote!(#mistakes #implementation)
}

fn decide(data: &DataEnum, errors: &mut Errors) -> TokenStream {
    if data.variants.is_empty() {
        return quote_spanned!(hidden()=> match *self {});
    }
    let arms = data.variants.iter().map(|variant| {
        let name = &variant.ident;
        let decision = decision(variant, errors);
        let fields = match variant.fields {
            Fields::Named(_) => quote!({ .. }),
            Fields::Unnamed(_) => quote!((..)),
            Fields::Unit => TokenStream::new(),
        };
        quote_spanned!(hidden()=> Self::#name #fields => #decision,)
    });
    quote_spanned!(hidden()=> match self { #(#arms)* })
}

/// Whether a variant is final; a mistake counts as retryable.
fn decision(variant: &Variant, errors: &mut Errors) -> bool {
    let name = &variant.ident;
    let mut said = None;
    for attribute in &variant.attrs {
        let is_final = is_named(attribute, FINAL);
        if !is_final && !is_named(attribute, RETRYABLE) {
            continue;
        }
        if !matches!(attribute.meta, Meta::Path(_)) {
            let path = attribute.path();
            let message = Message::new("nothing can be said about a decision")
                .fix(format!("`#[{}]`", crate::syntax::path_text(path)));
            errors.push(message.at(&attribute.meta));
        }
        match said {
            None => said = Some(is_final),
            Some(before) => {
                let message = match before == is_final {
                    true => Message::new(format!("`{name}` says this twice")),
                    false => Message::new(format!("`{name}` cannot be both final and retryable"))
                        .why(WHY),
                };
                errors.push(
                    message
                        .fix("keep one of the two and delete the other")
                        .at(attribute),
                );
                return false;
            }
        }
    }
    if said.is_none() {
        let message = Message::new(format!("`{name}` does not say whether it is final"))
            .why(WHY)
            .fix("`#[final_error]` or `#[retryable]` before it");
        errors.push(message.at(name));
    }
    said.unwrap_or(false)
}

fn refused(input: &DeriveInput, what: &str) -> Message {
    let name = &input.ident;
    Message::new(format!("`Final` cannot be derived for {what}"))
        .why("it is decided by the variant of an enum")
        .fix(format!(
            "`impl Final for {name} {{ fn is_final(&self) -> bool {{ true }} }}`"
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn mistakes(input: &DeriveInput) -> Vec<String> {
        let file: syn::File = syn::parse2(expand(input)).unwrap();
        let calls = file.items.iter().filter_map(|item| match item {
            syn::Item::Macro(call) => syn::parse2::<syn::LitStr>(call.mac.tokens.clone()).ok(),
            _ => None,
        });
        calls
            .map(|text| text.value().split('\n').next().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn each_variant_is_one_arm() {
        let tokens = expand(&parse_quote! {
            #[final_error(crate = my::idem)]
            enum PaymentError<T: Clone> {
                /// Refused.
                #[final_error] Refused(T),
                #[retryable] Down,
            }
        });
        assert_eq!(
            tokens.to_string(),
            quote! {
                #[automatically_derived]
                impl<T: Clone> my::idem::Final for PaymentError<T> {
                    fn is_final(&self) -> bool {
                        match self {
                            Self::Refused(..) => true,
                            Self::Down => false,
                        }
                    }
                }
            }
            .to_string()
        );
    }

    #[test]
    fn every_variant_decides_once() {
        assert_eq!(
            mistakes(&parse_quote! {
                enum PaymentError {
                    Fraud { code: u16 },
                    #[final_error] #[retryable] Refused,
                    #[retryable] #[retryable] Down,
                    #[final_error = "yes"] Gone,
                    #[retryable] Busy,
                }
            }),
            [
                "`Fraud` does not say whether it is final",
                "`Refused` cannot be both final and retryable",
                "`Down` says this twice",
                "nothing can be said about a decision",
            ]
        );
    }

    #[test]
    fn only_enums_with_decisions_on_variants_are_taken() {
        assert_eq!(
            mistakes(&parse_quote!(
                #[final_error]
                enum E {
                    A,
                    B,
                }
            )),
            ["this stands on the whole enum"]
        );
        assert_eq!(
            mistakes(&parse_quote!(
                struct E;
            )),
            ["`Final` cannot be derived for a struct"]
        );
    }
}
