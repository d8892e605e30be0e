//! The parameters, three times: in the public signature, under hidden names between, and as the
//! user wrote them: parameters of a handler's nested fn, `let`s in the body of other forms.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, Pat, PatIdent};

use crate::handler::{Handler, Parameter};
use crate::span::{hidden, hidden_ident};
use crate::syntax::is_named;

/// One parameter that stays in the public signature.
pub(super) struct Input<'a> {
    pub(super) index: usize,
    pub(super) parameter: &'a Parameter,
    /// `__idem_p0`: a parameter may be named like the fn, which the nested fn would hide.
    pub(super) hidden: Ident,
}

/// All parameters but the context, in order.
pub(super) fn inputs(handler: &Handler, context: Option<usize>) -> Vec<Input<'_>> {
    let all = handler.parameters.iter().enumerate();
    all.filter(|(index, _)| Some(*index) != context)
        .map(|(index, parameter)| Input {
            index,
            parameter,
            hidden: hidden_ident(&format!("__idem_p{index}")),
        })
        .collect()
}

/// The parameters of the public fn. One that was refused as a context is none of them.
pub(super) fn public_inputs(handler: &Handler) -> Vec<TokenStream> {
    let inputs = inputs(handler, None);
    let public = inputs
        .iter()
        .filter(|input| input.parameter.context_type().is_none());
    public.map(Input::public).collect()
}

impl Input<'_> {
    /// As it stands in the public signature: a plain name and the type. Attributes that only
    /// rustc reads on patterns are left to the nested fn.
    pub(super) fn public(&self) -> TokenStream {
        let Parameter {
            ty,
            cfg,
            attributes,
            ..
        } = self.parameter;
        let others = attributes.iter().filter(|one| !is_read_by_rustc(one));
        let name = self.parameter.plain_name().unwrap_or(&self.hidden);
        quote!(#(#cfg)* #(#others)* #name: #ty)
    }

    /// Binds the hidden name; to a stand-in where the parameter's `#[cfg]` is off.
    pub(super) fn rebind(&self) -> TokenStream {
        let Input {
            parameter,
            hidden: bound,
            ..
        } = self;
        let cfg = &parameter.cfg;
        let absent =
            absent_cfg(parameter).map(|absent| quote_spanned!(hidden()=> #absent let #bound = ();));
        let renamed = parameter
            .plain_name()
            .map(|name| quote_spanned!(hidden()=> #(#cfg)* let #bound = #name;));
        quote!(#renamed #absent)
    }
}

/// The context parameter where the body sees it. The prologue works with it and then binds it again
/// for the body, so that rustc still warns of a transaction that the body never uses.
pub(super) struct Context {
    /// What the prologue calls it: the user's name, which `#[instrument(skip(tx))]` may name.
    pub(super) name: Ident,
    /// `let tx = tx;`
    pub(super) rebinding: TokenStream,
}

impl Context {
    pub(super) fn of(parameter: &Parameter) -> Self {
        let pattern = &parameter.pattern;
        match (pattern, parameter.plain_name()) {
            (
                Pat::Ident(PatIdent {
                    by_ref: None,
                    subpat: None,
                    ..
                }),
                Some(name),
            ) => Context {
                name: name.clone(),
                rebinding: quote_spanned! {hidden()=>
                    #[allow(clippy::shadow_same)]
                    let #pattern = #name;
                },
            },
            (Pat::Wild(_), _) => Context {
                name: hidden_ident("__idem_tx"),
                rebinding: TokenStream::new(),
            },
            // A use of the user's `_tx` would be a lint.
            _ => Context {
                name: hidden_ident("__idem_tx"),
                rebinding: quote_spanned!(hidden()=> let #pattern = __idem_tx;),
            },
        }
    }
}

/// The user's patterns, each bound to its hidden name.
pub(super) fn bindings<'a>(inputs: &'a [Input<'a>]) -> impl Iterator<Item = TokenStream> + 'a {
    inputs.iter().map(|input| {
        let Input {
            parameter,
            hidden: bound,
            ..
        } = input;
        let Parameter {
            pattern,
            cfg,
            attributes,
            ..
        } = parameter;
        let attributes = attributes.iter().filter(|one| is_read_by_rustc(one));
        quote_spanned! {hidden()=>
            #(#cfg)*
            #[allow(clippy::shadow_same, clippy::shadow_reuse, clippy::shadow_unrelated)]
            #(#attributes)*
            let #pattern = #bound;
        }
    })
}

/// The parameters of the nested fn: the user's own, but for the pattern of the context, which
/// its rebinding has.
pub(super) fn nested(handler: &Handler, context: usize) -> TokenStream {
    let parameters = handler
        .parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| {
            let Parameter {
                pattern,
                ty,
                cfg,
                attributes,
                ..
            } = parameter;
            let attributes = attributes.iter().filter(|one| is_read_by_rustc(one));
            if index == context {
                let name = Context::of(parameter).name;
                return quote!(#(#attributes)* #name: #ty,);
            }
            let absent =
                absent_cfg(parameter).map(|absent| quote_spanned!(hidden()=> #absent _: (),));
            quote!(#(#cfg)* #(#attributes)* #pattern: #ty, #absent)
        });
    parameters.collect()
}

/// `#[cfg(not(..))]` of all the parameter's `#[cfg(..)]`.
pub(super) fn absent_cfg(parameter: &Parameter) -> Option<TokenStream> {
    let conditions: Vec<TokenStream> = parameter.cfg.iter().filter_map(condition).collect();
    match &conditions[..] {
        [] => None,
        [one] => Some(quote_spanned!(hidden()=> #[cfg(not(#one))])),
        several => Some(quote_spanned!(hidden()=> #[cfg(not(all(#(#several),*)))])),
    }
}

fn condition(cfg: &Attribute) -> Option<TokenStream> {
    cfg.meta.require_list().ok().map(|list| list.tokens.clone())
}

/// Whether rustc itself reads the attribute; all others belong to attributes on the fn.
fn is_read_by_rustc(attribute: &Attribute) -> bool {
    ["allow", "cfg_attr", "deny", "expect", "forbid", "warn"]
        .iter()
        .any(|name| is_named(attribute, name))
}
