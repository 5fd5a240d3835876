//! A small client of the protocol over pipes. Deadlines are generous; nothing sleeps.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_secs(120);

/// A folder of files that is removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let base = std::env::temp_dir().canonicalize().expect("there is a folder for temporary files");
        let folder = base.join(format!("ranklint-lsp-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let folder = Folder(folder);
        std::fs::create_dir_all(&folder.0).expect("the folder can be made");
        files.iter().for_each(|(path, text)| folder.write(path, text));
        folder
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("the folder can be made");
        std::fs::write(path, text).expect("the file can be written");
    }

    pub fn uri(&self, path: &str) -> String {
        uri(&self.0.join(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// What came while something else was waited for.
    pub seen: Vec<Value>,
    next: i64,
    version: i64,
}

impl Client {
    /// Starts the server, without a word.
    pub fn start(cwd: &Path) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ranklint"))
            .arg("server")
            .current_dir(cwd)
            .env("XDG_CACHE_HOME", cwd.join(".cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("it is piped");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut size = 0;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    if line.trim().is_empty() {
                        break;
                    }
                    if let Some(length) = line.trim().strip_prefix("Content-Length: ") {
                        size = length.parse().expect("a length is a number");
                    }
                }
                let mut body = vec![0; size];
                if output.read_exact(&mut body).is_err() {
                    return;
                }
                let message = serde_json::from_slice(&body).expect("the server speaks JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client { child, input, messages, seen: Vec::new(), next: 0, version: 1 }
    }

    /// Starts the server for a folder; `capabilities` are the client's.
    pub fn open(folder: &Folder, capabilities: Value) -> Client {
        Client::open_with(folder, capabilities, json!([{ "uri": uri(&folder.0), "name": "f" }]), json!({}))
    }

    pub fn open_with(folder: &Folder, capabilities: Value, folders: Value, options: Value) -> Client {
        let mut client = Client::start(&folder.0);
        let params = json!({
            "processId": null, "rootUri": null, "capabilities": capabilities, "workspaceFolders": folders,
            "initializationOptions": options,
        });
        let answer = client.ask("initialize", params);
        client.seen.push(json!({ "initialized": answer }));
        client.tell("initialized", json!({}));
        client
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the session is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server listens");
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Asks without waiting for the answer.
    pub fn request(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    pub fn answer(&mut self, id: i64) -> Value {
        self.until(&format!("an answer to {id}"), |message| {
            message.get("method").is_none() && message["id"].as_i64() == Some(id)
        })
    }

    /// The next message that fits, of those that came and those to come.
    pub fn until(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(position) = self.seen.iter().position(&fits) {
            return self.seen.remove(position);
        }
        let started = Instant::now();
        while let Ok(message) = self.messages.recv_timeout(DEADLINE.saturating_sub(started.elapsed())) {
            if message.get("method").is_some() && message.get("id").is_some() {
                let result = match message["method"].as_str() {
                    Some("workspace/configuration") => json!([null]),
                    _ => Value::Null,
                };
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
            }
            if fits(&message) {
                return message;
            }
            self.seen.push(message);
        }
        panic!("{what} did not come; what came: {:#?}", self.seen);
    }

    pub fn open_file(&mut self, uri: &str, text: &str) {
        let language = if uri.ends_with(".sh") { "shellscript" } else { "python" };
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Forgets the diagnostics that came so far: what is waited for next is to come anew.
    pub fn forget_diagnostics(&mut self) {
        self.seen.extend(self.messages.try_iter());
        self.seen.retain(|message| message["method"] != "textDocument/publishDiagnostics");
    }

    /// Replaces the whole text.
    pub fn change(&mut self, uri: &str, text: &str) {
        self.edit(uri, json!([{ "text": text }]));
    }

    pub fn edit(&mut self, uri: &str, changes: Value) {
        self.version += 1;
        let document = json!({ "uri": uri, "version": self.version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// The diagnostics of a file, asked for.
    pub fn pull(&mut self, uri: &str) -> Vec<Value> {
        let report = self.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
        assert_eq!(report["kind"], "full", "{report}");
        report["items"].as_array().expect("a list").clone()
    }

    /// Asks for the diagnostics of a file until they are these: what takes long is told after the first answer.
    pub fn pull_until(&mut self, uri: &str, expected: &[(String, u64)]) {
        let started = Instant::now();
        loop {
            let found = rules(&self.pull(uri));
            if found == expected {
                return;
            }
            assert!(started.elapsed() < DEADLINE, "{uri}: {found:?} stays, {expected:?} does not come");
            std::thread::park_timeout(Duration::from_millis(50));
        }
    }

    /// The diagnostics of a file that are sent, once they fit.
    pub fn published(&mut self, uri: &str, fits: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let message = self.until(&format!("fitting diagnostics of {uri}"), |message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && fits(message["params"]["diagnostics"].as_array().map_or(&[], Vec::as_slice))
        });
        message["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    /// Ends the session in order.
    pub fn close(mut self) -> ExitStatus {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.wait()
    }

    /// Goes away without a word.
    pub fn leave(mut self) -> ExitStatus {
        drop(self.input.take());
        self.wait()
    }

    pub fn wait(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status;
            }
            assert!(started.elapsed() < DEADLINE, "the server does not end");
            std::thread::yield_now();
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Ended already, where the test came to its end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The rules of diagnostics, with the lines (from 0) on which they begin.
pub fn rules(diagnostics: &[Value]) -> Vec<(String, u64)> {
    diagnostics
        .iter()
        .map(|item| {
            let line = item["range"]["start"]["line"].as_u64().expect("a line");
            (item["code"].as_str().expect("a rule").to_owned(), line)
        })
        .collect()
}
