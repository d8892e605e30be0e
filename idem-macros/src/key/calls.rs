//! Reads calls: functions, methods and macros, and what their arguments bring.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprCall, ExprLit, ExprMethodCall, Lit, Macro, Token};

use super::format::captured_names;
use super::generators;
use super::reading::{Flow, Reader};
use crate::syntax::{name_of, path_text, starts_upper, ungrouped};

impl Reader<'_> {
    pub(super) fn read_call(&mut self, call: &ExprCall) -> Flow {
        let mut function = ungrouped(&call.func);
        while let Expr::Paren(inner) = function {
            function = ungrouped(&inner.expr);
        }
        let Expr::Path(function) = function else {
            let flow = self.read(&call.func);
            return match self.read_arguments(&call.args, flow) {
                Flow::Constant => self.fresh(call, call_text("(..)", call.args.is_empty()), None),
                flow => flow,
            };
        };
        let text = call_text(&path_text(&function.path), call.args.is_empty());
        if let Some(generator) = generators::function(function) {
            return self.fresh(call, text, Some(generator));
        }
        let constructor = function
            .path
            .segments
            .last()
            .is_some_and(|one| starts_upper(&one.ident));
        match self.read_arguments(&call.args, Flow::Constant) {
            Flow::Constant if !constructor => match self.misspelled_argument(&call.args) {
                true => Flow::Unsure,
                false => self.fresh(call, text, None),
            },
            flow => flow,
        }
    }

    /// Whether a call is given nothing only because a parameter's name is misspelled.
    fn misspelled_argument(&mut self, args: &Punctuated<Expr, Token![,]>) -> bool {
        let before = self.found.unknown.len();
        for arg in args {
            if let Expr::Path(path) = ungrouped(arg)
                && let Some(name) = path.path.get_ident()
            {
                self.read_ident(name, path.to_token_stream());
            }
        }
        self.found.unknown.len() > before
    }

    pub(super) fn read_method(&mut self, call: &ExprMethodCall) -> Flow {
        let receiver = self.read(&call.receiver);
        let flow = self.read_arguments(&call.args, receiver);
        let state_of_a_static = || match ungrouped(&call.receiver) {
            Expr::Path(_) if receiver == Flow::Constant => generators::state_method(&call.method),
            _ => None,
        };
        match generators::method(&call.method).or_else(state_of_a_static) {
            Some(generator) if receiver != Flow::Unsure => {
                let receiver = match ungrouped(&call.receiver) {
                    Expr::Path(path) => path_text(&path.path),
                    _ => String::new(),
                };
                let method = format!("{receiver}.{}", call.method);
                self.fresh(
                    call,
                    call_text(&method, call.args.is_empty()),
                    Some(generator),
                )
            }
            _ => flow,
        }
    }

    /// Arguments of a call whose receiver (if any) has the flow `receiver`.
    fn read_arguments(&mut self, args: &Punctuated<Expr, Token![,]>, receiver: Flow) -> Flow {
        let (closures, values): (Vec<_>, Vec<_>) = args
            .iter()
            .partition(|arg| matches!(ungrouped(arg), Expr::Closure(_)));
        let mut flow = receiver;
        for value in values {
            flow = flow.max(self.read_argument(value));
        }
        // A closure is given what the receiver or the other arguments hold.
        let given = flow;
        for closure in closures {
            if let Expr::Closure(closure) = ungrouped(closure) {
                flow = flow.max(self.read_closure(closure, given));
            }
        }
        flow
    }

    /// A lower-case name that nothing binds may be a fn given as a value.
    fn read_argument(&mut self, arg: &Expr) -> Flow {
        match ungrouped(arg) {
            Expr::Path(path) if generators::function(path).is_none() => {
                let name = path.path.get_ident();
                name.and_then(|name| self.lookup(name, &path.to_token_stream()))
                    .unwrap_or(Flow::Constant)
            }
            other => self.read(other),
        }
    }

    pub(super) fn read_macro(&mut self, call: &Macro) -> Flow {
        let name = path_text(&call.path);
        let short = call.path.segments.last().map(|segment| &segment.ident);
        let text = if call.tokens.is_empty() {
            format!("{name}!()")
        } else {
            format!("{name}!(..)")
        };
        if let Some(generator) = short.and_then(generators::macro_name) {
            return self.fresh(call, text, Some(generator));
        }
        let parse = Punctuated::<Expr, Token![,]>::parse_terminated;
        let flow = match parse.parse2(call.tokens.clone()) {
            Ok(args) => self.read_macro_arguments(&args),
            Err(_) => self.scan(call.tokens.clone()),
        };
        let constant = short.is_some_and(|name| CONSTANT_MACROS.contains(&name_of(name).as_str()));
        match flow {
            Flow::Constant if !constant => self.fresh(call, text, None),
            flow => flow,
        }
    }

    fn read_macro_arguments(&mut self, args: &Punctuated<Expr, Token![,]>) -> Flow {
        let mut flow = Flow::Constant;
        let mut named = Vec::new();
        for arg in args {
            // `format!("{total}", total = order.total)`
            flow = flow.max(match arg {
                Expr::Assign(assign) => {
                    if let Expr::Path(name) = &*assign.left {
                        named.extend(name.path.get_ident().map(name_of));
                    }
                    self.read(&assign.right)
                }
                other => self.read(other),
            });
        }
        if let Some(Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        })) = args.first().map(ungrouped)
        {
            for name in captured_names(&text.value()) {
                if !named.contains(&name) {
                    let name = Ident::new(&name, text.span());
                    flow = flow.max(self.read_ident(&name, text.to_token_stream()));
                }
            }
        }
        flow
    }

    /// Tokens that are no list of expressions: only the parameters in them are seen.
    fn scan(&mut self, tokens: TokenStream) -> Flow {
        tokens.into_iter().fold(Flow::Constant, |flow, token| {
            flow.max(match token {
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Ident(name) => self
                    .lookup(&name, &name.to_token_stream())
                    .unwrap_or(Flow::Constant),
                _ => Flow::Constant,
            })
        })
    }
}

/// Macros that are the same on every call if their arguments are.
const CONSTANT_MACROS: &[&str] = &[
    "concat",
    "env",
    "file",
    "format",
    "format_args",
    "include_str",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "stringify",
    "todo",
    "unimplemented",
    "unreachable",
    "uuid",
    "vec",
];

fn call_text(name: &str, no_arguments: bool) -> String {
    if no_arguments {
        format!("{name}()")
    } else {
        format!("{name}(..)")
    }
}
