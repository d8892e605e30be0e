mod memoize_all;
mod missing_key;
mod missing_key_of_a_job;
