//! One finding a line, each the same object as in `json`, for streams and `jq`.

use std::io::{self, Write};

use super::{Places, Report, json};

pub(super) fn render(report: &Report<'_>, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in json::wire_findings(report, places) {
        serde_json::to_writer(&mut *out, &finding)?;
        writeln!(out)?;
    }
    Ok(())
}
