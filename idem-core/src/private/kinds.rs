//! Parameter kinds: what each parameter of an annotated fn is, decided by its type.
//!
//! An expansion asks with a ladder of references: `(&&&&&&&Param(of(&value))).kind()` takes the first
//! rung whose bound holds, and ends on a bound that no type meets, whose message names the ways
//! out. This works in generic fns too, where no value decides anything.
//!
//! Plain fns and jobs import one rung more than handlers: whatever is `Serialize` is an input.

#[cfg(feature = "apalis")]
mod apalis;
#[cfg(feature = "axum")]
mod axum;

use std::marker::PhantomData;

use serde::Serialize;

use crate::fingerprint::FingerprintWriter;

/// A type that says whose operation it is, such as an authenticated merchant; derive it on your
/// auth extractor. In the key it keeps customers apart; it is no part of the fingerprint, since a
/// new session or plan must not turn a retry into a refusal.
///
/// `Extension<T>` is a caller where `T` is. `Option<T>` never is: there is no shared bucket for the
/// anonymous.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whose operation it is",
    note = "fix: `#[derive(Caller)]` on the type your authentication produces"
)]
pub trait Caller {}
impl<T: Caller + ?Sized> Caller for &T {}

/// A type of your own that holds inputs of operations, such as a custom extractor; derive it.
///
/// Its fields are part of the fingerprint: the same key with other ones is refused. Mind types
/// whose `Serialize` differs between runs (sets) or hides what differs (redacted secrets): leave
/// such fields out with `#[operational(skip)]`.
pub trait Operational {
    /// Writes the inputs.
    fn feed(&self, fingerprint: &mut FingerprintWriter);
}

impl<T: Operational + ?Sized> Operational for &T {
    fn feed(&self, fingerprint: &mut FingerprintWriter) {
        T::feed(self, fingerprint);
    }
}

/// The ladder's subject: a parameter's type, without its value.
#[derive(Debug)]
pub struct Param<T>(pub PhantomData<T>);

/// The type of `value`.
pub fn of<T>(_value: &T) -> PhantomData<T> {
    PhantomData
}

macro_rules! tokens {
    ($($(#[$docs:meta])* $token:ident $flag:ident;)*) => {$(
        $(#[$docs])*
        #[derive(Debug)]
        pub struct $token<T>(PhantomData<T>);

        impl<T> Kind for $token<T> {
            type Param = T;
            type Flag = $flag;
        }
    )*};
}
tokens! {
    /// Says whose operation it is.
    CallerKind HasCaller;
    /// Names the operation.
    Name NoCaller;
    /// Is an input of the operation.
    OperationalKind NoCaller;
    /// Is an input of the operation, as any value that can be written.
    Value NoCaller;
    /// Differs between attempts, or has nothing to do with the operation.
    Ambient NoCaller;
    /// Has no kind, which is an error of its own: nothing else is said about it.
    Unknown HasCaller;
}

/// What all kinds have.
pub trait Kind {
    /// The parameter's type.
    type Param;
    /// Whether it says whose operation it is.
    type Flag: Default;
}

macro_rules! silent {
    ($($token:ident)*) => {$(
        impl<T> $token<T> {
            /// This kind is no part of the fingerprint.
            pub fn feed(&self, _value: &T, _fingerprint: &mut FingerprintWriter) {}
        }
    )*};
}
silent! { CallerKind Name Ambient Unknown }

impl<T> OperationalKind<T> {
    /// Writes the parameter's inputs.
    pub fn feed(&self, value: &T, fingerprint: &mut FingerprintWriter)
    where
        T: Fingerprinted,
    {
        value.feed(fingerprint);
    }
}

impl<T: Serialize> Value<T> {
    /// Writes the parameter.
    pub fn feed(&self, value: &T, fingerprint: &mut FingerprintWriter) {
        fingerprint.value(value);
    }
}

/// Marks a parameter annotated with `#[ambient]`.
pub fn ambient<T>(_value: &T) -> Ambient<T> {
    Ambient(PhantomData)
}

macro_rules! rungs {
    ($($rung:ident for [$($reference:tt)*] if $bound:path => $token:ident;)*) => {$(
        /// A rung of the ladder.
        pub trait $rung {
            /// The parameter's type.
            type Param;
            /// The kind of a type on this rung.
            fn kind(&self) -> $token<Self::Param>;
        }

        impl<T: $bound> $rung for $($reference)* Param<T> {
            type Param = T;
            fn kind(&self) -> $token<T> {
                $token(PhantomData)
            }
        }
    )*};
}
rungs! {
    AsCaller for [&&&&&&] if Caller => CallerKind;
    AsName for [&&&&&] if IsName => Name;
    AsOperational for [&&&&] if IsOperational => OperationalKind;
    AsAmbient for [&&&] if IsAmbient => Ambient;
    AsValue for [&] if Serialize => Value;
}

/// The rung of callers that may be absent: an error of its own.
pub trait AsOptionalCaller {
    /// The caller's type.
    type Caller;
    /// Never callable: its bound is met by no type.
    fn kind(&self) -> Unknown<Option<Self::Caller>>
    where
        Self::Caller: CallerOfEverybody;
}

impl<T: Caller> AsOptionalCaller for &&Param<Option<T>> {
    type Caller = T;
    fn kind(&self) -> Unknown<Option<T>>
    where
        T: CallerOfEverybody,
    {
        Unknown(PhantomData)
    }
}

/// Met by no type: says why a caller is never optional.
#[diagnostic::on_unimplemented(
    message = "`Option<{Self}>` leaves open whose operation it is",
    label = "a caller that may be absent",
    note = "why: everybody without a `{Self}` would share one set of keys, and get each other's answers",
    note = "fix: `{Self}`, so that its extractor refuses those who have none",
    note = "fix: `key = shared(key)` and `#[ambient]` before this parameter, for an API with one caller"
)]
pub trait CallerOfEverybody {}

