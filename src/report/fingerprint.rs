//! The name of a finding that survives edits elsewhere: what it says, not where it stands.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_128;

use super::Places;
use crate::finding::Finding;

/// Bytes of a line that count; lines that agree in these are told apart by the counter.
const ENOUGH: usize = 1_024;

/// One fingerprint a finding, in the same order: a hash of rule, path, symbol, the trimmed text of the primary line, and a
/// counter among findings that agree in all of these. Lines added or removed elsewhere do not change it.
pub fn fingerprints(findings: &[Finding], places: &Places<'_>) -> Vec<String> {
    of(findings.iter(), places)
}

/// The same for findings from anywhere.
pub(super) fn of<'f>(findings: impl Iterator<Item = &'f Finding>, places: &Places<'_>) -> Vec<String> {
    let mut seen: FxHashMap<u128, u32> = FxHashMap::default();
    findings
        .map(|finding| {
            let line = places.line(finding.site);
            let text = places.line_text(finding.site.file, line).trim();
            let text = &text[..text.floor_char_boundary(ENOUGH)];
            let path = places.path(finding.site.file);
            let base = xxh3_128([finding.rule, path, &finding.symbol, text].join("\0").as_bytes());
            let count = seen.entry(base).or_insert(0);
            let mut bytes = base.to_le_bytes().to_vec();
            bytes.extend(count.to_le_bytes());
            *count += 1;
            format!("{:032x}", xxh3_128(&bytes))
        })
        .collect()
}
