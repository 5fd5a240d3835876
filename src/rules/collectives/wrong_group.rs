//! A collective on a group that the ranks which reach it do not all belong to, or that is wider than they are.

use crate::finding::Severity;
use crate::graph::{Program, SplitKind};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Wording, operation, word};

/// The rule.
pub static RULE: Rule = Rule {
    name: "wrong-group",
    group: Group::Collectives,
    summary: "a collective on a group that is not that of the ranks which reach it",
    severity: Severity::Error,
    rows: &["OM-08"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/wrong-group.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    word(program, &RULE, SplitKind::WrongGroup, findings, |split| {
        Wording {
        message: match split.decision {
            Some(_) => format!("{} waits for ranks that never get here", operation(split)),
            None => format!("`{}` runs on one group here and on another elsewhere: the group differs between ranks", split.event.op),
        },
        condition: "only some ranks get past this",
        help: match split.decision {
            Some(_) => "pass the group of the ranks that get here: group=…".to_owned(),
            None => "a group that is `None` on some ranks means WORLD there: guard the call by membership, or keep NON_GROUP_MEMBER".to_owned(),
        },
    }
    });
}
