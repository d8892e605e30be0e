//! Signatures of deliveries: an HMAC over time and raw body, as Stripe's.
//! <https://docs.stripe.com/webhooks#verify-manually>

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// How old a delivery may be, and how far ahead the provider's clock: what Stripe's libraries allow.
const TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// Why a delivery is not the provider's.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum Refused {
    #[error("the signature is missing or malformed")]
    Malformed,
    #[error("the signature is too old, or from the future")]
    Stale,
    #[error("the signature does not fit the body")]
    Forged,
}

/// The header line for a body sent at `time`: `t=<unix seconds>,v1=<hex>`.
pub(crate) fn sign(secret: &[u8], time: SystemTime, body: &[u8]) -> String {
    let seconds = unix_seconds(time);
    let digest = digest(secret, seconds, body).finalize();
    format!("t={seconds},v1={}", hex::encode(digest.into_bytes()))
}

/// Checks a header line against the raw body, before anybody parses that.
pub(crate) fn verify(
    secret: &[u8],
    line: &str,
    body: &[u8],
    now: SystemTime,
) -> Result<(), Refused> {
    let mut seconds = None;
    let mut signatures = Vec::new();
    for part in line.split(',') {
        match part.trim().split_once('=') {
            Some(("t", value)) => seconds = value.parse::<u64>().ok(),
            // Several while a secret is being exchanged.
            Some(("v1", value)) => signatures.extend(hex::decode(value)),
            _ => {}
        }
    }
    let seconds = seconds.ok_or(Refused::Malformed)?;
    if signatures.is_empty() {
        return Err(Refused::Malformed);
    }
    if unix_seconds(now).abs_diff(seconds) > TOLERANCE.as_secs() {
        return Err(Refused::Stale);
    }
    let expected = digest(secret, seconds, body);
    let fits = |given: &Vec<u8>| expected.clone().verify_slice(given).is_ok();
    if signatures.iter().any(fits) {
        Ok(())
    } else {
        Err(Refused::Forged)
    }
}

fn digest(secret: &[u8], seconds: u64, body: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.update(seconds.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    mac
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"secret";

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn what_was_signed_is_accepted_within_the_tolerance() {
        let line = sign(SECRET, at(1_000), b"body");
        for now in [700, 1_000, 1_300] {
            assert_eq!(verify(SECRET, &line, b"body", at(now)), Ok(()));
        }
        for now in [699, 1_301] {
            assert_eq!(verify(SECRET, &line, b"body", at(now)), Err(Refused::Stale));
        }
    }

    #[test]
    fn another_body_secret_or_time_is_refused() {
        let line = sign(SECRET, at(1_000), b"body");
        let now = at(1_000);
        assert_eq!(verify(SECRET, &line, b"bodY", now), Err(Refused::Forged));
        assert_eq!(verify(b"other", &line, b"body", now), Err(Refused::Forged));
        let later = line.replace("t=1000", "t=1001");
        assert_eq!(verify(SECRET, &later, b"body", now), Err(Refused::Forged));
    }

    #[test]
    fn lines_that_are_no_signature_are_refused() {
        for line in [
            "",
            "t=",
            "t=1",
            "v1=00",
            "t=x,v1=00",
            "t=1,v1=xyz",
            "t=-1,v1=00",
        ] {
            assert_eq!(
                verify(SECRET, line, b"", at(1)),
                Err(Refused::Malformed),
                "{line}"
            );
        }
    }

    #[test]
    fn one_of_two_signatures_is_enough() {
        let line = sign(SECRET, at(1_000), b"body");
        let both = format!("{line},v1={}", "00".repeat(32));
        assert_eq!(verify(SECRET, &both, b"body", at(1_000)), Ok(()));
    }
}
