//! Reads what flows into an expression: which parameters, and what comes from nowhere.
//!
//! It judges nothing but notes findings; the rules in `check/` turn them into messages.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{BinOp, Block, Expr, ExprClosure, ExprMatch, ExprPath, Pat, Stmt};

use super::generators::{self, Generator};
use super::scope::Scopes;
use crate::handler::Handler;
use crate::nearest::nearest;
use crate::syntax::{name_of, path_text, starts_upper};

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Flow {
    /// The same on every call.
    Constant,
    /// Already reported, or a name that only rustc can judge.
    Unsure,
    /// At least one parameter.
    Derived,
}

/// A value that comes from no parameter and is no constant.
#[derive(Debug)]
pub(crate) struct Fresh {
    /// What to underline.
    pub(crate) tokens: TokenStream,
    /// The call as the message names it, `Uuid::new_v4()`.
    pub(crate) text: String,
    /// Why it differs, if the maker is known.
    pub(crate) generator: Option<Generator>,
}

/// A name that nothing binds, close to one that a parameter does.
#[derive(Debug)]
pub(crate) struct UnknownName {
    pub(crate) tokens: TokenStream,
    pub(crate) name: String,
    pub(crate) nearest: String,
}

/// All findings about one expression, in its order.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) flow: Flow,
    /// Parameters in use, by index, with the tokens of their first use.
    pub(crate) used: BTreeMap<usize, TokenStream>,
    pub(crate) fresh: Vec<Fresh>,
    pub(crate) unknown: Vec<UnknownName>,
    /// What cannot be evaluated twice and outside the body, with its name.
    pub(crate) unevaluable: Vec<(TokenStream, &'static str)>,
}

impl Reading {
    pub(crate) fn of(expr: &Expr, handler: &Handler) -> Self {
        let mut reader = Reader {
            handler,
            scopes: Scopes::default(),
            closures: 0,
            found: Reading {
                flow: Flow::Constant,
                used: BTreeMap::new(),
                fresh: Vec::new(),
                unknown: Vec::new(),
                unevaluable: Vec::new(),
            },
        };
        reader.found.flow = reader.read(expr);
        reader.found
    }
}

pub(super) struct Reader<'a> {
    handler: &'a Handler,
    scopes: Scopes,
    /// How many closures we are inside of: `?` and `return` end there.
    closures: usize,
    pub(super) found: Reading,
}

