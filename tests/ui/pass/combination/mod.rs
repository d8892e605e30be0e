mod memoize_all;
mod missing_key;
