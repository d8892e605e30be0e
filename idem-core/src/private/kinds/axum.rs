//! The kinds of axum's extractors.

use axum::extract::{
    ConnectInfo, Extension, Form, Json, MatchedPath, NestedPath, OriginalUri, Path, Query,
    RawQuery, State,
};
use bytes::Bytes;
use serde::Serialize;

use super::{Caller, Fingerprinted, IsAmbient, IsName, IsOperational};
use crate::fingerprint::FingerprintWriter;

impl<T: Caller> Caller for Extension<T> {}
impl IsName for crate::axum::IdempotencyKey {}

macro_rules! inputs {
    ($($extractor:ident)*) => {$(
        impl<T> IsOperational for $extractor<T> {}
        #[diagnostic::do_not_recommend]
        impl<T: Serialize> Fingerprinted for $extractor<T> {
            fn feed(&self, fingerprint: &mut FingerprintWriter) {
                fingerprint.value(&self.0);
            }
        }
    )*};
}
inputs! { Json Form Query Path }

impl IsOperational for Bytes {}
impl Fingerprinted for Bytes {
    fn feed(&self, fingerprint: &mut FingerprintWriter) {
        fingerprint.bytes(self);
    }
}

impl IsOperational for String {}
impl Fingerprinted for String {
    fn feed(&self, fingerprint: &mut FingerprintWriter) {
        fingerprint.value(self);
    }
}

macro_rules! ambient {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> IsAmbient for $type {}
    )*};
}
ambient! {
    [T] State<T>;
    [T] Extension<T>;
    [T] ConnectInfo<T>;
    [] http::HeaderMap;
    [] http::Method;
    [] http::Uri;
    [] http::Version;
    [] http::Extensions;
    [] MatchedPath;
    [] NestedPath;
    [] OriginalUri;
    [] RawQuery;
}
