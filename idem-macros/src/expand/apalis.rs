//! The apalis form: a task fn whose engine comes from the worker's data.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::body::{self, Door};
use super::{generics, parameters};
use crate::args::Args;
use crate::check::Approved;
use crate::form::Form;
use crate::handler::Handler;
use crate::span::{gather, hidden};

/// Expands a job; its error is what apalis takes, whatever the user's is:
///
/// ```text
/// async fn send(job: Invoice, __idem: Idem<Sqlite>, mail: Data<Mailer>)
///     -> Result<<Result<..> as Answer>::Ok, BoxDynError>
/// {
///     /* see `body::statements` */
/// }
/// ```
pub(crate) fn expand(args: &Args, handler: &Handler, approved: &Approved<'_>) -> TokenStream {
    let attributes = &handler.attributes;
    let inner_attributes = body::inner_attributes(handler);
    let output = output(args, handler);
    let signature = signature(args, handler, Some(approved.context), &output);
    let inputs = parameters::inputs(handler, Some(approved.context));
    let door = Door {
        form: Form::Apalis,
        begin: quote_spanned!(hidden()=> &__idem),
        drive: quote_spanned!(hidden()=> job),
        errors: quote_spanned!(hidden()=> job_errors),
    };
    let statements = body::statements(args, handler, approved, &inputs, door);
    quote_spanned! {hidden()=>
        #(#attributes)*
        #inner_attributes
        #signature {
            #statements
        }
    }
}

/// The fn as the worker sees it: the job, the engine, the other extractors.
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
    let engine = context.map(|context| {
        let database = body::database(args, handler, context);
        quote_spanned!(hidden()=> __idem: #runtime::Idem<#database>,)
    });
    let inputs = parameters::public_inputs(handler);
    let (job, others) = match &inputs[..] {
        [] => (None, &[][..]),
        [job, others @ ..] => (Some(quote_spanned!(hidden()=> #job,)), others),
    };
    quote_spanned! {hidden()=>
        #visibility async fn #name #generics(
            #job #engine #(#others),*
        ) #output #where_clause
    }
}

/// `-> Result<T, BoxDynError>`.
pub(super) fn output(args: &Args, handler: &Handler) -> TokenStream {
    let runtime = args.runtime();
    let private = quote_spanned!(hidden()=> #runtime::__private);
    let answer = body::answer(handler);
    let before = gather(quote_spanned!(hidden()=> <), answer);
    let after = gather(
        quote_spanned!(hidden()=> as #private::answers::Answer>::Ok),
        answer,
    );
    quote_spanned! {hidden()=>
        -> ::core::result::Result<#before #answer #after, #private::BoxDynError>
    }
}
