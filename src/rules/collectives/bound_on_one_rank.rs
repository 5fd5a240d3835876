//! A variable that one rank alone has, used by all.

use crate::finding::{Confidence, Finding, Severity};
use crate::graph::{HeldByOne, Program};
use crate::rules::{Check, Findings, Group, Probe, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "bound-on-one-rank",
    group: Group::Collectives,
    summary: "a variable or attribute that one rank alone binds and every rank uses: the others fail there alone",
    severity: Severity::Error,
    rows: &["OM-13"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/bound-on-one-rank.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    for found in &program.divergence().held_by_one {
        findings.push(finding(program, found));
    }
}

fn finding(program: &Program, found: &HeldByOne) -> Finding {
    let (file, function) = program.locate(found.function);
    let name = found.name;
    let message = match found.without {
        Some(_) => format!("`{name}` is `None` on every rank but the first, and all use it"),
        None => format!("`{name}` is bound on the first rank alone, and all use it"),
    };
    let fails = match found.without {
        Some(_) => "`AttributeError` or `TypeError`",
        None if name.as_str().contains('.') => "`AttributeError`",
        None => "`UnboundLocalError` or `NameError`",
    };
    let lets_in = match found.answered {
        true => "this answers `None` to every rank but the first",
        false => "this lets the first rank in",
    };
    let help = match found.is_answer() {
        true => format!("put this under the question that `{name}` asks, or let it answer on every rank"),
        false => format!("put this under the same question, or bind `{name}` on every rank"),
    };
    let finding = Findings::new_finding(&RULE, found.used, program.symbol_of(file, function), message)
        .help(help)
        .confidence(Confidence::Medium);
    let mut finding = match found.is_answer() {
        true => finding.because(found.asked, format!("{lets_in}: they end with {fails}, and it waits for them")),
        false => finding.because(found.asked, lets_in).because(
            found.bound,
            format!("it alone binds `{name}`; the others end with {fails}, and it waits for them"),
        ),
    };
    if let Some(site) = found.handed {
        finding = finding.because(site, format!("all ranks hand it over here; there it is called `{name}`"));
    }
    if let Some(site) = found.without.filter(|&site| site != found.bound) {
        finding = finding.because(site, format!("the others have `None` in `{name}`"));
    }
    finding
}
