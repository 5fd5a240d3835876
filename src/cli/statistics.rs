//! `check --statistics`: how many findings each rule has.

use std::collections::BTreeMap;
use std::io;

use crate::finding::Finding;
use crate::report::Format;

/// Prints the counts, the most frequent rule first.
pub(super) fn render(format: Format, findings: &[Finding], out: &mut dyn io::Write) -> io::Result<()> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        *counts.entry(finding.rule).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|&(rule, count)| (std::cmp::Reverse(count), rule));
    if format == Format::Json {
        let rows: Vec<_> =
            counts.iter().map(|(rule, count)| serde_json::json!({ "rule": rule, "count": count })).collect();
        serde_json::to_writer_pretty(&mut *out, &serde_json::json!({ "version": 1, "statistics": rows }))?;
        return writeln!(out);
    }
    let width = counts.first().map_or(0, |(_, count)| count.to_string().len());
    for (rule, count) in counts {
        writeln!(out, "{count:>width$}  {rule}")?;
    }
    Ok(())
}
