//! `Args`: every argument of the attribute, each kept with the tokens it came from.

mod values;

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Expr, LitStr, Token};

use values::{
    example, listed, parse_allow, parse_choice, parse_duration, parse_expr, parse_fingerprint,
    parse_scope, skip_to_next,
};

use crate::crate_path::CratePath;
use crate::duration::DurationArg;
use crate::errors::{Errors, Message};
use crate::nearest::nearest;
use crate::slot::Slot;
use crate::syntax::name_of;

/// All arguments, sorted: what an unknown one is compared with.
const NAMES: [&str; 10] = [
    "allow",
    "crate",
    "fingerprint",
    "key",
    "memoize",
    "missing_key",
    "scope",
    "timeout",
    "ttl",
    "wait",
];

#[derive(Debug, Default)]
pub(crate) struct Args {
    pub(crate) key: Slot<Expr>,
    pub(crate) ttl: Slot<DurationArg>,
    pub(crate) scope: Slot<LitStr>,
    pub(crate) wait: Slot<DurationArg>,
    pub(crate) timeout: Slot<DurationArg>,
    pub(crate) fingerprint: Slot<FingerprintArg>,
    pub(crate) memoize: Slot<Memoize>,
    pub(crate) missing_key: Slot<MissingKey>,
    pub(crate) allow: Slot<Vec<Allowed>>,
    pub(crate) crate_path: Slot<CratePath>,
    /// All of them, as they came.
    pub(crate) written: TokenStream,
    /// Whether `key` is there at all, readable or not.
    pub(crate) names_key: bool,
    /// Whether `scope` is.
    pub(crate) names_scope: bool,
}

/// What must match when a key is used again.
#[derive(Debug)]
pub(crate) enum FingerprintArg {
    /// `fingerprint = none`: method and path only.
    None,
    /// `fingerprint = EXPR`: this value in place of parameters and query.
    Value(Expr),
}

/// Which answers are recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Memoize {
    Success,
    Final,
    All,
}

/// What a request without the key header meets, where it is not refused.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MissingKey {
    Run,
}

/// A body check that is switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    Pool,
    Spawn,
}

impl Args {
    /// Reads all arguments; what cannot be read is reported and left out.
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut args = Args {
            written: tokens.clone(),
            ..Args::default()
        };
        let read = |input: ParseStream<'_>| {
            while !input.is_empty() {
                if let Err(error) = args.parse_one(input, errors) {
                    errors.push(error);
                    skip_to_next(input);
                }
                if !input.is_empty()
                    && let Err(error) = input.parse::<Token![,]>()
                {
                    errors.push(error);
                    skip_to_next(input);
                    let _: Option<Token![,]> = input.parse()?;
                }
            }
            Ok(())
        };
        if let Err(error) = read.parse2(tokens) {
            errors.push(error);
        }
        args
    }

    pub(crate) fn allows(&self, check: Allowed) -> bool {
        self.allow
            .get()
            .is_some_and(|allowed| allowed.contains(&check))
    }

    /// Where the expansion finds the runtime crate.
    pub(crate) fn runtime(&self) -> CratePath {
        self.crate_path.get().cloned().unwrap_or_default()
    }

    fn parse_one(&mut self, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
        let name = input.call(Ident::parse_any)?;
        let text = name_of(&name);
        let known = NAMES
            .iter()
            .find(|known| **known == text)
            .ok_or_else(|| unknown(&name))?;
        self.names_key |= *known == "key";
        self.names_scope |= *known == "scope";
        if *known == "allow" {
            let allowed = parse_allow(&name, input, errors)?;
            self.allow.set(name, allowed, errors);
            return Ok(());
        }
        if !input.peek(Token![=]) {
            return Err(Message::new(format!("`{known}` is given no value"))
                .fix(format!("`{}`", example(known)))
                .at(&name));
        }
        input.parse::<Token![=]>()?;
        match *known {
            "key" => {
                let key = parse_expr(&name, input)?;
                self.key.set(name, key, errors);
            }
            "ttl" => parse_duration(name, input, &mut self.ttl, errors)?,
            "wait" => parse_duration(name, input, &mut self.wait, errors)?,
            "timeout" => parse_duration(name, input, &mut self.timeout, errors)?,
            "scope" => {
                let scope = parse_scope(&name, input)?;
                self.scope.set(name, scope, errors);
            }
            "fingerprint" => {
                let fingerprint = parse_fingerprint(&name, input)?;
                self.fingerprint.set(name, fingerprint, errors);
            }
            "memoize" => {
                let choices = [
                    ("success", Memoize::Success),
                    ("final", Memoize::Final),
                    ("all", Memoize::All),
                ];
                let memoize = parse_choice(&name, input, &choices)?;
                self.memoize.set(name, memoize, errors);
            }
            "missing_key" => {
                let missing_key = parse_choice(&name, input, &[("run", MissingKey::Run)])?;
                self.missing_key.set(name, missing_key, errors);
            }
            "crate" => {
                let path = input.call(CratePath::parse)?;
                self.crate_path.set(name, path, errors);
            }
            other => unreachable!("BUG: `{other}` is in NAMES but not read"),
        }
        Ok(())
    }
}

