//! Rule: the key comes from input that a retry repeats: no fresh id, no clock, no counter, and
//! no call or macro that is given nothing from the parameters.
//!
//! A helper that is given a parameter passes, whatever else it does: the macro cannot look
//! inside. A debug build evaluates the key twice and reports a difference.

use super::{header_parameter, inputs};
use crate::errors::{Errors, Message};
use crate::form::Form;
use crate::handler::Handler;
use crate::key::{Fresh, Generator, Reading};

pub(super) fn check(
    reading: &Reading,
    argument: &str,
    handler: &Handler,
    form: Form,
    errors: &mut Errors,
) {
    for fresh in &reading.fresh {
        errors.push(message(fresh, argument, handler, form).at(&fresh.tokens));
    }
}

fn message(fresh: &Fresh, argument: &str, handler: &Handler, form: Form) -> Message {
    let text = &fresh.text;
    let what = match fresh.generator {
        Some(Generator::Random) => format!("`{text}` makes a new value on every attempt"),
        Some(Generator::Clock) => {
            format!("`{text}` reads the clock, which differs on every attempt")
        }
        Some(Generator::Process) => {
            format!("`{text}` depends on this process, so it differs on the next attempt")
        }
        None => format!(
            "`{text}` is given nothing from the parameters, so it may differ on every attempt"
        ),
    };
    let why = match argument {
        "key" => "a retry is recognised only by carrying the key of the attempt it repeats",
        _ => "a retry whose fingerprint differs is refused as another request",
    };
    Message::new(what)
        .why(why)
        .fix(fix(fresh, argument, handler, form))
}

fn fix(fresh: &Fresh, argument: &str, handler: &Handler, form: Form) -> String {
    let instead = match (argument, header_parameter(handler)) {
        _ if form != Form::Axum => format!("use {}", inputs(handler, form)),
        ("key", Some(key)) => {
            format!("use a field of the request, or the `Idempotency-Key` header: `{key}`")
        }
        ("key", None) => "use a field of the request, or add the parameter `key: IdempotencyKey` \
            and use `key`"
            .to_owned(),
        _ => "use fields of the request only".to_owned(),
    };
    match fresh.generator {
        Some(_) => instead,
        None => format!("{instead}; for a true constant: `const X: T = ..` and `X`"),
    }
}
