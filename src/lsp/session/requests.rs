//! What the client asks.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use lsp_server::{ErrorCode, Request, RequestId, Response};
use lsp_types::{CodeActionParams, CodeLensParams, HoverParams, Uri};
use serde_json::{Value, json};

use super::super::actions::{OPEN_PAGE, SHOW_TRACE, Wish, actions};
use super::super::answer::{page_of, result_id};
use super::super::convert::Lines;
use super::super::hover;
use super::super::tasks::Trace;
use super::{Pending, Session, Task, Traced, Waiting};
use crate::base::Span;
use crate::meta;

/// How many events of a function its lens names.
const LENS_EVENTS: usize = 4;

impl Session {
    /// Answers a request, now or when the analyst has caught up.
    pub(super) fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        if self.shutting_down {
            return self.refuse(id, ErrorCode::InvalidRequest, "the server is shutting down");
        }
        let known = match method.as_str() {
            "shutdown" => {
                self.shutting_down = true;
                self.say(Response { id: id.clone(), result: Some(Value::Null), error: None });
                Some(())
            }
            "initialize" => {
                self.refuse(id.clone(), ErrorCode::InvalidRequest, "the session has begun already");
                Some(())
            }
            "textDocument/diagnostic" => self.asked_document(&id, &params),
            "workspace/diagnostic" => {
                let previous = params["previousResultIds"].as_array().map(Vec::as_slice).unwrap_or_default();
                let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
                let previous = previous.iter().map(|known| (text(known, "uri"), text(known, "value"))).collect();
                self.wait(&id, Pending::Workspace { previous });
                Some(())
            }
            "textDocument/hover" => self.asked_hover(&id, params),
            "textDocument/codeAction" => self.asked_actions(&id, params),
            "textDocument/codeLens" => self.asked_lenses(&id, params),
            "workspace/executeCommand" => self.asked_command(&id, &params),
            _ => {
                self.refuse(id.clone(), ErrorCode::MethodNotFound, &format!("`{method}` is not known here"));
                Some(())
            }
        };
        if known.is_none() {
            self.refuse(id, ErrorCode::InvalidParams, &format!("these are no parameters of `{method}`"));
        }
    }

    pub(super) fn refuse(&self, id: RequestId, code: ErrorCode, message: &str) {
        self.say(Response::new_err(id, code as i32, message.to_owned()));
    }

    fn ok(&self, id: RequestId, result: impl serde::Serialize) {
        let result = serde_json::to_value(result).unwrap_or_default();
        self.say(Response { id, result: Some(result), error: None });
    }

    fn wait(&mut self, id: &RequestId, what: Pending) {
        self.waiting.push(Waiting { id: id.clone(), ticket: self.ticket, what });
        self.answer_waiting();
    }

    /// Answers what can be answered by now.
    pub(super) fn answer_waiting(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            let Waiting { id, ticket, what } = waiting;
            let settled = self.settled >= ticket;
            let what = match what {
                Pending::Document { uri, previous } if settled => {
                    self.answer_document(id, &uri, previous.as_deref());
                    continue;
                }
                Pending::Workspace { previous } if settled => match self.workspace_report(&previous) {
                    Some(report) => {
                        self.ok(id, report);
                        continue;
                    }
                    None => Pending::Workspace { previous },
                },
                Pending::Hover { uri, offset, trace: Traced::Known(trace) } => {
                    self.answer_hover(id, &uri, offset, trace);
                    continue;
                }
                later => later,
            };
            self.waiting.push(Waiting { id, ticket, what });
        }
    }

    fn asked_document(&mut self, id: &RequestId, params: &Value) -> Option<()> {
        let uri: Uri = serde_json::from_value(params["textDocument"]["uri"].clone()).ok()?;
        let previous = params["previousResultId"].as_str().map(str::to_owned);
        self.wait(id, Pending::Document { uri, previous });
        Some(())
    }

    fn answer_document(&self, id: RequestId, uri: &Uri, previous: Option<&str>) {
        let found = self.documents.part(uri).and_then(|part| self.outcome_of(&part.path));
        let items = found.map_or_else(Vec::new, |(outcome, file)| self.writer().at(outcome, file, uri));
        let result = result_id(&items);
        self.ok(
            id,
            match previous == Some(result.as_str()) {
                true => json!({ "kind": "unchanged", "resultId": result }),
                false => json!({ "kind": "full", "resultId": result, "items": items }),
            },
        );
    }

    /// What is different from what the client knows; None when nothing is, and it should wait.
    fn workspace_report(&self, previous: &BTreeMap<String, String>) -> Option<Value> {
        let writer = self.writer();
        let mut reports = Vec::new();
        let mut seen = Vec::new();
        let mut news = previous.is_empty();
        let version = |uri: &Uri| self.documents.get(uri).map(|document| document.version);
        for outcome in self.outcomes.values() {
            for (uri, _, items) in writer.all(outcome) {
                if !self.wishes.whole_workspace && self.documents.get(&uri).is_none() {
                    continue;
                }
                let result = result_id(&items);
                let known = previous.get(uri.as_str()) == Some(&result);
                news |= !known;
                reports.push(match known {
                    true => json!({ "kind": "unchanged", "uri": uri, "version": version(&uri), "resultId": result }),
                    false => json!({
                        "kind": "full", "uri": uri, "version": version(&uri), "resultId": result, "items": items,
                    }),
                });
                seen.push(uri.to_string());
            }
        }
        let nothing = result_id(&[]);
        for (uri, known) in previous.iter().filter(|(uri, _)| !seen.contains(uri)) {
            if *known != nothing {
                news = true;
                let version = self.documents.get_by_name(uri).map(|document| document.version);
                reports
                    .push(json!({ "kind": "full", "uri": uri, "version": version, "resultId": nothing, "items": [] }));
            }
        }
        news.then(|| json!({ "items": reports }))
    }

    fn asked_hover(&mut self, id: &RequestId, params: Value) -> Option<()> {
        let params: HoverParams = serde_json::from_value(params).ok()?;
        let at = params.text_document_position_params;
        let uri = at.text_document.uri;
        let Some(document) = self.documents.get(&uri) else {
            self.ok(id.clone(), Value::Null);
            return Some(());
        };
        let lines = Lines::new(&document.text, self.client.encoding);
        let offset = lines.offset(at.position);
        if let Some((span, name)) = hover::named_at(&document.text, offset)
            && let Some(text) = hover::of_name(name)
        {
            self.ok(id.clone(), hover::hover(text, Some(span), &lines, 0));
            return Some(());
        }
        // The analyst's texts are those of whole files.
        let part = self.documents.part(&uri)?;
        let Some((path, offset)) = self.in_file(&uri, at.position) else {
            self.ok(id.clone(), Value::Null);
            return Some(());
        };
        debug_assert_eq!(part.path, path);
        let pending = Pending::Hover { uri, offset, trace: Traced::Asked };
        self.waiting.push(Waiting { id: id.clone(), ticket: self.ticket, what: pending });
        self.task(Task::Outline { id: id.clone(), path, offset });
        Some(())
    }

    /// The file and offset of a position in an open document.
    fn in_file(&self, uri: &Uri, position: lsp_types::Position) -> Option<(PathBuf, u32)> {
        let part = self.documents.part(uri)?;
        let buffer = self.documents.buffer(uri)?;
        let lines = Lines::new(&buffer.text, self.client.encoding);
        let position = lsp_types::Position::new(position.line.saturating_add(part.first), position.character);
        Some((part.path, lines.offset(position)))
    }

    fn answer_hover(&self, id: RequestId, uri: &Uri, offset: u32, trace: Option<Trace>) {
        let part = self.documents.part(uri);
        let known = part.as_ref().and_then(|part| Some((part, self.outcome_of(&part.path)?)));
        let Some((part, (outcome, file))) = known else { return self.ok(id, Value::Null) };
        let findings = hover::findings_at(outcome, file, offset);
        let text = outcome.text(file);
        let lines = Lines::new(text, self.client.encoding);
        // A function's definition line speaks of it; its body does where something was found.
        let on_header = |trace: &Trace| {
            let first = lines.line_of(trace.span.start);
            lines.line_of(offset) == first
        };
        let trace = trace.filter(|trace| on_header(trace) || !findings.is_empty());
        let span = match findings.first() {
            Some(finding) => Some(finding.site.span),
            None => trace.as_ref().map(|trace| header(text, trace.span)),
        };
        let mut parts: Vec<String> = hover::of_findings(&findings, outcome).into_iter().collect();
        if let Some(trace) = trace {
            parts.insert(parts.len().min(1), hover::of_trace(&trace.text));
        }
        if parts.is_empty() {
            return self.ok(id, Value::Null);
        }
        self.ok(id, hover::hover(parts.join("\n\n---\n\n"), span, &lines, part.first));
    }

    fn asked_actions(&mut self, id: &RequestId, params: Value) -> Option<()> {
        let params: CodeActionParams = serde_json::from_value(params).ok()?;
        let uri = params.text_document.uri;
        let known = self.documents.part(&uri).and_then(|part| self.outcome_of(&part.path));
        let (Some(document), Some((outcome, file))) = (self.documents.get(&uri), known) else {
            self.ok(id.clone(), json!([]));
            return Some(());
        };
        // Places of a text that is no longer there would be wrong places.
        let buffer = self.documents.buffer(&uri);
        let is_current = buffer.as_ref().is_some_and(|buffer| Arc::clone(outcome.text(file)) == buffer.text);
        let wish = Wish {
            uri: &uri,
            text: &document.text,
            kind: buffer.map_or(crate::source::Kind::Python, |buffer| buffer.kind),
            encoding: self.client.encoding,
            range: params.range,
            only: params.context.only.as_deref().unwrap_or_default(),
            diagnostics: &params.context.diagnostics,
        };
        let offered = if is_current { actions(&wish, &self.writer(), outcome, file) } else { Vec::new() };
        self.ok(id.clone(), offered);
        Some(())
    }

    fn asked_lenses(&mut self, id: &RequestId, params: Value) -> Option<()> {
        let params: CodeLensParams = serde_json::from_value(params).ok()?;
        let part = self.documents.part(&params.text_document.uri);
        match part.filter(|part| self.wishes.code_lens && part.lines.is_none()) {
            Some(part) => self.task(Task::Traces { id: id.clone(), path: part.path }),
            None => self.ok(id.clone(), json!([])),
        }
        Some(())
    }

    /// Answers a request for lenses.
    pub(super) fn lenses(&self, id: RequestId, text: &Arc<str>, traces: &[Trace]) {
        let lines = Lines::new(text, self.client.encoding);
        let lenses: Vec<Value> = traces
            .iter()
            .filter_map(|trace| {
                let title = summary(&trace.text)?;
                let range = lines.range(header(text, trace.span));
                let command = json!({ "title": title, "command": SHOW_TRACE, "arguments": [trace.text] });
                Some(json!({ "range": range, "command": command }))
            })
            .collect();
        self.ok(id, lenses);
    }

    fn asked_command(&mut self, id: &RequestId, params: &Value) -> Option<()> {
        let argument = params["arguments"].get(0).and_then(Value::as_str).unwrap_or_default().to_owned();
        match params["command"].as_str()? {
            OPEN_PAGE => {
                let page = page_of(&argument);
                if let (true, Some(page)) = (self.client.shows_documents, &page) {
                    self.ask("window/showDocument", json!({ "uri": page, "takeFocus": true }));
                } else if let Some(rule) = meta::rule_named(&argument) {
                    self.notify("window/showMessage", json!({ "type": 3, "message": rule.page }));
                }
                self.ok(id.clone(), page);
            }
            SHOW_TRACE => {
                self.notify("window/showMessage", json!({ "type": 3, "message": argument }));
                self.ok(id.clone(), Value::Null);
            }
            _ => return None,
        }
        Some(())
    }
}