fn unknown(name: &Ident) -> syn::Error {
    let hint = nearest(&name.to_string(), NAMES)
        .map(|known| format!("; did you mean `{known}`?"))
        .unwrap_or_default();
    Message::new(format!("unknown argument `{name}`{hint}"))
        .fix(format!("the arguments are {}", listed(&NAMES)))
        .at(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn mistakes(tokens: TokenStream) -> Vec<String> {
        let mut errors = Errors::new();
        let _ = Args::parse(tokens, &mut errors);
        errors.texts()
    }

    #[test]
    fn all_arguments_are_read() {
        let mut errors = Errors::new();
        let args = Args::parse(
            quote! {
                key = (merchant.id, key), ttl = "24h", scope = "payments.create", wait = "0s",
                timeout = LIMIT, fingerprint = none, memoize = final, missing_key = run,
                allow(pool, spawn), crate = my::idem,
            },
            &mut errors,
        );
        assert_eq!(errors.texts(), [""; 0]);
        assert!(args.key.get().is_some());
        assert!(matches!(args.timeout.get(), Some(DurationArg::Const(_))));
        assert!(matches!(args.fingerprint.get(), Some(FingerprintArg::None)));
        assert!(matches!(args.memoize.get(), Some(Memoize::Final)));
        assert!(args.allows(Allowed::Pool) && args.allows(Allowed::Spawn));
    }

    #[test]
    fn a_second_value_is_refused_for_every_argument() {
        assert_eq!(
            mistakes(quote!(
                key = a,
                key = b,
                ttl = "1h",
                ttl = "2h",
                allow(pool),
                allow(spawn)
            )),
            [
                "`key` is given twice\nfix: keep one `key` and delete the other",
                "`ttl` is given twice\nfix: keep one `ttl` and delete the other",
                "`allow` is given twice\nfix: keep one `allow` and delete the other",
            ]
        );
    }

    #[test]
    fn an_unknown_argument_is_compared_with_the_known_ones() {
        let [mistake] = &mistakes(quote!(key = a, tll = "24h"))[..] else {
            panic!("one mistake")
        };
        assert!(mistake.starts_with("unknown argument `tll`; did you mean `ttl`?\nfix: "));
        assert!(mistake.ends_with(
            "`allow`, `crate`, `fingerprint`, `key`, `memoize`, \
            `missing_key`, `scope`, `timeout`, `ttl`, `wait`"
        ));
    }

    #[test]
    fn reading_goes_on_behind_each_mistake() {
        let mistakes = mistakes(quote! {
            kye = a::<B, C>(d), ttl = 5, key = merchant., memoize = finall, scope = "", wait,
            allow(pol), crate = "idem",
        });
        let starts: Vec<_> = mistakes
            .iter()
            .map(|text| text.split('\n').next().unwrap())
            .collect();
        assert_eq!(
            starts,
            [
                "unknown argument `kye`; did you mean `key`?",
                "`ttl = 5` has no unit",
                "the value of `key` is no whole expression: expected identifier or integer",
                "`memoize = finall` is not known",
                "`scope` is empty",
                "`wait` is given no value",
                "there is no check `pol`; did you mean `pool`?",
                "`crate` takes a path, not a text",
            ]
        );
    }
}
