//! The static description of the operation: scope, durations, what is recorded.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};

use crate::args::{Args, Memoize};
use crate::check::{Approved, ZERO_TIMEOUT, ZERO_TTL};
use crate::duration::DurationArg;
use crate::form::Form;
use crate::handler::Handler;
use crate::span::{hidden, spread};
use crate::syntax::name_of;

/// How long an answer is replayed if nothing else is said: a day, as long as most clients and
/// queues go on retrying.
const DEFAULT_TTL_SECONDS: u64 = 86_400;

/// The description, and its entry in the list of all operations. Both are items, so a generic fn
/// has them once:
///
/// ```text
/// static __IDEM_SPEC: Spec = Spec { .. };
/// submit! { Registered(&__IDEM_SPEC) }
/// ```
pub(super) fn spec(
    args: &Args,
    handler: &Handler,
    approved: &Approved<'_>,
    form: Form,
    private: &TokenStream,
) -> TokenStream {
    let scope = match args.scope.get() {
        Some(scope) => scope.to_token_stream(),
        None => {
            let name = name_of(handler.name());
            quote_spanned!(hidden()=> ::core::concat!(::core::module_path!(), "::", #name))
        }
    };
    let form = match form {
        Form::Axum => quote_spanned!(hidden()=> Axum),
        Form::Plain => quote_spanned!(hidden()=> Plain),
        Form::Apalis => quote_spanned!(hidden()=> Apalis),
    };
    let key = approved.key;
    let ttl = match args.ttl.get() {
        Some(ttl) => duration(ttl, Some(ZERO_TTL)),
        None => quote_spanned!(hidden()=> ::core::time::Duration::from_secs(#DEFAULT_TTL_SECONDS)),
    };
    let wait = optional(args.wait.get().map(|wait| duration(wait, None)));
    let timeout = optional(
        args.timeout
            .get()
            .map(|timeout| duration(timeout, Some(ZERO_TIMEOUT))),
    );
    let memoize = match args.memoize.get() {
        Some(Memoize::Success) => quote_spanned!(hidden()=> Success),
        Some(Memoize::All) => quote_spanned!(hidden()=> All),
        Some(Memoize::Final) | None => quote_spanned!(hidden()=> Final),
    };
    quote_spanned! {hidden()=>
        static __IDEM_SPEC: #private::Spec = #private::Spec {
            scope: #scope,
            form: #private::Form::#form,
            key: ::core::stringify!(#key),
            file: ::core::file!(),
            line: ::core::line!(),
            ttl: #ttl,
            wait: #wait,
            timeout: #timeout,
            memoize: #private::Memoize::#memoize,
        };
        #private::submit! { #private::Registered(&__IDEM_SPEC) }
    }
}

/// A literal as its seconds; a const as itself, with `zero` as the error if it holds none.
fn duration(argument: &DurationArg, zero: Option<&str>) -> TokenStream {
    match (argument, zero) {
        (DurationArg::Literal(_, duration), _) => {
            let seconds = duration.as_secs();
            quote_spanned!(hidden()=> ::core::time::Duration::from_secs(#seconds))
        }
        (DurationArg::Const(path), None) => path.to_token_stream(),
        (DurationArg::Const(path), Some(zero)) => {
            let check = quote_spanned! {hidden()=>
                ::core::assert!(!__IDEM_DURATION.is_zero(), #zero)
            };
            let check = spread(check, path);
            quote_spanned! {hidden()=> {
                const __IDEM_DURATION: ::core::time::Duration = #path;
                #check;
                __IDEM_DURATION
            }}
        }
    }
}

fn optional(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote_spanned!(hidden()=> ::core::option::Option::Some(#value)),
        None => quote_spanned!(hidden()=> ::core::option::Option::None),
    }
}
