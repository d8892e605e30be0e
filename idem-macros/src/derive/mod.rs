//! The derives for parameters: `Caller` and `Operational`.

mod caller;
mod operational;
mod options;

pub(crate) use caller::expand as caller;
pub(crate) use operational::expand as operational;
