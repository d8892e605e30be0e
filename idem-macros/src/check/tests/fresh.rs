//! The rule against fresh values: every maker of the design in every position.

use quote::quote;
use syn::{Expr, parse_quote, visit_mut::VisitMut};

use super::mistakes_of_key;

/// Each maker, and how the message begins.
fn makers() -> Vec<(Expr, &'static str)> {
    vec![
        (
            parse_quote!(Uuid::new_v4()),
            "`Uuid::new_v4()` makes a new value",
        ),
        (
            parse_quote!(uuid::Uuid::now_v7()),
            "`uuid::Uuid::now_v7()` makes a new value",
        ),
        (parse_quote!(Ulid::new()), "`Ulid::new()` makes a new value"),
        (parse_quote!(nanoid!()), "`nanoid!()` makes a new value"),
        (
            parse_quote!(rand::random::<u64>()),
            "`rand::random()` makes a new value",
        ),
        (parse_quote!(Utc::now()), "`Utc::now()` reads the clock"),
        (
            parse_quote!(SystemTime::now()),
            "`SystemTime::now()` reads the clock",
        ),
        (
            parse_quote!(COUNTER.fetch_add(1, Ordering::Relaxed)),
            "`COUNTER.fetch_add(..)` depends on this process",
        ),
        (
            parse_quote!(helper("eu", 3, REGION)),
            "`helper(..)` is given nothing",
        ),
        (parse_quote!(make_id()), "`make_id()` is given nothing"),
    ]
}

/// Keys in which `MAKER` stands for one of them.
fn positions() -> Vec<(&'static str, Expr)> {
    vec![
        ("bare", parse_quote!(MAKER)),
        ("in parentheses", parse_quote!((MAKER))),
        ("in a tuple", parse_quote!((merchant.id, MAKER))),
        (
            "deep in tuples",
            parse_quote!((merchant.id, ("v1", (key, MAKER)))),
        ),
        (
            "as an argument of format!",
            parse_quote!(format!("{}-{}", merchant.id, MAKER)),
        ),
        (
            "as a named argument of format!",
            parse_quote!(format!("{id}", id = MAKER)),
        ),
        (
            "as a method's argument",
            parse_quote!(new.order.join(&MAKER)),
        ),
        (
            "as a method's receiver",
            parse_quote!((merchant.id, MAKER.to_string())),
        ),
        (
            "in a call beside a parameter",
            parse_quote!(join(merchant.id, MAKER)),
        ),
        (
            "nested in calls",
            parse_quote!(join(merchant.id, Some(wrap(MAKER)))),
        ),
        (
            "behind a block",
            parse_quote!({
                let id = MAKER;
                (merchant.id, id)
            }),
        ),
        ("as a block's value", parse_quote!((merchant.id, { MAKER }))),
        (
            "behind a closure",
            parse_quote!((merchant.id, new.note.unwrap_or_else(|| MAKER))),
        ),
        (
            "in a closure that is called",
            parse_quote!((merchant.id, (|| MAKER)())),
        ),
        ("behind a cast", parse_quote!((merchant.id, MAKER as u64))),
        ("behind a reference", parse_quote!((merchant.id, &MAKER))),
        (
            "behind an operator",
            parse_quote!((merchant.id, new.amount + MAKER)),
        ),
        ("as an index", parse_quote!((merchant.id, new.lines[MAKER]))),
        ("in an array", parse_quote!((merchant.id, [MAKER]))),
        (
            "in a constructor",
            parse_quote!(OrderKey {
                of: merchant.id,
                id: MAKER
            }),
        ),
        (
            "in a branch",
            parse_quote!(if new.flag { key } else { MAKER }),
        ),
        (
            "in an arm",
            parse_quote!(match new.kind {
                Kind::A => key,
                _ => MAKER,
            }),
        ),
    ]
}

struct Put(Expr);

impl VisitMut for Put {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Path(path) if path.path.is_ident("MAKER") => *expr = self.0.clone(),
            other => syn::visit_mut::visit_expr_mut(self, other),
        }
    }

    fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
        let maker = &self.0;
        let tokens = std::mem::take(&mut call.tokens).into_iter();
        let put = tokens.map(|token| match &token {
            proc_macro2::TokenTree::Ident(name) if name == "MAKER" => quote!(#maker),
            _ => quote!(#token),
        });
        call.tokens = put.collect();
    }
}

