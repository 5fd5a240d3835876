//! A collective that only some ranks reach.

use crate::finding::{Confidence, Finding, Severity};
use crate::graph::{Alone, HandedApart, Issue, Program, Signalled, SomeInputs, SplitKind};
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
    for found in &program.conduct().some_inputs {
        findings.push(skipped_without_input(program, found));
    }
    for found in &program.conduct().handed_apart {
        findings.push(called_back_apart(program, found));
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

/// A sharded part of a model is skipped by a batch that has nothing for it.
fn skipped_without_input(program: &Program, found: &SomeInputs) -> Finding {
    let (file, function) = program.locate(found.function);
    let message = format!(
        "`{}` is sharded, and a rank whose batch has no `{}` does not gather its parameters while its peers do",
        found.part, found.input
    );
    Findings::new_finding(&RULE, found.called, program.symbol_of(file, function), message)
        .help("let every rank go through it: with a made-up input whose output counts 0 where the batch has none")
        .confidence(Confidence::Medium)
        .because(found.test, "this may hold for the batch of one rank and not for that of another")
        .because(found.sharded, "it is sharded here: each pass gathers it from all ranks")
}

/// A function that communicates is called back on some ranks only.
fn called_back_apart(program: &Program, found: &HandedApart) -> Finding {
    let (file, function) = program.locate(found.function);
    let op = found.issue.op;
    let message = format!("`{}` issues `{op}`, and only some ranks hand it to whoever calls it back", found.handed);
    Findings::new_finding(&RULE, found.site, program.symbol_of(file, function), message)
        .help("hand it over on every rank, and keep only what it prints or writes under the condition")
        .confidence(found.confidence)
        .because(found.test, "this may hold on one rank and not on another")
        .because(found.issue.start(), format!("`{op}` is issued here, each time it is called back"))
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
