//! Driving a body: poll it until it ends, turns out not to run, or its time is up.

use std::pin::Pin;
use std::task::{Context, Poll};

use crate::call::Call;
use crate::engine::Timer;
use crate::error::Result;
use crate::memo::Memo;
use crate::store::Database;

/// How polling a body ended.
pub(crate) enum Ended<T> {
    Body(T),
    /// It was not to run.
    Answered(Result<Memo>),
    TimedOut,
}

/// Polls `body` to its end, and drops it there, so that an unfinished one gives its claim back.
/// The timer that bounds the operation comes with it, once the body had the claim.
pub(crate) async fn drive<Db: Database, F: Future + Unpin>(
    call: &Call<Db>,
    mut body: F,
) -> (Ended<F::Output>, Option<Timer>) {
    // Waiting for other attempts does not count: the timer starts with the claim.
    let mut timer = None;
    let ended = std::future::poll_fn(|context| {
        let polled = poll(call, Pin::new(&mut body), context);
        if timer.is_none() {
            timer = call.take_timer();
        }
        match (polled, &mut timer) {
            (Poll::Pending, Some(timer)) => timer.poll(context).map(|()| Ended::TimedOut),
            (polled, _) => polled,
        }
    })
    .await;
    (ended, timer)
}

fn poll<Db: Database, F: Future>(
    call: &Call<Db>,
    body: Pin<&mut F>,
    context: &mut Context<'_>,
) -> Poll<Ended<F::Output>> {
    match body.poll(context) {
        Poll::Ready(finished) => Poll::Ready(Ended::Body(finished)),
        Poll::Pending => match call.take_answer() {
            Some(answer) => Poll::Ready(Ended::Answered(answer)),
            None => Poll::Pending,
        },
    }
}
