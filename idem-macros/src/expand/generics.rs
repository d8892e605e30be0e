//! Generics of the public fn and the nested one: as written, and `Send + Sync + 'static`.
//!
//! The body runs in a spawned task, and inside generic code that must hold for every type, not
//! only for those it is called with. (A plain axum handler proves it where it is routed.)

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::visit::Visit;
use syn::{
    GenericParam, Generics, Lifetime, Type, TypeParamBound, WherePredicate, parse_quote_spanned,
};

use crate::handler::Handler;
use crate::span::hidden;

/// The user's generics with the bounds of a spawned task on each type parameter.
pub(super) fn spawnable(generics: &Generics) -> Generics {
    let mut spawnable = generics.clone();
    let names: Vec<Ident> = generics
        .type_params()
        .map(|one| one.ident.clone())
        .collect();
    for name in names {
        let stated = stated_bounds(generics, &name);
        let missing = missing_bounds(&stated);
        // Joined to the bounds that are there, in their place: a second list is a lint.
        let predicate = spawnable.where_clause.as_mut().and_then(|clause| {
            clause
                .predicates
                .iter_mut()
                .find_map(|predicate| match predicate {
                    WherePredicate::Type(one) if is_path_to(&one.bounded_ty, &name) => Some(one),
                    _ => None,
                })
        });
        match predicate {
            Some(predicate) if predicate.lifetimes.is_none() => predicate.bounds.extend(missing),
            _ => {
                let mut parameters = spawnable.type_params_mut();
                if let Some(parameter) = parameters.find(|one| one.ident == name) {
                    parameter.colon_token.get_or_insert_with(Default::default);
                    parameter.bounds.extend(missing);
                }
            }
        }
    }
    spawnable
}

/// The generics of a handler's public fn.
pub(super) fn public(handler: &Handler, context: Option<usize>) -> Generics {
    // Its response uses none.
    let used = UsedLifetimes(Vec::new());
    without_unused_lifetimes(spawnable(handler.generics()), handler, context, used)
}

/// The generics of any other public fn, which nothing spawns.
pub(super) fn without_context(handler: &Handler, context: Option<usize>) -> Generics {
    let mut used = UsedLifetimes(Vec::new());
    used.visit_return_type(&handler.signature.output);
    without_unused_lifetimes(handler.generics().clone(), handler, context, used)
}

/// The public fn has lost the context parameter: a lifetime that only this parameter used goes
/// with it.
fn without_unused_lifetimes(
    mut generics: Generics,
    handler: &Handler,
    context: Option<usize>,
    mut used: UsedLifetimes,
) -> Generics {
    let mut of_context = UsedLifetimes(Vec::new());
    for (index, parameter) in handler.parameters.iter().enumerate() {
        match Some(index) == context {
            true => of_context.visit_type(&parameter.ty),
            false => used.visit_type(&parameter.ty),
        }
    }
    handler
        .receiver()
        .into_iter()
        .for_each(|receiver| used.visit_receiver(receiver));
    generics
        .type_params()
        .for_each(|one| used.visit_type_param(one));
    let clause = generics.where_clause.iter();
    for predicate in clause.flat_map(|clause| &clause.predicates) {
        if let WherePredicate::Type(predicate) = predicate {
            used.visit_predicate_type(predicate);
        }
    }
    let gone = |lifetime: &Lifetime| of_context.0.contains(lifetime) && !used.0.contains(lifetime);
    let params = std::mem::take(&mut generics.params);
    generics.params = params
        .into_iter()
        .filter(|one| !matches!(one, GenericParam::Lifetime(one) if gone(&one.lifetime)))
        .collect();
    if let Some(clause) = &mut generics.where_clause {
        let predicates = std::mem::take(&mut clause.predicates);
        clause.predicates = predicates
            .into_iter()
            .filter(|one| !matches!(one, WherePredicate::Lifetime(one) if gone(&one.lifetime)))
            .collect();
    }
    generics
}

