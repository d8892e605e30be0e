//! What the server says when it is ready: its address and four lines worth trying.

use std::io::Write;
use std::net::SocketAddr;

use uuid::Uuid;

/// Prints to standard output, whether or not somebody reads it.
pub(crate) fn print(address: SocketAddr) {
    // A key of this start's own, so that the first line is a first payment on a used database too.
    let order = Uuid::new_v4().simple().to_string();
    let order = &order[..8];
    let url = format!("http://{address}/payments");
    let auth = "-H 'Authorization: Bearer acme'";
    let pay = |amount: u32| {
        format!(
            "curl -i {url} {auth} -H 'Idempotency-Key: pay-{order}' -d \
             '{{\"order\":\"{order}\",\"amount\":{amount},\"currency\":\"eur\",\"card\":\"tok_ok\"}}'"
        )
    };
    let text = format!(
        "listening on http://{address}\n\n\
         # a first payment\n{first}\n\
         # the same again: the same answer, marked `idempotent-replayed`\n{first}\n\
         # the same key with another amount: 422\n{other}\n\
         # one payment, and its money\ncurl -i {url} {auth}\n",
        first = pay(1200),
        other = pay(1300),
    );
    let _ = std::io::stdout().write_all(text.as_bytes());
}
