//! One client, one connection to the server, and the faults between them.

use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;

use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::sleep;

use super::wire::Session;
use super::{Armed, Fault, Shared, lock};

/// The faults that the replies still to come meet: one place for each reply, in order.
type Expected = Mutex<VecDeque<Option<Armed>>>;

/// Relays until either side ends or a fault drops both.
pub(super) async fn relay(mut client: TcpStream, shared: &Shared) -> io::Result<()> {
    let Some(startup) = shared.framing.read_startup(&mut client).await? else {
        return Ok(());
    };
    shared.flowing().await;
    let mut server = TcpStream::connect(shared.upstream).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;

    let expected = Expected::default();
    if startup.has_reply {
        lock(&expected).push_back(None);
    }
    server.write_all(&startup.bytes).await?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();

    let dropped_by = tokio::select! {
        end = forward_requests(from_client, to_server, &expected, shared) => end?,
        end = forward_replies(from_server, to_client, &expected, shared) => end?,
    };
    // The halves are gone by now, and both connections with them.
    if let Some(fault) = dropped_by {
        fault.fire();
    }
    Ok(())
}

/// Ends with the fault that asks for both connections to be dropped.
async fn forward_requests(
    from_client: OwnedReadHalf,
    mut to_server: OwnedWriteHalf,
    expected: &Expected,
    shared: &Shared,
) -> io::Result<Option<Armed>> {
    let mut from_client = BufReader::new(from_client);
    let mut session = Session::new(shared.framing);
    while let Some(request) = session.read_request(&mut from_client).await? {
        let mut fault = shared.take_fault(&request.statements);
        match fault.as_ref().map(Armed::fault) {
            Some(Fault::DropBefore) => return Ok(fault),
            Some(Fault::HoldBefore) => {
                if let Some(fault) = fault.take() {
                    fault.hold().await;
                }
            }
            Some(Fault::LoseReply | Fault::HoldReply) | None => {}
        }
        shared.flowing().await;
        if request.has_reply {
            if !request.is_ping {
                shared.record(&request.statements);
            }
            // Before the request leaves, as the reply may be faster than this task.
            lock(expected).push_back(fault);
        }
        to_server.write_all(&request.bytes).await?;
    }
    Ok(None)
}

/// Ends with the fault that asks for both connections to be dropped.
async fn forward_replies(
    from_server: OwnedReadHalf,
    mut to_client: OwnedWriteHalf,
    expected: &Expected,
    shared: &Shared,
) -> io::Result<Option<Armed>> {
    let mut from_server = BufReader::new(from_server);
    let mut held_back = Vec::new();
    while let Some(message) = shared.framing.read_message(&mut from_server).await? {
        let fault = lock(expected).front().cloned().flatten();
        if message.ends_reply {
            lock(expected).pop_front();
        }
        held_back.extend_from_slice(&message.bytes);
        match fault {
            Some(_) if !message.ends_reply => continue,
            Some(fault) if fault.fault() == Fault::LoseReply => return Ok(Some(fault)),
            Some(fault) => fault.hold().await,
            None => {}
        }
        let delay = shared.weather.borrow().reply_delay;
        if !delay.is_zero() {
            sleep(delay).await;
        }
        shared.flowing().await;
        to_client.write_all(&held_back).await?;
        held_back.clear();
    }
    Ok(None)
}
