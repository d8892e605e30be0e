//! What goes over the wire, in types that cannot hold a wrong value.

use serde::{Deserialize, Serialize};

/// Money in the currency's smallest unit. The limit keeps a balance far from overflowing.
pub(crate) type Amount = Between<1, 1_000_000_000_000>;

/// The body of `POST /payments`.
#[derive(Deserialize, Serialize)]
pub(crate) struct NewPayment {
    pub(crate) order: Text<1000>,
    pub(crate) amount: Amount,
    pub(crate) currency: Currency,
    pub(crate) card: Card,
    /// How long the handler sleeps between its writes, in milliseconds: something to play with.
    pub(crate) delay_ms: Option<Between<0, 10_000>>,
}

/// A payment, as it is stored and answered.
#[derive(Serialize)]
pub(crate) struct Payment {
    pub(crate) id: String,
    pub(crate) order: String,
    pub(crate) amount: i64,
    pub(crate) currency: String,
    pub(crate) status: &'static str,
}

/// The body of `POST /payments/{id}/refunds`.
#[derive(Deserialize, Serialize)]
pub(crate) struct NewRefund {
    pub(crate) amount: Amount,
}

/// A refund, as it is stored and answered.
#[derive(Serialize)]
pub(crate) struct Refund {
    pub(crate) id: String,
    pub(crate) payment: String,
    pub(crate) amount: i64,
}

/// The answer of `GET /payments`.
#[derive(Serialize)]
pub(crate) struct Account {
    /// The newest first.
    pub(crate) payments: Vec<Payment>,
    pub(crate) balance: i64,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Currency {
    Eur,
    Usd,
}

impl Currency {
    pub(crate) fn code(self) -> &'static str {
        match self {
            Currency::Eur => "eur",
            Currency::Usd => "usd",
        }
    }
}

/// A card that plays its part.
#[derive(Deserialize, Serialize)]
pub(crate) enum Card {
    #[serde(rename = "tok_ok")]
    Accepted,
    #[serde(rename = "tok_declined")]
    Declined,
    /// Its provider does not answer.
    #[serde(rename = "tok_down")]
    Down,
}

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(try_from = "i64", into = "i64")]
pub(crate) struct Between<const MIN: i64, const MAX: i64>(i64);

impl<const MIN: i64, const MAX: i64> TryFrom<i64> for Between<MIN, MAX> {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        if (MIN..=MAX).contains(&number) {
            Ok(Between(number))
        } else {
            Err(format!("a number from {MIN} to {MAX} is needed"))
        }
    }
}

impl<const MIN: i64, const MAX: i64> From<Between<MIN, MAX>> for i64 {
    fn from(number: Between<MIN, MAX>) -> i64 {
        number.0
    }
}

/// A text of up to `MAX_CHARS` characters that both databases can store: PostgreSQL has no NUL.
#[derive(Clone, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Text<const MAX_CHARS: usize>(String);

impl<const MAX_CHARS: usize> TryFrom<String> for Text<MAX_CHARS> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.contains('\0') {
            Err("a text cannot hold NUL characters".to_owned())
        } else if text.chars().count() > MAX_CHARS {
            Err(format!(
                "a text of at most {MAX_CHARS} characters is needed"
            ))
        } else {
            Ok(Text(text))
        }
    }
}

impl<const MAX_CHARS: usize> From<Text<MAX_CHARS>> for String {
    fn from(text: Text<MAX_CHARS>) -> String {
        text.0
    }
}
