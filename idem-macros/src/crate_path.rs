//! The `crate = ...` argument: where the expansion finds the runtime crate.

use quote::{ToTokens, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Path};

use crate::errors::Message;
use crate::span::hidden;

/// Path of `idem-core` as the user's crate sees it.
#[derive(Debug, Clone, Default)]
pub(crate) struct CratePath(Option<Path>);

impl Parse for CratePath {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            let text: LitStr = input.parse()?;
            let message = Message::new("`crate` takes a path, not a text")
                .fix(format!("`crate = {}`", text.value()));
            return Err(message.at(text));
        }
        input.call(Path::parse_mod_style).map(Some).map(CratePath)
    }
}

impl ToTokens for CratePath {
    fn to_tokens(&self, tokens: &mut proc_macro2::TokenStream) {
        match &self.0 {
            Some(path) => path.to_tokens(tokens),
            None => quote_spanned!(hidden()=> ::idem_core).to_tokens(tokens),
        }
    }
}
