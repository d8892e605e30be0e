//! The item that callers look for, emitted beside the errors: same name, generics and parameters,
//! so that `post(pay)`, `post(pay::<App>)` and `pay(&idem, id)` are no second mistake.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};

use super::{apalis, axum, plain};
use crate::args::Args;
use crate::check::{has_usable_answer, usable_context};
use crate::form::Form;
use crate::handler::Handler;
use crate::span::hidden;

pub(crate) fn expand(args: &Args, handler: &Handler, form: Form) -> TokenStream {
    let context = usable_context(handler);
    // An answer that was refused would be refused again by rustc.
    let answers = has_usable_answer(handler, form);
    let signature = match form {
        Form::Axum => axum::fallback_signature(args, handler, context),
        Form::Plain => {
            let output = answers.then(|| handler.signature.output.to_token_stream());
            plain::signature(args, handler, context, &output.unwrap_or_default())
        }
        Form::Apalis => {
            let output = answers.then(|| apalis::output(args, handler));
            apalis::signature(args, handler, context, &output.unwrap_or_default())
        }
    };
    quote_spanned! {hidden()=>
        #[allow(warnings)]
        #signature {
            ::core::panic!("this fn has compile errors")
        }
    }
}
