//! Findings as the protocol's diagnostics.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, Position, Range, Uri,
};
use rustc_hash::{FxHashMap, FxHasher};

use super::convert::{Encoding, Lines};
use super::documents::Documents;
use super::outcome::{Key, Outcome};
use super::uri::uri_of;
use crate::base::{FileId, Site};
use crate::cache::page_file;
use crate::finding::{Finding, Severity};
use crate::meta;

/// Everything that is known of all projects.
pub(super) type Outcomes = BTreeMap<Key, Arc<Outcome>>;

/// Writes findings down for one client.
pub(super) struct Writer<'a> {
    pub documents: &'a Documents,
    pub encoding: Encoding,
}

impl Writer<'_> {
    /// The diagnostics of all files of a project that have some, by address, in the order of their places.
    pub(super) fn all(&self, outcome: &Outcome) -> Vec<(Uri, PathBuf, Vec<Diagnostic>)> {
        let mut out: Vec<(Uri, PathBuf, Vec<Diagnostic>)> = Vec::new();
        let mut places = Places::new(self, outcome);
        for finding in &outcome.findings {
            let Some((uri, diagnostic)) = places.diagnostic(finding) else { continue };
            match out.iter_mut().find(|(known, ..)| *known == uri) {
                Some((.., diagnostics)) => diagnostics.push(diagnostic),
                None => out.push((uri, outcome.path(finding.site.file), vec![diagnostic])),
            }
        }
        out
    }

    /// The diagnostics that an address shows, of those in its file.
    pub(super) fn at(&self, outcome: &Outcome, file: FileId, uri: &Uri) -> Vec<Diagnostic> {
        let mut places = Places::new(self, outcome);
        outcome
            .findings_in(file)
            .filter_map(|finding| places.diagnostic(finding))
            .filter(|(at, _)| at == uri)
            .map(|(_, diagnostic)| diagnostic)
            .collect()
    }

    /// The address and range of a place.
    pub(super) fn location(&self, outcome: &Outcome, site: Site) -> Option<Location> {
        Places::new(self, outcome).location(site)
    }

    /// A range of an analysed file as the document shows it that holds its first line.
    pub(super) fn shown(&self, path: &Path, range: Range) -> Option<Location> {
        match self.documents.shows(path, range.start.line) {
            Some((uri, line)) => {
                let up = range.start.line - line;
                let end = Position::new(range.end.line - up, range.end.character);
                Some(Location::new(uri, Range::new(Position::new(line, range.start.character), end)))
            }
            None => Some(Location::new(uri_of(path), range)),
        }
    }
}

/// The lines of files, each counted once.
struct Places<'a> {
    writer: &'a Writer<'a>,
    outcome: &'a Outcome,
    lines: FxHashMap<FileId, Lines<'a>>,
}

impl<'a> Places<'a> {
    fn new(writer: &'a Writer<'a>, outcome: &'a Outcome) -> Places<'a> {
        Places { writer, outcome, lines: FxHashMap::default() }
    }

    fn location(&mut self, site: Site) -> Option<Location> {
        let (outcome, encoding) = (self.outcome, self.writer.encoding);
        let lines = self.lines.entry(site.file).or_insert_with(|| Lines::new(outcome.text(site.file), encoding));
        self.writer.shown(&outcome.path(site.file), lines.range(site.span))
    }

    fn diagnostic(&mut self, finding: &Finding) -> Option<(Uri, Diagnostic)> {
        let Location { uri, range } = self.location(finding.site)?;
        let related: Vec<DiagnosticRelatedInformation> = finding
            .related
            .iter()
            .filter_map(|related| {
                let location = self.location(related.site)?;
                Some(DiagnosticRelatedInformation { location, message: related.message.clone() })
            })
            .collect();
        let message = match finding.help.as_str() {
            "" => finding.message.clone(),
            help => format!("{}\nhelp: {help}", finding.message),
        };
        let unneeded = finding.rule == meta::UNUSED_IGNORE.name;
        let diagnostic = Diagnostic {
            range,
            severity: Some(match finding.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
                Severity::Note => DiagnosticSeverity::INFORMATION,
            }),
            code: Some(NumberOrString::String(finding.rule.to_owned())),
            code_description: page_of(finding.rule).map(|href| CodeDescription { href }),
            source: Some("ranklint".to_owned()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            tags: unneeded.then(|| vec![DiagnosticTag::UNNECESSARY]),
            data: None,
        };
        Some((uri, diagnostic))
    }
}

/// The address of a rule's page.
pub(super) fn page_of(rule: &str) -> Option<Uri> {
    page_file(meta::rule_named(rule)?).map(|file| uri_of(&file))
}

/// A name for what was answered, to say next time that nothing changed.
pub(super) fn result_id(diagnostics: &[Diagnostic]) -> String {
    let mut hash = FxHasher::default();
    // Diagnostics are plain data: they can be written.
    serde_json::to_string(diagnostics).unwrap_or_default().hash(&mut hash);
    format!("{:016x}", hash.finish())
}
