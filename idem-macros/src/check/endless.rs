//! Rule: the answer ends. A stream of events has no end, so it can be neither recorded nor
//! replayed. (Other bodies that stream are read to their end, within `timeout`.)

use quote::ToTokens;
use syn::TypePath;
use syn::visit::Visit;

use crate::errors::{Errors, Message};
use crate::handler::Handler;

pub(super) fn check(handler: &Handler, errors: &mut Errors) {
    let Some(ty) = handler.return_type() else {
        return;
    };
    let mut search = Search(None);
    search.visit_type(ty);
    if let Some(found) = search.0 {
        let message = Message::new("an event stream cannot be recorded")
            .why("a retry is given the whole answer of the first attempt, and a stream has no end")
            .fix("return the id of what was started, and stream its events from a plain handler");
        errors.push(message.at(found));
    }
}

struct Search(Option<proc_macro2::TokenStream>);

impl<'ast> Visit<'ast> for Search {
    fn visit_type_path(&mut self, ty: &'ast TypePath) {
        if self.0.is_none()
            && ty
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "Sse")
        {
            self.0 = Some(ty.to_token_stream());
        }
        syn::visit::visit_type_path(self, ty);
    }
}
