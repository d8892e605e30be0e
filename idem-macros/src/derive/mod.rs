//! The derives: `Caller` and `Operational` for parameters, `KeyPart` for what a key is made of,
//! `Final` for errors.

mod bounds;
mod caller;
mod finality;
mod key_part;
mod operational;
mod options;

pub(crate) use caller::expand as caller;
pub(crate) use finality::expand as finality;
pub(crate) use key_part::expand as key_part;
pub(crate) use operational::expand as operational;
