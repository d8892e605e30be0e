//! What the mistakes in `fail/durations` were meant to be.

mod const_of_another_type;
mod no_number;
mod no_unit;
mod not_a_const;
mod too_long;
mod unknown_unit;
mod zero_const;
mod zero_timeout;
mod zero_ttl;