#[test]
fn every_maker_is_refused_in_every_position() {
    for (maker, begins) in makers() {
        for (position, key) in positions() {
            let mut key = key;
            Put(maker.clone()).visit_expr_mut(&mut key);
            let found = mistakes_of_key(&quote!(#key));
            assert!(
                found.len() == 1 && found[0].starts_with(begins),
                "{begins} {position}: {found:?}"
            );
        }
    }
}

#[test]
fn makers_are_refused_as_values() {
    let values: [(Expr, &str); 5] = [
        (
            parse_quote!(Uuid::new_v4),
            "`Uuid::new_v4` makes a new value",
        ),
        (
            parse_quote!(Uuid::now_v7),
            "`Uuid::now_v7` makes a new value",
        ),
        (parse_quote!(Ulid::new), "`Ulid::new` makes a new value"),
        (
            parse_quote!(rand::random::<u64>),
            "`rand::random` makes a new value",
        ),
        (parse_quote!(Utc::now), "`Utc::now` reads the clock"),
    ];
    for (value, begins) in values {
        for key in [
            quote!((merchant.id, new.note.unwrap_or_else(#value))),
            quote!((merchant.id, new.note.map_or_else(#value, normalize))),
            quote!((merchant.id, new.note.or_else(|| Some(call(new.id, #value))))),
        ] {
            let found = mistakes_of_key(&key);
            assert!(
                found.len() == 1 && found[0].starts_with(begins),
                "{key}: {found:?}"
            );
        }
    }
}

/// An inline name in a format string is read like an argument.
#[test]
fn inline_names_carry_what_they_are_bound_to() {
    assert_eq!(
        mistakes_of_key(&quote!({
            let id = Uuid::new_v4();
            format!("{key}-{id}")
        })),
        ["`Uuid::new_v4()` makes a new value on every attempt"]
    );
}

#[test]
fn a_qualified_path_and_a_slice_hide_nothing() {
    for key in [
        quote!(&Uuid::new_v4().to_string()[..8]),
        quote!((merchant.id, <Uuid>::new_v4())),
    ] {
        let found = mistakes_of_key(&key);
        assert!(
            found.len() == 1 && found[0].contains("new_v4()` makes a new value"),
            "{key}: {found:?}"
        );
    }
}

#[test]
fn every_known_maker_is_named() {
    for (key, maker) in [
        (
            quote!((key, uuid::Uuid::now_v7())),
            "`uuid::Uuid::now_v7()` makes",
        ),
        (quote!((key, Ulid::new())), "`Ulid::new()` makes"),
        (quote!((key, nanoid!())), "`nanoid!()` makes"),
        (
            quote!((key, rand::random::<u64>())),
            "`rand::random()` makes",
        ),
        (quote!((key, Utc::now())), "`Utc::now()` reads the clock"),
        (
            quote!((key, SystemTime::now())),
            "`SystemTime::now()` reads the clock",
        ),
        (
            quote!((key, OffsetDateTime::now_utc().date())),
            "`OffsetDateTime::now_utc()` reads",
        ),
        (
            quote!((key, COUNTER.fetch_add(1, Ordering::SeqCst))),
            "`COUNTER.fetch_add(..)` dep",
        ),
        (
            quote!((key, std::process::id())),
            "`std::process::id()` depends on this process",
        ),
        (
            quote!((key, new.at.elapsed().as_secs())),
            "`.elapsed()` reads the clock",
        ),
        (quote!((key, helper("eu"))), "`helper(..)` is given nothing"),
        (
            quote!((key, helper(make_id))),
            "`helper(..)` is given nothing",
        ),
        (quote!((key, make!("eu"))), "`make!(..)` is given nothing"),
        (
            quote!((key, (LazyLock::get)())),
            "`LazyLock::get()` is given nothing",
        ),
    ] {
        let found = mistakes_of_key(&key);
        assert!(
            found.len() == 1 && found[0].starts_with(maker),
            "{maker}: {found:?}"
        );
    }
}
