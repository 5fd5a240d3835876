//! A collective, or the end of the process group, in `except` or `finally`.

use crate::catalog::OperationKind;
use crate::finding::Severity;
use crate::graph::{Place, Program};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::through;

/// The rule.
pub static RULE: Rule = Rule {
    name: "collective-in-handler",
    group: Group::Collectives,
    summary: "a collective or teardown in `except` or `finally` that a failing rank reaches while its peers stand in another",
    severity: Severity::Error,
    rows: &["OM-13"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/collective-in-handler.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    for cleanup in &program.conduct().cleanups {
        let (file, function) = cleanup.function;
        let issue = &cleanup.issue;
        let is_teardown = issue.kind == OperationKind::Teardown;
        let peers = cleanup.peers.as_ref();
        let message = match (cleanup.place, is_teardown, peers) {
            (Place::Except, false, _) => {
                format!("{} is issued only by a rank that fails here: healthy ranks never join it", issue.shown())
            }
            (_, true, Some(peers)) => format!(
                "a rank that fails calls {} while its peers wait for it in {}: it blocks instead of ending the job",
                issue.shown(),
                peers.shown()
            ),
            (Place::Finally, false, Some(peers)) => format!(
                "a rank that fails issues {} while its peers stand in {}: the two do not belong together",
                issue.shown(),
                peers.shown()
            ),
            (_, _, None) => format!("a rank that fails issues {} alone", issue.shown()),
        };
        let help = match (cleanup.place, is_teardown) {
            (_, true) => format!(
                "call `{}` after the block, when it has succeeded; let a failing rank raise, and the launcher ends its peers",
                issue.op
            ),
            (Place::Except, false) => {
                "keep handlers local; agree on the failure with a collective that every rank reaches, or re-raise"
                    .to_owned()
            }
            (Place::Finally, false) => {
                format!("move `{}` behind the block, so that only ranks that have done the same issue it", issue.op)
            }
        };
        let mut finding =
            Findings::new_finding(&RULE, issue.start(), program.symbol_of(file, function), message).help(help);
        finding.confidence = cleanup.confidence;
        if is_teardown {
            finding.severity = Severity::Warning;
        }
        if let Some(hazard) = cleanup.hazard.filter(|_| cleanup.place == Place::Except) {
            finding = finding.because(hazard, "this may fail on one rank alone");
        }
        if let Some(peers) = peers.filter(|peers| peers.start() != issue.start()) {
            finding = finding.because(peers.start(), "the peers are in here");
        }
        findings.push(through(finding, issue));
    }
}
