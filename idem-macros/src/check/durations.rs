//! Rule: `ttl` and `timeout` are not zero. (`wait = "0s"` answers a duplicate at once.)
//!
//! What a const holds only rustc knows: the expansion asserts the same of it.

use crate::args::Args;
use crate::duration::DurationArg;
use crate::errors::{Errors, Message};

pub(crate) const ZERO_TTL: &str = "`ttl` is zero\n\
    why: the answer would be forgotten before a retry can ask for it\n\
    fix: `ttl = \"24h\"`, as long as callers may retry";

pub(crate) const ZERO_TIMEOUT: &str = "`timeout` is zero\n\
    why: every operation would be undone before it ran\n\
    fix: `timeout = \"30s\"`, or leave it out for the engine's default";

pub(super) fn check(args: &Args, errors: &mut Errors) {
    for (argument, zero) in [(&args.ttl, ZERO_TTL), (&args.timeout, ZERO_TIMEOUT)] {
        if let Some(DurationArg::Literal(literal, duration)) = argument.get()
            && duration.is_zero()
        {
            errors.push(Message::new(zero).at(literal));
        }
    }
}
