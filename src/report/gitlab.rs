//! GitLab's code-quality report.

use std::io::{self, Write};

use serde::Serialize;

use super::{Places, Report, fingerprints};
use crate::finding::Severity;

#[derive(Serialize)]
struct Issue<'a> {
    description: &'a str,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

pub(super) fn render(report: &Report<'_>, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    let names = fingerprints(report.findings, places);
    let issues: Vec<Issue<'_>> = (report.findings.iter().zip(names))
        .map(|(finding, fingerprint)| {
            let range = places.range(finding.site);
            let severity = match finding.severity {
                Severity::Error => "critical",
                Severity::Warning => "major",
                Severity::Note => "info",
            };
            Issue {
                description: &finding.message,
                check_name: finding.rule,
                fingerprint,
                severity,
                location: Location {
                    path: places.path(finding.site.file),
                    lines: Lines { begin: range.start.line, end: range.end.line },
                },
            }
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &issues)?;
    writeln!(out)
}
