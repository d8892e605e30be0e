//! What stands before the user's statements in the nested fn: key, fingerprint, claim.
//!
//! On a replay the claim never resumes: the engine sees the stored answer and drops the future,
//! so no value of the user's return type is needed.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::parameters::Context;
use crate::args::{Args, FingerprintArg};
use crate::check::Approved;
use crate::handler::Handler;
use crate::key::borrowed;
use crate::span::{gather, hidden, spread, start_of};

/// Key and claim, in the scope of the user's parameters:
///
/// ```text
/// let __idem_key = key(&__IDEM_SPEC, || (&merchant.id, &key));
/// claim(&mut *tx, __idem_key).await;
/// let tx = tx;
/// ```
pub(super) fn prologue(
    args: &Args,
    handler: &Handler,
    approved: &Approved<'_>,
    private: &TokenStream,
) -> TokenStream {
    let context = Context::of(&handler.parameters[approved.context]);
    let tx = &context.name;

    let shared = |call: TokenStream| {
        let wrap = spread(
            quote_spanned!(hidden()=> #private::kinds::shared_part),
            &call,
        );
        quote_spanned!(start_of(&call)=> #wrap(#call))
    };
    let parts = borrowed(approved.key, handler, shared);
    let function = spread(quote_spanned!(hidden()=> #private::key), approved.key);
    let key = quote_spanned!(start_of(approved.key)=> #function(&__IDEM_SPEC, || #parts));

    let fingerprint = match args.fingerprint.get() {
        Some(FingerprintArg::Value(value)) => {
            let parts = borrowed(value, handler, |call| call);
            let call = quote_spanned! {hidden()=>
                #private::fingerprint(&mut *#tx, &__idem_fingerprint.0)
            };
            let call = spread(call, value);
            Some(quote_spanned!(hidden()=> {
                let __idem_fingerprint = (#parts,);
                #call;
            }))
        }
        Some(FingerprintArg::None) | None => None,
    };
    let rebinding = &context.rebinding;
    let ty = handler.parameters[approved.context].context_type();
    let claim = gather(
        quote_spanned!(hidden()=> #private::claim(&mut *#tx, __idem_key).await),
        ty,
    );
    quote_spanned! {hidden()=>
        #fingerprint
        let __idem_key = #key;
        #claim;
        #rebinding
    }
}
