//! The axum form: an outer fn that the router calls, and the user's fn nested in it.
//!
//! The nested fn keeps the user's name, generics, patterns, return type and body, so that
//! types, lints and spans in it are what they would be without the attribute.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use super::{bounds, generics, parameters, prologue, spec};
use crate::args::{Args, FingerprintArg};
use crate::check::Approved;
use crate::form::Form;
use crate::handler::Handler;
use crate::instrument::is_instrument;
use crate::span::{gather, hidden, spread};

/// Expands a handler:
///
/// ```text
/// async fn pay(__idem_operation: Operation<Sqlite>, new: Json<New>) -> Response {
///     static __IDEM_SPEC: Spec = ..;
///     submit! { Registered(&__IDEM_SPEC) }
///     let __idem_p1 = new;
///     let mut __idem_fingerprint = __idem_operation.fingerprint();
///     { /* the kind of each parameter, and what it feeds */ }
///     let (mut __idem_tx, __idem_run) =
///         __idem_operation.start(&__IDEM_SPEC, __idem_fingerprint);
///     __idem_run.run(async move {
///         async fn pay(tx: &mut Tx<Sqlite>, Json(new): Json<New>) -> Result<..> {
///             /* key, claim */
///             { /* the user's body */ }
///         }
///         // A block: an `impl Trait` answer may borrow the transaction.
///         let (__idem_is_err, __idem_response) = {
///             let __idem_out = (pay(&mut __idem_tx, __idem_p1).await,);
///             /* is it an `Err`; as a response */
///         };
///         (__idem_tx, __idem_is_err, __idem_response)
///     }).await
/// }
/// ```
pub(crate) fn expand(args: &Args, handler: &Handler, approved: &Approved<'_>) -> TokenStream {
    let runtime = args.runtime();
    let private = quote_spanned!(hidden()=> #runtime::__private);

    let attributes = handler.attributes.iter().filter(|one| !is_instrument(one));
    let visibility = &handler.visibility;
    let name = handler.name();
    let inputs = parameters::inputs(handler, Some(approved.context));
    let public = inputs.iter().map(parameters::Input::public);
    let generics = generics::public(handler, Some(approved.context));
    let where_clause = &generics.where_clause;
    let operation = operation(args, handler, approved.context);

    let spec = spec::spec(args, handler, approved, Form::Axum, &private);
    let rebindings = inputs.iter().map(parameters::Input::rebind);
    let fingerprint = match args.fingerprint.get() {
        None => quote_spanned! {hidden()=>
            let mut __idem_fingerprint = __idem_operation.fingerprint();
        },
        Some(FingerprintArg::None | FingerprintArg::Value(_)) => quote_spanned! {hidden()=>
            let __idem_fingerprint = __idem_operation.fingerprint_without_query();
        },
    };
    let kinds = bounds::kinds(args, approved, &inputs, Form::Axum, &private);
    let nested = nested(args, handler, approved, &private);
    let turbofish = generics::turbofish(handler.generics());
    let arguments = handler.parameters.iter().enumerate().map(|(index, _)| {
        match inputs.iter().find(|input| input.index == index) {
            Some(input) => input.hidden.to_token_stream(),
            None => quote_spanned!(hidden()=> &mut __idem_tx),
        }
    });
    let outcome = bounds::outcome(handler, &private);
    let run = spread(quote_spanned!(hidden()=> .run), name);

    quote_spanned! {hidden()=>
        #(#attributes)*
        #visibility async fn #name #generics(
            __idem_operation: #operation,
            #(#public),*
        ) -> #private::Response #where_clause {
            #spec
            #(#rebindings)*
            #fingerprint
            #kinds
            let (mut __idem_tx, __idem_run) =
                __idem_operation.start(&__IDEM_SPEC, __idem_fingerprint);
            __idem_run #run(async move {
                #nested
                let (__idem_is_err, __idem_response) = {
                    let __idem_out = (#name #turbofish(#(#arguments),*).await,);
                    #outcome
                    (__idem_is_err, __idem_response)
                };
                (__idem_tx, __idem_is_err, __idem_response)
            }).await
        }
    }
}

/// The handler of the item beside the errors: a receiver that was refused stays.
pub(super) fn fallback_signature(
    args: &Args,
    handler: &Handler,
    context: Option<usize>,
) -> TokenStream {
    let runtime = args.runtime();
    let visibility = &handler.visibility;
    let name = handler.name();
    let generics = generics::public(handler, context);
    let where_clause = &generics.where_clause;
    let receiver = handler.receiver().map(|receiver| quote!(#receiver,));
    let operation = context.map(|context| {
        let operation = operation(args, handler, context);
        quote_spanned!(hidden()=> __idem_operation: #operation,)
    });
    let inputs = parameters::public_inputs(handler);
    quote_spanned! {hidden()=>
        #visibility async fn #name #generics(
            #receiver #operation #(#inputs),*
        ) -> #runtime::__private::Response #where_clause
    }
}

/// `Operation<Db>`: the hidden extractor that reaches the engine. The database is found through
/// a trait, so the context's type may be an alias.
fn operation(args: &Args, handler: &Handler, context: usize) -> TokenStream {
    let runtime = args.runtime();
    let context = handler.parameters[context].context_type();
    let required = args
        .missing_key
        .get()
        .map(|_| quote_spanned!(hidden()=> , false));
    // At the context's type, where rustc reports one that is no context.
    let before = gather(
        quote_spanned!(hidden()=> #runtime::axum::Operation<<),
        context,
    );
    let after = gather(
        quote_spanned!(hidden()=> as #runtime::__private::Context>::Db #required>),
        context,
    );
    quote!(#before #context #after)
}

/// The user's fn behind its prologue. The body is emitted once, as the tokens it came as.
fn nested(
    args: &Args,
    handler: &Handler,
    approved: &Approved<'_>,
    private: &TokenStream,
) -> TokenStream {
    // It names parameters that the public fn lacks, and its span is to cover the body.
    let attributes = handler.attributes.iter().filter(|one| is_instrument(one));
    let name = handler.name();
    let generics = generics::spawnable(handler.generics());
    let where_clause = &generics.where_clause;
    let parameters = parameters::nested(handler, approved.context);
    let output = &handler.signature.output;
    let prologue = prologue::prologue(args, handler, approved, private);
    let body = handler
        .body
        .as_ref()
        .expect("BUG: the signature rule approved a fn without body");
    let inner_attributes = &body.inner_attributes;
    let statements = body.emit();
    let (async_token, fn_token) = (&handler.signature.asyncness, &handler.signature.fn_token);
    quote! {
        #(#attributes)*
        #async_token #fn_token #name #generics(#parameters) #output #where_clause {
            #(#inner_attributes)*
            #prologue
            #statements
        }
    }
}
