//! A collective that only some ranks reach.

use crate::finding::Severity;
use crate::graph::{Program, SplitKind};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Wording, operation, word};

/// The rule.
pub static RULE: Rule = Rule {
    name: "conditional-collective",
    group: Group::Collectives,
    summary: "a collective that only some ranks reach",
    severity: Severity::Error,
    rows: &["OM-05"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/conditional-collective.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    word(program, &RULE, SplitKind::Conditional, findings, |split| Wording {
        message: format!("{} is reached by some ranks only", operation(split)),
        condition: match split.decision {
            Some(decision) if decision.is_wrapper => "a decorator lets only the first rank run it",
            _ => "this may hold on one rank and not on another",
        },
        help: format!(
            "call `{}` on every rank and keep only the use of its result under the condition, or agree on the condition first",
            split.event.op
        ),
    });
}
