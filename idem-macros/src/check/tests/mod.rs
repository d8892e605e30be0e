//! The rules over whole expansions.

use proc_macro2::TokenStream;
use quote::quote;

use crate::form::Form;

mod fresh;
mod items;
mod jobs;
mod plain;

/// The first line of every error in an expansion.
fn mistakes(args: TokenStream, item: TokenStream) -> Vec<String> {
    mistakes_of(Form::Axum, args, item)
}

fn mistakes_of(form: Form, args: TokenStream, item: TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(form.expand(args, item)).unwrap();
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
