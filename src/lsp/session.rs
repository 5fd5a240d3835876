//! The thread that speaks with the client: it keeps what is open, hands edits to the analyst, and answers from what it
//! was told last. Nothing here takes long.

mod notifications;
mod requests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::Uri;
use serde_json::{Value, json};

use super::analyst;
use super::answer::{Outcomes, Writer, result_id};
use super::capabilities::{Client, NAMED_FILES, Wishes, announcement, folders, named_files, registrations};
use super::documents::Documents;
use super::outcome::{Key, Outcome};
use super::tasks::{News, Task};

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The client asked for it.
    Orderly,
    /// The client went away.
    Abrupt,
}

/// A request that is answered when the analyst has caught up.
struct Waiting {
    id: RequestId,
    ticket: u64,
    what: Pending,
}

enum Pending {
    Document { uri: Uri, previous: Option<String> },
    Workspace { previous: BTreeMap<String, String> },
    Hover { uri: Uri, offset: u32, trace: Traced },
}

/// Whether the analyst was asked what a function issues, and what it said.
enum Traced {
    Asked,
    Known(Option<super::tasks::Trace>),
}

struct Session {
    out: Sender<Message>,
    tasks: Sender<(u64, Task)>,
    /// Tells the analyst that somebody waits.
    interrupt: Arc<AtomicBool>,
    client: Client,
    wishes: Wishes,
    folders: Vec<PathBuf>,
    documents: Documents,
    outcomes: Outcomes,
    /// The last ticket that was given out, and the last that is taken into account.
    ticket: u64,
    settled: u64,
    waiting: Vec<Waiting>,
    /// What was published last, for clients that do not ask.
    published: BTreeMap<String, String>,
    /// What a client that asks knows of each file, to tell it when something is different.
    known: String,
    requests: u32,
    /// The progress that is shown of each project, by its token.
    shown_progress: BTreeMap<Key, String>,
    /// What the client watches because a project names it, and what it should; absent before the client is ready.
    watched: Option<Value>,
    to_watch: Option<Value>,
    is_ready: bool,
    /// Requests of our own that wait for the client's configuration.
    asked_configuration: Vec<RequestId>,
    shutting_down: bool,
}

/// Speaks with one client until it leaves.
pub(super) fn serve(out: &Sender<Message>, incoming: &Receiver<Message>, cwd: &Path) -> Result<End, String> {
    let Some((id, params)) = initialize(out, incoming) else { return Ok(End::Abrupt) };
    let client = Client::of(&params["capabilities"]);
    let wishes = Wishes::default().with(&params["initializationOptions"]);
    say(out, Response::new_ok(id, announcement(&client, wishes)));

    let (tasks, task_list) = unbounded();
    let (news_sender, news) = unbounded();
    let interrupt = Arc::<AtomicBool>::default();
    analyst::start(task_list, news_sender, interrupt.clone())?;
    let folders = folders(&params).into_iter().map(|folder| cwd.join(folder)).collect();
    let mut session = Session {
        out: out.clone(),
        tasks,
        interrupt,
        client,
        wishes,
        folders,
        documents: Documents::default(),
        outcomes: Outcomes::new(),
        ticket: 0,
        settled: 0,
        waiting: Vec::new(),
        published: BTreeMap::new(),
        known: String::new(),
        requests: 0,
        shown_progress: BTreeMap::new(),
        watched: None,
        to_watch: None,
        is_ready: false,
        asked_configuration: Vec::new(),
        shutting_down: false,
    };
    session.task(Task::Folders(session.folders.clone()));
    loop {
        select! {
            recv(incoming) -> message => match message {
                Err(_) => return Ok(End::Abrupt),
                Ok(Message::Notification(notification)) if notification.method == "exit" => {
                    return Ok(if session.shutting_down { End::Orderly } else { End::Abrupt });
                }
                Ok(Message::Request(request)) => session.request(request),
                Ok(Message::Notification(notification)) => session.notification(notification),
                Ok(Message::Response(response)) => session.response(response),
            },
            recv(news) -> told => match told {
                Ok(told) => {
                    session.news(told);
                    while let Ok(told) = news.try_recv() {
                        session.news(told);
                    }
                    // Whoever asked comes first: telling everybody what is new takes longer.
                    session.answer_waiting();
                    session.spread();
                }
                Err(_) => return Err("the analysis ended before its session".to_owned()),
            },
        }
    }
}

