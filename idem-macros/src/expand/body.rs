//! The body of a plain fn or a job: an async closure in the place of the nested fn that handlers
//! have, so that `self`, `Self`, and the generics and lifetimes around it go on meaning what they mean.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Type;

use super::parameters::{self, Context, Input};
use super::{bounds, prologue, spec};
use crate::args::Args;
use crate::check::Approved;
use crate::form::Form;
use crate::handler::Handler;
use crate::span::{gather, hidden, spread};

/// What differs between the forms.
pub(super) struct Door {
    pub(super) form: Form,
    /// What begins the operation.
    pub(super) begin: TokenStream,
    /// `Door`'s method that drives the body.
    pub(super) drive: TokenStream,
    /// What turns errors into what the fn returns.
    pub(super) errors: TokenStream,
}

/// The statements of the public fn:
///
/// ```text
/// static __IDEM_SPEC: Spec = ..;
/// submit! { Registered(&__IDEM_SPEC) }
/// let __idem_p1 = new;
/// let mut __idem_fingerprint = FingerprintWriter::default();
/// { /* the kind of each parameter, and what it feeds */ }
/// let __idem_answers = (/* how the answers are recorded */, /* and engine errors returned */);
/// let (mut __idem_tx, __idem_run) = begin(__idem_begin, &__IDEM_SPEC, __idem_fingerprint);
/// Door::declared(__idem_run, __idem_answers.0, __idem_answers.1, async move {
///     let __idem_out = {
///         let tx = &mut __idem_tx;
///         (async move || -> Result<..> {
///             let NewPayment { order, .. } = __idem_p1;
///             /* key, claim */
///             { /* the user's body */ }
///         })().await
///     };
///     (__idem_tx, __idem_out)
/// }).await
/// ```
pub(super) fn statements(
    args: &Args,
    handler: &Handler,
    approved: &Approved<'_>,
    inputs: &[Input<'_>],
    door: Door,
) -> TokenStream {
    let runtime = args.runtime();
    let private = quote_spanned!(hidden()=> #runtime::__private);
    let Door {
        form,
        begin,
        drive,
        errors,
    } = door;

    let spec = spec::spec(args, handler, approved, form, &private);
    let rebindings = inputs.iter().map(Input::rebind);
    let is_fed = args.fingerprint.get().is_none()
        && inputs.iter().any(|one| one.parameter.ambient.is_none());
    let mutable = is_fed.then(|| quote_spanned!(hidden()=> mut));
    let kinds = bounds::kinds(args, approved, inputs, form, &private);
    let answer = answer(handler);
    let answers = bounds::answers(args, answer, &errors, &private);
    let drive = spread(quote_spanned!(hidden()=> #private::Door::#drive), answer);
    let codecs = spread(quote_spanned!(hidden()=> __idem_answers.0), answer);
    let errors = spread(quote_spanned!(hidden()=> __idem_answers.1), answer);
    let result = bounds::result(answer, &private);
    let closure = closure(args, handler, approved, inputs, &private);
    let tx = Context::of(&handler.parameters[approved.context]).name;

    quote_spanned! {hidden()=>
        #spec
        #(#rebindings)*
        let #mutable __idem_fingerprint =
            <#private::FingerprintWriter as ::core::default::Default>::default();
        #kinds
        #answers
        let (mut __idem_tx, __idem_run) =
            #private::begin(#begin, &__IDEM_SPEC, __idem_fingerprint);
        #drive(__idem_run, #codecs, #errors, async move {
            let __idem_out = {
                let #tx = &mut __idem_tx;
                #[allow(clippy::redundant_closure_call)]
                let __idem_out: #result = (#closure)().await;
                __idem_out
            };
            (__idem_tx, __idem_out)
        }).await
    }
}

/// The user's fn as a closure. The body is emitted once, as the tokens it came as.
fn closure(
    args: &Args,
    handler: &Handler,
    approved: &Approved<'_>,
    inputs: &[Input<'_>],
    private: &TokenStream,
) -> TokenStream {
    let answer = answer(handler);
    let bindings = parameters::bindings(inputs);
    let prologue = prologue::prologue(args, handler, approved, private);
    let body = handler
        .body
        .as_ref()
        .expect("BUG: the signature rule approved a fn without body");
    let statements = body.emit();
    quote_spanned! {hidden()=>
        async move || -> #answer {
            #(#bindings)*
            #prologue
            #statements
        }
    }
}

/// `#![allow(..)]` at the top of the body, as attributes of the fn.
pub(super) fn inner_attributes(handler: &Handler) -> TokenStream {
    let inner = handler.body.iter().flat_map(|body| &body.inner_attributes);
    inner
        .map(|one| {
            let meta = &one.meta;
            quote!(#[#meta])
        })
        .collect()
}

/// `Db`, found through a trait, so that the context's type may be an alias.
pub(super) fn database(args: &Args, handler: &Handler, context: usize) -> TokenStream {
    let runtime = args.runtime();
    let context = handler.parameters[context].context_type();
    let before = gather(quote_spanned!(hidden()=> <), context);
    let after = gather(
        quote_spanned!(hidden()=> as #runtime::__private::Context>::Db),
        context,
    );
    quote!(#before #context #after)
}

/// What the fn returns.
pub(super) fn answer(handler: &Handler) -> &Type {
    handler
        .return_type()
        .expect("BUG: the signature rule approved a fn that returns nothing")
}
