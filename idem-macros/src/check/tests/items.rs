//! The item the attribute stands on: what is refused, what comes out beside the errors, and what
//! becomes of long and half-typed bodies.

use proc_macro2::TokenStream;
use quote::quote;

use super::mistakes;
use crate::form::Form;

#[test]
fn signatures_that_cannot_work_are_refused() {
    let cases = [
        (
            quote!(
                async fn f(&self, key: K, tx: &mut Tx<D>) {}
            ),
            "axum handlers take no `self`",
        ),
        (
            quote!(
                fn f(key: K, tx: &mut Tx<D>) {}
            ),
            "`f` is not `async`",
        ),
        (
            quote!(
                async unsafe fn f(key: K, tx: &mut Tx<D>) {}
            ),
            "an idempotent fn cannot be `unsafe`",
        ),
        (
            quote!(
                async extern "C" fn f(key: K, tx: &mut Tx<D>) {}
            ),
            "an idempotent fn cannot be `extern`",
        ),
        (
            quote!(
                async fn f(key: K, tx: &mut Tx<D>);
            ),
            "`f` has no body",
        ),
        (
            quote!(
                async fn f(key: K, tx: &mut Tx<D>) -> ! {}
            ),
            "a fn that never returns has no answer to record",
        ),
        (
            quote!(
                async fn f(key: K, tx: &mut Tx<D>) -> &str {}
            ),
            "the answer is a reference",
        ),
        (
            quote!(
                async fn f(key: K) {}
            ),
            "`f` takes no transaction",
        ),
        (
            quote!(
                async fn f(key: K, tx: &mut Tx<D>, b: &mut B) {}
            ),
            "a second `&mut` parameter",
        ),
        (
            quote!(
                async fn f(key: K, tx: &mut Transaction<'_, D>) {}
            ),
            "`Transaction` does not hold the key",
        ),
        (
            quote!(
                async fn f(key: K, tx: &mut Tx<D>, p: State<PgPool>) {}
            ),
            "a connection pool is in reach of the body",
        ),
    ];
    for (item, what) in cases {
        assert_eq!(mistakes(quote!(key = key), item), [what]);
    }
    let passes = quote!(
        async fn f(key: K, tx: &mut Tx<D>) -> &'static str {
            ""
        }
    );
    assert_eq!(mistakes(quote!(key = key), passes), [""; 0]);
}

#[test]
fn a_struct_is_kept_beside_the_error() {
    let tokens = Form::Axum
        .expand(
            quote!(key = key),
            quote!(
                struct Payment;
            ),
        )
        .to_string();
    assert!(tokens.contains("the attribute goes on an `async fn`"));
    assert!(tokens.ends_with("struct Payment ;"));
}

/// A closure is no item: what is beside the error must not be parsed into it.
#[test]
fn a_closure_is_refused_alone() {
    let found = mistakes(quote!(key = key), quote!(|key: IdempotencyKey| key));
    assert_eq!(found, ["the attribute goes on an `async fn`"]);
}

/// case M11
#[test]
fn what_is_no_fn_is_refused_in_one_line() {
    for item in [
        quote!(
            struct Payment;
        ),
        quote!(
            mod payments {}
        ),
        quote!(
            static PAYMENT: u8 = 1;
        ),
        quote!( impl Payment {} ),
    ] {
        let found = mistakes(quote!(key = key), item);
        assert_eq!(found, ["the attribute goes on an `async fn`"]);
    }
}

/// While the user types, callers of the fn and its own name stay resolved.
#[test]
fn what_is_half_typed_still_gives_the_item() {
    let signature = "pub async fn pay";
    let parameters = "merchant : Merchant , key : IdempotencyKey)";
    let fn_with = |body: TokenStream| quote!(pub async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>) -> String { #body });
    for (key, body) in [
        (quote!(key = (merchant.id, key)), quote!(merchant.)),
        (quote!(key = (merchant.id, key)), quote!(let x = )),
        (
            quote!(key = (merchant.id, key)),
            quote!(match merchant { Merchant { id, .. } => }),
        ),
        (quote!(key = merchant.), quote!(merchant.id)),
        (quote!(key = (merchant.id,)), quote!(merchant.)),
        (quote!(key = ), quote!(merchant.id)),
        (quote!(ke), quote!(merchant.id)),
        (quote!(), quote!(merchant.id)),
    ] {
        let expanded = Form::Axum.expand(key, fn_with(body)).to_string();
        assert_eq!(expanded.matches(signature).count(), 1, "{expanded}");
        assert!(
            expanded
                .replace(", )", ")")
                .replace(" )", ")")
                .contains(parameters),
            "{expanded}"
        );
    }
}

/// case M17: the body is emitted once, however long it is, and what stands around it does not
/// grow with it.
#[test]
fn a_long_body_expands_once() {
    let expand = |lines: usize| {
        let statements = (0..lines).map(|line| {
            let name = quote::format_ident!("line_{line}");
            quote!(let #name = new.lines.get(#line).map(|one| one.amount * 2).unwrap_or_default();)
        });
        let body = quote!(#(#statements)* marker(new));
        let length = body.to_string().len();
        let expanded = Form::Axum.expand(
            quote!(key = (merchant.id, key)),
            quote! {
                async fn pay(merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>, Json(new): Json<New>)
                    -> impl IntoResponse { #body }
            },
        );
        let expanded = expanded.to_string();
        assert_eq!(expanded.matches("marker (new)").count(), 1);
        assert_eq!(expanded.matches("let line_").count(), lines);
        expanded.len() - length
    };
    assert_eq!(expand(600), expand(1));
}