/// Waits for the handshake; None when the client leaves before.
fn initialize(out: &Sender<Message>, incoming: &Receiver<Message>) -> Option<(RequestId, Value)> {
    for message in incoming {
        match message {
            Message::Request(Request { id, method, params }) if method == "initialize" => return Some((id, params)),
            Message::Request(Request { id, .. }) => {
                let code = ErrorCode::ServerNotInitialized as i32;
                say(out, Response::new_err(id, code, "`initialize` comes first".to_owned()));
            }
            Message::Notification(notification) if notification.method == "exit" => return None,
            Message::Notification(_) | Message::Response(_) => {}
        }
    }
    None
}

fn say(out: &Sender<Message>, message: impl Into<Message>) {
    // The client may be gone; the end of its messages tells.
    let _ = out.send(message.into());
}

impl Session {
    fn say(&self, message: impl Into<Message>) {
        say(&self.out, message);
    }

    fn notify(&self, method: &str, params: Value) {
        self.say(Notification { method: method.to_owned(), params });
    }

    /// Asks the client something.
    fn ask(&mut self, method: &str, params: Value) -> RequestId {
        self.requests += 1;
        let id = RequestId::from(format!("ranklint-{}", self.requests));
        self.say(Request { id: id.clone(), method: method.to_owned(), params });
        id
    }

    /// Tells the analyst.
    fn task(&mut self, task: Task) {
        self.ticket += 1;
        // It takes the flag back when it takes the task.
        self.interrupt.store(true, Ordering::Relaxed);
        // The analyst ends after this thread.
        let _ = self.tasks.send((self.ticket, task));
    }

