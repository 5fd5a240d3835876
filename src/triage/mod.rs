//! Which findings are shown: suppressions in the source, files a configuration exempts, and thresholds.
//!
//! Suppressions are read from comments only (never from strings), and what is wrong with one is itself a finding.

mod directive;
mod ignoring;
mod suppress;

use std::cmp::Ordering;
use std::path::Path;

use crate::analyze::{Analysis, FileRecord};
use crate::finding::{Confidence, Finding, Severity, Suppressed, Suppression};
use crate::meta;
use crate::rules::Rule;
use crate::source::PathPatterns;

pub use ignoring::{can_be_ignored, ignore_here, list_end};

/// Rules that are silent in some files.
pub struct Exemption {
    /// The files.
    pub files: PathPatterns,
    /// The rules.
    pub rules: Vec<&'static Rule>,
}

/// Whether suppressions must say why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reasons {
    /// They need not.
    Optional,
    /// They must.
    Required,
}

/// What is to be shown.
pub struct Policy<'a> {
    /// The working directory; absolute.
    pub cwd: &'a Path,
    /// The rules that were asked.
    pub rules: &'a [&'static Rule],
    /// Rules that are silent in some files.
    pub exemptions: &'a [Exemption],
    /// Whether suppressions must say why.
    pub reasons: Reasons,
    /// Findings below it are hidden.
    pub min_confidence: Confidence,
    /// Findings below it are left out.
    pub min_severity: Severity,
}

impl Policy<'_> {
    fn selects(&self, rule: &str) -> bool {
        self.rules.iter().any(|selected| selected.name == rule)
    }

    /// Whether the finding is asked for and lies above the thresholds.
    fn shows(&self, finding: &Finding) -> bool {
        let sure = finding.confidence >= self.min_confidence && finding.severity >= self.min_severity;
        sure && self.selects(finding.rule)
    }
}

/// What remains of the findings.
pub struct Triaged {
    /// The findings to show, in order.
    pub findings: Vec<Finding>,
    /// How many a comment or an exemption silenced.
    pub suppressed: usize,
    /// Those of them that would have been shown, in order; what a comparison with another commit leaves out is not among them.
    pub silenced: Vec<Suppressed>,
    /// How many lie below the confidence threshold.
    pub hidden: usize,
}

/// Sorts out the findings of an analysis.
pub fn triage(findings: Vec<Finding>, files: &[FileRecord], policy: &Policy<'_>) -> Triaged {
    let sorted = suppress::apply(findings, files, policy);
    let mut suppressed = sorted.by_comments;
    let mut silenced = sorted.silenced;
    let mut hidden = 0;
    let mut findings = Vec::with_capacity(sorted.kept.len());
    for finding in sorted.kept.into_iter().filter(|finding| policy.selects(finding.rule)) {
        if exempt(&finding, files, policy) {
            suppressed += 1;
            silenced.push(Suppressed { finding, by: Suppression::Configuration });
        } else if finding.confidence < policy.min_confidence {
            hidden += 1;
        } else if finding.severity >= policy.min_severity {
            findings.push(finding);
        }
    }
    silenced.retain(|silenced| policy.shows(&silenced.finding));
    findings.sort_by(|left, right| in_order(left, right, files));
    sort_silenced(&mut silenced, files);
    Triaged { findings, suppressed, silenced, hidden }
}

/// Sorts as findings are sorted.
pub fn sort_silenced(silenced: &mut [Suppressed], files: &[FileRecord]) {
    silenced.sort_by(|left, right| in_order(&left.finding, &right.finding, files));
}

/// By path, then by place.
fn in_order(left: &Finding, right: &Finding, files: &[FileRecord]) -> Ordering {
    let key = |finding: &Finding| (finding.site.span.start, finding.rule);
    let path = |finding: &Finding| files[finding.site.file.index()].path.as_str();
    path(left).cmp(path(right)).then_with(|| key(left).cmp(&key(right)))
}

/// Sorts out an analysis.
pub fn of(analysis: &mut Analysis, policy: &Policy<'_>) -> Triaged {
    triage(std::mem::take(&mut analysis.findings), &analysis.files, policy)
}

fn exempt(finding: &Finding, files: &[FileRecord], policy: &Policy<'_>) -> bool {
    let path = Path::new(&files[finding.site.file.index()].path);
    policy.exemptions.iter().any(|exemption| {
        exemption.rules.iter().any(|rule| rule.name == finding.rule) && exemption.files.matches(path, policy.cwd)
    })
}

/// Whether the rule speaks of suppressions, and so cannot itself be left unused.
fn is_about_suppressions(rule: &str) -> bool {
    [&meta::BARE_IGNORE, &meta::UNKNOWN_RULE_IN_IGNORE, &meta::UNUSED_IGNORE, &meta::MISSING_REASON]
        .iter()
        .any(|own| own.name == rule)
}
