//! The plain form: the user's fn, with what begins the operation in the place of its transaction.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use super::body::{self, Door};
use super::{generics, parameters};
use crate::args::Args;
use crate::check::Approved;
use crate::form::Form;
use crate::handler::Handler;
use crate::span::hidden;

/// Expands a fn or a method:
///
/// ```text
/// async fn pay(&self, __idem_begin: impl Begin<Sqlite>, new: NewPayment) -> Result<..> {
///     /* see `body::statements` */
/// }
/// ```
pub(crate) fn expand(args: &Args, handler: &Handler, approved: &Approved<'_>) -> TokenStream {
    let attributes = &handler.attributes;
    let inner_attributes = body::inner_attributes(handler);
    let output = handler.signature.output.to_token_stream();
    let signature = signature(args, handler, Some(approved.context), &output);
    let inputs = parameters::inputs(handler, Some(approved.context));
    let door = Door {
        form: Form::Plain,
        begin: quote_spanned!(hidden()=> __idem_begin),
        drive: quote_spanned!(hidden()=> declared),
        errors: quote_spanned!(hidden()=> engine_errors),
    };
    let statements = body::statements(args, handler, approved, &inputs, door);
    quote_spanned! {hidden()=>
        #(#attributes)*
        #inner_attributes
        #[allow(clippy::impl_trait_in_params)]
        #signature {
            #statements
        }
    }
}

/// The fn as its callers see it.
pub(super) fn signature(
    args: &Args,
    handler: &Handler,
    context: Option<usize>,
    output: &TokenStream,
) -> TokenStream {
    let runtime = args.runtime();
    let visibility = &handler.visibility;
    let name = handler.name();
    let generics = generics::without_context(handler, context);
    let where_clause = &generics.where_clause;
    let receiver = handler.receiver().map(|receiver| quote!(#receiver,));
    let begin = context.map(|context| {
        let database = body::database(args, handler, context);
        quote_spanned!(hidden()=> __idem_begin: impl #runtime::Begin<#database>,)
    });
    let inputs = parameters::public_inputs(handler);
    quote_spanned! {hidden()=>
        #visibility async fn #name #generics(
            #receiver #begin #(#inputs),*
        ) #output #where_clause
    }
}
