//! The derives: `Caller` and `Operational` for parameters, `KeyPart` for what a key is made of.

mod bounds;
mod caller;
mod key_part;
mod operational;
mod options;

pub(crate) use caller::expand as caller;
pub(crate) use key_part::expand as key_part;
pub(crate) use operational::expand as operational;
