//! A rank leaves before a collective that its peers reach.

use crate::base::Site;
use crate::finding::{Confidence, Finding, Severity};
use crate::graph::{Alone, Apart, NothingToSend, Program, Signalled, SplitKind, StoppedAlone, Stranded};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Wording, operation, signalled, through, word};

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
    for found in &program.divergence().stranded {
        findings.push(failure_of_some(program, found));
    }
    for found in &program.conduct().stopped_alone {
        findings.push(stop_of_some(program, found));
    }
    for found in &program.conduct().nothing_to_send {
        if let Some(finding) = exit_with_nothing(program, found) {
            findings.push(finding);
        }
    }
    for found in signalled(program) {
        if let Alone::Leaves(exit) = found.then {
            findings.push(exit_on_signal(program, found, exit));
        }
    }
}

/// A trainer is told to stop on some ranks.
fn stop_of_some(program: &Program, found: &StoppedAlone) -> Finding {
    let (file, function) = program.locate(found.function);
    let (who, why) = match found.apart {
        Apart::First => ("the first rank alone", "only the first rank comes here"),
        Apart::Clock => ("each rank by its own clock", "this may hold on one rank and not yet on another"),
    };
    let message = format!("`{}` is set by {who}: it leaves the loop of the trainer while its peers go on", found.flag);
    Findings::new_finding(&RULE, found.set, program.symbol_of(file, function), message)
        .help("let all ranks agree first, by a broadcast from rank 0 or a reduction with MAX, and set the flag on every rank")
        .confidence(Confidence::Medium)
        .because(found.guard, why)
}

/// One rank works for all, and raises in front of the collective where they wait for it.
fn failure_of_some(program: &Program, found: &Stranded) -> Finding {
    let (file, function) = program.locate(found.function);
    let message = format!("a rank that fails here raises alone, while its peers wait for it in `{}`", found.op);
    let guard = match found.asks_own {
        true => "this may hold on one rank and not on another",
        false => "only some ranks come here",
    };
    let mut finding = Findings::new_finding(&RULE, found.raised, program.symbol_of(file, function), message)
        .help("note the failure, go on to the collective, let all ranks agree on it, and raise on every rank")
        .confidence(found.confidence)
        .because(found.guard, guard)
        .because(found.call.map_or(found.event, |(site, _)| site), "the peers wait here");
    if let Some((_, called)) = found.call {
        finding = finding.because(found.event, format!("`{called}` issues `{}` here", found.op));
    }
    // The launcher ends the peers, where there is one that looks after them.
    finding.severity = Severity::Warning;
    finding
}

/// A rank leaves before an exchange because it holds nothing, unless another sentence says so.
fn exit_with_nothing(program: &Program, found: &NothingToSend) -> Option<Finding> {
    let issue = &found.issue;
    let mut splits = program.divergence().splits.iter();
    if splits.any(|split| split.kind == SplitKind::EarlyExit && split.event.site == issue.site) {
        return None;
    }
    let (file, function) = program.locate(found.function);
    let message =
        format!("{} is skipped by a rank that holds nothing, while its peers wait for their share", issue.shown());
    let finding = Findings::new_finding(&RULE, issue.start(), program.symbol_of(file, function), message)
        .help(format!(
            "let every rank take part in `{}`, with empty tensors and splits of 0 where it has nothing",
            issue.op
        ))
        .confidence(found.confidence)
        .because(found.test, "a rank with nothing in hand leaves here");
    Some(through(finding, issue))
}

fn exit_on_signal(program: &Program, found: &Signalled, exit: Site) -> Finding {
    let (file, function) = program.locate(found.function);
    let message = format!(
        "`{}` is set when this process gets a signal: it leaves here while its peers go on to the next collective",
        found.flag
    );
    Findings::new_finding(&RULE, exit, program.symbol_of(file, function), message)
        .help("reduce the flag over all ranks at a step boundary (MAX: one says stop, all stop), and leave together")
        .confidence(Confidence::Medium)
        .because(found.set, "a signal handler sets it, on the process that got the signal")
        .because(found.test, "a rank on which this holds leaves alone")
}
