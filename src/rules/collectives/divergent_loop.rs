//! A collective in a loop whose number of turns may differ by rank.

use crate::finding::Severity;
use crate::graph::{Program, SplitKind};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Wording, operation, word};

/// The rule.
pub static RULE: Rule = Rule {
    name: "divergent-loop",
    group: Group::Collectives,
    summary: "a collective in a loop whose trip count may differ by rank",
    severity: Severity::Error,
    rows: &["OM-03"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/divergent-loop.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    word(program, &RULE, SplitKind::Loop, findings, |split| {
        Wording {
        message: format!("{} runs once for each turn of a loop that may be longer on one rank than on another", operation(split)),
        condition: "the number of turns may differ between ranks",
        help: "agree on the number of turns first (all_reduce it with MIN or MAX), and let ranks that are done take part with empty data"
            .to_owned(),
    }
    });
}
