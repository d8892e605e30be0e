//! The rules over whole expansions: the first line of every error that comes out.

use proc_macro2::TokenStream;
use quote::quote;

use crate::form::Form;

mod fresh;

/// The text of every error in an expansion.
fn mistakes(args: TokenStream, item: TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(Form::Axum.expand(args, item)).unwrap();
    let messages = file.items.iter().filter_map(|item| match item {
        syn::Item::Macro(call) => syn::parse2::<syn::LitStr>(call.mac.tokens.clone()).ok(),
        _ => None,
    });
    messages
        .map(|message| message.value().split('\n').next().unwrap().to_owned())
        .collect()
}

fn mistakes_of_key(key: &TokenStream) -> Vec<String> {
    mistakes(
        quote!(key = #key),
        quote! {
            async fn pay(
                merchant: Merchant, key: IdempotencyKey, tx: &mut Tx<Sqlite>,
                State(app): State<App>, #[ambient] clock: Clock, Json(new): Json<New>,
            ) -> String { String::new() }
        },
    )
}

#[track_caller]
fn assert_passes(key: &TokenStream) {
    assert_eq!(mistakes_of_key(key), [""; 0]);
}

#[test]
fn keys_of_every_allowed_shape_pass() {
    assert_passes(&quote!((merchant.id, key)));
    assert_passes(&quote!((
        merchant.id,
        new.lines[0].sku,
        &new.order,
        "v1",
        VERSION
    )));
    assert_passes(&quote!(format!("{}-{key}", merchant.id)));
    assert_passes(&quote!(format!("{id}-{}", new.order, id = merchant.id)));
    assert_passes(&quote!((
        merchant.id,
        new.order.as_str().trim().to_lowercase()
    )));
    assert_passes(&quote!((
        merchant.id,
        normalize(&new.order),
        const { 1 + 1 }
    )));
    assert_passes(&quote!((
        merchant.id,
        Some("x"),
        OrderKey(new.order),
        Key { of: new.order }
    )));
    assert_passes(&quote!((
        merchant.id,
        "v1".to_string(),
        REGION.len(),
        i64::MAX
    )));
    assert_passes(&quote!((
        merchant.id,
        match new.kind {
            Kind::Card(c) if c > 1 => c,
            _ => 0,
        }
    )));
    assert_passes(&quote!(if let Some(order) = &new.order {
        order
    } else {
        &merchant.id
    }));
    assert_passes(&quote!((
        merchant.id,
        new.amount as u64 + 1,
        !new.flag,
        new.bytes[..4]
    )));
    assert_passes(&quote!({
        let id = merchant.id;
        (id, new.order)
    }));
    assert_passes(&quote!((
        merchant.id,
        new.tags.iter().map(|tag| tag.len()).max()
    )));
    assert_passes(&quote!((
        merchant.id,
        new.tag.as_ref().and_then(|tag| tag.parse().ok()?)
    )));
    assert_passes(&quote!((
        merchant.id,
        new.tag.map(str::len),
        new.note.map(shorten)
    )));
    assert_passes(&quote!((merchant.id, matches!(new.kind, Kind::Card(_)))));
    assert_passes(&quote!(idem_core::shared(new.event)));
    assert_passes(&quote!((
        merchant.id,
        Uuid::new_v5(&NAMESPACE, new.order.as_bytes())
    )));
}

#[test]
fn constants_are_refused() {
    for key in [
        quote!("payment"),
        quote!(("a", 1)),
        quote!(KEY),
        quote!(format!("a-{}", 1)),
        quote!(None),
    ] {
        assert_eq!(
            mistakes_of_key(&key),
            ["this key is the same on every call"]
        );
    }
}

#[test]
fn near_misses_of_a_parameter_are_named() {
    let expected = ["`mercant` is no parameter; did you mean `merchant`?"];
    for key in [
        quote!((mercant.id, key)),
        quote!(format!("{mercant}-{key}")),
        quote!((helper(mercant), key)),
    ] {
        assert_eq!(mistakes_of_key(&key), expected);
    }
    // Names that are far from all parameters are rustc's own to report.
    assert_passes(&quote!((merchant.id, region)));
}

#[test]
fn ambient_parameters_are_refused_by_name() {
    assert_eq!(
        mistakes_of_key(&quote!((merchant.id, app.region, clock.zone, tx))),
        [
            "`app` is the server's state: no part of what the caller asked for",
            "`clock` is marked `#[ambient]`: no part of what the caller asked for",
            "`tx` is what the body works with: no part of what the caller asked for",
        ]
    );
}

#[test]
fn what_cannot_be_evaluated_is_refused() {
    for (key, what) in [
        (quote!((key, load(new.id).await)), "`.await`"),
        (quote!((key, new.id?)), "`?`"),
        (
            quote!({
                return key;
            }),
            "`return`",
        ),
        (
            quote!((
                key,
                loop {
                    break new.id;
                }
            )),
            "a loop",
        ),
        (
            quote!((key, {
                new.id = 1;
                new.id
            })),
            "an assignment",
        ),
        (
            quote!((key, {
                new.id += 1;
                new.id
            })),
            "an assignment",
        ),
        (quote!((key, next_of(&mut new))), "`&mut`"),
        (quote!((key, async { new.id })), "an `async` block"),
    ] {
        assert_eq!(
            mistakes_of_key(&key),
            [format!("{what} cannot stand in `key`")]
        );
    }
}

#[test]
fn several_mistakes_come_out_together() {
    let found = mistakes(
        quote!(key = Uuid::new_v4(), ttl = 5, wiat = "1s"),
        quote! {
            fn pay(tx: &Tx<Sqlite>) -> Sse<Events> { tokio::spawn(x); }
        },
    );
    assert_eq!(
        found,
        [
            "`ttl = 5` has no unit",
            "unknown argument `wiat`; did you mean `wait`?",
            "`pay` is not `async`",
            "an event stream cannot be recorded",
            "`pay` takes no transaction",
            "`Uuid::new_v4()` makes a new value on every attempt",
            "`tokio::spawn` starts work outside the transaction",
        ]
    );
}

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
