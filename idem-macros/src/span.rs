//! Spans of generated tokens: invisible to the user's names, shown at the user's code.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// The hygiene of generated names: the user's code can neither see nor shadow them, also
/// when the attribute is written by a `macro_rules!`.
pub(crate) fn hidden() -> Span {
    Span::mixed_site()
}

/// A hidden name.
pub(crate) fn hidden_ident(name: &str) -> Ident {
    Ident::new(name, hidden())
}

/// Moves a generated expression to where `target` stands, so that rustc's errors about it
/// underline all of `target`: its first token goes to the start, all others to the end
/// (stable Rust cannot join spans). Names keep their hygiene.
pub(crate) fn spread(expression: TokenStream, target: impl ToTokens) -> TokenStream {
    let mut places = target.into_token_stream().into_iter();
    let Some(first) = places.next() else {
        return expression;
    };
    let start = first.span();
    let end = places.last().map_or(start, |last| last.span());
    let mut place = start;
    move_tokens(expression, &mut || std::mem::replace(&mut place, end))
}

/// Moves a generated expression to the one place where `target` begins: rustc reports what it
/// finds wrong in several places of it only once.
pub(crate) fn gather(expression: TokenStream, target: impl ToTokens) -> TokenStream {
    let place = start_of(target);
    move_tokens(expression, &mut || place)
}

/// The span of generated tokens that stand where `target` begins.
pub(crate) fn start_of(target: impl ToTokens) -> Span {
    let first = target.into_token_stream().into_iter().next();
    first.map_or_else(hidden, |first| hidden().located_at(first.span()))
}

fn move_tokens(tokens: TokenStream, next_place: &mut impl FnMut() -> Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            let place = next_place();
            if let TokenTree::Group(group) = token {
                let mut moved =
                    Group::new(group.delimiter(), move_tokens(group.stream(), next_place));
                moved.set_span(group.span().located_at(place));
                return TokenTree::Group(moved);
            }
            token.set_span(token.span().located_at(place));
            token
        })
        .collect()
}
