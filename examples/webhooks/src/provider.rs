//! The provider of events: delivers them at least once, as providers do.

use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use crate::event::{Event, SIGNATURE};
use crate::signature::sign;

pub(crate) struct Provider {
    receiver: SocketAddr,
    secret: &'static [u8],
    client: reqwest::Client,
}

/// Whose delivery it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// The provider's own.
    Signed,
    /// Signed with another secret.
    Forged,
    /// Recorded an hour ago and sent again.
    Stale,
}

impl fmt::Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Delivery::Signed => "signed",
            Delivery::Forged => "forged",
            Delivery::Stale => "stale",
        })
    }
}

impl Provider {
    pub(crate) fn new(receiver: SocketAddr, secret: &'static [u8]) -> Self {
        Provider {
            receiver,
            secret,
            client: reqwest::Client::new(),
        }
    }

    /// Delivers an event so many times; the answers' statuses, with an `r` for a replay.
    pub(crate) async fn deliver(
        &self,
        receiver: &str,
        id: &str,
        times: u32,
        delivery: Delivery,
    ) -> Result<Vec<String>, crate::Failure> {
        let mut answers = Vec::new();
        for number in 1..=times {
            let event = Event {
                id: id.to_owned(),
                order: 17,
                amount: 1_250,
                delivery: number,
            };
            let body = serde_json::to_vec(&event)?;
            // A new signature for each delivery, as the old one goes stale: case R10.
            let (secret, age) = match delivery {
                Delivery::Signed => (self.secret, 0),
                Delivery::Forged => (&b"another secret"[..], 0),
                Delivery::Stale => (self.secret, 3600),
            };
            let time = SystemTime::now() - Duration::from_secs(age);
            let answer = self
                .client
                .post(format!("http://{}/webhooks/{receiver}", self.receiver))
                .header(SIGNATURE, sign(secret, time, &body))
                .body(body)
                .send()
                .await?;
            let replayed = answer.headers().contains_key("idempotent-replayed");
            let mark = if replayed { "r" } else { "" };
            answers.push(format!("{}{mark}", answer.status().as_u16()));
        }
        Ok(answers)
    }
}
