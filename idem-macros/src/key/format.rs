//! Inline names in format strings: `format!("{id}-{amount:>width$}")`.

/// The names that a format string captures, in order.
pub(super) fn captured_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        if let Some(escaped) = rest.strip_prefix('{') {
            rest = escaped;
            continue;
        }
        let Some(close) = rest.find('}') else { break };
        let placeholder = &rest[..close];
        rest = &rest[close + 1..];
        let (argument, spec) = placeholder.split_once(':').unwrap_or((placeholder, ""));
        names.extend(as_name(argument.trim()));
        names.extend(widths(spec));
    }
    names
}

/// `width$` and `.precision$` in what follows the colon.
fn widths(spec: &str) -> impl Iterator<Item = String> {
    spec.split('$').rev().skip(1).filter_map(|before| {
        let start = before
            .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
            .map_or(0, |at| {
                at + before[at..].chars().next().map_or(1, char::len_utf8)
            });
        as_name(before[start..].trim_start_matches('0'))
    })
}

/// Format strings take no raw names.
fn as_name(text: &str) -> Option<String> {
    let name = syn::parse_str::<syn::Ident>(text).ok()?.to_string();
    (!name.starts_with("r#")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::captured_names;

    #[test]
    fn names_are_found_wherever_a_format_string_takes_them() {
        assert_eq!(
            captured_names("a-{id}-{}-{0}-{{no}}-{amount:?}"),
            ["id", "amount"]
        );
        assert_eq!(
            captured_names("{id:>width$.precision$}"),
            ["id", "precision", "width"]
        );
        assert_eq!(captured_names("{id"), [""; 0]);
        assert_eq!(captured_names("{:>5}{:08.3}"), [""; 0]);
    }
}
