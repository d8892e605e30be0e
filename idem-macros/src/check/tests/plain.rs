//! What is different for plain fns and methods.

use proc_macro2::TokenStream;
use quote::quote;

use super::mistakes_of;
use crate::form::Form;

fn mistakes(args: TokenStream, item: TokenStream) -> Vec<String> {
    mistakes_of(Form::Plain, args, item)
}

#[test]
fn any_receiver_is_taken_and_needs_a_scope() {
    for receiver in [
        quote!(&self),
        quote!(&mut self),
        quote!(self),
        quote!(mut self),
        quote!(self: Arc<Self>),
        quote!(self: Pin<&mut Self>),
    ] {
        let item = quote! {
            async fn pay(#receiver, id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> { Ok(id) }
        };
        assert_eq!(
            mistakes(quote!(key = (self.tenant, id)), item.clone()),
            ["the method `pay` has no `scope`"]
        );
        let passes = mistakes(quote!(key = (self.tenant, id), scope = "pay"), item);
        assert_eq!(passes, [""; 0]);
    }
}

#[test]
fn an_associated_fn_is_seen_by_its_self() {
    let cases = [
        quote!(
            async fn f(id: u64, tx: &mut Tx<D>) -> Result<Self, E> {}
        ),
        quote!(
            async fn f(id: u64, own: &Self, tx: &mut Tx<D>) -> Result<(), E> {}
        ),
        quote!(
            async fn f(id: u64, tx: &mut Tx<D>) -> Result<(), E> {
                let made = Self::new();
            }
        ),
    ];
    for item in cases {
        let found = mistakes(quote!(key = id), item.clone());
        assert_eq!(found, ["the method `f` has no `scope`"]);
        let refused = mistakes(quote!(key = id, scope = ""), item);
        assert_eq!(refused, ["`scope` is empty"]);
    }
}

#[test]
fn keys_of_a_receiver_pass() {
    for key in [
        quote!(self.tenant),
        quote!((&self.tenant, id)),
        quote!(self.key_of(id)),
        quote!(format!("{}-{id}", self.tenant)),
        quote!(shared(self.tenant)),
        quote!(shorten(&self.tenant)),
    ] {
        let item = quote! {
            async fn pay(&self, id: u64, tx: &mut Tx<Sqlite>) -> Result<u64, PayError> { Ok(id) }
        };
        assert_eq!(mistakes(quote!(key = #key, scope = "pay"), item), [""; 0]);
    }
}

#[test]
fn answers_that_cannot_be_recorded_are_refused() {
    let cases = [
        (quote!(), "`f` returns no `Result`"),
        (quote!(-> ()), "`f` returns no `Result`"),
        (quote!(-> (u8, u8)), "`f` returns no `Result`"),
        (quote!(-> [u8; 2]), "`f` returns no `Result`"),
        (quote!(-> Option<u8>), "`f` returns no `Result`"),
        (
            quote!(-> !),
            "a fn that never returns has no answer to record",
        ),
        (quote!(-> &str), "the answer is a reference"),
        (quote!(-> &'static str), "the answer is a reference"),
        (quote!(-> Result<&'a str, E>), "the answer is a reference"),
        (quote!(-> impl Future), "the answer is an `impl Trait`"),
        (
            quote!(-> Result<Vec<impl Fn()>, E>),
            "the answer is an `impl Trait`",
        ),
        (
            quote!(-> Result<(), impl Error>),
            "the answer is an `impl Trait`",
        ),
    ];
    for (output, what) in cases {
        let item = quote!(async fn f(id: u64, tx: &mut Tx<D>) #output {});
        assert_eq!(mistakes(quote!(key = id), item), [what]);
    }
    for output in [quote!(Answer), quote!(io::Result<()>), quote!(T::Answer)] {
        let item = quote!(async fn f(id: u64, tx: &mut Tx<D>) -> #output {});
        assert_eq!(mistakes(quote!(key = id), item), [""; 0]);
    }
}

/// In a plain fn these are the user's own types.
#[test]
fn names_of_extractors_mean_nothing() {
    let item = quote! {
        async fn f(
            state: State, data: Data<u8>, attempt: Attempt, queue: Queue, header: IdempotencyKey,
            maybe: Option<IdempotencyKey>, tx: &mut Tx<D>,
        ) -> Result<Sse, E> {}
    };
    let key = quote!(key = (state, data, attempt, queue, header, maybe));
    assert_eq!(mistakes(key, item), [""; 0]);
}

#[test]
fn arguments_of_handlers_are_refused() {
    let item = || {
        quote!(
            async fn f(id: u64, tx: &mut Tx<D>) -> Result<u8, E> {}
        )
    };
    for form in [Form::Plain, Form::Apalis] {
        let args = quote!(key = id, missing_key = run, memoize = all);
        assert_eq!(
            mistakes_of(form, args, item()),
            [
                "`missing_key` is not for this form",
                "`memoize = all` is not for this form"
            ]
        );
        for memoize in [quote!(final), quote!(success)] {
            let args = quote!(key = id, fingerprint = none, memoize = #memoize);
            assert_eq!(mistakes_of(form, args, item()), [""; 0]);
        }
    }
}

#[test]
fn mistakes_of_all_rules_come_out_together() {
    let found = mistakes(
        quote!(key = Uuid::new_v4(), ttl = 5, missing_key = run),
        quote! {
            fn pay(&self, pool: &PgPool) -> &Self { tokio::spawn(x); }
        },
    );
    assert_eq!(
        found,
        [
            "`ttl = 5` has no unit",
            "`missing_key` is not for this form",
            "`pay` is not `async`",
            "the method `pay` has no `scope`",
            "the answer is a reference",
            "`pay` takes no transaction",
            "`Uuid::new_v4()` makes a new value on every attempt",
            "a connection pool is in reach of the body",
            "`tokio::spawn` starts work outside the transaction",
        ]
    );
}
