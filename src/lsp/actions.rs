//! What can be done about a finding: its fix, an ignore with a reason, the rule's page.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, NumberOrString, Range, TextEdit, Uri,
    WorkspaceEdit,
};
use serde_json::json;

use super::answer::Writer;
use super::convert::{Encoding, Lines};
use super::outcome::Outcome;
use crate::base::{FileId, Span};
use crate::finding::{Finding, Fix};
use crate::source::Kind;
use crate::triage::{can_be_ignored, ignore_here, list_end};

/// The command that opens a rule's page.
pub(super) const OPEN_PAGE: &str = "ranklint.openPage";

/// The command that shows what a function issues.
pub(super) const SHOW_TRACE: &str = "ranklint.showTrace";

/// The kind under which all safe fixes of a document are offered together.
pub(super) const FIX_ALL: &str = "source.fixAll.ranklint";

/// What stands for the reason until somebody writes one.
const REASON: &str = "REASON";

/// What is asked for.
pub(super) struct Wish<'a> {
    pub uri: &'a Uri,
    /// The document's text.
    pub text: &'a str,
    /// Its language.
    pub kind: Kind,
    pub encoding: Encoding,
    pub range: Range,
    /// The kinds that are wanted; all where empty.
    pub only: &'a [CodeActionKind],
    /// The client's own copies of the diagnostics.
    pub diagnostics: &'a [Diagnostic],
}

impl Wish<'_> {
    fn wants(&self, kind: &str) -> bool {
        self.only.is_empty()
            || self.only.iter().any(|only| {
                let only = only.as_str();
                kind == only || kind.strip_prefix(only).is_some_and(|rest| only.is_empty() || rest.starts_with('.'))
            })
    }
}

/// The actions for the findings of a file that touch the range.
pub(super) fn actions(
    wish: &Wish<'_>,
    writer: &Writer<'_>,
    outcome: &Outcome,
    file: FileId,
) -> Vec<CodeActionOrCommand> {
    let mut out = Vec::new();
    if wish.wants("quickfix") {
        for finding in outcome.findings_in(file) {
            let Some(place) = writer.location(outcome, finding.site) else { continue };
            if place.uri == *wish.uri && touches(place.range, wish.range) {
                about(wish, writer, outcome, finding, place.range, &mut out);
            }
        }
    }
    let asked_by_name = wish.only.iter().any(|only| only.as_str().starts_with("source"));
    if asked_by_name && wish.wants(FIX_ALL) {
        out.extend(fix_all(wish, writer, outcome, file).map(CodeActionOrCommand::CodeAction));
    }
    out
}

fn about(
    wish: &Wish<'_>,
    writer: &Writer<'_>,
    outcome: &Outcome,
    finding: &Finding,
    range: Range,
    out: &mut Vec<CodeActionOrCommand>,
) {
    let rule = finding.rule;
    let code = NumberOrString::String(rule.to_owned());
    let theirs = |diagnostic: &&Diagnostic| diagnostic.code.as_ref() == Some(&code) && diagnostic.range == range;
    let diagnostics: Vec<Diagnostic> = wish.diagnostics.iter().filter(theirs).cloned().collect();
    let mut push = |title: String, edit: WorkspaceEdit, preferred: bool| {
        out.push(CodeActionOrCommand::CodeAction(CodeAction {
            title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: (!diagnostics.is_empty()).then(|| diagnostics.clone()),
            edit: Some(edit),
            is_preferred: preferred.then_some(true),
            ..CodeAction::default()
        }));
    };
    if let Some(fix) = &finding.fix
        && let Some(edit) = edits(fix, writer, outcome)
    {
        let doubt = if fix.safe { "" } else { " (may change what the program does)" };
        push(format!("{}{doubt}", fix.message), edit, fix.safe);
    }
    let lines = Lines::new(wish.text, wish.encoding);
    if can_be_ignored(rule) {
        let span = Span::new(lines.offset(range.start), lines.offset(range.end));
        if let Some((span, text)) = ignore_here(wish.text, wish.kind, span, &[rule], REASON) {
            let edit =
                TextEdit { range: Range::new(lines.position(span.start), lines.position(span.end)), new_text: text };
            push(format!("ignore `{rule}` here"), one(wish.uri, edit), false);
        }
        push(format!("ignore `{rule}` in this file"), one(wish.uri, ignore_in_file(wish, &lines, rule)), false);
    }
    out.push(CodeActionOrCommand::CodeAction(CodeAction {
        title: format!("explain `{rule}`"),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: (!diagnostics.is_empty()).then_some(diagnostics),
        command: Some(open_page(rule)),
        ..CodeAction::default()
    }));
}

