//! What the client tells.

use lsp_server::{Notification, RequestId, Response};
use lsp_types::{
    DidChangeNotebookDocumentParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWorkspaceFoldersParams, DidCloseNotebookDocumentParams, DidCloseTextDocumentParams,
    DidOpenNotebookDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::super::capabilities::tidy;
use super::super::uri::path_of;
use super::{Session, Task, registrations};

fn read<P: DeserializeOwned>(params: Value) -> Option<P> {
    serde_json::from_value(params).ok()
}

impl Session {
    /// Takes a notification into account. Those that are unknown or misshapen are passed over, as the protocol asks.
    pub(super) fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        // What cannot be read changes nothing.
        let _ = self.told(&method, params);
    }

    fn told(&mut self, method: &str, params: Value) -> Option<()> {
        match method {
            "initialized" => {
                let registrations = registrations(&self.client);
                if !registrations.is_empty() {
                    self.ask("client/registerCapability", json!({ "registrations": registrations }));
                }
                self.is_ready = true;
                self.watch();
                self.ask_configuration();
            }
            "textDocument/didOpen" => {
                let params: DidOpenTextDocumentParams = read(params)?;
                let uri = params.text_document.uri.clone();
                self.documents.open(params.text_document);
                self.edited(&uri);
            }
            "textDocument/didChange" => {
                let params: DidChangeTextDocumentParams = read(params)?;
                let (uri, version) = (params.text_document.uri, params.text_document.version);
                self.documents.change(&uri, version, params.content_changes, self.client.encoding);
                self.edited(&uri);
            }
            "textDocument/didSave" => {
                let params: DidSaveTextDocumentParams = read(params)?;
                let path = path_of(params.text_document.uri.as_str())?;
                // Clients that watch no files tell of a configuration by saving it.
                if !self.client.watches_files {
                    self.task(Task::Disk(vec![path]));
                }
            }
            "textDocument/didClose" => {
                let params: DidCloseTextDocumentParams = read(params)?;
                let uri = params.text_document.uri;
                self.documents.close(&uri);
                let path = path_of(uri.as_str())?;
                self.task(Task::Buffer { path, content: None });
            }
            "notebookDocument/didOpen" => {
                let params: DidOpenNotebookDocumentParams = read(params)?;
                let notebook = params.notebook_document;
                let first = params.cell_text_documents.first().map(|cell| cell.uri.clone());
                self.documents.open_notebook(&notebook.uri, notebook.cells, params.cell_text_documents);
                self.edited(&first?);
            }
            "notebookDocument/didChange" => {
                let params: DidChangeNotebookDocumentParams = read(params)?;
                let uri = params.notebook_document.uri;
                let cells = params.change.cells?;
                let mut touched = None;
                if let Some(structure) = cells.structure {
                    for item in structure.did_open.into_iter().flatten() {
                        touched = Some(item.uri.clone());
                        self.documents.open(item);
                    }
                    let array = structure.array;
                    let new = array.cells.unwrap_or_default();
                    touched = touched.or_else(|| new.first().map(|cell| cell.document.clone()));
                    self.documents.splice(&uri, array.start as usize, array.delete_count as usize, new);
                    for closed in structure.did_close.into_iter().flatten() {
                        self.documents.close(&closed.uri);
                    }
                }
                for change in cells.text_content.into_iter().flatten() {
                    let (cell, version) = (change.document.uri, change.document.version);
                    self.documents.change(&cell, version, change.changes, self.client.encoding);
                    touched = Some(cell);
                }
                let touched = touched.or_else(|| self.documents.first_cell(&uri));
                self.edited(&touched?);
            }
            "notebookDocument/didClose" => {
                let params: DidCloseNotebookDocumentParams = read(params)?;
                let path = self.documents.close_notebook(&params.notebook_document.uri)?;
                self.task(Task::Buffer { path, content: None });
            }
            "workspace/didChangeWatchedFiles" => {
                let params: DidChangeWatchedFilesParams = read(params)?;
                let paths = params.changes.iter().filter_map(|change| path_of(change.uri.as_str())).collect();
                self.task(Task::Disk(paths));
            }
            "workspace/didChangeWorkspaceFolders" => {
                let params: DidChangeWorkspaceFoldersParams = read(params)?;
                let path = |uri: &Uri| path_of(uri.as_str()).map(|path| tidy(&path));
                let removed: Vec<_> = params.event.removed.iter().filter_map(|folder| path(&folder.uri)).collect();
                self.folders.retain(|folder| !removed.contains(folder));
                for added in params.event.added.iter().filter_map(|folder| path(&folder.uri)) {
                    if !self.folders.contains(&added) {
                        self.folders.push(added);
                    }
                }
                self.task(Task::Folders(self.folders.clone()));
            }
            "workspace/didChangeConfiguration" => {
                self.wishes = self.wishes.with(&params["settings"]);
                self.ask_configuration();
                self.task(Task::Reload);
            }
            "$/cancelRequest" => {
                let id: RequestId = read(params.get("id")?.clone())?;
                let position = self.waiting.iter().position(|waiting| waiting.id == id)?;
                self.waiting.remove(position);
                self.refuse(id, lsp_server::ErrorCode::RequestCanceled, "cancelled");
            }
            _ => {}
        }
        Some(())
    }

    /// Takes an answer of the client's into account.
    pub(super) fn response(&mut self, response: Response) {
        let Some(position) = self.asked_configuration.iter().position(|id| *id == response.id) else { return };
        self.asked_configuration.remove(position);
        let settings = response.result.and_then(|result| result.get(0).cloned()).unwrap_or_default();
        let wishes = self.wishes.with(&settings);
        if wishes != self.wishes {
            self.wishes = wishes;
            self.spread();
            if self.client.pulls && self.client.refreshes {
                self.ask("workspace/diagnostic/refresh", Value::Null);
            }
            // What is left out from now on is news to whoever waits.
            self.answer_waiting();
            if self.client.refreshes_lenses {
                self.ask("workspace/codeLens/refresh", Value::Null);
            }
        }
    }

    fn ask_configuration(&mut self) {
        if self.client.tells_configuration {
            let id = self.ask("workspace/configuration", json!({ "items": [{ "section": "ranklint" }] }));
            self.asked_configuration.push(id);
        }
    }

    /// An open document has another text now.
    fn edited(&mut self, uri: &Uri) {
        if let Some(buffer) = self.documents.buffer(uri) {
            self.task(Task::Buffer { path: buffer.path, content: Some((buffer.kind, buffer.text)) });
        }
    }
}