    fn writer(&self) -> Writer<'_> {
        Writer { documents: &self.documents, encoding: self.client.encoding }
    }

    /// What is known about the project that an open document belongs to.
    fn outcome_of(&self, path: &Path) -> Option<(&Outcome, crate::base::FileId)> {
        self.outcomes.values().find_map(|outcome| Some((&**outcome, outcome.file(path)?)))
    }

    fn news(&mut self, news: News) {
        match news {
            News::Outcome(outcome) => drop(self.outcomes.insert(outcome.key, outcome)),
            News::Gone(key) => drop(self.outcomes.remove(&key)),
            News::Settled(ticket) => self.settled = ticket,
            News::Begun(key, folder) => self.begin_progress(key, &folder),
            News::Progress(key, percent) => {
                let value = json!({ "kind": "report", "percentage": percent });
                self.progress(key, value);
            }
            News::Ended(key) => self.end_progress(key),
            News::Depends(files) => {
                self.to_watch = named_files(&self.client, &files);
                self.watch();
            }
            News::Complaint(message) => {
                self.notify("window/showMessage", json!({ "type": 1, "message": format!("ranklint: {message}") }));
            }
            News::Outline { id, trace } => {
                for waiting in &mut self.waiting {
                    if waiting.id == id
                        && let Pending::Hover { trace: traced, .. } = &mut waiting.what
                    {
                        *traced = Traced::Known(trace.clone());
                    }
                }
            }
            News::Traces { id, text, traces } => self.lenses(id, &text, &traces),
        }
    }

    /// Has the client watch what the projects name themselves, and nothing else beside what it always watches.
    fn watch(&mut self) {
        if !self.is_ready || self.watched == self.to_watch {
            return;
        }
        if self.watched.is_some() {
            let old = json!({ "id": NAMED_FILES, "method": "workspace/didChangeWatchedFiles" });
            // The protocol spells it so.
            self.ask("client/unregisterCapability", json!({ "unregisterations": [old] }));
        }
        self.watched = self.to_watch.clone();
        if let Some(registration) = self.watched.clone() {
            self.ask("client/registerCapability", json!({ "registrations": [registration] }));
        }
    }

    fn begin_progress(&mut self, key: Key, folder: &Path) {
        if !self.client.shows_progress {
            return;
        }
        // The one that was given up for this one; a token is used once.
        self.end_progress(key);
        let token = format!("ranklint-analysis-{}", self.requests);
        self.shown_progress.insert(key, token.clone());
        self.ask("window/workDoneProgress/create", json!({ "token": token }));
        let name = folder.file_name().map_or_else(|| folder.to_string_lossy(), |name| name.to_string_lossy());
        let value =
            json!({ "kind": "begin", "title": "ranklint", "message": format!("reading {name}"), "percentage": 0 });
        self.notify("$/progress", json!({ "token": token, "value": value }));
    }

    fn progress(&self, key: Key, value: Value) {
        if let Some(token) = self.shown_progress.get(&key) {
            self.notify("$/progress", json!({ "token": token, "value": value }));
        }
    }

    fn end_progress(&mut self, key: Key) {
        self.progress(key, json!({ "kind": "end" }));
        self.shown_progress.remove(&key);
    }

    /// Tells the client what is different now: the diagnostics themselves, or that it should ask.
    fn spread(&mut self) {
        if !self.client.pulls {
            self.publish();
        } else if self.client.refreshes && self.settled >= self.ticket {
            let known = self.fingerprint();
            if known != self.known {
                let first = self.known.is_empty();
                self.known = known;
                let waits = !self.waiting.is_empty();
                if !(first && waits) {
                    self.ask("workspace/diagnostic/refresh", Value::Null);
                }
            }
        }
    }

    /// A short name for everything that is to be shown.
    fn fingerprint(&self) -> String {
        let writer = self.writer();
        let all: Vec<_> = self.outcomes.values().flat_map(|outcome| writer.all(outcome)).collect();
        let ids: Vec<String> =
            all.iter().map(|(uri, _, items)| format!("{} {}", uri.as_str(), result_id(items))).collect();
        ids.join("\n")
    }

    /// Sends the diagnostics of files for which they are different, of those that are open or have any.
    fn publish(&mut self) {
        let writer = self.writer();
        let mut now: BTreeMap<String, (Uri, Vec<lsp_types::Diagnostic>)> = BTreeMap::new();
        for outcome in self.outcomes.values() {
            for (uri, _, items) in writer.all(outcome) {
                if self.wishes.whole_workspace || self.documents.get(&uri).is_some() {
                    now.entry(uri.to_string()).or_insert_with(|| (uri, Vec::new())).1.extend(items);
                }
            }
        }
        if self.settled >= self.ticket {
            for uri in self.documents.uris() {
                now.entry(uri.to_string()).or_insert_with(|| (uri, Vec::new()));
            }
        }
        let mut messages = Vec::new();
        for (key, (uri, items)) in &now {
            let version = self.documents.get(uri).map(|document| document.version);
            let id = format!("{version:?} {}", result_id(items));
            if self.published.get(key) != Some(&id) {
                messages.push(json!({ "uri": uri, "version": version, "diagnostics": items }));
                self.published.insert(key.clone(), id);
            }
        }
        if self.settled >= self.ticket {
            let gone: Vec<String> = self.published.keys().filter(|key| !now.contains_key(*key)).cloned().collect();
            for key in gone {
                self.published.remove(&key);
                messages.push(json!({ "uri": key, "diagnostics": [] }));
            }
        }
        for mut params in messages {
            if let Some(object) = params.as_object_mut() {
                object.retain(|_, value| !value.is_null());
            }
            self.notify("textDocument/publishDiagnostics", params);
        }
    }
}
