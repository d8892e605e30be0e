//! What only rustc can judge, by traits: the kind of each parameter, the caller in the key, the
//! answer. Each bound stands in one place, spanned at the user's tokens.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;

use super::parameters::{Input, absent_cfg};
use crate::args::{Args, Memoize};
use crate::check::Approved;
use crate::form::Form;
use crate::handler::Handler;
use crate::key::has_shared;
use crate::span::{gather, hidden, hidden_ident, spread, start_of};

/// Finds each parameter's kind, feeds the fingerprint (unless it is replaced), and checks the
/// kinds that the key uses, among them a handler's caller:
///
/// ```text
/// {
///     use kinds::{AsCaller as _, ..};
///     let __idem_kind0 = (&&&&&&&kinds::Param(kinds::of(&__idem_p0))).kind();
///     __idem_kind0.feed(&__idem_p0, &mut __idem_fingerprint);
///     kinds::in_key(&__idem_kind0);
///     kinds::require_caller(&kinds::NoCaller.or(&__idem_kind0));
/// }
/// ```
pub(super) fn kinds(
    args: &Args,
    approved: &Approved<'_>,
    inputs: &[Input<'_>],
    form: Form,
    private: &TokenStream,
) -> TokenStream {
    let feeds = args.fingerprint.get().is_none();
    let found = inputs.iter().map(|input| kind(input, feeds, private));
    let used: Vec<_> = inputs
        .iter()
        .filter(|input| approved.reading.used.contains_key(&input.index))
        .collect();
    let in_key = used.iter().map(|input| {
        let (kind, cfg) = (kind_name(input), &input.parameter.cfg);
        let check = quote_spanned!(hidden()=> #private::kinds::in_key(&#kind));
        let check = spread(check, &approved.reading.used[&input.index]);
        quote!(#(#cfg)* #check;)
    });
    let caller = (form == Form::Axum && !has_shared(approved.key)).then(|| {
        let folded = used.iter().map(|input| kind_name(input));
        let check = quote_spanned! {hidden()=>
            #private::kinds::require_caller(&#private::kinds::NoCaller #(.or(&#folded))*)
        };
        let check = spread(check, approved.key);
        quote!(#check;)
    });
    let last = match form {
        Form::Axum => quote_spanned!(hidden()=> AsNothing as _),
        Form::Plain | Form::Apalis => quote_spanned!(hidden()=> AsNoValue as _, AsValue as _),
    };
    quote_spanned! {hidden()=> {
        use #private::kinds::{
            AsAmbient as _, AsCaller as _, AsName as _, AsOperational as _, AsOptionalCaller as _,
            #last,
        };
        #(#found)*
        #(#in_key)*
        #caller
    }}
}

fn kind_name(input: &Input<'_>) -> Ident {
    hidden_ident(&format!("__idem_kind{}", input.index))
}

fn kind(input: &Input<'_>, feeds: bool, private: &TokenStream) -> TokenStream {
    let Input {
        parameter,
        hidden: bound,
        ..
    } = input;
    let name = kind_name(input);
    let ladder = quote_spanned! {hidden()=>
        (&&&&&&&#private::kinds::Param(#private::kinds::of(&#bound))).kind()
    };
    let ambient = quote_spanned!(hidden()=> let #name = #private::kinds::ambient(&#bound););
    let found = match &parameter.ambient {
        Some(_) => ambient,
        None => {
            let cfg = &parameter.cfg;
            // At the type's name: rustc underlines the method's token alone.
            let ladder = gather(ladder, &parameter.ty);
            // A stand-in is nothing that a fingerprint could hold.
            let absent = absent_cfg(parameter).map(|absent| quote!(#absent #ambient));
            quote_spanned!(hidden()=> #(#cfg)* let #name = #ladder; #absent)
        }
    };
    let feed = (feeds && parameter.ambient.is_none()).then(|| {
        let feed = quote_spanned!(hidden()=> #name.feed(&#bound, &mut __idem_fingerprint));
        let feed = spread(feed, &parameter.ty);
        quote!(#feed;)
    });
    quote!(#found #feed)
}

/// Whether the answer `__idem_out.0` is an `Err`, and the answer as a response:
///
/// ```text
/// let __idem_is_err = (&&outcome::Outcome(&__idem_out.0)).is_err();
/// let __idem_response = into_response(__idem_out.0);
/// ```
pub(super) fn outcome(handler: &Handler, private: &TokenStream) -> TokenStream {
    let answer = match handler.return_type() {
        Some(ty) => ty.to_token_stream(),
        None => handler.name().to_token_stream(),
    };
    // Apart, so that each spans the whole type: rustc underlines the argument. As a tuple's
    // field it has the two tokens that this takes.
    let function = spread(quote_spanned!(hidden()=> #private::into_response), &answer);
    let value = spread(quote_spanned!(hidden()=> __idem_out.0), answer);
    quote_spanned! {hidden()=>
        let __idem_is_err = {
            use #private::outcome::{PlainOutcome as _, ResultOutcome as _};
            (&&#private::outcome::Outcome(&__idem_out.0)).is_err()
        };
        let __idem_response = #function(#value);
    }
}

/// How the answers of a plain fn or a job are recorded: a tuple, so that its field has the two tokens
/// that it takes to underline a whole type.
///
/// ```text
/// let __idem_answers = {
///     use answers::{FinalErrors as _, OtherErrors as _};
///     ((&&answers::Answers::<Result<..>>::new()).codec(),)
/// };
/// ```
pub(super) fn answers(
    args: &Args,
    answer: &Type,
    errors: &TokenStream,
    private: &TokenStream,
) -> TokenStream {
    let rungs = match args.memoize.get() {
        // Final errors need not be storable then.
        Some(Memoize::Success) => quote_spanned!(hidden()=> OtherErrors as _),
        _ => quote_spanned!(hidden()=> FinalErrors as _, OtherErrors as _),
    };
    let result = result(answer, private);
    let place = start_of(answer);
    let new = gather(
        quote_spanned!(hidden()=> #private::answers::Answers::),
        answer,
    );
    let codec = quote_spanned!(place=> (&&#new<#result>::new()).codec());
    let error = part(answer, &quote_spanned!(hidden()=> Err), private);
    let errors = gather(
        quote_spanned!(hidden()=> #private::answers::#errors::),
        answer,
    );
    let called = gather(quote_spanned!(hidden()=> ()), answer);
    quote_spanned! {hidden()=>
        let __idem_answers = {
            use #private::answers::{#rungs};
            (#codec, #errors<#error>#called)
        };
    }
}

/// The answer as a `Result`: itself, or for one that is none an error that says so.
///
/// ```text
/// Result<<Answer as answers::Answer>::Ok, <Answer as answers::Answer>::Err>
/// ```
pub(super) fn result(answer: &Type, private: &TokenStream) -> TokenStream {
    let ok = part(answer, &quote_spanned!(hidden()=> Ok), private);
    let err = part(answer, &quote_spanned!(hidden()=> Err), private);
    quote_spanned!(hidden()=> ::core::result::Result<#ok, #err>)
}

/// `<Answer as answers::Answer>::Ok` or `::Err`.
fn part(answer: &Type, name: &TokenStream, private: &TokenStream) -> TokenStream {
    let before = gather(quote_spanned!(hidden()=> <), answer);
    let after = gather(
        quote_spanned!(hidden()=> as #private::answers::Answer>::#name),
        answer,
    );
    quote!(#before #answer #after)
}
