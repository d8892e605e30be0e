//! Which engines' operations a task is inside, so that one started anew in there is an error at
//! once instead of waiting for the transaction around it.

use std::sync::Arc;

use tokio::task::futures::TaskLocalFuture;

use super::Engine;
use crate::store::Database;

tokio::task_local! {
    static INSIDE: Vec<usize>;
}

/// Whether the current task is inside a body of `engine`.
pub(crate) fn is_inside<Db: Database>(engine: &Arc<Engine<Db>>) -> bool {
    INSIDE
        .try_with(|engines| engines.contains(&name(engine)))
        .unwrap_or(false)
}

/// Runs `body` as inside an operation of `engine`.
pub(crate) fn inside<Db: Database, F: Future>(
    engine: &Arc<Engine<Db>>,
    body: F,
) -> TaskLocalFuture<Vec<usize>, F> {
    let mut engines = INSIDE.try_with(Clone::clone).unwrap_or_default();
    engines.push(name(engine));
    INSIDE.scope(engines, body)
}

/// Its address: the body keeps the engine alive.
fn name<Db: Database>(engine: &Arc<Engine<Db>>) -> usize {
    Arc::as_ptr(engine).addr()
}
