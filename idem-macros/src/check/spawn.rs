//! Rule: no work escapes the transaction: what is spawned goes on when the body is undone, and
//! runs again with the next attempt. Switched off by `allow(spawn)`.
//!
//! The body is read as tokens, so only the spelled names are seen: `tokio::spawn(..)`,
//! `task::spawn_blocking(..)`, `thread::spawn(..)`. A `JoinSet` ends with the body and passes.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::args::{Allowed, Args};
use crate::errors::{Errors, Message};
use crate::handler::Handler;

pub(super) fn check(args: &Args, handler: &Handler, errors: &mut Errors) {
    if args.allows(Allowed::Spawn) {
        return;
    }
    let Some(body) = &handler.body else { return };
    let mut calls = Vec::new();
    find_spawns(body.statements.clone(), &mut calls);
    for call in calls {
        let text = call.to_string().replace(' ', "");
        let message = Message::new(format!("`{text}` starts work outside the transaction"))
            .why("it goes on when the transaction is undone, and starts again with a retry")
            .fix("write a job row through `tx`, or await the work here and say `allow(spawn)`");
        errors.push(message.at(call));
    }
}

/// Collects the paths of calls that spawn.
fn find_spawns(tokens: TokenStream, found: &mut Vec<TokenStream>) {
    // The path that is being read, `a::b`.
    let mut path: Vec<TokenTree> = Vec::new();
    // Whether it is a method's name.
    let mut after_dot = false;
    for token in tokens {
        match &token {
            TokenTree::Ident(_) => {
                let continues = matches!(path.last(), Some(TokenTree::Punct(_)));
                if !continues {
                    path.clear();
                }
                path.push(token);
                continue;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => {
                path.push(token);
                continue;
            }
            TokenTree::Group(group) => {
                if group.delimiter() == Delimiter::Parenthesis && !after_dot && spawns(&path) {
                    found.push(path.iter().cloned().collect());
                }
                find_spawns(group.stream(), found);
            }
            _ => {}
        }
        after_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
        path.clear();
    }
}

fn spawns(path: &[TokenTree]) -> bool {
    let names: Vec<_> = path
        .iter()
        .filter_map(|token| match token {
            TokenTree::Ident(name) => Some(name.to_string()),
            _ => None,
        })
        .collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    matches!(
        names[..],
        [.., "spawn_blocking" | "spawn_local"] | [.., "tokio" | "task" | "thread", "spawn"]
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn found(body: TokenStream) -> Vec<String> {
        let mut found = Vec::new();
        find_spawns(body, &mut found);
        found
            .iter()
            .map(|one| one.to_string().replace(' ', ""))
            .collect()
    }

    #[test]
    fn spawns_are_found_wherever_they_stand() {
        assert_eq!(
            found(quote! {
                tokio::spawn(async {});
                if a { let h = std::thread::spawn(|| {}); }
                run!(tokio::task::spawn_blocking(|| ()).await);
                spawn_blocking(work);
            }),
            [
                "tokio::spawn",
                "std::thread::spawn",
                "tokio::task::spawn_blocking",
                "spawn_blocking"
            ]
        );
    }

    #[test]
    fn other_spawns_pass() {
        assert_eq!(
            found(quote! {
                set.spawn(async {});
                pool.spawn_blocking(work);
                game::spawn(monster);
                spawn(monster);
                let spawn_blocking = 1;
            }),
            [""; 0]
        );
    }
}
