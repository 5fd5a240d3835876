//! A handler that hides one rank's failure and skips a collective its peers issue.

use crate::finding::Severity;
use crate::graph::{Program, Skip, SplitKind};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::through;

/// The rule.
pub static RULE: Rule = Rule {
    name: "swallowed-failure",
    group: Group::Collectives,
    summary: "a handler that swallows one rank's exception and skips a collective its peers issue",
    severity: Severity::Error,
    rows: &["OM-13"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/swallowed-failure.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    for swallowed in &program.conduct().swallowed {
        // Where ranks part by a condition that is known, another rule has said so.
        let issue = &swallowed.issue;
        let known = program.divergence().splits.iter().any(|split| {
            split.kind == SplitKind::EarlyExit && split.event.site == issue.site && split.calls.is_empty()
        });
        if known {
            continue;
        }
        let (file, function) = swallowed.function;
        let name = swallowed.hazard.name;
        let message = match swallowed.skip {
            Skip::Protected => {
                format!(
                    "`{name}` may fail on one rank; this handler hides it, and {} is skipped there while the peers wait",
                    issue.shown()
                )
            }
            Skip::Left => {
                format!(
                    "`{name}` may fail on one rank; this handler leaves, and {} behind it is skipped there",
                    issue.shown()
                )
            }
            Skip::Told => {
                format!(
                    "`{name}` may fail on one rank; this handler notes it, and {} is skipped there while the peers wait",
                    issue.shown()
                )
            }
            Skip::Midway => format!(
                "memory may run out in `{name}` on one rank; this handler goes on while the peers wait in the middle of {}",
                issue.shown()
            ),
            Skip::Unsent => format!(
                "`{name}` pickles what it sends and may fail there on one rank; this handler hides it, and the peers wait in {}",
                issue.shown()
            ),
            Skip::Itself => format!(
                "`{name}` may time out or lose a peer on one rank; this handler hides it, and the rank goes on to the next collective out of step"
            ),
            Skip::Repeated => {
                format!(
                    "`{name}` may fail on one rank after {} was done; trying again repeats it there alone",
                    issue.shown()
                )
            }
        };
        let help = match swallowed.skip {
            Skip::Midway => {
                "no vote brings back a rank that has left a pass its peers are in: choose sizes that fit, try them \
                             out before the first collective, or let the failure end the job"
                    .to_owned()
            }
            Skip::Unsent => {
                "serialise before the first collective, let the ranks agree on whether that worked, and only then send"
                    .to_owned()
            }
            Skip::Itself => {
                "let it end the process: the launcher ends the job, and nobody waits for a rank that has gone on"
                    .to_owned()
            }
            Skip::Repeated => "put the collective behind the loop, or retry only what is local".to_owned(),
            _ => format!(
                "note the failure, agree on it with a collective that every rank reaches, and only then go on to `{}`; or re-raise",
                issue.op
            ),
        };
        let mut finding =
            Findings::new_finding(&RULE, swallowed.handler, program.symbol_of(file, function), message).help(help);
        finding.confidence = swallowed.confidence;
        finding = finding.because(swallowed.hazard.site, format!("`{name}` may fail on one rank alone"));
        if issue.start() != swallowed.hazard.site {
            finding = finding.because(issue.start(), "the peers wait here");
        }
        findings.push(through(finding, issue));
    }
}
