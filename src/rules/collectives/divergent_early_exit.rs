//! A rank leaves before a collective that its peers reach.

use crate::finding::Severity;
use crate::graph::{Program, SplitKind};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Wording, operation, word};

/// The rule.
pub static RULE: Rule = Rule {
    name: "divergent-early-exit",
    group: Group::Collectives,
    summary: "return, continue, break or exit under a rank-dependent condition before a collective",
    severity: Severity::Error,
    rows: &["OM-05"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/divergent-early-exit.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    word(program, &RULE, SplitKind::EarlyExit, findings, |split| Wording {
        message: format!("{} is skipped by ranks that leave before it", operation(split)),
        condition: "a rank on which this decides otherwise than on its peers leaves here",
        help: format!(
            "let every rank reach `{}`: leave after it, or decide together first (reduce or broadcast the condition)",
            split.event.op
        ),
    });
}
