//! `Settings`: what the environment says, checked before anything is opened.

use std::env::{self, VarError};

const DEFAULT_PORT: u16 = 3000;

/// A file in the working directory.
const DEFAULT_DATABASE: &str = "sqlite://payments.sqlite";

pub(crate) struct Settings {
    pub(crate) port: u16,
    pub(crate) store: Store,
}

/// Which database, with its URL.
#[derive(Debug, PartialEq)]
pub(crate) enum Store {
    Sqlite(String),
    #[cfg(feature = "postgres")]
    Postgres(String),
}

impl Settings {
    pub(crate) fn from_env() -> Result<Self, String> {
        let port = match variable("PORT")? {
            None => DEFAULT_PORT,
            Some(text) => text
                .parse()
                .map_err(|_| format!("PORT is `{text}`, which is no number from 0 to 65535"))?,
        };
        let url = variable("DATABASE_URL")?.unwrap_or_else(|| DEFAULT_DATABASE.to_owned());
        let store = Store::at(url)?;
        Ok(Settings { port, store })
    }
}

impl Store {
    /// Messages do not repeat the URL, which may hold a password.
    fn at(url: String) -> Result<Self, String> {
        match url.split_once(':').map(|(scheme, _)| scheme) {
            Some("sqlite") => Ok(Store::Sqlite(url)),
            #[cfg(feature = "postgres")]
            Some("postgres" | "postgresql") => Ok(Store::Postgres(url)),
            #[cfg(not(feature = "postgres"))]
            Some("postgres" | "postgresql") => Err(
                "DATABASE_URL names a PostgreSQL database, which this build does not know; \
                 start it with `cargo run --bin payments --features postgres`"
                    .to_owned(),
            ),
            _ => Err(
                "DATABASE_URL must start with `sqlite:` or `postgres:`, such as \
                 `sqlite://payments.sqlite`"
                    .to_owned(),
            ),
        }
    }
}

/// An environment variable; an empty one counts as unset.
fn variable(name: &str) -> Result<Option<String>, String> {
    match env::var(name) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(format!("{name} is not UTF-8")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_picks_the_database() {
        let url = DEFAULT_DATABASE.to_owned();
        assert_eq!(Store::at(url.clone()), Ok(Store::Sqlite(url)));
        let refused = Store::at("mysql://root:secret@localhost/x".to_owned()).unwrap_err();
        assert!(!refused.contains("secret"), "{refused}");
        Store::at("payments.sqlite".to_owned()).unwrap_err();
    }

    #[cfg(not(feature = "postgres"))]
    #[test]
    fn postgres_without_its_feature_says_how_to_start() {
        for scheme in ["postgres", "postgresql"] {
            let refused = Store::at(format!("{scheme}://me:secret@localhost/x")).unwrap_err();
            assert!(refused.contains("--features postgres"), "{refused}");
            assert!(!refused.contains("secret"), "{refused}");
        }
    }
}
