//! A collective reached only under an environment key that is not compared across ranks.

use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::rules::{Check, Findings, Group, Probe, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "ungated-collective-flag",
    group: Group::Parity,
    summary: "a collective reached only under an environment key that is not parity-checked",
    severity: Severity::Error,
    rows: &["OM-05", "C-01"],
    verify: Some(Probe::EnvironmentParity),
    page: include_str!("../../../rules/parity/ungated-collective-flag.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let environment = program.environment();
    for gate in &program.divergence().gates {
        let key = gate.key.as_str();
        if environment.is_parity_checked(key) {
            continue;
        }
        let (file, local) = program.locate(gate.function);
        let primary = gate.call.map_or(gate.event, |(site, _)| site);
        let mut finding = Findings::new_finding(
            &RULE,
            primary,
            program.symbol_of(file, local),
            format!("`{}` is reached only where `{key}` is set, and nothing makes that the same on every rank", gate.op),
        )
        .help(format!("compare `{key}` across ranks at start-up, with the other flags that gate collectives, or let rank 0 decide and broadcast"))
        .because(gate.condition, "ranks whose environment differs part here");
        if let Some((_, called)) = gate.call {
            finding = finding.because(gate.event, format!("`{called}` issues `{}` here", gate.op));
        }
        // A flag for tests or for debugging is set by hand, on one process; a setting of the job is set for all, and what
        // a test is run with its launcher hands to every rank.
        finding.confidence = match (environment.is_test_key(key), is_diagnostic(key) && !is_set_for_all(program, key)) {
            _ if program.file(file).is_test() => Confidence::Low,
            (true, _) => Confidence::High,
            (false, true) => Confidence::Medium,
            (false, false) => Confidence::Low,
        };
        findings.push(finding);
    }
}

/// Other settings under one word from which on they are what a job is set up with.
const SETTINGS: usize = 3;

/// Whether a program that compares no environment reads the key as one of its own settings: what a job script sets for a
/// program it hands to all ranks. Whoever compares some of them knows that they may differ.
fn is_set_for_all(program: &Program, key: &str) -> bool {
    let environment = program.environment();
    let settings = || environment.family(key).filter(|other| !is_diagnostic(other) && !environment.is_test_key(other));
    !environment.has_parity_check() && settings().count() >= SETTINGS
}

fn is_diagnostic(key: &str) -> bool {
    const WORDS: [&str; 10] =
        ["DEBUG", "DBG", "TEST", "CHECK", "VERIFY", "VALIDATE", "TRACE", "PROFILE", "DUMP", "SANITY"];
    key.split('_').any(|word| WORDS.contains(&word))
}
