//! `#[derive(KeyPart)]`: a type of the user's own that may stand in a key.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Data, DataEnum, DataStruct, DeriveInput, Fields, Index};

use super::{bounds, options};
use crate::crate_path::CratePath;
use crate::errors::{Errors, Message};
use crate::span::{hidden, spread};
use crate::syntax::name_of;

/// Writes a newtype as what it holds, a struct as its fields in order, an enum as the name of
/// its variant:
///
/// ```text
/// impl ::idem_core::KeyPart for OrderKey {
///     fn write(&self, key: &mut KeyWriter) {
///         key.begin_struct(2);
///         KeyPart::write(&self.shop, key);
///         KeyPart::write(&self.number, key);
///     }
/// }
/// ```
pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::new();
    let runtime = options::crate_path(&input.attrs, "key_part", &mut errors);
    let body = match &input.data {
        Data::Struct(data) => of_struct(data, &runtime),
        Data::Enum(data) => of_enum(data, &mut errors),
        Data::Union(data) => {
            let message = Message::new("`KeyPart` cannot be derived for a union")
                .why("nobody can tell which of its fields is the one that was written")
                .fix("use the one field that names the operation as the key");
            errors.push(message.at(data.union_token));
            TokenStream::new()
        }
    };
    let implementation = implementation(input, &runtime, &body);
    let mistakes = errors.finish().err();
    // Also beside mistakes: code that needs the trait is no second one.
    quote!(#mistakes #implementation)
}

fn of_struct(data: &DataStruct, runtime: &CratePath) -> TokenStream {
    let newtype = matches!(&data.fields, Fields::Unnamed(fields) if fields.unnamed.len() == 1);
    let begin = (!newtype).then(|| {
        let fields = u32::try_from(data.fields.len()).expect("BUG: a struct of 2^32 fields");
        quote_spanned!(hidden()=> __idem_key.begin_struct(#fields);)
    });
    let parts = data.fields.iter().enumerate().map(|(index, field)| {
        let member = match &field.ident {
            Some(name) => name.to_token_stream(),
            None => Index::from(index).to_token_stream(),
        };
        // At the type, so that one that is no key part is reported there.
        let function = quote_spanned!(hidden()=> #runtime::KeyPart::write);
        let function = spread(function, &field.ty);
        let value = spread(quote_spanned!(hidden()=> &self.#member), &field.ty);
        let write = quote_spanned!(hidden()=> #function(#value, __idem_key));
        quote!(#write;)
    });
    quote!(#begin #(#parts)*)
}

fn of_enum(data: &DataEnum, errors: &mut Errors) -> TokenStream {
    let arms: Vec<_> = data
        .variants
        .iter()
        .filter_map(|variant| {
            if !matches!(variant.fields, Fields::Unit) {
                let name = &variant.ident;
                let message = Message::new(format!("`KeyPart` cannot be derived for `{name}`, which holds fields"))
                    .why("two operations that differ in them alone would share the key")
                    .fix("name the part that matters in the key itself: `match`, a field, or a method of the enum");
                errors.push(message.at(variant));
                return None;
            }
            let (ident, name) = (&variant.ident, name_of(&variant.ident));
            Some(quote_spanned!(hidden()=> Self::#ident => #name,))
        })
        .collect();
    if arms.len() < data.variants.len() {
        return TokenStream::new();
    }
    if arms.is_empty() {
        return quote_spanned!(hidden()=> match *self {});
    }
    quote_spanned!(hidden()=> __idem_key.variant(match self { #(#arms)* });)
}

fn implementation(input: &DeriveInput, runtime: &CratePath, body: &TokenStream) -> TokenStream {
    let name = &input.ident;
    let fields: &[_] = &match &input.data {
        Data::Struct(data) => data
            .fields
            .iter()
            .map(|field| &field.ty)
            .collect::<Vec<_>>(),
        Data::Enum(_) | Data::Union(_) => Vec::new(),
    };
    let key_part = quote_spanned!(hidden()=> #runtime::KeyPart);
    let generics = bounds::with_bounds(&input.generics, fields.iter().copied(), &key_part);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    quote_spanned! {hidden()=>
        #[automatically_derived]
        impl #impl_generics #runtime::KeyPart for #name #type_generics #where_clause {
            fn write(&self, __idem_key: &mut #runtime::KeyWriter) {
                #body
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn body(input: &DeriveInput) -> String {
        let file: syn::File = syn::parse2(expand(input)).unwrap();
        let [syn::Item::Impl(implementation)] = &file.items[..] else {
            panic!("one impl")
        };
        let [syn::ImplItem::Fn(write)] = &implementation.items[..] else {
            panic!("one fn")
        };
        let statements = &write.block.stmts;
        quote!(#(#statements)*).to_string()
    }

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
    fn a_newtype_is_what_it_holds() {
        assert_eq!(
            body(&parse_quote!(
                struct OrderId(u64);
            )),
            quote!(::idem_core::KeyPart::write(&self.0, __idem_key);).to_string()
        );
    }

    #[test]
    fn a_struct_is_its_fields_and_their_number() {
        assert_eq!(
            body(&parse_quote! { struct Order { r#type: u8, id: u64 } }),
            quote! {
                __idem_key.begin_struct(2u32);
                ::idem_core::KeyPart::write(&self.r#type, __idem_key);
                ::idem_core::KeyPart::write(&self.id, __idem_key);
            }
            .to_string()
        );
    }

    #[test]
    fn an_enum_is_the_name_of_its_variant() {
        assert_eq!(
            body(&parse_quote! { enum Kind { Card, r#Bank } }),
            quote!(__idem_key.variant(match self { Self::Card => "Card", Self::r#Bank => "Bank", });)
                .to_string()
        );
        assert_eq!(
            body(&parse_quote! { enum Never {} }),
            quote!(match *self {}).to_string()
        );
    }

    #[test]
    fn type_parameters_are_bound_where_a_field_uses_them() {
        let tokens = expand(&parse_quote! {
            #[key_part(crate = my::idem)]
            struct Pair<A, B: Clone> where A: Copy { a: Vec<A>, b: PhantomData<u8> }
        });
        let expected = quote!(impl<A, B: Clone> my::idem::KeyPart for Pair<A, B>
            where A: Copy, Vec<A>: my::idem::KeyPart);
        assert!(
            tokens.to_string().contains(&expected.to_string()),
            "{tokens}"
        );
    }

    #[test]
    fn each_variant_with_fields_is_refused_and_unions_are() {
        assert_eq!(
            mistakes(&parse_quote! { enum Method { Card(u64), Cash, Bank { iban: String } } }),
            [
                "`KeyPart` cannot be derived for `Card`, which holds fields",
                "`KeyPart` cannot be derived for `Bank`, which holds fields",
            ]
        );
        assert_eq!(
            mistakes(&parse_quote! { union Bits { a: u32, b: f32 } }),
            ["`KeyPart` cannot be derived for a union"]
        );
    }
}
