//! The item that callers look for, emitted beside the errors: same name, generics and
//! extractors, so that `post(pay)` and `post(pay::<App>)` are no second mistake.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::{axum, generics, parameters};
use crate::args::Args;
use crate::check::usable_context;
use crate::handler::Handler;
use crate::span::hidden;

pub(crate) fn expand(args: &Args, handler: &Handler) -> TokenStream {
    let runtime = args.runtime();
    let visibility = &handler.visibility;
    let name = handler.name();
    let context = usable_context(handler);
    let generics = generics::public(handler, context);
    let where_clause = &generics.where_clause;
    let receiver = handler.receiver().map(|receiver| quote!(#receiver,));
    let operation = context.map(|context| {
        let operation = axum::operation(args, handler, context);
        quote_spanned!(hidden()=> __idem_operation: #operation,)
    });
    let inputs = parameters::inputs(handler, context);
    // A wrong context is no extractor.
    let public = inputs
        .iter()
        .filter(|input| input.parameter.context_type().is_none())
        .map(parameters::Input::public);
    quote_spanned! {hidden()=>
        #[allow(warnings)]
        #visibility async fn #name #generics(
            #receiver #operation #(#public),*
        ) -> #runtime::__private::Response #where_clause {
            ::core::panic!("this fn has compile errors")
        }
    }
}
