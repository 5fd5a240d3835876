//! A file that every rank writes, at the same path.

use crate::finding::{Finding, Severity};
use crate::graph::{Does, FileRace, Program};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::and_so_here;
use super::file_race::{because_together, unguarded, who_comes};

/// The rule.
pub static RULE: Rule = Rule {
    name: "write-race",
    group: Group::Collectives,
    summary: "a file that every rank writes at the same path, where one of them is meant to",
    severity: Severity::Warning,
    rows: &["OM-13"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/write-race.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let mut functions: Vec<Vec<&FileRace>> = Vec::new();
    for found in program.divergence().races.iter().filter(|race| race.does.writes()) {
        match functions.iter_mut().find(|races| is_alike(races[0], found)) {
            Some(races) => races.push(found),
            None => functions.push(vec![found]),
        }
    }
    for races in functions {
        findings.push(finding(program, &races));
    }
}

fn is_alike(one: &FileRace, other: &FileRace) -> bool {
    one.function == other.function && one.confidence == other.confidence && one.does == other.does
}

/// One finding for all that a function writes so.
fn finding(program: &Program, races: &[&FileRace]) -> Finding {
    let found = races[0];
    if let Some(finding) = unguarded(program, &RULE, found) {
        return finding;
    }
    let (file, function) = program.locate(found.function);
    let who = who_comes(found);
    let call = found.call;
    let (message, help) = match found.does {
        Does::Fetches => (
            format!(
                "{who} here and fetches to the same place: `{call}` of one reads what that of another still writes"
            ),
            "let the first rank of each node fetch it while the others wait in a barrier, and open it on all of them then",
        ),
        _ => (
            format!("{who} here and writes the same file: `{call}` of one overwrites that of another"),
            "let one rank write it, and the others wait in a barrier before they read it; or put the rank in its name",
        ),
    };
    let mut finding = Findings::new_finding(&RULE, found.site, program.symbol_of(file, function), message)
        .help(help)
        .confidence(found.confidence);
    and_so_here(&mut finding, &races[1..].iter().map(|also| also.site).collect::<Vec<_>>());
    because_together(program, found, finding)
}
