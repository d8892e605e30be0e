//! `Operation`: what an annotated handler needs of its request, as its hidden first extractor.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{FromRef, FromRequestParts, OriginalUri};
use http::request::Parts;
use http::{Method, Uri};

use super::header::KeyRules;
use super::run::Run;
use crate::call::Call;
use crate::fingerprint::FingerprintWriter;
use crate::idem::Idem;
use crate::spec::Spec;
use crate::store::Database;
use crate::tx::Tx;

/// The engine together with the request's method and original URI: the first parameter that
/// `#[idempotent]` adds to a handler.
///
/// axum makes it from the router's state, which must hold the engine: `Idem<Db>: FromRef<S>`. To
/// call a handler in a unit test, make one from an engine: `Operation::from(&idem)`.
#[derive(Debug)]
pub struct Operation<Db: Database, const KEY_REQUIRED: bool = true> {
    idem: Idem<Db>,
    method: Method,
    uri: Uri,
    /// Set by the key's extractor if it let a request without a key pass.
    keyless: Option<Arc<AtomicBool>>,
}

impl<Db: Database, const KEY_REQUIRED: bool> From<&Idem<Db>> for Operation<Db, KEY_REQUIRED> {
    /// An operation as if requested by `POST /`.
    fn from(idem: &Idem<Db>) -> Self {
        Operation {
            idem: idem.clone(),
            method: Method::POST,
            uri: Uri::from_static("/"),
            keyless: None,
        }
    }
}

impl<S, Db, const KEY_REQUIRED: bool> FromRequestParts<S> for Operation<Db, KEY_REQUIRED>
where
    S: Sync,
    Db: Database,
    Idem<Db>: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let idem = Idem::from_ref(state);
        let keyless = (!KEY_REQUIRED).then(Arc::<AtomicBool>::default);
        parts.extensions.insert(KeyRules {
            keyless: keyless.clone(),
            docs_link: idem.engine().settings.docs_link.clone(),
        });
        // Under `Router::nest` the path seen here is shortened; the original one is the client's.
        let uri = match parts.extensions.get::<OriginalUri>() {
            Some(OriginalUri(uri)) => uri.clone(),
            None => parts.uri.clone(),
        };
        Ok(Operation {
            idem,
            method: parts.method.clone(),
            uri,
            keyless,
        })
    }
}

#[doc(hidden)]
impl<Db: Database, const KEY_REQUIRED: bool> Operation<Db, KEY_REQUIRED> {
    /// Starts a fingerprint of method, path and query.
    pub fn fingerprint(&self) -> FingerprintWriter {
        let mut fingerprint = self.fingerprint_without_query();
        fingerprint.query(self.uri.query());
        fingerprint
    }

    /// Starts a fingerprint of method and path.
    pub fn fingerprint_without_query(&self) -> FingerprintWriter {
        FingerprintWriter::request(&self.method, self.uri.path())
    }

    pub fn start(self, spec: &'static Spec, fingerprint: FingerprintWriter) -> (Tx<Db>, Run<Db>) {
        let keyless = self
            .keyless
            .is_some_and(|keyless| keyless.load(Ordering::Relaxed));
        let call = Call::new(Arc::clone(self.idem.engine()), spec, keyless);
        (
            Tx::new(Arc::clone(&call), fingerprint, None),
            Run::new(call),
        )
    }
}
