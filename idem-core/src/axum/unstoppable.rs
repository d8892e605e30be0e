//! `Unstoppable`: work that outlives whoever waits for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::response::Response;
use tokio::runtime::Handle;

use super::problem::panicked;

/// Drives a response in the task that asks for it; dropped half-way, as when a client hangs up, it
/// goes on in a task of its own. A panic becomes a 500.
///
/// A task for each request from the start would do the same, at the price of waking another thread
/// for it and waiting for that one.
pub(super) struct Unstoppable {
    /// `None` once it is through.
    work: Option<Pin<Box<dyn Future<Output = Response> + Send>>>,
    /// Whether there is anything to go on with.
    begun: bool,
}

impl Unstoppable {
    pub(super) fn new(work: impl Future<Output = Response> + Send + 'static) -> Self {
        Unstoppable {
            work: Some(Box::pin(work)),
            begun: false,
        }
    }
}

impl Future for Unstoppable {
    type Output = Response;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Response> {
        self.begun = true;
        let work = self.work.as_mut().expect("BUG: polled after it was ready");
        // Work that panicked is dropped, never polled again.
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
        let response = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(response)) => response,
            Err(_) => panicked(),
        };
        self.work = None;
        Poll::Ready(response)
    }
}

impl Drop for Unstoppable {
    fn drop(&mut self) {
        // Without a runtime nothing can go on; what it holds is rolled back.
        if let (true, Some(work), Ok(runtime)) =
            (self.begun, self.work.take(), Handle::try_current())
        {
            // Itself unstoppable, so that its panic is caught like any other.
            runtime.spawn(Unstoppable {
                work: Some(work),
                begun: false,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;
    use http::StatusCode;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn what_has_begun_goes_on_when_it_is_dropped() {
        let (go_on, wait) = oneshot::channel::<()>();
        let (done, ended) = oneshot::channel();
        let mut work = Box::pin(Unstoppable::new(async move {
            wait.await.unwrap();
            done.send(()).unwrap();
            ().into_response()
        }));
        assert!(futures_util::poll!(work.as_mut()).is_pending());
        drop(work);
        go_on.send(()).unwrap();
        ended.await.unwrap();
    }

    #[tokio::test]
    async fn what_has_not_begun_never_does() {
        let (done, ended) = oneshot::channel::<()>();
        drop(Unstoppable::new(async move {
            done.send(()).unwrap();
            ().into_response()
        }));
        assert!(ended.await.is_err());
    }

    #[tokio::test]
    async fn a_panic_is_a_500() {
        let response = Unstoppable::new(async { panic!("as the test says") }).await;
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
