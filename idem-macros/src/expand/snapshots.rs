//! Whole expansions, pretty-printed: read their differences as a user who expands a macro would.

use proc_macro2::TokenStream;
use quote::quote;

use crate::form::Form;

/// `name` starts with the form.
fn assert_expands(name: &str, args: TokenStream, item: TokenStream) {
    let form = match name.split('_').next() {
        Some("axum") => Form::Axum,
        Some("plain") => Form::Plain,
        _ => Form::Apalis,
    };
    let file = syn::parse2(form.expand(args, item)).expect("an expansion parses");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../tests/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, prettyplease::unparse(&file)));
}

#[test]
fn the_example_of_the_design() {
    assert_expands(
        "axum_example",
        quote!(key = (merchant.id, key), ttl = "24h"),
        quote! {
            async fn create_payment(
                merchant: Merchant,
                key: IdempotencyKey,
                tx: &mut Tx<Postgres>,
                Json(new): Json<NewPayment>,
            ) -> Result<(StatusCode, Json<Payment>), ApiError> {
                write(tx, new).await
            }
        },
    );
}

#[test]
fn every_argument() {
    assert_expands(
        "axum_arguments",
        quote! {
            key = shared(event.id), ttl = LIFE, scope = "events", wait = "0s", timeout = "30s",
            fingerprint = (event.id, event.kind), memoize = all, missing_key = run,
            allow(pool, spawn), crate = my::idem
        },
        quote! {
            pub async fn receive(tx: &mut Tx<Sqlite>, Json(event): Json<Event>) {
                handle(tx, event).await;
            }
        },
    );
}

#[test]
fn generics_patterns_and_conditions() {
    assert_expands(
        "axum_shapes",
        quote!(key = (who.id, id), fingerprint = none),
        quote! {
            /// Docs stay outside.
            #[must_use]
            #[tracing::instrument(skip(tx))]
            pub(crate) async fn order<'t, R: Repo, const N: usize>(
                /// dropped
                State(mut repo): State<R>,
                mut tx: &'t mut Tx<Sqlite>,
                #[cfg(feature = "audit")] Audit(log): Audit,
                #[ambient] _: Clock,
                who: Who,
                Json(Order { id, mut lines, .. }): Json<Order>,
            ) -> impl IntoResponse
            where
                R: Clone,
            {
                #![allow(unused_mut)]
                lines.clear();
            }
        },
    );
}

#[test]
fn the_item_beside_the_errors() {
    assert_expands(
        "axum_fallback",
        quote!(key = (merchant.id, Uuid::new_v4()), ttl = 5),
        quote! {
            #[axum::debug_handler]
            pub async fn pay<R: Repo>(
                State(repo): State<R>,
                merchant: Merchant,
                tx: &mut Tx<Sqlite>,
            ) -> Result<String, ApiError> {
                half typed.
            }
        },
    );
}

#[test]
fn a_plain_fn() {
    assert_expands(
        "plain_example",
        quote!(key = (merchant.id, new.order), ttl = "7d"),
        quote! {
            pub async fn create_payment(
                merchant: &Merchant,
                tx: &mut Tx<Postgres>,
                new: NewPayment,
            ) -> Result<Payment, PayError> {
                write(tx, new).await
            }
        },
    );
}

#[test]
fn a_method_of_every_shape() {
    assert_expands(
        "plain_shapes",
        quote! {
            key = (self.tenant, id), scope = "orders.place", fingerprint = (id, lines.len()),
            memoize = success
        },
        quote! {
            /// Docs stay outside.
            #[must_use]
            pub(crate) async fn place<'t, 'a, R>(
                &mut self,
                /// dropped
                #[ambient] mut repo: R,
                mut tx: &'t mut Work,
                #[cfg(feature = "audit")] Audit(log): Audit,
                Order { id, mut lines, .. }: Order<'a>,
            ) -> Result<Self::Receipt, R::Error>
            where
                R: Repo<'a>,
            {
                #![allow(unused_mut)]
                lines.clear();
            }
        },
    );
}

/// It would see the public fn, which has no `tx`.
#[test]
fn instrument_is_moved_above() {
    assert_expands(
        "plain_instrument",
        quote!(key = id, ttl = "1h"),
        quote! {
            #[must_use]
            #[tracing::instrument(skip(tx))]
            async fn pay(#[ambient] clock: Clock, id: u64, tx: &mut Tx<Sqlite>) -> Result<(), PayError> {
                #![allow(unused_mut)]
                write(tx).await
            }
        },
    );
}

#[test]
fn the_plain_item_beside_the_errors() {
    assert_expands(
        "plain_fallback",
        quote!(key = (self.tenant, Uuid::new_v4()), scope = "pay"),
        quote! {
            pub async fn pay<T>(&self, id: T, tx: &mut Tx<Sqlite>) -> Result<String, PayError> {
                half typed.
            }
        },
    );
}

#[test]
fn a_job() {
    assert_expands(
        "apalis_example",
        quote!(key = job.invoice),
        quote! {
            async fn send(
                job: SendInvoice,
                mail: Data<Mailer>,
                tx: &mut Tx<Postgres>,
                task: TaskId,
            ) -> Result<Sent, SendError> {
                mail.send(tx, job).await
            }
        },
    );
}

#[test]
fn the_job_beside_the_errors() {
    assert_expands(
        "apalis_fallback",
        quote!(key = attempt),
        quote! {
            async fn send(job: SendInvoice, attempt: Attempt, tx: &mut Tx<Postgres>) -> Result<Sent, SendError> {}
        },
    );
}
