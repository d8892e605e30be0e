//! Names bound inside the key expression: closure parameters, `let`, `if let`, match arms.

use std::collections::HashMap;

use syn::Pat;

use super::reading::Flow;
use crate::syntax::{bindings, name_of};

/// Nested scopes, innermost last.
#[derive(Debug, Default)]
pub(super) struct Scopes(Vec<HashMap<String, Flow>>);

impl Scopes {
    pub(super) fn open(&mut self) {
        self.0.push(HashMap::new());
    }

    pub(super) fn close(&mut self) {
        self.0
            .pop()
            .expect("BUG: a scope closed that was not opened");
    }

    /// Binds all names of `pattern` to what flows into it.
    pub(super) fn bind(&mut self, pattern: &Pat, flow: Flow) {
        let scope = self
            .0
            .last_mut()
            .expect("BUG: a name bound outside a scope");
        scope.extend(bindings(pattern).iter().map(|name| (name_of(name), flow)));
    }

    pub(super) fn find(&self, name: &str) -> Option<Flow> {
        self.0
            .iter()
            .rev()
            .find_map(|scope| scope.get(name).copied())
    }
}
