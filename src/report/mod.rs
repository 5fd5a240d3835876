//! Renders findings. (A stand-in: the renderers proper are written elsewhere and replace this file.)

use std::io;
use std::time::Duration;

use crate::base::{FileId, LineIndex};
use crate::finding::Finding;

/// Paths and texts of the files that findings speak of.
pub trait Files {
    /// The path, relative to the working directory, with forward slashes.
    fn path(&self, file: FileId) -> &str;
    /// The text; empty where the file could not be read.
    fn text(&self, file: FileId) -> &str;
}

/// What a run comes to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Files looked at.
    pub files: usize,
    /// Their lines.
    pub lines: usize,
    /// Findings that comments or the configuration silence.
    pub suppressed: usize,
    /// Findings below the confidence threshold.
    pub hidden: usize,
    /// How long it took, where it is to be shown.
    pub elapsed: Option<Duration>,
}

/// What is rendered.
pub struct Report<'a> {
    /// The findings, sorted.
    pub findings: &'a [Finding],
    /// Their files.
    pub files: &'a dyn Files,
    /// Whether to use colour.
    pub color: bool,
    /// The sums.
    pub summary: Summary,
}

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One line a finding.
    Concise,
    /// One JSON object.
    Json,
}

impl Format {
    /// All formats, in the order in which they are listed to users.
    pub const ALL: [Format; 3] = [Format::Text, Format::Concise, Format::Json];

    /// The name users choose it by.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Concise => "concise",
            Format::Json => "json",
        }
    }
}

/// Renders `report` to `out`.
pub fn render(format: Format, report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    match format {
        Format::Text | Format::Concise => concise(report, out),
        Format::Json => json(report, out),
    }
}

fn concise(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    for finding in report.findings {
        let text = report.files.text(finding.site.file);
        let at = LineIndex::new(text).position(text, finding.site.span.start);
        let path = report.files.path(finding.site.file);
        writeln!(out, "{path}:{}:{}: {} [{}]", at.line, at.column, finding.message, finding.rule)?;
    }
    Ok(())
}

fn json(report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let findings: Vec<_> = report
        .findings
        .iter()
        .map(|finding| {
            let text = report.files.text(finding.site.file);
            let index = LineIndex::new(text);
            let (start, end) =
                (index.position(text, finding.site.span.start), index.position(text, finding.site.span.end));
            serde_json::json!({
                "rule": finding.rule, "group": finding.group, "severity": finding.severity,
                "confidence": finding.confidence, "evidence": finding.evidence, "message": finding.message,
                "help": finding.help, "path": report.files.path(finding.site.file),
                "line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column,
                "symbol": finding.symbol,
            })
        })
        .collect();
    let summary = serde_json::json!({
        "files": report.summary.files, "lines": report.summary.lines,
        "suppressed": report.summary.suppressed, "hidden": report.summary.hidden,
    });
    let whole = serde_json::json!({ "version": 1, "findings": findings, "summary": summary });
    serde_json::to_writer_pretty(&mut *out, &whole)?;
    writeln!(out)
}
