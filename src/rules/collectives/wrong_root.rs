//! Ranks that name different roots, and roots that are no members of the group.

use crate::finding::{Confidence, Severity};
use crate::graph::{Program, SplitKind, is_test};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Wording, word};

/// The rule.
pub static RULE: Rule = Rule {
    name: "wrong-root",
    group: Group::Collectives,
    summary: "a literal or group-local rank as `src` or `dst` of a subgroup collective, or a root that differs by rank",
    severity: Severity::Error,
    rows: &["OM-08"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/wrong-root.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    word(program, &RULE, SplitKind::WrongRoot, findings, |split| Wording {
        message: format!("ranks name different roots for `{}` on {}", split.event.op, split.group),
        condition: "ranks part here",
        help: "every rank of the group must pass the same `src` or `dst`".to_owned(),
    });
    let divergence = program.divergence();
    for root in &divergence.foreign_roots {
        // The same mistake, seen as roots that differ.
        if divergence.splits.iter().any(|split| split.kind == SplitKind::WrongRoot && split.event.site == root.site) {
            continue;
        }
        let (file, local) = program.locate(root.function);
        let mut finding = Findings::new_finding(&RULE, root.site, program.symbol_of(file, local), root.message.clone())
            .confidence(root.confidence);
        if root.confidence != Confidence::High && is_test(&program.file(file).path) {
            // A test lays out its own job, mostly so that the group holds the root.
            finding.confidence = Confidence::Low;
        }
        finding.help = format!(
            "`{}` counts ranks of the whole job: pass dist.get_global_rank(group, 0), or the group-relative `group_{}`",
            root.parameter, root.parameter
        );
        if root.confidence == Confidence::Medium {
            finding.severity = Severity::Warning;
        }
        findings.push(finding);
    }
}
