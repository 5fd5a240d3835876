//! JUnit XML: a suite a file, a case a finding.

use std::io::{self, Write};

use super::{Places, Report, is_unprintable, severity_name, story};

pub(super) fn render(report: &Report<'_>, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    let failures = report.findings.len();
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="ranklint" tests="{}" failures="{failures}">"#, failures.max(1))?;
    for suite in report.findings.chunk_by(|a, b| a.site.file == b.site.file) {
        let path = escaped(places.path(suite[0].site.file));
        let found = suite.len();
        writeln!(out, r#"  <testsuite name="{path}" tests="{found}" failures="{found}">"#)?;
        for finding in suite {
            let at = places.range(finding.site).start;
            let (name, line, column) = (finding.rule, at.line, at.column);
            writeln!(
                out,
                r#"    <testcase name="{name}:{line}:{column}" classname="{path}" file="{path}" line="{line}">"#
            )?;
            let severity = severity_name(finding.severity);
            write!(out, r#"      <failure type="{severity}" message="{}">"#, escaped(&finding.message))?;
            writeln!(out, "{path}:{line}:{column}: {}</failure>", escaped(&story(finding, places)))?;
            writeln!(out, "    </testcase>")?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    if report.findings.is_empty() {
        writeln!(out, r#"  <testsuite name="ranklint" tests="1" failures="0">"#)?;
        writeln!(out, r#"    <testcase name="no findings" classname="ranklint"/>"#)?;
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// `text` for an attribute or the inside of an element; what XML 1.0 cannot hold is made visible.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(c),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c if is_unprintable(c) => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
