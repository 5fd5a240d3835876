//! Messages on standard input and output. What is no message is answered with an error where that is possible, and
//! passed over otherwise: the session goes on.

use std::io::{self, BufRead, Read as _, Write as _};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};

/// Bodies larger than this are passed over.
const MAX_BODY: usize = 256 << 20;

/// Both directions.
pub(super) struct Wires {
    pub sender: Sender<Message>,
    pub receiver: Receiver<Message>,
    writer: JoinHandle<()>,
}

impl Wires {
    /// Waits until everything said has been written.
    pub(super) fn close(self) {
        drop((self.sender, self.receiver));
        // A writer that panicked has said its last word already.
        let _ = self.writer.join();
    }
}

/// What was read.
enum Read {
    Message(Message),
    /// Something else, with what to answer.
    Nonsense(Value),
    End,
}

/// The standard streams of the process. The reader ends with its input; nobody waits for it.
pub(super) fn standard() -> Wires {
    let (sender, outgoing) = unbounded::<Message>();
    let (incoming, receiver) = unbounded::<Message>();
    let writer = thread::spawn(move || {
        for message in outgoing {
            if message.write(&mut io::stdout().lock()).is_err() {
                break;
            }
        }
    });
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            match read(&mut input) {
                Read::Message(message) => {
                    if incoming.send(message).is_err() {
                        break;
                    }
                }
                Read::Nonsense(error) => {
                    let body = json!({ "jsonrpc": "2.0", "id": error.get("id"), "error": error["error"] }).to_string();
                    let mut out = io::stdout().lock();
                    // A client that does not listen finds out by itself.
                    let _ = write!(out, "Content-Length: {}\r\n\r\n{body}", body.len()).and_then(|()| out.flush());
                }
                Read::End => break,
            }
        }
    });
    Wires { sender, receiver, writer }
}

fn read(input: &mut dyn BufRead) -> Read {
    let mut size = None;
    let mut any = false;
    loop {
        let mut line = Vec::new();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return Read::End,
            Ok(_) => {}
        }
        let header = String::from_utf8_lossy(&line);
        let header = header.trim();
        if header.is_empty() {
            // Blank lines between messages are nobody's header.
            if any {
                break;
            }
            continue;
        }
        any = true;
        if let Some((name, value)) = header.split_once(':')
            && name.trim().eq_ignore_ascii_case("Content-Length")
        {
            size = value.trim().parse::<usize>().ok();
        }
    }
    let Some(size) = size else {
        return nonsense(Value::Null, ErrorCode::ParseError, "a message without a usable Content-Length");
    };
    if size > MAX_BODY {
        // Passed over, so that the next message is found.
        return match io::copy(&mut input.take(size as u64), &mut io::sink()) {
            Ok(passed) if passed == size as u64 => {
                nonsense(Value::Null, ErrorCode::ParseError, "a message of more than 256 MiB")
            }
            _ => Read::End,
        };
    }
    let mut body = vec![0; size];
    if input.read_exact(&mut body).is_err() {
        return Read::End;
    }
    let value = match serde_json::from_slice::<Value>(&body) {
        Ok(value) => value,
        Err(error) => return nonsense(Value::Null, ErrorCode::ParseError, &error.to_string()),
    };
    let id = value.get("id").filter(|id| id.is_number() || id.is_string()).cloned();
    match serde_json::from_value(value) {
        Ok(message) => Read::Message(message),
        Err(_) => nonsense(id.unwrap_or_default(), ErrorCode::InvalidRequest, "this is no message of the protocol"),
    }
}

fn nonsense(id: Value, code: ErrorCode, message: &str) -> Read {
    Read::Nonsense(json!({ "id": id, "error": { "code": code as i32, "message": message } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_told_from_messages() {
        let mut input: &[u8] = b"Content-Length: 3\r\n\r\n{\"a\
            Content-Length: x\r\n\r\n\
            Content-Length: 2\r\n\r\n{}\
            content-length:28\r\nContent-Type: x\r\n\r\n{\"method\":\"m\",\"params\":null}";
        assert!(matches!(read(&mut input), Read::Nonsense(_)));
        assert!(matches!(read(&mut input), Read::Nonsense(_)));
        assert!(matches!(read(&mut input), Read::Nonsense(_)));
        assert!(matches!(read(&mut input), Read::Message(Message::Notification(_))));
        assert!(matches!(read(&mut input), Read::End));

        let large = format!("Content-Length: {}\r\n\r\n", MAX_BODY + 1);
        let rest = b"Content-Length: 28\r\n\r\n{\"method\":\"m\",\"params\":null}";
        let body = io::repeat(b' ').take(MAX_BODY as u64 + 1);
        let mut input = io::BufReader::new(io::Read::chain(large.as_bytes(), body).chain(&rest[..]));
        assert!(matches!(read(&mut input), Read::Nonsense(_)));
        assert!(matches!(read(&mut input), Read::Message(Message::Notification(_))));
    }
}
