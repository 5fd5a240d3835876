//! A file of one rank that the others rely on before it is there.

use crate::finding::{Finding, Severity};
use crate::graph::{Program, Reliance, UnawaitedFile};
use crate::rules::{Check, Findings, Group, Probe, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "unawaited-file",
    group: Group::Collectives,
    summary: "a file that one rank writes, makes or removes, and the others rely on, or each writes and one reads, without waiting",
    severity: Severity::Warning,
    rows: &["OM-13"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/unawaited-file.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    for found in &program.divergence().unawaited {
        findings.push(finding(program, found));
    }
}

fn finding(program: &Program, found: &UnawaitedFile) -> Finding {
    let (file, function) = program.locate(found.function);
    let ((done, does), (used, uses)) = (found.done, found.used);
    let (message, done_so, used_so) = match found.reliance {
        Reliance::OnWritten => {
            (format!("every rank reads here (`{uses}`) what rank 0 may still be writing"), "writes", "reads")
        }
        Reliance::OnMade => {
            let message = format!("every rank works here (`{uses}`) in a folder that rank 0 may not have made yet");
            (message, "makes", "works in")
        }
        Reliance::OnRemoved => {
            (format!("every rank works here (`{uses}`) in a folder that rank 0 may remove"), "removes", "works in")
        }
        Reliance::OnParts => {
            (format!("rank 0 reads here (`{uses}`) what others may still be writing"), "writes", "reads")
        }
    };
    let done_by = match found.reliance {
        Reliance::OnParts => {
            format!("each rank {done_so} its part here (`{does}`), and nothing makes rank 0 wait for it")
        }
        _ => format!("rank 0 {done_so} that here (`{does}`), and nothing makes the others wait for it"),
    };
    let mut finding = Findings::new_finding(&RULE, used, program.symbol_of(file, function), message)
        .help("let all ranks wait in a barrier between the two")
        .confidence(found.confidence)
        .because(found.asked, "this lets one rank alone in")
        .because(done, done_by);
    if let Some(site) = found.done_in {
        finding = finding.because(site, format!("`{does}` {done_so} it here"));
    }
    if let Some(site) = found.used_in {
        finding = finding.because(site, format!("`{uses}` {used_so} it here"));
    }
    finding
}
