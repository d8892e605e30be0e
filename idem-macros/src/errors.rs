//! Gathers the mistakes of one expansion and words them in three lines: what, why, fix.

use std::fmt::{self, Display};

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// One mistake as the user reads it; rustc indents the later lines under the first.
#[derive(Clone)]
pub(crate) struct Message {
    what: String,
    why: Option<String>,
    fix: Option<String>,
}

impl Message {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Message {
            what: what.into(),
            why: None,
            fix: None,
        }
    }

    pub(crate) fn why(mut self, why: impl Into<String>) -> Self {
        self.why = Some(why.into());
        self
    }

    pub(crate) fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// An error that underlines all of `tokens`, or `span` where there are none.
    pub(crate) fn at(&self, tokens: impl ToTokens) -> syn::Error {
        syn::Error::new_spanned(tokens, self)
    }

    pub(crate) fn at_span(&self, span: Span) -> syn::Error {
        syn::Error::new(span, self)
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(why) = &self.why {
            write!(f, "\nwhy: {why}")?;
        }
        if let Some(fix) = &self.fix {
            write!(f, "\nfix: {fix}")?;
        }
        Ok(())
    }
}

/// All mistakes found so far. Every rule adds to it; none stops the others.
///
/// # Panics
///
/// On drop, if nobody called [`Errors::finish`]: a mistake would go unreported.
#[must_use]
pub(crate) struct Errors {
    gathered: Option<Vec<syn::Error>>,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Errors {
            gathered: Some(Vec::new()),
        }
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        self.gathered
            .as_mut()
            .expect("BUG: an error pushed after finish")
            .push(error);
    }

    /// Forgets everything: whoever expands the item next finds it again.
    pub(crate) fn discard(mut self) {
        self.gathered = None;
    }

    /// Everything gathered, as `compile_error!` items; nothing if all is well.
    pub(crate) fn finish(mut self) -> Result<(), TokenStream> {
        let gathered = self.gathered.take().expect("BUG: errors finished twice");
        if gathered.is_empty() {
            return Ok(());
        }
        Err(gathered.iter().map(syn::Error::to_compile_error).collect())
    }

    #[cfg(test)]
    pub(crate) fn texts(mut self) -> Vec<String> {
        let gathered = self.gathered.take().expect("BUG: errors finished twice");
        gathered.iter().map(ToString::to_string).collect()
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        if self.gathered.is_some() && !std::thread::panicking() {
            panic!("BUG: errors dropped without being looked at");
        }
    }
}
