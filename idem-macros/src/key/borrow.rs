//! Emits the key so that evaluating it moves nothing: `(merchant.id, key)` is read as
//! `(&merchant.id, &key)`. Parts that make their own value stay as they are written.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::{Arm, Block, Expr, ExprCall, Stmt, UnOp};

use crate::handler::Handler;
use crate::span::start_of;
use crate::syntax::{bindings, ungrouped};

/// How the parts of the key are emitted.
struct Parts<'a, S> {
    handler: &'a Handler,
    /// Wraps a `shared(..)` call.
    shared: S,
}

/// The expression with every place in it borrowed, and `shared(..)` calls given to `shared`.
pub(crate) fn borrowed(
    expr: &Expr,
    handler: &Handler,
    shared: impl Fn(TokenStream) -> TokenStream,
) -> TokenStream {
    Parts { handler, shared }.emit(expr)
}

/// The call `shared(..)` that says that all callers share these keys.
pub(crate) fn shared_call(expr: &Expr) -> Option<&ExprCall> {
    match ungrouped(expr) {
        Expr::Call(call) => match ungrouped(&call.func) {
            Expr::Path(function) => {
                let last = function.path.segments.last()?;
                (last.ident == "shared").then_some(call)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether the whole expression, or an element of the tuple it is, is `shared(..)`.
pub(crate) fn has_shared(expr: &Expr) -> bool {
    match expr {
        Expr::Group(inner) => has_shared(&inner.expr),
        Expr::Paren(inner) => has_shared(&inner.expr),
        Expr::Tuple(tuple) => tuple.elems.iter().any(has_shared),
        other => shared_call(other).is_some(),
    }
}

impl<S: Fn(TokenStream) -> TokenStream> Parts<'_, S> {
    fn emit(&self, expr: &Expr) -> TokenStream {
        if let Some(call) = shared_call(expr) {
            return (self.shared)(self.with_borrowed_arguments(call));
        }
        match expr {
            // Kept invisible groups would hide the place inside; ours are the outer parens.
            Expr::Group(inner) => self.emit(&inner.expr),
            Expr::Paren(inner) => self.emit(&inner.expr),
            Expr::Tuple(tuple) => {
                let mut emitted = TokenStream::new();
                tuple.paren_token.surround(&mut emitted, |inside| {
                    for pair in tuple.elems.pairs() {
                        inside.extend(self.emit(pair.value()));
                        pair.punct().to_tokens(inside);
                    }
                });
                emitted
            }
            Expr::Call(call) if is_some(call) => self.with_borrowed_arguments(call),
            Expr::Block(block) if block.attrs.is_empty() && block.label.is_none() => {
                match only_expression(&block.block) {
                    Some(only) => self.emit(only),
                    None => expr.to_token_stream(),
                }
            }
            Expr::If(_) | Expr::Match(_) if self.all_tails_are_places(expr) => {
                self.borrow_tails(expr)
            }
            other if self.is_place(other) => borrow(other),
            other => other.to_token_stream(),
        }
    }

    fn with_borrowed_arguments(&self, call: &ExprCall) -> TokenStream {
        let mut emitted = call.func.to_token_stream();
        call.paren_token.surround(&mut emitted, |inside| {
            for pair in call.args.pairs() {
                inside.extend(self.emit(pair.value()));
                pair.punct().to_tokens(inside);
            }
        });
        emitted
    }

    /// Something in memory that outlives the key: reading it by value might move it.
    fn is_place(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Group(inner) => self.is_place(&inner.expr),
            Expr::Paren(inner) => self.is_place(&inner.expr),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                self.handler.is_receiver(name) || self.handler.binders(name).next().is_some()
            }),
            Expr::Field(field) => self.is_place(&field.base),
            // `text()[..4]` is unsized by value, so behind an index a borrow is never wrong.
            Expr::Index(_) => true,
            Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
            _ => false,
        }
    }

    fn all_tails_are_places(&self, expr: &Expr) -> bool {
        match expr {
            Expr::If(branches) => {
                let Some((_, other)) = &branches.else_branch else {
                    return false;
                };
                !matches!(*branches.cond, Expr::Let(_))
                    && only_expression(&branches.then_branch)
                        .is_some_and(|tail| self.all_tails_are_places(tail))
                    && self.all_tails_are_places(other)
            }
            Expr::Match(choice) => choice.arms.iter().all(|arm| self.is_place_of_no_arm(arm)),
            Expr::Block(block) => {
                only_expression(&block.block).is_some_and(|tail| self.all_tails_are_places(tail))
            }
            other => self.is_place(other),
        }
    }

    /// A name that the arm binds lives no longer than the arm: a borrow of it would not.
    fn is_place_of_no_arm(&self, arm: &Arm) -> bool {
        bindings(&arm.pat).is_empty() && self.all_tails_are_places(&arm.body)
    }

    fn borrow_tails(&self, expr: &Expr) -> TokenStream {
        let mut expr = expr.clone();
        borrow_tails_in(&mut expr);
        expr.into_token_stream()
    }
}