/// The line on which a definition begins.
fn header(text: &str, span: Span) -> Span {
    let rest = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
    Span::new(span.start, span.start + length as u32)
}

/// The first events of an outline in a row; None where there are none.
fn summary(outline: &str) -> Option<String> {
    const FORMS: [&str; 12] = [
        "if ",
        "for each",
        "while ",
        "else",
        "otherwise",
        "return",
        "raise",
        "try",
        "except",
        "finally",
        "call ",
        "break",
    ];
    let events: Vec<&str> = outline
        .lines()
        .skip(1)
        .map(str::trim)
        .filter(|line| line.contains(" on ") && !FORMS.iter().any(|form| line.starts_with(form)))
        .map(|line| line.split(" (").next().unwrap_or(line))
        .collect();
    let more = if events.len() > LENS_EVENTS { " → …" } else { "" };
    let shown: Vec<&str> = events.into_iter().take(LENS_EVENTS).collect();
    (!shown.is_empty()).then(|| format!("{}{more}", shown.join(" → ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lens_names_the_first_events() {
        let outline = "job.f (job.py:1)\n  all_reduce on WORLD (job.py:2)\n  if `x` (job.py:3): differs\n    barrier on WORLD (job.py:4)\n";
        assert_eq!(summary(outline).as_deref(), Some("all_reduce on WORLD → barrier on WORLD"));
        assert_eq!(summary("f (a:1)\n  issues nothing\n"), None);
    }
}