/// The command that opens the page of a rule.
fn open_page(rule: &str) -> Command {
    Command {
        title: format!("open the page of `{rule}`"),
        command: OPEN_PAGE.to_owned(),
        arguments: Some(vec![json!(rule)]),
    }
}

fn fix_all(wish: &Wish<'_>, writer: &Writer<'_>, outcome: &Outcome, file: FileId) -> Option<CodeAction> {
    let mut all: Vec<TextEdit> = Vec::new();
    for fix in outcome.findings_in(file).filter_map(|finding| finding.fix.as_ref()).filter(|fix| fix.safe) {
        let Some(edit) = edits(fix, writer, outcome) else { continue };
        let Some(changes) = edit.changes.filter(|changes| changes.len() == 1) else { continue };
        let fresh: Vec<TextEdit> =
            changes.into_iter().filter(|(uri, _)| uri == wish.uri).flat_map(|(_, edits)| edits).collect();
        // A fix is whole or not at all; what overlaps is left for the next time.
        if !fresh.iter().any(|new| all.iter().any(|old| touches(old.range, new.range))) {
            all.extend(fresh);
        }
    }
    (!all.is_empty()).then(|| CodeAction {
        title: "fix everything that ranklint can fix for certain".to_owned(),
        kind: Some(CodeActionKind::new(FIX_ALL)),
        edit: Some(changes([(wish.uri.clone(), all)])),
        ..CodeAction::default()
    })
}

fn edits(fix: &Fix, writer: &Writer<'_>, outcome: &Outcome) -> Option<WorkspaceEdit> {
    let mut by_uri: Vec<(Uri, Vec<TextEdit>)> = Vec::new();
    for edit in &fix.edits {
        let place = writer.location(outcome, edit.site)?;
        let text = TextEdit { range: place.range, new_text: edit.content.clone() };
        match by_uri.iter_mut().find(|(uri, _)| *uri == place.uri) {
            Some((_, edits)) => edits.push(text),
            None => by_uri.push((place.uri, vec![text])),
        }
    }
    Some(changes(by_uri))
}

/// A suppression for the whole file, below what must stand first.
fn ignore_in_file(wish: &Wish<'_>, lines: &Lines<'_>, rule: &str) -> TextEdit {
    let mut first = 1;
    for line in 1..=lines.count() {
        let (start, text) = lines.line(line);
        if let Some(at) = list_end(text, "ignore-file[") {
            return insertion(lines, start + at, format!(", {rule}"));
        }
        let leads = text.starts_with("#!") || text.starts_with('#') && text.contains("coding");
        if line == first && leads {
            first = line + 1;
        }
    }
    let at = if first > lines.count() { wish.text.len() as u32 } else { lines.line(first).0 };
    insertion(lines, at, format!("# ranklint: ignore-file[{rule}] -- {REASON}\n"))
}

fn insertion(lines: &Lines<'_>, at: u32, new_text: String) -> TextEdit {
    let position = lines.position(at);
    TextEdit { range: Range::new(position, position), new_text }
}

fn one(uri: &Uri, edit: TextEdit) -> WorkspaceEdit {
    changes([(uri.clone(), vec![edit])])
}

#[expect(clippy::mutable_key_type, reason = "the protocol's type of addresses is a key of its own maps")]
fn changes(edits: impl IntoIterator<Item = (Uri, Vec<TextEdit>)>) -> WorkspaceEdit {
    let changes: HashMap<Uri, Vec<TextEdit>> = edits.into_iter().collect();
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

fn touches(one: Range, other: Range) -> bool {
    one.start <= other.end && other.start <= one.end
}
