//! Finds the known name that a misspelled one was meant to be.

/// The candidate closest to `name`, if one is close enough to be a slip of the finger.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| {
            // `k` is no slip of `id`: at most a third of the longer name may differ.
            *distance * 3 <= name.chars().count().max(candidate.chars().count())
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_swapped_letter_is_found() {
        assert_eq!(nearest("tll", ["key", "ttl", "wait"]), Some("ttl"));
        assert_eq!(nearest("mercant", ["merchant", "key"]), Some("merchant"));
    }

    #[test]
    fn another_word_is_not() {
        assert_eq!(nearest("region", ["merchant", "key"]), None);
        assert_eq!(nearest("k", ["id"]), None);
    }
}
