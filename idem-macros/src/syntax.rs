//! Small readings of syntax that several stages share.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::visit::Visit;
use syn::{
    Attribute, Expr, GenericArgument, Pat, PatIdent, Path, PathArguments, PathSegment, Type,
};

/// The expression without the invisible groups that `macro_rules!` puts around `$x:expr`.
pub(crate) fn ungrouped(mut expr: &Expr) -> &Expr {
    while let Expr::Group(group) = expr {
        expr = &group.expr;
    }
    expr
}

/// The same for types, parentheses included.
pub(crate) fn ungrouped_type(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            other => return other,
        }
    }
}

/// Last segment of a type's path: how the type is spelled, whatever module it is in.
pub(crate) fn spelled(ty: &Type) -> Option<&PathSegment> {
    match ungrouped_type(ty) {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// The types in a segment's angle brackets.
pub(crate) fn type_arguments(segment: &PathSegment) -> impl Iterator<Item = &Type> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    arguments
        .into_iter()
        .flatten()
        .filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
}

/// The names a pattern binds. An upper-case name without `@` is a const or a unit struct.
pub(crate) fn bindings(pat: &Pat) -> Vec<Ident> {
    struct Bindings(Vec<Ident>);

    impl<'ast> Visit<'ast> for Bindings {
        fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
            if pat.subpat.is_some() || !starts_upper(&pat.ident) {
                self.0.push(pat.ident.clone());
            }
            syn::visit::visit_pat_ident(self, pat);
        }

        // A guard's names are used, not bound.
        fn visit_expr(&mut self, _: &'ast Expr) {}
    }

    let mut found = Bindings(Vec::new());
    found.visit_pat(pat);
    found.0
}

/// Whether a name is spelled like a const, a type or a constructor.
pub(crate) fn starts_upper(ident: &Ident) -> bool {
    name_of(ident).starts_with(char::is_uppercase)
}

/// A name without `r#`.
pub(crate) fn name_of(ident: &Ident) -> String {
    syn::ext::IdentExt::unraw(ident).to_string()
}

/// `a::b::c`, without generic arguments: how a path is shown in messages.
pub(crate) fn path_text(path: &Path) -> String {
    let names: Vec<_> = path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string())
        .collect();
    names.join("::")
}

/// Whether the attribute's path is the one name `name`.
pub(crate) fn is_named(attribute: &Attribute, name: &str) -> bool {
    attribute.path().is_ident(name)
}

/// Whether a name stands somewhere in the tokens, groups included.
pub(crate) fn names(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => names(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
