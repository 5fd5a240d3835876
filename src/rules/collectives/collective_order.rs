//! Ranks issue different collectives at the same point, or the same with different reduce operators.

use crate::finding::{Confidence, Severity};
use crate::graph::{Program, SplitKind};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Wording, word};

/// The rule.
pub static RULE: Rule = Rule {
    name: "collective-order",
    group: Group::Collectives,
    summary: "arms whose collectives come in different orders, or differ in kind or operator",
    severity: Severity::Error,
    rows: &["OM-03", "OM-08"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/collective-order.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    word(program, &RULE, SplitKind::Order, findings, |split| Wording {
        message: match split.instead {
            Some(instead) if instead.op != split.event.op => {
                format!("some ranks issue `{}` where others issue `{}` on {}", split.event.op, instead.op, split.group)
            }
            _ => format!("ranks call `{}` on {} with different arguments", split.event.op, split.group),
        },
        condition: "ranks part here",
        help: "issue the same collectives in the same order on every rank of the group; vary only the data".to_owned(),
    });
    for found in &program.divergence().crossed {
        let (file, local) = program.locate(found.function);
        let [first, second] = &found.here;
        let message = format!(
            "some ranks issue `{}` on {} before `{}` on {}, others the other way round",
            first.op, first.group, second.op, second.group
        );
        let finding = Findings::new_finding(&RULE, first.site, program.symbol_of(file, local), message)
            .help("issue the collectives of all groups in one order on every rank")
            .confidence(found.confidence)
            .because(found.condition, "ranks part here".to_owned())
            .because(second.site, format!("these go on to `{}` on {}", second.op, second.group))
            .because(found.there, "the others begin here, and wait".to_owned());
        findings.push(finding);
    }
    for found in &program.divergence().permuted {
        let (file, local) = program.locate(found.function);
        let message =
            format!("ranks go through the same things in different orders, and issue `{}` for each", found.op);
        let span = program.function(found.function).span;
        let own = found.event.file == file && span.start <= found.event.span.start && found.event.span.end <= span.end;
        let (primary, other, role) = match own {
            true => (found.event, found.site, "the order of these differs between ranks".to_owned()),
            false => (found.site, found.event, format!("`{}` is issued for each element here", found.op)),
        };
        let finding = Findings::new_finding(&RULE, primary, program.symbol_of(file, local), message)
            .help("iterate in one order on every rank; what comes after the collectives may differ")
            .confidence(Confidence::Medium)
            .because(other, role);
        findings.push(finding);
    }
}
