//! A group that not every rank creates, or not from the same ranks.

use crate::finding::Severity;
use crate::graph::{Program, SplitKind};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Wording, word};

/// The rule.
pub static RULE: Rule = Rule {
    name: "conditional-group-creation",
    group: Group::Collectives,
    summary: "a process group that not every rank creates, in the same order",
    severity: Severity::Error,
    rows: &["OM-08"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/conditional-group-creation.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    word(program, &RULE, SplitKind::GroupCreation, findings, |split| Wording {
        message: format!("`{}` must be called by every rank in the same order, and is not", split.event.op),
        condition: "ranks part here",
        help: format!(
            "call `{}` on every rank, for every group, in the same order, and keep the group this rank belongs to \
             (or pass use_local_synchronization=True and let only members call it)",
            split.event.op
        ),
    });
}
