//! A file that every rank makes or removes, behind a question whether it is there.

use crate::finding::{Finding, Fix, Severity};
use crate::graph::{Does, FileRace, Program, Together, function_around};
use crate::model::Expr;
use crate::rules::fixes::{Safety, added_argument, fix};
use crate::rules::{Check, Findings, Group, Probe, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "file-race",
    group: Group::Collectives,
    summary: "a file or folder that every rank makes or removes if it finds none, or one: all but the fastest fail",
    severity: Severity::Warning,
    rows: &["OM-13"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/file-race.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    for found in program.divergence().races.iter().filter(|race| !race.does.writes()) {
        findings.push(finding(program, found));
    }
}

fn finding(program: &Program, found: &FileRace) -> Finding {
    if let Some(finding) = unguarded(program, &RULE, found) {
        return finding;
    }
    let (file, function) = program.locate(found.function);
    let call = found.call;
    let finds = if found.does == Does::Makes { "nothing" } else { "it" };
    let message = format!("{} here and finds {finds} there: `{call}` fails on all but the first", who_comes(found));
    let help = match found.lenient {
        Some(argument) => {
            format!("pass `{argument}=True`, or let one rank do it and the others wait for that in a barrier")
        }
        None => "let one rank do it, and the others wait for that in a barrier".to_owned(),
    };
    let mut finding = Findings::new_finding(&RULE, found.site, program.symbol_of(file, function), message)
        .help(help)
        .confidence(found.confidence)
        .because(found.asked, "all ranks may ask before one of them has done it");
    finding = because_together(program, found, finding);
    finding.fix = lenient(program, found);
    finding
}

/// A call by all ranks of what elsewhere only the first one calls, where the race is for what that does.
pub(super) fn unguarded(program: &Program, rule: &'static Rule, found: &FileRace) -> Option<Finding> {
    let (guard, &[call]) = (found.guarded?, &found.callers[..]) else { return None };
    let callee = program.function(found.function).name;
    let (what, help) = match found.does {
        Does::Removes => ("removes the same files", "before they go on"),
        _ => ("writes the same file", "before they read the file"),
    };
    let message = format!("every rank calls `{callee}` here, and {what}: elsewhere only the first one does");
    let caller = function_around(&program.file(call.file).model, call.span);
    let symbol = caller.map_or("", |local| program.symbol_of(call.file, local));
    let does = what.split(' ').next().unwrap_or_default();
    let finding = Findings::new_finding(rule, call, symbol, message)
        .help(format!("let one rank call it here as well, and the others wait in a barrier {help}"))
        .confidence(found.confidence)
        .because(found.site, format!("`{}` {does} it here", found.call))
        .because(guard, "elsewhere this lets one rank alone come to it");
    Some(because_together(program, &FileRace { callers: Vec::new(), ..found.clone() }, finding))
}

/// Who comes to the place of a race.
pub(super) fn who_comes(found: &FileRace) -> &'static str {
    match found.together {
        Together::LetsInFew(_) => "more than one rank comes",
        _ => "every rank comes",
    }
}

/// Tells what shows that several ranks come there.
pub(super) fn because_together(program: &Program, found: &FileRace, mut finding: Finding) -> Finding {
    for &caller in &found.callers {
        finding =
            finding.because(caller, format!("`{}` is called on every rank", program.function(found.function).name));
    }
    if let Some((caller, site)) = found.outer {
        finding = finding.because(site, format!("`{}` is called on every rank", program.function(caller).name));
    }
    let come = "several ranks come here";
    match found.together {
        Together::Issues(op, site) if found.does.writes() => {
            finding.because(site, format!("{come}: they go on to `{op}`"))
        }
        Together::Issues(op, site) => finding.because(site, format!("the ranks that get through wait in `{op}`")),
        Together::Issued(op, site) => finding.because(site, format!("{come}: `{op}` was issued by all")),
        Together::TellsApart(site) => finding.because(site, format!("{come}: one of them is asked for")),
        Together::TellsNodesApart(site) => finding.because(site, "several nodes come here: one of them is asked for"),
        Together::LetsInFew(site) => finding.because(site, format!("{come}: this lets in more than the first")),
        Together::Joins(site) => finding.because(site, format!("{come}: they join the job here")),
        Together::CalledBack(by, site) => finding.because(site, format!("{come}: `{by}` is called back on every rank")),
        Together::SharesOut(site) => {
            finding.because(site, "every rank makes an object of this data set: they share it out here")
        }
    }
}

/// Makes a call that creates a folder pass over one that is there.
fn lenient(program: &Program, found: &FileRace) -> Option<Fix> {
    let argument = found.lenient.filter(|_| found.does == Does::Makes)?;
    let (file, _) = program.locate(found.function);
    let model = &program.file(file).model;
    let Expr::Call(call) = model.expr(found.expr) else { return None };
    let call = model.call(call);
    let edit = added_argument(program, file, found.expr, call, argument, "True")?;
    Some(fix(Safety::Safe, format!("pass over a folder that is there: `{argument}=True`"), vec![edit]))
}
