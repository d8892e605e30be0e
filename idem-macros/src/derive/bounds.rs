//! Bounds that a derived impl needs: on the types of fields, where they mention a type parameter.

use proc_macro2::TokenStream;
use syn::visit::Visit;
use syn::{Generics, Ident, Type, parse_quote_spanned};

use crate::span::hidden;

/// The generics with `bound` on each of `types` that mentions a type parameter. All others are
/// judged where the impl uses them, at the user's tokens.
pub(super) fn with_bounds<'a>(
    generics: &Generics,
    types: impl Iterator<Item = &'a Type>,
    bound: &TokenStream,
) -> Generics {
    let mut bounded = generics.clone();
    for ty in types {
        let mut search = MentionsParameter {
            generics,
            found: false,
        };
        search.visit_type(ty);
        if search.found {
            let predicates = &mut bounded.make_where_clause().predicates;
            predicates.push(parse_quote_spanned!(hidden()=> #ty: #bound));
        }
    }
    bounded
}

struct MentionsParameter<'a> {
    generics: &'a Generics,
    found: bool,
}

impl<'ast> Visit<'ast> for MentionsParameter<'_> {
    fn visit_ident(&mut self, ident: &'ast Ident) {
        self.found |= self.generics.type_params().any(|one| one.ident == *ident);
    }
}