/// The last rung of handlers: an error.
pub trait AsNothing {
    /// The parameter's type.
    type Param;
    /// Never callable: its bound is met by no type.
    fn kind(&self) -> Unknown<Self::Param>
    where
        Self::Param: ParameterKind;
}

impl<T> AsNothing for Param<T> {
    type Param = T;
    fn kind(&self) -> Unknown<T>
    where
        T: ParameterKind,
    {
        Unknown(PhantomData)
    }
}

/// The last rung of plain fns and jobs: an error.
pub trait AsNoValue {
    /// The parameter's type.
    type Param;
    /// Never callable: its bound is met by no type.
    fn kind(&self) -> Unknown<Self::Param>
    where
        Self::Param: ValueKind;
}

impl<T> AsNoValue for Param<T> {
    type Param = T;
    fn kind(&self) -> Unknown<T>
    where
        T: ValueKind,
    {
        Unknown(PhantomData)
    }
}

/// Met by no type: says what to do about an extractor without a kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no kind, so idem cannot tell whether it must match when a key is reused",
    label = "a parameter of no known kind",
    note = "why: every parameter is an input of the operation, its caller, its name, or none of its business",
    note = "fix: `#[derive(Operational)]` on `{Self}` if a retry repeats it",
    note = "fix: `#[derive(Caller)]` on `{Self}` if it says whose operation it is",
    note = "fix: `#[ambient]` before the parameter if the operation does not depend on it"
)]
pub trait ParameterKind {}

/// Met by no type: says what to do about a parameter of a plain fn or a job without a kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no kind, so idem cannot tell whether it must match when a key is reused",
    label = "a parameter of no known kind",
    note = "why: every parameter is an input of the operation, its caller, its name, or none of its business",
    note = "fix: `#[derive(serde::Serialize)]` or `#[derive(Operational)]` on `{Self}` if a retry repeats it",
    note = "fix: `#[derive(Caller)]` on `{Self}` if it says whose operation it is",
    note = "fix: `#[ambient]` before the parameter if the operation does not depend on it"
)]
pub trait ValueKind {}

/// Types that name an operation.
pub trait IsName {}
/// Types that hold inputs, whether or not they can be written.
pub trait IsOperational {}
/// Types that are none of the operation's business.
pub trait IsAmbient {}

impl<T: Operational> IsOperational for T {}
impl<Db: sqlx::Database> IsAmbient for sqlx::Pool<Db> {}
impl<T: IsName + ?Sized> IsName for &T {}
impl<T: IsAmbient + ?Sized> IsAmbient for &T {}

/// Inputs that can be written into a fingerprint.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be compared when its key is reused, since what it holds is not `Serialize`",
    label = "holds something that is not `Serialize`",
    note = "why: the same key with other inputs is refused, so inputs are part of the fingerprint",
    note = "fix: `#[derive(serde::Serialize)]` on the type it holds",
    note = "fix: or `fingerprint = ..` with what must match"
)]
pub trait Fingerprinted {
    /// Writes them.
    fn feed(&self, fingerprint: &mut FingerprintWriter);
}

impl<T: Operational> Fingerprinted for T {
    fn feed(&self, fingerprint: &mut FingerprintWriter) {
        Operational::feed(self, fingerprint);
    }
}

/// Kinds that may stand in a key.
#[diagnostic::on_unimplemented(
    message = "`{T}` cannot be part of a key: it is not the same on every attempt",
    label = "ambient, so not part of a key",
    note = "why: a retry is recognised only by carrying the key of the attempt it repeats",
    note = "fix: take the key from the request or the job: `key = (merchant.id, key)` or `key = (merchant.id, new.order)`"
)]
pub trait KeySource<T> {}
impl<T> KeySource<T> for CallerKind<T> {}
impl<T> KeySource<T> for Name<T> {}
impl<T> KeySource<T> for OperationalKind<T> {}
impl<T> KeySource<T> for Value<T> {}
impl<T> KeySource<T> for Unknown<T> {}

/// Checks that a parameter may stand in the key.
pub fn in_key<K: Kind + KeySource<K::Param>>(_kind: &K) {}

/// No part of the key says whose operation it is.
#[derive(Debug, Default)]
pub struct NoCaller;
/// A part of the key says whose operation it is.
#[derive(Debug, Default)]
pub struct HasCaller;

impl NoCaller {
    /// Adds a parameter that the key uses.
    pub fn or<K: Kind>(&self, _kind: &K) -> K::Flag {
        K::Flag::default()
    }
}

impl HasCaller {
    /// Adds a parameter that the key uses.
    pub fn or<K: Kind>(&self, _kind: &K) -> HasCaller {
        HasCaller
    }
}

/// Met by keys with a caller.
#[diagnostic::on_unimplemented(
    message = "no part of this key says whose operation it is",
    label = "no caller in this key",
    note = "why: any client can choose any header, path or body value, and would get, or block, another customer's answer",
    note = "fix: `key = (merchant.id, key)`, where `merchant` comes from your authentication and its type has `#[derive(Caller)]`",
    note = "fix: `key = shared(key)` for an API with one caller, or a verified webhook"
)]
pub trait SaysWhose {}
impl SaysWhose for HasCaller {}

/// Checks that some part of the key says whose operation it is.
pub fn require_caller<C: SaysWhose>(_caller: &C) {}

/// Passes a `shared(..)` part through, if it is really ours.
pub fn shared_part<T>(part: crate::Shared<T>) -> crate::Shared<T> {
    part
}
