//! Reviewdog's diagnostic format. Its columns count bytes.

use std::io::{self, Write};

use serde::Serialize;

use super::{Places, Report, story};
use crate::base::{self, Site};
use crate::finding::Severity;

#[derive(Serialize)]
struct DiagnosticResult<'a> {
    source: Source,
    diagnostics: Vec<Diagnostic<'a>>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    message: String,
    location: Location<'a>,
    severity: &'static str,
    code: Code,
}

#[derive(Serialize)]
struct Code {
    value: &'static str,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    range: WireRange,
}

#[derive(Serialize)]
struct WireRange {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: u32,
    column: u32,
}

pub(super) fn render(report: &Report<'_>, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    let diagnostics = (report.findings.iter())
        .map(|finding| Diagnostic {
            message: story(finding, places),
            location: Location { path: places.path(finding.site.file), range: range(finding.site, places) },
            severity: match finding.severity {
                Severity::Error => "ERROR",
                Severity::Warning => "WARNING",
                Severity::Note => "INFO",
            },
            code: Code { value: finding.rule },
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &DiagnosticResult { source: Source { name: "ranklint" }, diagnostics })?;
    writeln!(out)
}

fn range(site: Site, places: &Places<'_>) -> WireRange {
    let range = places.range(site);
    let position = |at: base::Position| {
        let before = places.line_text(site.file, at.line).chars().take(at.column as usize - 1);
        Position { line: at.line, column: before.map(|c| c.len_utf8() as u32).sum::<u32>() + 1 }
    };
    WireRange { start: position(range.start), end: position(range.end) }
}
