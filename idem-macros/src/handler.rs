//! `Handler`: the annotated fn, its signature parsed, its body left as raw tokens.
//!
//! A body that is typed only halfway is no mistake of the attribute: it still expands.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, quote};
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, FnArg, Generics, Pat, PatType, Receiver, ReturnType, Signature, Token, Type,
    TypeReference, Visibility, braced, token,
};

use crate::errors::Message;
use crate::span::hidden;
use crate::syntax::{bindings, is_named, name_of, ungrouped_type};

#[derive(Debug)]
pub(crate) struct Handler {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    /// All parameters but a receiver, in order.
    pub(crate) parameters: Vec<Parameter>,
    /// Nothing for a trait's method without a body.
    pub(crate) body: Option<Body>,
}

#[derive(Debug)]
pub(crate) struct Body {
    /// `#![..]` at the top of the body.
    pub(crate) inner_attributes: Vec<Attribute>,
    pub(crate) braces: token::Brace,
    pub(crate) statements: TokenStream,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) pattern: Pat,
    pub(crate) ty: Type,
    /// `#[cfg(..)]`: these follow the parameter to every place it is bound again.
    pub(crate) cfg: Vec<Attribute>,
    /// All other attributes but docs and our own `#[ambient]`.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) ambient: Option<Attribute>,
    /// The names the pattern binds.
    pub(crate) bindings: Vec<Ident>,
}

impl Handler {
    /// The item as it is written, but for its attributes and docs on parameters.
    pub(crate) fn emit_without_attributes(&self) -> TokenStream {
        let visibility = &self.visibility;
        let mut signature = self.signature.clone();
        for parameter in &self.parameters {
            signature.inputs.push(FnArg::Typed(parameter.written()));
        }
        let body = self.body.as_ref().map_or_else(
            || <Token![;]>::default().to_token_stream(),
            |body| body.emit_with_attributes(),
        );
        quote!(#visibility #signature #body)
    }

    pub(crate) fn name(&self) -> &Ident {
        &self.signature.ident
    }

    pub(crate) fn generics(&self) -> &Generics {
        &self.signature.generics
    }

    pub(crate) fn receiver(&self) -> Option<&Receiver> {
        self.signature.receiver()
    }

    /// Whether the name is the receiver's, of a fn that has one.
    pub(crate) fn is_receiver(&self, name: &Ident) -> bool {
        name == "self" && self.receiver().is_some()
    }

    pub(crate) fn return_type(&self) -> Option<&Type> {
        match &self.signature.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(ty),
        }
    }

    /// Indices of the parameters that bind `name`: more than one only under opposite `#[cfg]`s.
    pub(crate) fn binders(&self, name: &Ident) -> impl Iterator<Item = usize> {
        let all = self.parameters.iter().enumerate();
        all.filter(move |(_, one)| one.bindings.contains(name))
            .map(|(index, _)| index)
    }

    /// Parameters that may be the context: all of type `&mut _`.
    pub(crate) fn contexts(&self) -> impl Iterator<Item = (usize, &Parameter)> {
        self.parameters
            .iter()
            .enumerate()
            .filter(|(_, one)| one.context_type().is_some())
    }
}

impl Parameter {
    /// `T` of `&mut T`: the type that chooses the mode, if this is the context parameter.
    pub(crate) fn context_type(&self) -> Option<&Type> {
        match ungrouped_type(&self.ty) {
            Type::Reference(TypeReference {
                mutability: Some(_),
                elem,
                ..
            }) => Some(elem),
            _ => None,
        }
    }

    /// The one plain name of the parameter, if its pattern binds just one that is in use.
    pub(crate) fn plain_name(&self) -> Option<&Ident> {
        match &self.bindings[..] {
            [name] if !name_of(name).starts_with('_') => Some(name),
            _ => None,
        }
    }

    fn written(&self) -> PatType {
        let own = self.ambient.iter().chain(&self.cfg);
        PatType {
            attrs: own.chain(&self.attributes).cloned().collect(),
            pat: Box::new(self.pattern.clone()),
            colon_token: Token![:](hidden()),
            ty: Box::new(self.ty.clone()),
        }
    }

