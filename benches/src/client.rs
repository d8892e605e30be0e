//! A lean HTTP/1.1 client on one keep-alive connection, so that the client costs little beside what
//! is measured. It knows as much of HTTP as the servers here send.

use std::io::Write as _;
use std::net::SocketAddr;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::call::{Answer, Call};

/// One connection to a server under test.
pub(crate) struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    response: BytesMut,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address)
            .await
            .expect("the server takes connections");
        stream
            .set_nodelay(true)
            .expect("a socket without delay can be had");
        Connection {
            stream,
            request: Vec::with_capacity(1024),
            response: BytesMut::with_capacity(4096),
        }
    }

    /// Sends one request and reads its answer.
    pub(crate) async fn send(&mut self, call: &Call) -> Answer {
        let body = serde_json::to_vec(&call.new).expect("a payment is JSON");
        self.request.clear();
        write!(
            self.request,
            "POST /payments HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {}\r\n\
             Idempotency-Key: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            call.merchant.id,
            call.key,
            body.len(),
        )
        .expect("memory can be written to");
        self.request.extend_from_slice(&body);
        self.stream
            .write_all(&self.request)
            .await
            .expect("the server reads");
        self.receive().await
    }

    async fn receive(&mut self) -> Answer {
        let mut seen = 0;
        let end = loop {
            if let Some(at) = find_end_of_head(&self.response, seen) {
                break at;
            }
            seen = self.response.len().saturating_sub(3);
            self.read().await;
        };
        let head = parse(&self.response[..end]);
        self.response.advance(end);
        while self.response.len() < head.content_length {
            self.read().await;
        }
        Answer {
            status: head.status,
            replayed: head.replayed,
            body: Bytes::copy_from_slice(&self.response.split_to(head.content_length)),
        }
    }

    async fn read(&mut self) {
        let read = self.stream.read_buf(&mut self.response);
        let bytes = read.await.expect("the server answers");
        assert_ne!(bytes, 0, "the server closed the connection");
    }
}

/// What matters of an answer's head.
struct Head {
    status: u16,
    content_length: usize,
    replayed: bool,
}

fn find_end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    let mut windows = bytes.get(from..)?.windows(4);
    windows
        .position(|window| window == b"\r\n\r\n")
        .map(|at| from + at + 4)
}

/// Reads a head as hyper writes it: names in lower case, one space after the colon.
fn parse(head: &[u8]) -> Head {
    let head = std::str::from_utf8(head).expect("a head is text");
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let status = status.and_then(|status| status.parse().ok());
    let mut found = Head {
        status: status.expect("an answer starts with its status"),
        content_length: 0,
        replayed: false,
    };
    for line in lines {
        match line.split_once(": ") {
            Some(("content-length", length)) => {
                found.content_length = length.parse().expect("a length is a number");
            }
            Some(("transfer-encoding", _)) => panic!("answers here have a length"),
            Some(("idempotent-replayed", "true")) => found.replayed = true,
            _ => {}
        }
    }
    found
}
