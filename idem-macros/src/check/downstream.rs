//! Rule: no fresh value is sent as another system's `Idempotency-Key`: the next attempt would
//! send another one, and the other side would do the work again.
//!
//! The body is read as tokens: seen is a known maker of fresh values in the same parentheses as
//! the text `"Idempotency-Key"`. A value that was bound to a name before passes.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{Expr, ExprCall, Macro, Token};

use super::context_name;
use crate::errors::{Errors, Message};
use crate::handler::Handler;
use crate::key::{function_maker, macro_maker};
use crate::syntax::{path_text, ungrouped};

pub(super) fn check(handler: &Handler, errors: &mut Errors) {
    let Some(body) = &handler.body else { return };
    let mut found = Vec::new();
    find(body.statements.clone(), &mut found);
    let tx = context_name(handler);
    for (call, text) in found {
        let message = Message::new(format!(
            "`{text}` sends another `Idempotency-Key` on every attempt"
        ))
        .why("the other side takes a retry for a new call, and does the work again")
        .fix(format!("`{tx}.derive_key(\"name\")`"));
        errors.push(message.at(call));
    }
}

/// Collects the makers that stand beside the header's name, each with its text.
fn find(tokens: TokenStream, found: &mut Vec<(TokenStream, String)>) {
    for token in tokens {
        let TokenTree::Group(group) = token else {
            continue;
        };
        if group.delimiter() == Delimiter::Parenthesis && names_header(group.stream()) {
            makers(group.stream(), found);
        } else {
            find(group.stream(), found);
        }
    }
}

/// Whether `"Idempotency-Key"` is an argument here, or the only one of a call that is:
/// `HeaderName::from_static("idempotency-key")`.
fn names_header(arguments: TokenStream) -> bool {
    arguments.into_iter().any(|token| match token {
        TokenTree::Literal(literal) => is_header(literal),
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
            let mut inside = group.stream().into_iter();
            match (inside.next(), inside.next()) {
                (Some(TokenTree::Literal(literal)), None) => is_header(literal),
                _ => false,
            }
        }
        _ => false,
    })
}

fn is_header(literal: proc_macro2::Literal) -> bool {
    match syn::Lit::new(literal) {
        syn::Lit::Str(text) => text.value().eq_ignore_ascii_case("idempotency-key"),
        _ => false,
    }
}

/// Collects the calls and macros among `arguments` that make a fresh value, at any depth.
fn makers(arguments: TokenStream, found: &mut Vec<(TokenStream, String)>) {
    let parse = Punctuated::<Expr, Token![,]>::parse_terminated;
    // What is half typed, or no list of expressions, passes.
    for argument in parse.parse2(arguments).into_iter().flatten() {
        Makers(found).visit_expr(&argument);
    }
}

struct Makers<'a>(&'a mut Vec<(TokenStream, String)>);

impl<'ast> Visit<'ast> for Makers<'_> {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        match ungrouped(&call.func) {
            Expr::Path(function) if function_maker(function).is_some() => {
                let arguments = if call.args.is_empty() { "" } else { ".." };
                let text = format!("{}({arguments})", path_text(&function.path));
                self.0.push((call.to_token_stream(), text));
            }
            _ => syn::visit::visit_expr_call(self, call),
        }
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        let name = call.path.segments.last();
        if name.is_some_and(|name| macro_maker(&name.ident).is_some()) {
            let text = format!("{}!(..)", path_text(&call.path));
            self.0.push((call.to_token_stream(), text));
        } else {
            // `format!("charge-{}", Uuid::new_v4())`
            makers(call.tokens.clone(), self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn found(body: TokenStream) -> Vec<String> {
        let mut found = Vec::new();
        find(body, &mut found);
        found.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn a_fresh_value_beside_the_header_is_found() {
        let bodies = [
            quote!(
                client
                    .post(url)
                    .header("Idempotency-Key", Uuid::new_v4().to_string())
                    .send()
            ),
            quote!(run!({
                request.insert("idempotency-key", &format!("a-{}", Uuid::new_v4()))
            })),
            quote!(headers([("IDEMPOTENCY-KEY", Uuid::new_v4().to_string())])),
            quote!(r.header(
                HeaderName::from_static("idempotency-key"),
                Some(Uuid::new_v4())
            )),
        ];
        for body in bodies {
            assert_eq!(found(body), ["Uuid::new_v4()"]);
        }
        assert_eq!(
            found(quote!(
                r.header("Idempotency-Key", nanoid!(10))
                    .header("Idempotency-Key", rand::random::<u64>())
            )),
            ["nanoid!(..)", "rand::random()"]
        );
    }

    #[test]
    fn everything_else_passes() {
        let bodies = [
            quote!(r.header("Idempotency-Key", tx.derive_key("charge"))),
            quote!(
                r.header("Idempotency-Key", key)
                    .header("X-Trace", Uuid::new_v4())
            ),
            quote!(send(r.header("Idempotency-Key", key), Uuid::new_v4())),
            quote!(let id = Uuid::new_v4(); insert(id, "Idempotency-Key")),
            quote!(r.header("Idempotency-Key", Uuid::new_v5(&SPACE, order.as_bytes()))),
            quote!(r.header("Idempotency-Key", half.)),
        ];
        for body in bodies {
            assert_eq!(found(body), [""; 0]);
        }
    }
}