    fn new(arg: PatType) -> Self {
        let mut parameter = Parameter {
            bindings: bindings(&arg.pat),
            pattern: *arg.pat,
            ty: *arg.ty,
            cfg: Vec::new(),
            attributes: Vec::new(),
            ambient: None,
        };
        for attribute in arg.attrs {
            match attribute {
                // rustc refuses docs on parameters when they are emitted again.
                doc if is_named(&doc, "doc") => {}
                cfg if is_named(&cfg, "cfg") => parameter.cfg.push(cfg),
                ambient if is_named(&ambient, "ambient") => parameter.ambient = Some(ambient),
                other => parameter.attributes.push(other),
            }
        }
        parameter
    }
}

impl Parse for Handler {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        if !starts_fn(input) {
            return Err(Message::new("the attribute goes on an `async fn`")
                .why("it runs a function's body once and records what it returned")
                .fix("move it to the fn that does the work")
                .at_span(input.span()));
        }
        let mut signature: Signature = input.parse()?;
        let parameters = std::mem::take(&mut signature.inputs)
            .into_iter()
            .filter_map(|arg| match arg {
                FnArg::Typed(arg) => Some(Parameter::new(arg)),
                receiver @ FnArg::Receiver(_) => {
                    signature.inputs.push(receiver);
                    None
                }
            })
            .collect();
        let body = match input.parse::<Option<Token![;]>>()? {
            Some(_) => None,
            None => Some(input.parse()?),
        };
        Ok(Handler {
            attributes,
            visibility,
            signature,
            parameters,
            body,
        })
    }
}

impl Body {
    fn emit_with_attributes(&self) -> TokenStream {
        let mut tokens = TokenStream::new();
        self.braces.surround(&mut tokens, |inside| {
            inside.append_all(&self.inner_attributes);
            inside.extend(self.statements.clone());
        });
        tokens
    }

    /// The statements in the user's braces, exactly as they came.
    pub(crate) fn emit(&self) -> TokenStream {
        let mut tokens = TokenStream::new();
        self.braces
            .surround(&mut tokens, |inside| inside.extend(self.statements.clone()));
        tokens
    }
}

impl Parse for Body {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        Ok(Body {
            braces: braced!(content in input),
            inner_attributes: content.call(Attribute::parse_inner)?,
            statements: content.parse()?,
        })
    }
}

/// Whether `fn` comes next, behind any qualifiers.
fn starts_fn(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    while let Ok(token) = ahead.parse::<TokenTree>() {
        match token {
            TokenTree::Ident(word) if word == "fn" => return true,
            TokenTree::Ident(word)
                if ["const", "async", "unsafe", "safe", "extern"]
                    .iter()
                    .any(|one| word == one) => {}
            // The ABI of `extern "C"`.
            TokenTree::Literal(_) => {}
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;
    use syn::parse2;

    #[test]
    fn a_half_typed_body_still_parses() {
        let handler: Handler = parse2(quote! {
            pub async fn pay(tx: &mut Tx<Sqlite>, Json(new): Json<New>) -> String { let x = new. }
        })
        .unwrap();
        assert_eq!(handler.name(), "pay");
        assert_eq!(handler.contexts().count(), 1);
    }

    #[test]
    fn bindings_are_found_inside_patterns() {
        let handler: Handler = parse2(quote! {
            async fn pay(
                State(mut app): State<App>,
                Json(Order { id, mut lines, note: n @ Some(_), .. }): Json<Order>,
                (None | Some(_)): Option<u8>,
            ) {}
        })
        .unwrap();
        let names: Vec<Vec<String>> = handler
            .parameters
            .iter()
            .map(|one| one.bindings.iter().map(ToString::to_string).collect())
            .collect();
        assert_eq!(names, [vec!["app"], vec!["id", "lines", "n"], vec![]]);
    }

    #[test]
    fn what_is_no_fn_is_refused() {
        for item in [
            quote!(
                struct Payment;
            ),
            quote!(
                const X: u8 = 1;
            ),
            quote!(
                mod m {}
            ),
        ] {
            let error = parse2::<Handler>(item).unwrap_err().to_string();
            assert!(
                error.starts_with("the attribute goes on an `async fn`"),
                "{error}"
            );
        }
    }
}
