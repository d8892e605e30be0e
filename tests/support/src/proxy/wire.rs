//! Cutting bytes into requests and replies.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use std::collections::HashMap;
use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const SSL_REQUEST: [u8; 4] = 80_877_103_u32.to_be_bytes();
const GSS_REQUEST: [u8; 4] = 80_877_104_u32.to_be_bytes();

/// How bytes are cut.
#[derive(Clone, Copy, Debug)]
pub(super) enum Framing {
    Postgres,
    Bytes,
}

/// Bytes of the client that are forwarded together.
#[derive(Debug, Default)]
pub(super) struct Request {
    pub(super) bytes: Vec<u8>,
    /// The statements that it runs.
    pub(super) statements: Vec<String>,
    /// Whether the server answers it with a reply of its own.
    pub(super) has_reply: bool,
    /// Whether it asks for nothing but a sign of life.
    pub(super) is_ping: bool,
}

/// One message of the server.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) bytes: Vec<u8>,
    pub(super) ends_reply: bool,
}

impl Framing {
    /// Reads what begins a session, and refuses encryption, which would blind us; `None` at the end.
    pub(super) async fn read_startup(self, client: &mut TcpStream) -> io::Result<Option<Request>> {
        let Self::Postgres = self else {
            return Ok(Some(Request::default()));
        };
        loop {
            let mut bytes = Vec::new();
            if !read_sized(client, &mut bytes).await? {
                return Ok(None);
            }
            if bytes
                .get(4..8)
                .is_some_and(|code| code == SSL_REQUEST || code == GSS_REQUEST)
            {
                client.write_all(b"N").await?;
                continue;
            }
            return Ok(Some(Request {
                bytes,
                has_reply: true,
                ..Request::default()
            }));
        }
    }

    /// Reads one message of the server; `None` at the end.
    pub(super) async fn read_message(
        self,
        server: &mut (impl AsyncRead + Unpin),
    ) -> io::Result<Option<Message>> {
        match self {
            Self::Bytes => Ok(read_piece(server).await?.map(|bytes| Message {
                bytes,
                ends_reply: true,
            })),
            Self::Postgres => Ok(read_tagged(server).await?.map(|bytes| Message {
                ends_reply: bytes[0] == b'Z',
                bytes,
            })),
        }
    }
}

/// What is known of one client's session.
#[derive(Debug)]
pub(super) struct Session {
    framing: Framing,
    /// The text of prepared statements by their name; the unnamed one is "".
    prepared: HashMap<Vec<u8>, String>,
}

impl Session {
    pub(super) fn new(framing: Framing) -> Self {
        Self {
            framing,
            prepared: HashMap::new(),
        }
    }

    /// Reads the next request of the client; `None` at the end.
    pub(super) async fn read_request(
        &mut self,
        client: &mut (impl AsyncRead + Unpin),
    ) -> io::Result<Option<Request>> {
        match self.framing {
            Framing::Postgres => self.read_postgres(client).await,
            Framing::Bytes => Ok(read_piece(client).await?.map(|bytes| Request {
                statements: vec![text(&bytes)],
                bytes,
                has_reply: true,
                is_ping: false,
            })),
        }
    }

    async fn read_postgres(
        &mut self,
        client: &mut (impl AsyncRead + Unpin),
    ) -> io::Result<Option<Request>> {
        let mut request = Request::default();
        while let Some(message) = read_tagged(client).await? {
            let body = &message[5..];
            match message[0] {
                b'P' => {
                    let (name, rest) = split_text(body)?;
                    let (sql, _) = split_text(rest)?;
                    self.prepared.insert(name.to_vec(), text(sql));
                }
                b'B' => {
                    let (_portal, rest) = split_text(body)?;
                    let (name, _) = split_text(rest)?;
                    request.statements.extend(self.prepared.get(name).cloned());
                }
                b'Q' => request.statements.push(text(split_text(body)?.0)),
                _ => {}
            }
            request.is_ping = request.bytes.is_empty() && message[0] == b'S';
            request.bytes.extend_from_slice(&message);
            // Parse, Bind, Describe, Execute, Close: the reply is complete after Sync.
            let goes_on = matches!(message[0], b'P' | b'B' | b'D' | b'E' | b'C');
            if !goes_on {
                // Query, Sync, function call; not password, copy data, Flush, Terminate.
                request.has_reply = matches!(message[0], b'Q' | b'S' | b'F');
                return Ok(Some(request));
            }
        }
        Ok(None)
    }
}

/// Reads what is there, at most 64 KiB; `None` at the end.
async fn read_piece(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::with_capacity(64 * 1024);
    let read = stream.read_buf(&mut bytes).await?;
    Ok((read > 0).then_some(bytes))
}

/// Reads a message of one type byte, its length and its body; `None` at the end.
async fn read_tagged(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![0];
    if stream.read(&mut bytes).await? == 0 {
        return Ok(None);
    }
    Ok(read_sized(stream, &mut bytes).await?.then_some(bytes))
}

/// Appends a length, which counts itself, and as many bytes; `false` at the end.
async fn read_sized(stream: &mut (impl AsyncRead + Unpin), to: &mut Vec<u8>) -> io::Result<bool> {
    let length = match stream.read_u32().await {
        Ok(length) => length,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
        Err(error) => return Err(error),
    };
    let rest = length.checked_sub(4).ok_or(io::ErrorKind::InvalidData)?;
    to.extend_from_slice(&length.to_be_bytes());
    let start = to.len();
    to.resize(start + usize::try_from(rest).map_err(io::Error::other)?, 0);
    stream.read_exact(&mut to[start..]).await?;
    Ok(true)
}

fn split_text(bytes: &[u8]) -> io::Result<(&[u8], &[u8])> {
    let end = bytes
        .iter()
        .position(|&byte| byte == 0)
        .ok_or(io::ErrorKind::InvalidData)?;
    Ok((&bytes[..end], &bytes[end + 1..]))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
