//! A file of one rank that the others rely on before it is there.

use crate::finding::{Finding, Severity};
use crate::graph::{Program, Touch, UnawaitedFile};
use crate::rules::{Check, Findings, Group, Probe, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "unawaited-file",
    group: Group::Collectives,
    summary: "a file that one rank writes, makes or removes, and that the others rely on without waiting for it",
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
    let relies = match found.relies {
        Touch::Reads => "read",
        Touch::Writes => "write",
        Touch::Makes | Touch::Removes => "make",
    };
    let message = match (found.does, found.relies) {
        (Touch::Writes, _) => format!("every rank reads here (`{uses}`) what rank 0 may still be writing"),
        (Touch::Makes, _) => format!("every rank works here (`{uses}`) in a folder that rank 0 may not have made yet"),
        (Touch::Removes, _) => format!("rank 0 may remove what the others {relies} here (`{uses}`)"),
        (Touch::Reads, _) => format!("every rank relies here (`{uses}`) on what rank 0 reads"),
    };
    let verb = match found.does {
        Touch::Writes => "writes",
        Touch::Makes => "makes",
        Touch::Removes => "removes",
        Touch::Reads => "reads",
    };
    let mut finding = Findings::new_finding(&RULE, used, program.symbol_of(file, function), message)
        .help("let all ranks wait in a barrier between the two")
        .confidence(found.confidence)
        .because(found.asked, "this lets one rank alone in")
        .because(done, format!("it {verb} that here (`{does}`), and nothing makes the others wait for it"));
    for (below, does) in [(found.done_in, verb), (found.used_in, relies)] {
        if let Some(site) = below {
            finding = finding.because(site, format!("what is called there {}s it here", does.trim_end_matches('s')));
        }
    }
    finding
}
