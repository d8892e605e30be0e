//! Rule: no connection pool is in reach of the body: what is written through one is committed
//! whether or not the operation is. Switched off by `allow(pool)`, for reads.
//!
//! Seen are parameters that are spelled as pools and queries whose argument is named like one;
//! a pool behind another name or type passes.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{Type, TypeReference};

use super::context_name;
use crate::args::{Allowed, Args};
use crate::errors::{Errors, Message};
use crate::handler::{Handler, Parameter};
use crate::syntax::{spelled, type_arguments, ungrouped_type};

const POOLS: &[&str] = &["Pool", "PgPool", "SqlitePool", "MySqlPool", "AnyPool"];

/// sqlx's methods that take an executor.
const QUERIES: &[&str] = &[
    "execute",
    "execute_many",
    "fetch",
    "fetch_all",
    "fetch_many",
    "fetch_one",
    "fetch_optional",
];

const WHY: &str = "what is written through a pool stays when the operation is undone";

pub(super) fn check(args: &Args, handler: &Handler, errors: &mut Errors) {
    if args.allows(Allowed::Pool) {
        return;
    }
    let tx = context_name(handler);
    let mut in_reach = false;
    for parameter in handler.parameters.iter().filter(|one| is_pool(one)) {
        in_reach = true;
        let message = Message::new("a connection pool is in reach of the body")
            .why(WHY)
            .fix(format!(
                "delete it and use `&mut **{tx}`; `allow(pool)` if it is used for reads only"
            ));
        errors.push(message.at(&parameter.ty));
    }
    // The parameter is the cause of its uses.
    let Some(body) = handler.body.as_ref().filter(|_| !in_reach) else {
        return;
    };
    let mut queries = Vec::new();
    find_queries(body.statements.clone(), &mut queries);
    for (argument, pool) in queries {
        let message = Message::new(format!(
            "this query runs on `{pool}`, outside the transaction"
        ))
        .why(WHY)
        .fix(format!("`&mut **{tx}`; for reads only, `allow(pool)`"));
        errors.push(message.at(argument));
    }
}

/// `State<PgPool>`, `Extension<Pool<Sqlite>>`, `&PgPool`, `PgPool`.
fn is_pool(parameter: &Parameter) -> bool {
    if parameter.context_type().is_some() {
        // The context rule's to refuse.
        return false;
    }
    let ty = match ungrouped_type(&parameter.ty) {
        Type::Reference(TypeReference { elem, .. }) => elem,
        other => other,
    };
    let Some(segment) = spelled(ty) else {
        return false;
    };
    let held = || {
        type_arguments(segment)
            .filter_map(spelled)
            .any(|one| names_pool_type(&one.ident))
    };
    names_pool_type(&segment.ident)
        || ["State", "Extension", "Data"]
            .iter()
            .any(|wrapper| segment.ident == wrapper)
            && held()
}

fn names_pool_type(name: &Ident) -> bool {
    POOLS.iter().any(|pool| name == pool)
}

/// Collects the arguments of `.execute(x)`, `.fetch*(x)` where `x` ends in a pool's name.
fn find_queries(tokens: TokenStream, found: &mut Vec<(TokenStream, Ident)>) {
    let mut query = false;
    let mut after_dot = false;
    for token in tokens {
        match &token {
            TokenTree::Group(group) => {
                if query && let Some(pool) = pool_argument(group.stream()) {
                    found.push((group.stream(), pool));
                }
                find_queries(group.stream(), found);
                query = false;
            }
            TokenTree::Ident(name) => {
                query = after_dot && QUERIES.iter().any(|method| name == method);
            }
            _ => query = false,
        }
        after_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
    }
}

/// The last name of `&app.pool`, `pool`, `state.pool()`, if it is a pool's.
fn pool_argument(argument: TokenStream) -> Option<Ident> {
    let last = argument.into_iter().filter_map(|token| match token {
        TokenTree::Ident(name) => Some(name),
        _ => None,
    });
    last.last().filter(|name| {
        let name = name.to_string();
        name == "pool" || name.ends_with("_pool")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn found(body: TokenStream) -> Vec<String> {
        let mut found = Vec::new();
        find_queries(body, &mut found);
        found
            .iter()
            .map(|(argument, _)| argument.to_string().replace(' ', ""))
            .collect()
    }

    #[test]
    fn queries_on_a_pool_are_found() {
        assert_eq!(
            found(quote! {
                sqlx::query("..").execute(&pool).await?;
                if let Some(row) = q.fetch_optional(&app.pg_pool).await? { q.fetch_all(app.pool()) }
            }),
            ["&pool", "&app.pg_pool", "app.pool()"]
        );
    }

    #[test]
    fn queries_on_the_transaction_pass() {
        assert_eq!(
            found(quote! {
                sqlx::query("pool").execute(&mut **tx).await?;
                car.fetch_one(&swimming_pools);
                pool.execute(job);
                fetch(pool);
            }),
            [""; 0]
        );
    }
}
