//! `#[derive(Operational)]`: a parameter type whose fields say what the operation is, and so
//! belong to the fingerprint.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Data, DeriveInput, Field, Fields, Index};

use super::{bounds, options};
use crate::crate_path::CratePath;
use crate::errors::{Errors, Message};
use crate::span::{hidden, spread};
use crate::syntax::name_of;

/// Feeds every field but the skipped ones, under its name:
///
/// ```text
/// impl ::idem_core::Operational for Filter {
///     fn feed(&self, out: &mut FingerprintWriter) {
///         out.field("from", &self.from);
///         out.end_struct();
///     }
/// }
/// ```
pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::new();
    let runtime = options::crate_path(&input.attrs, "operational", &mut errors);
    let fields = match &input.data {
        Data::Struct(data) => fields_to_feed(&data.fields, &mut errors),
        Data::Enum(data) => {
            errors.push(refused("an enum").at(data.enum_token));
            Vec::new()
        }
        Data::Union(data) => {
            errors.push(refused("a union").at(data.union_token));
            Vec::new()
        }
    };
    let implementation = implementation(input, &runtime, &fields);
    let mistakes = errors.finish().err();
    // Also beside mistakes: code that needs the trait is no second one.
    quote!(#mistakes #implementation)
}

fn refused(what: &str) -> Message {
    Message::new(format!("`Operational` cannot be derived for {what}"))
        .why("the fingerprint holds the fields of a request by their names")
        .fix("derive it for a struct that has this as a field, or say `fingerprint = ..`")
}

/// The fields that are not skipped, each with how `self` reaches it.
fn fields_to_feed<'a>(fields: &'a Fields, errors: &mut Errors) -> Vec<(TokenStream, &'a Field)> {
    let members = fields
        .iter()
        .enumerate()
        .map(|(index, field)| match &field.ident {
            Some(name) => (name.to_token_stream(), field),
            None => (Index::from(index).to_token_stream(), field),
        });
    members
        .filter(|(_, field)| !options::skips(&field.attrs, "operational", errors))
        .collect()
}

fn implementation(
    input: &DeriveInput,
    runtime: &CratePath,
    fields: &[(TokenStream, &Field)],
) -> TokenStream {
    let name = &input.ident;
    let types = fields.iter().map(|(_, field)| &field.ty);
    let serialize = quote_spanned!(hidden()=> #runtime::__private::Serialize);
    let generics = bounds::with_bounds(&input.generics, types, &serialize);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let feeds = fields.iter().map(|(member, field)| {
        let label = match &field.ident {
            Some(name) => name_of(name),
            None => member.to_string(),
        };
        // At the type, so that a missing `Serialize` is reported there.
        let function = spread(quote_spanned!(hidden()=> __idem_out.field), &field.ty);
        let value = spread(quote_spanned!(hidden()=> &self.#member), &field.ty);
        let feed = quote_spanned!(hidden()=> #function(#label, #value));
        quote!(#feed;)
    });
    quote_spanned! {hidden()=>
        #[automatically_derived]
        impl #impl_generics #runtime::Operational for #name #type_generics #where_clause {
            fn feed(&self, __idem_out: &mut #runtime::__private::FingerprintWriter) {
                #(#feeds)*
                __idem_out.end_struct();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn fields_are_fed_by_name_but_for_the_skipped() {
        let tokens = expand(&parse_quote! {
            struct Filter<T> { r#type: T, from: Date, #[operational(skip)] cache: Cache }
        });
        assert_eq!(
            tokens.to_string(),
            quote! {
                #[automatically_derived]
                impl<T> ::idem_core::Operational for Filter<T>
                where T: ::idem_core::__private::Serialize {
                    fn feed(&self, __idem_out: &mut ::idem_core::__private::FingerprintWriter) {
                                __idem_out.field("type", &self.r#type);
                        __idem_out.field("from", &self.from);
                        __idem_out.end_struct();
                    }
                }
            }
            .to_string()
        );
    }

    #[test]
    fn a_tuple_struct_is_fed_by_index() {
        let tokens = expand(&parse_quote!(
            struct Page(u32, u32);
        ))
        .to_string();
        assert!(tokens.contains(r#"field ("1" , & self . 1)"#), "{tokens}");
    }

    #[test]
    fn enums_and_unions_are_refused() {
        let tokens = expand(&parse_quote!(
            enum Kind {
                A,
            }
        ))
        .to_string();
        assert!(
            tokens.contains("`Operational` cannot be derived for an enum"),
            "{tokens}"
        );
    }
}
