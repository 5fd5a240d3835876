//! What the client can do, what it wishes, and what it is told this server can do.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lsp_types::PositionEncodingKind;
use serde_json::{Value, json};

use super::actions::{FIX_ALL, OPEN_PAGE, SHOW_TRACE};
use super::convert::Encoding;
use super::uri::{path_of, uri_of};

/// What the client can do.
#[derive(Debug)]
pub(super) struct Client {
    pub encoding: Encoding,
    /// It asks for diagnostics; otherwise they are sent.
    pub pulls: bool,
    /// It can be told to ask again.
    pub refreshes: bool,
    pub refreshes_lenses: bool,
    pub shows_progress: bool,
    pub watches_files: bool,
    /// It can watch files in a folder that it is told, be it part of the workspace or not.
    pub watches_folders: bool,
    pub tells_configuration: bool,
    pub registers_configuration: bool,
    pub shows_documents: bool,
}

impl Client {
    /// Reads the capabilities as they were sent: what is missing or misshapen is not there.
    pub(super) fn of(capabilities: &Value) -> Client {
        let says = |pointer: &str| capabilities.pointer(pointer).and_then(Value::as_bool).unwrap_or(false);
        let offered = capabilities.pointer("/general/positionEncodings").cloned().unwrap_or_default();
        let offered: Vec<PositionEncodingKind> = serde_json::from_value(offered).unwrap_or_default();
        Client {
            encoding: Encoding::of(&offered),
            pulls: capabilities.pointer("/textDocument/diagnostic").is_some(),
            refreshes: says("/workspace/diagnostics/refreshSupport") || says("/workspace/diagnostic/refreshSupport"),
            refreshes_lenses: says("/workspace/codeLens/refreshSupport"),
            shows_progress: says("/window/workDoneProgress"),
            watches_files: says("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            watches_folders: says("/workspace/didChangeWatchedFiles/relativePatternSupport"),
            tells_configuration: says("/workspace/configuration"),
            registers_configuration: says("/workspace/didChangeConfiguration/dynamicRegistration"),
            shows_documents: says("/window/showDocument/support"),
        }
    }
}

/// What the person wishes of the editor's side; everything else is the project's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wishes {
    /// Show what functions issue above them.
    pub code_lens: bool,
    /// Report findings in files that are not open.
    pub whole_workspace: bool,
}

impl Default for Wishes {
    fn default() -> Self {
        Wishes { code_lens: false, whole_workspace: true }
    }
}

impl Wishes {
    /// Takes over what `settings` says, be it the section itself or an object that holds it.
    #[must_use]
    pub(super) fn with(self, settings: &Value) -> Wishes {
        let section = settings.get("ranklint").unwrap_or(settings);
        let says = |key: &str, before: bool| section.get(key).and_then(Value::as_bool).unwrap_or(before);
        Wishes {
            code_lens: says("codeLens", self.code_lens),
            whole_workspace: says("workspaceDiagnostics", self.whole_workspace),
        }
    }
}

/// The folders of the workspace; none where single files are edited.
pub(super) fn folders(params: &Value) -> Vec<PathBuf> {
    let listed = params["workspaceFolders"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut folders: Vec<PathBuf> = listed.iter().filter_map(|folder| path_of(folder["uri"].as_str()?)).collect();
    if folders.is_empty() {
        // Older clients send the root in one of two other ways.
        let root = params["rootUri"].as_str().and_then(path_of);
        folders.extend(root.or_else(|| params["rootPath"].as_str().map(PathBuf::from)));
    }
    folders.iter().map(|folder| tidy(folder)).collect()
}

/// A folder without a trailing slash.
pub(super) fn tidy(folder: &Path) -> PathBuf {
    folder.components().collect()
}

/// The answer to `initialize`.
pub(super) fn announcement(client: &Client, wishes: Wishes) -> Value {
    let cells = json!([{ "language": "python" }]);
    let mut capabilities = json!({
            "positionEncoding": client.encoding.name(),
            "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
            "notebookDocumentSync": {
                "notebookSelector": [{ "notebook": { "notebookType": "jupyter-notebook" }, "cells": cells }],
            },
            "diagnosticProvider": client.pulls.then(|| json!({
                "identifier": "ranklint",
                "interFileDependencies": true,
                "workspaceDiagnostics": wishes.whole_workspace,
            })),
            "hoverProvider": true,
            "codeActionProvider": { "codeActionKinds": ["quickfix", FIX_ALL] },
            "codeLensProvider": wishes.code_lens.then(|| json!({ "resolveProvider": false })),
            "executeCommandProvider": { "commands": [OPEN_PAGE, SHOW_TRACE] },
        "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
    });
    // Some clients take an explicit null for something.
    if let Some(offered) = capabilities.as_object_mut() {
        offered.retain(|_, value| !value.is_null());
    }
    json!({
        "serverInfo": { "name": "ranklint", "version": env!("CARGO_PKG_VERSION") },
        "capabilities": capabilities,
    })
}

/// The name under which files are watched that the project names itself.
pub(super) const NAMED_FILES: &str = "ranklint-named-files";

/// What the client is asked to watch of files that a project depends on, beside those that are always watched: a baseline may
/// have any name. None where that is nothing.
pub(super) fn named_files(client: &Client, files: &BTreeSet<PathBuf>) -> Option<Value> {
    let named = files.iter().filter(|file| file.extension().is_none_or(|kind| kind != "toml"));
    let watchers: Vec<Value> = named
        .filter_map(|file| {
            let name: String = file.file_name()?.to_string_lossy().chars().map(literal).collect();
            Some(match client.watches_folders {
                true => json!({ "globPattern": { "baseUri": uri_of(file.parent()?), "pattern": name } }),
                false => json!({ "globPattern": format!("**/{name}") }),
            })
        })
        .collect();
    (client.watches_files && !watchers.is_empty()).then(|| watching(NAMED_FILES, watchers))
}

/// A letter that stands for itself in a pattern.
fn literal(letter: char) -> char {
    if matches!(letter, '*' | '?' | '[' | ']' | '{' | '}' | '!' | '\\') { '?' } else { letter }
}

fn watching(id: &str, watchers: Vec<Value>) -> Value {
    json!({ "id": id, "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": watchers } })
}

/// What the client is asked to tell of.
pub(super) fn registrations(client: &Client) -> Vec<Value> {
    let mut out = Vec::new();
    if client.watches_files {
        let globs = ["**/*.py", "**/*.{sh,bash}", "**/*.toml"];
        let watchers = globs.iter().map(|glob| json!({ "globPattern": glob })).collect();
        out.push(watching("ranklint-files", watchers));
    }
    if client.registers_configuration {
        out.push(json!({
            "id": "ranklint-configuration",
            "method": "workspace/didChangeConfiguration",
            "registerOptions": { "section": "ranklint" },
        }));
    }
    out
}
