//! A collective that runs beside the main sequence.

use crate::catalog::OperationKind;
use crate::finding::Severity;
use crate::graph::{Program, Runner};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::through;

/// The rule.
pub static RULE: Rule = Rule {
    name: "collective-off-thread",
    group: Group::Collectives,
    summary: "collectives from `__del__`, exit hooks, signal handlers, threads or callbacks that race the main sequence",
    severity: Severity::Error,
    rows: &["OM-13"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/collective-off-thread.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    for aside in &program.conduct().asides {
        let (file, function) = aside.function;
        let issue = &aside.issue;
        let when = match aside.runner {
            Runner::Destructor => "whenever the object is collected, which is another moment on every rank",
            Runner::Finalizer => "whenever the object is collected, which is another moment on every rank",
            Runner::Collector => "whenever the garbage collector runs, which is another moment on every rank",
            Runner::Exit => "when this process ends, in whatever state its peers are",
            Runner::Signal => "when this process gets the signal, in the middle of whatever it does",
            Runner::Thread => "from a thread, in no fixed order with the collectives of the main sequence",
            Runner::Executor => "from a worker thread, in no fixed order with the collectives of the main sequence",
        };
        let help = match aside.runner {
            Runner::Thread | Runner::Executor => {
                "give the thread a group of its own (new_group on every rank) and keep it the only user of that group"
            }
            Runner::Signal => "set a flag in the handler, and let all ranks agree on it at a step boundary",
            _ => "call it explicitly, at one point of the program that every rank reaches",
        };
        let message = format!("{} is issued {when}", issue.shown());
        let mut finding =
            Findings::new_finding(&RULE, aside.site, program.symbol_of(file, function), message).help(help);
        finding.confidence = aside.confidence;
        if issue.kind == OperationKind::Teardown {
            finding.severity = Severity::Warning;
        }
        if let Some(main) = &aside.main {
            finding =
                finding.because(main.start(), format!("the main sequence issues {} on the same group", main.shown()));
        }
        let finding = match issue.calls.is_empty() && issue.site != aside.site {
            true => finding.because(issue.site, format!("`{}` is issued here", issue.op)),
            false => through(finding, issue),
        };
        findings.push(finding);
    }
}
