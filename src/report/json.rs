//! The contract for tools: one versioned object. The types of the wire live here and nowhere else.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Counts, Places, Report, fingerprints};
use crate::base::Site;
use crate::finding::{Confidence, Evidence, Finding, Severity};

/// The version of the object; it changes when a field changes its meaning or goes away.
pub const VERSION: u32 = 1;

/// What `ranklint check --output-format json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// Version of this object.
    pub version: u32,
    /// The findings, by path, line and column.
    pub findings: Vec<WireFinding>,
    /// Counts.
    pub summary: WireSummary,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WireFinding {
    /// Name of the rule.
    pub rule: String,
    /// Name of the rule's group.
    pub group: String,
    /// How bad it is if it is right.
    pub severity: Severity,
    /// How sure the analysis is.
    pub confidence: Confidence,
    /// What a run has shown.
    pub evidence: Evidence,
    /// One sentence.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
    /// Path relative to the working directory, with forward slashes.
    pub path: String,
    /// First line, from 1.
    pub line: u32,
    /// First column, from 1, in characters.
    pub column: u32,
    /// Line of the end.
    pub end_line: u32,
    /// Column after the last character.
    pub end_column: u32,
    /// Dotted name of the function it lies in; empty at module level.
    pub symbol: String,
    /// The rest of the explanation in reading order: condition, call chain, collective.
    pub related: Vec<WireRelated>,
    /// Two ranks and what each issues; absent where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witness: Vec<WireRank>,
    /// Name of the finding that is stable when lines move.
    pub fingerprint: String,
    /// A change that removes it; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<WireFix>,
}

/// Another place that belongs to the explanation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WireRelated {
    /// Path relative to the working directory.
    pub path: String,
    /// First line, from 1.
    pub line: u32,
    /// First column, from 1.
    pub column: u32,
    /// Line of the end.
    pub end_line: u32,
    /// What it has to do with the finding.
    pub message: String,
}

/// What one of two ranks that part ways does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WireRank {
    /// The rank in words.
    pub rank: String,
    /// What it issues, in order.
    pub trace: Vec<WireEvent>,
}

/// One event of a witness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WireEvent {
    /// The operation, or what happens instead.
    pub op: String,
    /// The group it runs on; empty where there is none.
    pub group: String,
    /// Path relative to the working directory.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
}

/// A change that removes a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WireFix {
    /// What it does.
    pub message: String,
    /// Whether it keeps the meaning of the program for certain.
    pub safe: bool,
    /// The edits; they do not overlap.
    pub edits: Vec<WireEdit>,
}

/// A replacement of one range of text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WireEdit {
    /// Path relative to the working directory.
    pub path: String,
    /// First line, from 1.
    pub line: u32,
    /// First column, from 1.
    pub column: u32,
    /// Line of the end.
    pub end_line: u32,
    /// Column after the last character that is replaced.
    pub end_column: u32,
    /// What stands there afterwards.
    pub content: String,
}

/// Counts of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WireSummary {
    /// Files looked at.
    pub files: usize,
    /// Findings printed.
    pub findings: usize,
    /// Of these, errors.
    pub errors: usize,
    /// Of these, warnings.
    pub warnings: usize,
    /// Of these, notes.
    pub notes: usize,
    /// Findings that a comment or the baseline silenced.
    pub suppressed: usize,
    /// Findings below the chosen confidence or severity.
    pub hidden: usize,
}

/// The findings of `report` as the wire has them.
pub fn output(report: &Report<'_>, places: &Places<'_>) -> Output {
    let counts = Counts::of(report.findings);
    Output {
        version: VERSION,
        findings: wire_findings(report, places),
        summary: WireSummary {
            files: report.summary.files,
            findings: report.findings.len(),
            errors: counts.errors,
            warnings: counts.warnings,
            notes: counts.notes,
            suppressed: report.summary.suppressed,
            hidden: report.summary.hidden,
        },
    }
}

pub(super) fn render(report: &Report<'_>, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &output(report, places))?;
    writeln!(out)
}

pub(super) fn wire_findings(report: &Report<'_>, places: &Places<'_>) -> Vec<WireFinding> {
    let names = fingerprints(report.findings, places);
    report.findings.iter().zip(names).map(|(finding, name)| wire(finding, name, places)).collect()
}

fn wire(finding: &Finding, fingerprint: String, places: &Places<'_>) -> WireFinding {
    let range = places.range(finding.site);
    let path = |site: Site| places.path(site.file).to_owned();
    let related = finding.related.iter().map(|related| {
        let range = places.range(related.site);
        WireRelated {
            path: path(related.site),
            line: range.start.line,
            column: range.start.column,
            end_line: range.end.line,
            message: related.message.clone(),
        }
    });
    let witness = finding.witness.iter().map(|rank| WireRank {
        rank: rank.rank.clone(),
        trace: (rank.trace.iter())
            .map(|event| WireEvent {
                op: event.op.clone(),
                group: event.group.clone(),
                path: path(event.site),
                line: places.line(event.site),
            })
            .collect(),
    });
    let fix = finding.fix.as_ref().map(|fix| WireFix {
        message: fix.message.clone(),
        safe: fix.safe,
        edits: (fix.edits.iter())
            .map(|edit| {
                let range = places.range(edit.site);
                WireEdit {
                    path: path(edit.site),
                    line: range.start.line,
                    column: range.start.column,
                    end_line: range.end.line,
                    end_column: range.end.column,
                    content: edit.content.clone(),
                }
            })
            .collect(),
    });
    WireFinding {
        rule: finding.rule.to_owned(),
        group: finding.group.to_owned(),
        severity: finding.severity,
        confidence: finding.confidence,
        evidence: finding.evidence,
        message: finding.message.clone(),
        help: finding.help.clone(),
        path: path(finding.site),
        line: range.start.line,
        column: range.start.column,
        end_line: range.end.line,
        end_column: range.end.column,
        symbol: finding.symbol.clone(),
        related: related.collect(),
        witness: witness.collect(),
        fingerprint,
        fix,
    }
}