fn borrow_tails_in(expr: &mut Expr) {
    match expr {
        Expr::If(branches) => {
            borrow_tail_of(&mut branches.then_branch);
            if let Some((_, other)) = &mut branches.else_branch {
                borrow_tails_in(other);
            }
        }
        Expr::Match(choice) => {
            choice
                .arms
                .iter_mut()
                .for_each(|arm| borrow_tails_in(&mut arm.body));
        }
        Expr::Block(block) => borrow_tail_of(&mut block.block),
        place => *place = Expr::Verbatim(borrow(place)),
    }
}

fn borrow_tail_of(block: &mut Block) {
    if let [Stmt::Expr(tail, None)] = &mut block.stmts[..] {
        borrow_tails_in(tail);
    }
}

fn borrow(place: &Expr) -> TokenStream {
    // Generated code, so that no lint takes the `&` for the user's.
    quote_spanned!(start_of(place)=> &#place)
}

fn is_some(call: &ExprCall) -> bool {
    match ungrouped(&call.func) {
        Expr::Path(function) => function
            .path
            .segments
            .last()
            .is_some_and(|segment| segment.ident == "Some"),
        _ => false,
    }
}

fn only_expression(block: &Block) -> Option<&Expr> {
    match &block.stmts[..] {
        [Stmt::Expr(only, None)] => Some(only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;
    use syn::{parse_quote, parse2};

    #[test]
    fn places_are_borrowed_and_values_are_not() {
        let handler: Handler = parse_quote! {
            async fn pay(m: Merchant, key: IdempotencyKey, Json(new): Json<New>) {}
        };
        let cases = [
            (quote!(key), quote!(&key)),
            (quote!((key)), quote!(&key)),
            (quote!({ key }), quote!(&key)),
            (quote!((m.id, key)), quote!((&m.id, &key))),
            (
                quote!((m.id, ("v1", new.lines[0]))),
                quote!((&m.id, ("v1", &new.lines[0]))),
            ),
            (quote!((m.id, Some(key))), quote!((&m.id, Some(&key)))),
            (quote!((m.id as u64, *key)), quote!((m.id as u64, &*key))),
            (
                quote!((m.id.to_string(), REGION)),
                quote!((m.id.to_string(), REGION)),
            ),
            (quote!(OrderKey(new.id)), quote!(OrderKey(new.id))),
            (quote!(shared(new.id)), quote!(<shared(&new.id)>)),
            (
                quote!((idem_core::shared(new.id), 1)),
                quote!((<idem_core::shared(&new.id)>, 1)),
            ),
            (
                quote!(if m.vip { new.a } else { new.b }),
                quote!(if m.vip { &new.a } else { &new.b }),
            ),
            (
                quote!(if m.vip { new.a } else { "none" }),
                quote!(if m.vip { new.a } else { "none" }),
            ),
            (
                quote!(match new.kind {
                    Kind::A => new.a,
                    Kind::B => new.b,
                }),
                quote!(match new.kind {
                    Kind::A => &new.a,
                    Kind::B => &new.b,
                }),
            ),
            (
                quote!(match &new.kind {
                    Kind::A(id) => id,
                    Kind::B(id) => id,
                }),
                quote!(match &new.kind {
                    Kind::A(id) => id,
                    Kind::B(id) => id,
                }),
            ),
        ];
        for (written, emitted) in cases {
            let expr: Expr = parse2(written).unwrap();
            let tokens = borrowed(&expr, &handler, |call| quote!(< #call >));
            assert_eq!(tokens.to_string(), emitted.to_string());
        }
    }

    #[test]
    fn shared_is_found_at_the_top_only() {
        let found = |expr: Expr| has_shared(&expr);
        assert!(found(parse_quote!(shared(id))));
        assert!(found(parse_quote!((idem_core::shared(id), "v1"))));
        assert!(!found(parse_quote!(Some(shared(id)))));
        assert!(!found(parse_quote!((id, new.shared))));
    }
}
