//! `#[derive(Caller)]`: marks an extractor as the one that says whose operation it is.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::DeriveInput;

use super::options;
use crate::errors::Errors;
use crate::span::hidden;

/// `impl<..> ::idem_core::Caller for T<..> where .. {}`
pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::new();
    let runtime = options::crate_path(&input.attrs, "caller", &mut errors);
    let name = &input.ident;
    let (impl_generics, type_generics, where_clause) = input.generics.split_for_impl();
    let implementation = quote_spanned! {hidden()=>
        #[automatically_derived]
        impl #impl_generics #runtime::Caller for #name #type_generics #where_clause {}
    };
    let mistakes = errors.finish().err();
    quote_spanned!(hidden()=> #mistakes #implementation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;
    use syn::parse_quote;

    #[test]
    fn generics_and_the_crate_path_are_kept() {
        let tokens = expand(&parse_quote! {
            #[caller(crate = my::idem)]
            struct Merchant<T: Tenant = Default> where T: Clone { tenant: T }
        });
        assert_eq!(
            tokens.to_string(),
            quote! {
                #[automatically_derived]
                impl<T: Tenant> my::idem::Caller for Merchant<T> where T: Clone {}
            }
            .to_string()
        );
    }

    #[test]
    fn an_unknown_option_is_named() {
        let tokens = expand(&parse_quote!(
            #[caller(skip)]
            struct Merchant;
        ))
        .to_string();
        assert!(
            tokens.contains("unknown option `skip` of `caller` here"),
            "{tokens}"
        );
    }
}
