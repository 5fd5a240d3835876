//! A collective inside `assert`: under `python -O` it is gone.

use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::through;

/// The rule.
pub static RULE: Rule = Rule {
    name: "collective-in-assert",
    group: Group::Collectives,
    summary: "a collective inside `assert`, which `python -O` leaves out",
    severity: Severity::Note,
    rows: &["OM-05"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/collective-in-assert.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    for (function, issue) in &program.conduct().asserted {
        let (file, function) = program.locate(*function);
        // Tests live by their assertions: nobody runs them without.
        if program.file(file).is_test() {
            continue;
        }
        // Through calls it is a habit of scripts that nobody starts with -O.
        let confidence = if issue.calls.is_empty() { Confidence::Medium } else { Confidence::Low };
        let message = format!("{} stands inside `assert`: a rank under `python -O` never issues it", issue.shown());
        let finding = Findings::new_finding(&RULE, issue.start(), program.symbol_of(file, function), message)
            .help("call it before the assertion, and assert on its result")
            .confidence(confidence);
        findings.push(through(finding, issue));
    }
}
