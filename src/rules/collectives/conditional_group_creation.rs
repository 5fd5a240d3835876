//! A group that not every rank creates, or not from the same ranks.

use crate::base::Site;
use crate::finding::Severity;
use crate::graph::{Program, Split, SplitKind};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Wording, finding};

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
    let splits = program.divergence().splits.iter().filter(|split| split.kind == SplitKind::GroupCreation);
    let mut ways: Vec<Vec<&Split>> = Vec::new();
    for split in splits {
        match ways.iter_mut().find(|ways| is_same_cause(program, ways[0], split)) {
            Some(ways) => ways.push(split),
            None => ways.push(vec![split]),
        }
    }
    for mut ways in ways {
        // The plainest way is shown, with the others beside it.
        ways.sort_by_key(|split| {
            let asked = split.decision.map_or(0, |decision| decision.site.span.end - decision.site.span.start);
            (std::cmp::Reverse(split.confidence), split.calls.len(), asked, start(split).span.start)
        });
        let mut finding = finding(program, &RULE, ways[0], wording(ways[0]));
        for other in &ways[1..] {
            finding = finding.because(start(other), "ranks part on this way to it as well");
        }
        findings.push(finding);
    }
}

fn start(split: &Split) -> Site {
    split.calls.first().map_or(split.event.site, |(site, _)| *site)
}

/// Whether methods of one class come, each by a way of its own, to the one place where the class makes its group.
fn is_same_cause(program: &Program, one: &Split, other: &Split) -> bool {
    let class = program.class_of(one.function);
    class.is_some()
        && class == program.class_of(other.function)
        && one.event.site == other.event.site
        && one.event.site.file == program.locate(one.function).0
        && !one.calls.is_empty()
        && !other.calls.is_empty()
}

fn wording(split: &Split) -> Wording {
    let op = split.event.op;
    // Every rank gets there, and names other members.
    let message = match split.decision.is_none() && split.instead.is_none() {
        true => format!("`{op}` is given other ranks on each rank, and must be called by all of them for every group"),
        false => format!("`{op}` must be called by every rank in the same order, and is not"),
    };
    Wording {
        message,
        condition: "ranks part here",
        help: format!(
            "call `{op}` on every rank, for every group, in the same order, and keep the group this rank belongs to \
             (or pass use_local_synchronization=True and let only members call it)"
        ),
    }
}
