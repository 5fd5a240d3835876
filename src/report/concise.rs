//! One line a finding, for grep, editors' error lists and people in a hurry.

use std::io::{self, Write};

use super::crowd::told;
use super::text::Paint;
use super::{Places, Report, closing_line, printable, severity_name};

pub(super) fn render(report: &Report<'_>, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    let paint = Paint::new(report.color);
    for finding in told(report.findings) {
        let at = places.range(finding.site).start;
        let head = paint.severity(finding.severity, severity_name(finding.severity));
        let (path, message) = (printable(places.path(finding.site.file)), printable(&finding.message));
        writeln!(out, "{path}:{}:{}: {head}[{}] {message}", at.line, at.column, finding.rule)?;
    }
    writeln!(out, "{}", closing_line(report))
}
