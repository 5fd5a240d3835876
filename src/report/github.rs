//! Workflow commands that GitHub turns into annotations of a pull request.
//!
//! A step shows ten errors and ten warnings and drops the rest without a word, so the worst come first.

use std::cmp::Reverse;
use std::io::{self, Write};

use super::crowd::told;
use super::{Places, Report, closing_line, story};
use crate::finding::Severity;

pub(super) fn render(report: &Report<'_>, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut findings = told(report.findings);
    findings.sort_by_key(|finding| (Reverse(finding.severity), Reverse(finding.confidence)));
    for finding in &findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let range = places.range(finding.site);
        let (line, end_line) = (range.start.line, range.end.line);
        let path = property(places.path(finding.site.file));
        write!(out, "::{command} title=ranklint ({}),file={path},line={line},endLine={end_line}", finding.rule)?;
        if line == end_line {
            write!(out, ",col={},endColumn={}", range.start.column, range.end.column)?;
        }
        writeln!(out, "::{}", message(&story(finding, places)))?;
    }
    writeln!(out, "{}", closing_line(report))
}

fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