impl Reader<'_> {
    pub(super) fn read(&mut self, expr: &Expr) -> Flow {
        match expr {
            Expr::Lit(_) | Expr::Const(_) | Expr::Infer(_) => Flow::Constant,
            Expr::Path(path) => self.read_name(path),
            Expr::Group(inner) => self.read(&inner.expr),
            Expr::Paren(inner) => self.read(&inner.expr),
            Expr::Field(field) => self.read(&field.base),
            Expr::Cast(cast) => self.read(&cast.expr),
            Expr::Unary(unary) => self.read(&unary.expr),
            Expr::Reference(reference) if reference.mutability.is_some() => {
                self.unevaluable(expr, "`&mut`")
            }
            Expr::Reference(reference) => self.read(&reference.expr),
            Expr::Index(index) => self.read(&index.expr).max(self.read(&index.index)),
            Expr::Binary(binary) if is_assignment(binary.op) => {
                self.unevaluable(expr, "an assignment")
            }
            Expr::Binary(binary) => self.read(&binary.left).max(self.read(&binary.right)),
            Expr::Range(range) => self.read_all(
                range
                    .start
                    .as_deref()
                    .into_iter()
                    .chain(range.end.as_deref()),
            ),
            Expr::Tuple(tuple) => self.read_all(&tuple.elems),
            Expr::Array(array) => self.read_all(&array.elems),
            Expr::Repeat(repeat) => self.read(&repeat.expr).max(self.read(&repeat.len)),
            Expr::Struct(made) => {
                let fields = made.fields.iter().map(|field| &field.expr);
                self.read_all(fields.chain(made.rest.as_deref()))
            }
            Expr::Call(call) => self.read_call(call),
            Expr::MethodCall(call) => self.read_method(call),
            Expr::Macro(call) => self.read_macro(&call.mac),
            Expr::Closure(closure) => self.read_closure(closure, Flow::Unsure),
            Expr::Block(block) => self.read_block(&block.block),
            Expr::Unsafe(block) => self.read_block(&block.block),
            Expr::If(branches) => {
                self.scopes.open();
                let mut flow = self.read(&branches.cond);
                flow = flow.max(self.read_block(&branches.then_branch));
                self.scopes.close();
                match &branches.else_branch {
                    Some((_, branch)) => flow.max(self.read(branch)),
                    None => flow,
                }
            }
            // Stands in the condition of an `if`, whose scope is open.
            Expr::Let(condition) => {
                let flow = self.read(&condition.expr);
                self.scopes.bind(&condition.pat, flow);
                flow
            }
            Expr::Match(choice) => self.read_match(choice),
            Expr::Try(tried) if self.closures > 0 => self.read(&tried.expr),
            Expr::Return(returned) if self.closures > 0 => self.read_all(returned.expr.as_deref()),
            Expr::Await(awaited) => self.unevaluable_part(awaited.await_token, "`.await`"),
            Expr::Try(tried) => self.unevaluable_part(tried.question_token, "`?`"),
            Expr::Return(_) => self.unevaluable(expr, "`return`"),
            Expr::Assign(_) => self.unevaluable(expr, "an assignment"),
            Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => self.unevaluable(expr, "a loop"),
            Expr::Break(_) | Expr::Continue(_) => self.unevaluable(expr, "a jump"),
            Expr::Async(_) => self.unevaluable(expr, "an `async` block"),
            Expr::TryBlock(_) | Expr::Yield(_) | Expr::RawAddr(_) => {
                self.unevaluable(expr, "this kind of expression")
            }
            // Syntax newer than this crate: rustc and the check at run time have the say.
            _ => Flow::Unsure,
        }
    }

    fn read_all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Flow {
        exprs
            .into_iter()
            .fold(Flow::Constant, |flow, expr| flow.max(self.read(expr)))
    }

    /// A name used as a value.
    fn read_name(&mut self, path: &ExprPath) -> Flow {
        if let Some(generator) = generators::function(path) {
            return self.fresh(path, path_text(&path.path), Some(generator));
        }
        match path.path.get_ident() {
            Some(name) => self.read_ident(name, path.to_token_stream()),
            None => Flow::Constant,
        }
    }

    pub(super) fn read_ident(&mut self, name: &Ident, tokens: TokenStream) -> Flow {
        if let Some(flow) = self.lookup(name, &tokens) {
            return flow;
        }
        if starts_upper(name) {
            return Flow::Constant;
        }
        let text = name_of(name);
        let names: Vec<_> = self.parameter_names().collect();
        if let Some(nearest) = nearest(&text, names.iter().map(String::as_str)) {
            self.found.unknown.push(UnknownName {
                tokens,
                name: text,
                nearest: nearest.to_owned(),
            });
        }
        Flow::Unsure
    }

    /// A name bound inside the expression or by a parameter.
    pub(super) fn lookup(&mut self, name: &Ident, tokens: &TokenStream) -> Option<Flow> {
        if let Some(flow) = self.scopes.find(&name_of(name)) {
            return Some(flow);
        }
        let mut flow = self.handler.is_receiver(name).then_some(Flow::Derived);
        for index in self.handler.binders(name) {
            self.found
                .used
                .entry(index)
                .or_insert_with(|| tokens.clone());
            flow = Some(Flow::Derived);
        }
        flow
    }

    fn parameter_names(&self) -> impl Iterator<Item = String> {
        let inputs = self
            .handler
            .parameters
            .iter()
            .filter(|one| one.context_type().is_none());
        inputs.flat_map(|parameter| parameter.bindings.iter().map(name_of))
    }

    pub(super) fn read_closure(&mut self, closure: &ExprClosure, given: Flow) -> Flow {
        if closure.asyncness.is_some() {
            return self.unevaluable_part(closure.asyncness, "an `async` closure");
        }
        self.scopes.open();
        self.closures += 1;
        for input in &closure.inputs {
            self.scopes.bind(input, given);
        }
        let flow = self.read(&closure.body);
        self.closures -= 1;
        self.scopes.close();
        flow
    }

    fn read_block(&mut self, block: &Block) -> Flow {
        self.scopes.open();
        let mut flow = Flow::Constant;
        for statement in &block.stmts {
            flow = match statement {
                Stmt::Local(local) => {
                    let mut value = Flow::Unsure;
                    if let Some(init) = &local.init {
                        value = self.read(&init.expr);
                        if let Some((_, diverging)) = &init.diverge {
                            value = value.max(self.read(diverging));
                        }
                    }
                    self.scopes.bind(&local.pat, value);
                    Flow::Constant
                }
                Stmt::Item(_) => Flow::Constant,
                Stmt::Expr(expr, _) => self.read(expr),
                Stmt::Macro(call) => self.read_macro(&call.mac),
            };
        }
        self.scopes.close();
        flow
    }

    fn read_match(&mut self, choice: &ExprMatch) -> Flow {
        let scrutinee = self.read(&choice.expr);
        let mut flow = scrutinee;
        for arm in &choice.arms {
            self.scopes.open();
            self.scopes.bind(&arm.pat, scrutinee);
            if let Pat::Guard(guarded) = &arm.pat {
                self.read(&guarded.guard);
            }
            flow = flow.max(self.read(&arm.body));
            self.scopes.close();
        }
        flow
    }

    pub(super) fn fresh(
        &mut self,
        at: impl ToTokens,
        text: String,
        generator: Option<Generator>,
    ) -> Flow {
        self.found.fresh.push(Fresh {
            tokens: at.to_token_stream(),
            text,
            generator,
        });
        Flow::Unsure
    }

    fn unevaluable(&mut self, at: &Expr, what: &'static str) -> Flow {
        self.unevaluable_part(at, what)
    }

    fn unevaluable_part(&mut self, at: impl ToTokens, what: &'static str) -> Flow {
        self.found.unevaluable.push((at.to_token_stream(), what));
        Flow::Unsure
    }
}

fn is_assignment(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}
