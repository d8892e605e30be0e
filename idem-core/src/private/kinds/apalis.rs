//! The kinds of apalis' extractors. `TaskContext` exists under a feature of apalis' own, so only its
//! spelling is known.

use apalis_core::backend::queue::Queue;
use apalis_core::task::attempt::Attempt;
use apalis_core::task::data::Data;
use apalis_core::task::metadata::{Meta, MetadataStore};
use apalis_core::task::task_id::TaskId;
use apalis_core::worker::context::WorkerContext;

use super::{IsAmbient, IsName};
use crate::key::{KeyPart, KeyWriter};

impl IsName for TaskId {}
impl KeyPart for TaskId {
    fn write(&self, key: &mut KeyWriter) {
        key.text(&self.to_string());
    }
}

impl IsAmbient for Attempt {}
impl<T> IsAmbient for Data<T> {}
impl<T> IsAmbient for Meta<T> {}
impl IsAmbient for MetadataStore {}
impl IsAmbient for Queue {}
impl IsAmbient for WorkerContext {}
