//! A collective that only some ranks reach.

use crate::finding::{Confidence, Finding, Severity};
use crate::graph::{Alone, Issue, Program, Signalled, SplitKind};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Wording, operation, signalled, through, word};

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
    for found in signalled(program) {
        if let Alone::Issues(issue) = &found.then {
            findings.push(issued_on_signal(program, found, issue));
        }
    }
    for found in &program.conduct().partly_used {
        let (file, function) = program.locate(found.function);
        let message = format!(
            "`{}` takes part in `forward` on some ranks only: DDP waits for its gradients on every rank",
            found.part
        );
        let finding = Findings::new_finding(&RULE, found.differs, program.symbol_of(file, function), message)
            .help("use every part on every rank (with weight 0 where it does not count), or pass find_unused_parameters=True")
            .confidence(Confidence::Medium)
            .because(found.test, format!("this decides whether `{}` is used", found.part))
            .because(found.wrapped, "DDP expects the gradients of all parameters here");
        findings.push(finding);
    }
    for found in &program.conduct().taken_down {
        let (file, function) = program.locate(found.function);
        let op = found.issue.op;
        let message = format!("`{op}` is called by one rank alone, and its peers leave without it");
        let finding = Findings::new_finding(&RULE, found.issue.start(), program.symbol_of(file, function), message)
            .help(format!("call `{op}` on every rank: a backend may wait in it for those that do not come"))
            .confidence(Confidence::Medium)
            .because(found.test, "it holds on the first rank only");
        findings.push(finding);
    }
}

fn issued_on_signal(program: &Program, found: &Signalled, issue: &Issue) -> Finding {
    let (file, function) = program.locate(found.function);
    let message = format!(
        "`{}` is set when this process gets a signal: it enters {} here while its peers go on to their next collective",
        found.flag,
        issue.shown()
    );
    let finding = Findings::new_finding(&RULE, issue.start(), program.symbol_of(file, function), message)
        .help("reduce the flag over all ranks at a step boundary (MAX: one says stop, all stop), and decide on the result")
        .confidence(Confidence::Medium)
        .because(found.set, "a signal handler sets it, on the process that got the signal")
        .because(found.test, "a rank on which this holds goes this way alone");
    through(finding, issue)
}
