//! Which answers are recorded: the table of endings by status, `Err` or not, and `memoize`.

use http::StatusCode;

use crate::engine::Ending;
use crate::spec::Memoize;

/// What becomes of an answer and of the writes behind it. An `Err` never commits.
pub(super) fn ending(memoize: Memoize, is_err: bool, status: StatusCode) -> Ending {
    let passing = status.is_server_error()
        || matches!(
            status,
            StatusCode::REQUEST_TIMEOUT
                | StatusCode::CONFLICT
                | StatusCode::TOO_EARLY
                | StatusCode::TOO_MANY_REQUESTS
        );
    match (memoize, is_err) {
        (Memoize::All, true) => Ending::Undo,
        (Memoize::All, false) => Ending::Commit,
        (Memoize::Final, _) if passing => Ending::Release,
        (Memoize::Final, true) => Ending::Undo,
        (Memoize::Final, false) => Ending::Commit,
        (Memoize::Success, false) if !passing && !status.is_client_error() => Ending::Commit,
        (Memoize::Success, _) => Ending::Release,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each cell of the design's table: a status of its row, then `success`, `final`, `all`.
    #[test]
    fn each_cell_of_the_table_holds() {
        use Ending::{Commit, Release, Undo};
        let ok = [
            (&[200, 201, 204, 302, 303][..], [Commit, Commit, Commit]),
            (&[400, 402, 404, 410, 422][..], [Release, Commit, Commit]),
            (
                &[500, 502, 503, 408, 409, 425, 429][..],
                [Release, Release, Commit],
            ),
        ];
        let err = [
            (
                &[200, 204, 302, 400, 402, 404, 422][..],
                [Release, Undo, Undo],
            ),
            (
                &[500, 502, 503, 408, 409, 425, 429][..],
                [Release, Release, Undo],
            ),
        ];
        for (is_err, rows) in [(false, &ok[..]), (true, &err[..])] {
            for (statuses, endings) in rows {
                for status in *statuses {
                    let status = StatusCode::from_u16(*status).unwrap();
                    let memoize = [Memoize::Success, Memoize::Final, Memoize::All];
                    for (memoize, expected) in memoize.into_iter().zip(endings) {
                        let found = ending(memoize, is_err, status);
                        assert_eq!(found, *expected, "{memoize:?} {is_err} {status}");
                    }
                }
            }
        }
    }
}