/// `::<T, N>` for the call of the nested fn. Lifetimes are inferred; so is everything if a
/// parameter has a `#[cfg]`, which an argument cannot have.
pub(super) fn turbofish(generics: &Generics) -> TokenStream {
    let has_cfg = |one: &GenericParam| match one {
        GenericParam::Type(one) => !one.attrs.is_empty(),
        GenericParam::Const(one) => !one.attrs.is_empty(),
        GenericParam::Lifetime(_) => false,
    };
    let names: Vec<&Ident> = generics
        .params
        .iter()
        .filter_map(|one| match one {
            GenericParam::Type(one) => Some(&one.ident),
            GenericParam::Const(one) => Some(&one.ident),
            GenericParam::Lifetime(_) => None,
        })
        .collect();
    if names.is_empty() || generics.params.iter().any(has_cfg) {
        return TokenStream::new();
    }
    quote_spanned!(hidden()=> ::<#(#names),*>)
}

fn stated_bounds(generics: &Generics, name: &Ident) -> Vec<String> {
    let inline = generics
        .type_params()
        .filter(|one| one.ident == *name)
        .flat_map(|one| &one.bounds);
    let clause = generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates);
    let apart = clause.filter_map(|predicate| match predicate {
        WherePredicate::Type(one) if is_path_to(&one.bounded_ty, name) => Some(&one.bounds),
        _ => None,
    });
    let last_name = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => bound
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string()),
        other => Some(other.to_token_stream().to_string()),
    };
    inline
        .chain(apart.flatten())
        .filter_map(last_name)
        .collect()
}

fn missing_bounds(stated: &[String]) -> Vec<TypeParamBound> {
    let bounds: [(&str, TypeParamBound); 3] = [
        (
            "Send",
            parse_quote_spanned!(hidden()=> ::core::marker::Send),
        ),
        (
            "Sync",
            parse_quote_spanned!(hidden()=> ::core::marker::Sync),
        ),
        ("'static", parse_quote_spanned!(hidden()=> 'static)),
    ];
    let missing = bounds
        .into_iter()
        .filter(|(name, _)| !stated.iter().any(|one| one == name));
    missing.map(|(_, bound)| bound).collect()
}

fn is_path_to(ty: &Type, name: &Ident) -> bool {
    matches!(ty, Type::Path(path) if path.qself.is_none() && path.path.is_ident(name))
}

struct UsedLifetimes(Vec<Lifetime>);

impl<'ast> Visit<'ast> for UsedLifetimes {
    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        self.0.push(lifetime.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;
    use syn::parse_quote;

    fn emitted(generics: &Generics) -> String {
        let clause = &generics.where_clause;
        quote!(#generics #clause).to_string()
    }

    #[test]
    fn bounds_are_joined_where_the_user_wrote_some() {
        let handler: Handler = parse_quote! {
            async fn f<A, B: Clone + Send, C, const N: usize>() where C: Repo + 'static {}
        };
        assert_eq!(
            emitted(&spawnable(handler.generics())),
            quote! {
                <A: ::core::marker::Send + ::core::marker::Sync + 'static,
                 B: Clone + Send + ::core::marker::Sync + 'static, C, const N: usize>
                where C: Repo + 'static + ::core::marker::Send + ::core::marker::Sync
            }
            .to_string()
        );
        assert_eq!(
            turbofish(handler.generics()).to_string(),
            quote!(::<A, B, C, N>).to_string()
        );
    }

    #[test]
    fn a_lifetime_of_the_context_alone_is_dropped() {
        let handler: Handler = parse_quote! {
            async fn f<'t, 'a>(tx: &'t mut Tx<Sqlite>, a: A<'a>) where 't: 'a {}
        };
        assert_eq!(
            emitted(&public(&handler, Some(0))).trim(),
            quote!(<'a>).to_string()
        );
        let handler: Handler = parse_quote! {
            async fn f<'t, 'u, R: Repo<'u> + Clone>(tx: &'t mut Work<'u>) -> Result<(), Failed<'t>> {}
        };
        assert_eq!(
            emitted(&without_context(&handler, Some(0))).trim(),
            quote!(<'t, 'u, R: Repo<'u> + Clone>).to_string()
        );
    }
}
