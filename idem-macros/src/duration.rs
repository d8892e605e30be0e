//! `"24h"`, `"15m"` or a path to a const, read as a duration, with the unit errors.

use std::time::Duration;

use quote::ToTokens;
use syn::{Expr, ExprLit, ExprPath, Lit};

use crate::errors::Message;
use crate::syntax::ungrouped;

/// Longest duration that is taken: no store's clock overflows when it is added to now.
const LONGEST: Duration = Duration::from_secs(100 * 366 * DAY);
const DAY: u64 = 86_400;

const UNITS: [(char, u64); 5] = [
    ('s', 1),
    ('m', 60),
    ('h', 3_600),
    ('d', DAY),
    ('w', 7 * DAY),
];

/// A duration as the user gave it.
#[derive(Debug)]
pub(crate) enum DurationArg {
    /// A literal, with the tokens it came from.
    Literal(Lit, Duration),
    /// A path to a `Duration` const, which only rustc can evaluate.
    Const(ExprPath),
}

impl DurationArg {
    /// Reads the value of the argument `name`.
    pub(crate) fn read(name: &str, value: &Expr) -> syn::Result<Self> {
        match ungrouped(value) {
            Expr::Lit(ExprLit { lit, .. }) => literal(name, lit),
            Expr::Path(path) => Ok(DurationArg::Const(path.clone())),
            other => Err(
                Message::new(format!("`{name}` takes a text or the path of a const"))
                    .why("it is needed at compile time")
                    .fix(format!(
                        "`{name} = \"24h\"`, or `const LIFE: Duration = ..;` and `{name} = LIFE`"
                    ))
                    .at(other),
            ),
        }
    }
}

fn literal(name: &str, lit: &Lit) -> syn::Result<DurationArg> {
    let (seen, text) = match lit {
        Lit::Str(text) => (format!("\"{}\"", text.value()), text.value()),
        other => (other.to_token_stream().to_string(), String::new()),
    };
    let refuse = |what: &str, fix: String| {
        Err(Message::new(format!("`{name} = {seen}` {what}"))
            .fix(fix)
            .at(lit))
    };
    let example = format!("`{name} = \"{}\"`", example_of(name));

    let digits = match lit {
        Lit::Int(number) => number.base10_digits().to_owned(),
        _ => text
            .trim()
            .chars()
            .take_while(char::is_ascii_digit)
            .collect(),
    };
    let amount = digits.parse::<u64>().ok();
    let unit = match lit {
        Lit::Int(number) => number.suffix(),
        _ => text.trim()[digits.len()..].trim_start(),
    };
    let known = UNITS
        .iter()
        .find(|(letter, _)| unit == letter.encode_utf8(&mut [0; 4]));
    match (amount, known) {
        (Some(seconds), None) if unit.is_empty() => refuse(
            "has no unit",
            format!(
                "`{name} = \"{}\"`, if seconds were meant",
                in_largest_unit(seconds)
            ),
        ),
        (Some(_), None) => refuse(
            &format!("has the unit `{unit}`; the units are s, m, h, d and w"),
            example,
        ),
        (None, _) if digits.is_empty() => refuse("is no number with a unit", example),
        (Some(amount), Some((letter, seconds))) => {
            let compact = format!("{amount}{letter}");
            let total = amount.checked_mul(*seconds).map(Duration::from_secs);
            match total.filter(|total| *total <= LONGEST) {
                Some(_) if text != compact => refuse(
                    "is not written as one text of a number and its unit",
                    format!("`{name} = \"{compact}\"`"),
                ),
                Some(total) => Ok(DurationArg::Literal(lit.clone(), total)),
                None => refuse("is more than 100 years", example),
            }
        }
        (None, _) => refuse("is more than 100 years", example),
    }
}

fn example_of(name: &str) -> &'static str {
    match name {
        "wait" => "5s",
        "timeout" => "30s",
        _ => "24h",
    }
}

/// `86400` as `24h`: what a bare number of seconds most likely meant.
fn in_largest_unit(seconds: u64) -> String {
    match seconds {
        0 => "1s".to_owned(),
        _ if seconds > DAY && seconds.is_multiple_of(DAY) => format!("{}d", seconds / DAY),
        _ if seconds.is_multiple_of(3_600) => format!("{}h", seconds / 3_600),
        _ if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        _ => format!("{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn seconds(value: &Expr) -> u64 {
        match DurationArg::read("ttl", value) {
            Ok(DurationArg::Literal(_, total)) => total.as_secs(),
            other => panic!("{other:?}"),
        }
    }

    fn refused(value: &Expr) -> String {
        DurationArg::read("ttl", value).unwrap_err().to_string()
    }

    #[test]
    fn every_unit_is_read() {
        assert_eq!(seconds(&parse_quote!("0s")), 0);
        assert_eq!(seconds(&parse_quote!("15m")), 900);
        assert_eq!(seconds(&parse_quote!("24h")), 86_400);
        assert_eq!(seconds(&parse_quote!("2d")), 172_800);
        assert_eq!(seconds(&parse_quote!("1w")), 604_800);
    }

    #[test]
    fn a_path_is_left_to_rustc() {
        let read = DurationArg::read("ttl", &parse_quote!(limits::TTL));
        assert!(matches!(read, Ok(DurationArg::Const(_))));
    }

    #[test]
    fn a_number_without_unit_is_converted_in_the_fix() {
        assert_eq!(
            refused(&parse_quote!(86400)),
            "`ttl = 86400` has no unit\nfix: `ttl = \"24h\"`, if seconds were meant"
        );
        assert!(refused(&parse_quote!("90")).contains("`ttl = \"90s\"`"));
    }

    #[test]
    fn what_is_no_duration_is_named() {
        assert!(refused(&parse_quote!("500ms")).contains("has the unit `ms`"));
        assert!(refused(&parse_quote!("soon")).contains("is no number with a unit"));
        assert!(refused(&parse_quote!("")).contains("is no number with a unit"));
        assert!(refused(&parse_quote!("24 h")).contains("fix: `ttl = \"24h\"`"));
        assert!(refused(&parse_quote!(24h)).contains("fix: `ttl = \"24h\"`"));
        assert!(refused(&parse_quote!(1.5)).contains("is no number with a unit"));
        assert!(refused(&parse_quote!("-1s")).contains("is no number with a unit"));
        assert!(refused(&parse_quote!(Duration::from_secs(5))).contains("const LIFE"));
    }

    #[test]
    fn no_duration_overflows_a_clock() {
        assert!(refused(&parse_quote!("5300w")).contains("more than 100 years"));
        assert!(refused(&parse_quote!("99999999999999999999s")).contains("more than 100 years"));
        assert!(refused(&parse_quote!("9999999999999999999w")).contains("more than 100 years"));
    }
}
