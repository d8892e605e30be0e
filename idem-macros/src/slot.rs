//! `Slot<T>`: an argument that can be given once, kept with the name that set it.

use proc_macro2::Ident;

use crate::errors::{Errors, Message};

/// The value of one argument; owns the "given twice" error for all of them.
#[derive(Debug)]
pub(crate) struct Slot<T>(Option<(Ident, T)>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot(None)
    }
}

impl<T> Slot<T> {
    /// Keeps the first value; a second one is reported at its name.
    pub(crate) fn set(&mut self, name: Ident, value: T, errors: &mut Errors) {
        if self.0.is_some() {
            let message = Message::new(format!("`{name}` is given twice"))
                .fix(format!("keep one `{name}` and delete the other"));
            errors.push(message.at(&name));
            return;
        }
        self.0 = Some((name, value));
    }

    /// The name that set it.
    pub(crate) fn name(&self) -> Option<&Ident> {
        self.0.as_ref().map(|(name, _)| name)
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(_, value)| value)
    }
}
