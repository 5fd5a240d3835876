//! A collective on a group that the ranks which reach it do not all belong to, or that is wider than they are.

use crate::base::Symbol;
use crate::finding::{Confidence, Finding, Severity};
use crate::graph::{LastGroup, Missized, Program, SplitKind, Unpassed};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Wording, operation, word};

/// The rule.
pub static RULE: Rule = Rule {
    name: "wrong-group",
    group: Group::Collectives,
    summary: "a collective on a group that is not that of the ranks which reach it",
    severity: Severity::Error,
    rows: &["OM-08"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/wrong-group.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    word(program, &RULE, SplitKind::WrongGroup, findings, |split| {
        Wording {
        message: match split.decision {
            Some(_) => format!("{} waits for ranks that never get here", operation(split)),
            None => format!("`{}` runs on one group here and on another elsewhere: the group differs between ranks", split.event.op),
        },
        condition: "only some ranks get past this",
        help: match split.decision {
            Some(_) => "pass the group of the ranks that get here: group=…".to_owned(),
            None => "a group that is `None` on some ranks means WORLD there: guard the call by membership, or keep NON_GROUP_MEMBER".to_owned(),
        },
    }
    });
    for found in &program.conduct().unpassed {
        findings.push(not_handed_on(program, found));
    }
    let is_known = |found: &&Missized| program.conduct().unpassed.iter().all(|one| one.site != found.site);
    for found in program.conduct().missized.iter().filter(is_known) {
        findings.push(counted_for_one_group(program, found));
    }
    for found in &program.conduct().last_groups {
        findings.push(last_of_a_loop(program, found));
    }
}

/// A loop makes a group on each turn, and every rank goes on with the last one.
fn last_of_a_loop(program: &Program, found: &LastGroup) -> Finding {
    let LastGroup { name, .. } = found;
    let (file, function) = program.locate(found.function);
    let message = format!("`{name}` is the last group of the loop on every rank, also on those that are not in it");
    let mut finding = Findings::new_finding(&RULE, found.site, program.symbol_of(file, function), message)
        .help("make each group on every rank, and keep the one that this rank is in: `if rank in ranks: …`".to_owned());
    finding.confidence = Confidence::Medium;
    if let Some(asked) = found.asked {
        finding =
            finding.because(asked, "this tells members apart, and the group is kept whatever it answers".to_owned());
    }
    match found.used {
        Some(used) => finding.because(used, format!("every rank goes on with `{name}` here")),
        None => finding,
    }
}

/// The function runs one operation on the group that it is handed, and another on all ranks.
fn not_handed_on(program: &Program, found: &Unpassed) -> Finding {
    let Unpassed { group, called, used_for, .. } = found;
    let (file, function) = program.locate(found.function);
    let message =
        format!("`{called}` is given no group and waits for all ranks, though the function is handed `{group}`");
    let used = match used_for.map(Symbol::as_str) {
        None => format!("`{group}` is handed over here, and used nowhere"),
        Some("size") => format!("how many ranks take part is asked of `{group}`"),
        Some(operation) => format!("`{operation}` runs on `{group}`"),
    };
    Findings::new_finding(&RULE, found.site, program.symbol_of(file, function), message)
        .help(format!("pass it on: `group={group}`"))
        .confidence(found.confidence)
        .because(found.used, used)
}

/// The operation waits for all ranks, and its result is divided by the size of a group, or has a place for each of its members.
fn counted_for_one_group(program: &Program, found: &Missized) -> Finding {
    let Missized { group, called, divided, .. } = found;
    let (file, function) = program.locate(found.function);
    let counted = match divided {
        true => "its result is divided by the size of",
        false => "its list has a place for each member of",
    };
    let message = format!("`{called}` is given no group and waits for all ranks, though {counted} `{group}`");
    Findings::new_finding(&RULE, found.site, program.symbol_of(file, function), message)
        .help(format!("run it on that group: `group={group}`; or count all ranks: `get_world_size()`"))
        .confidence(found.confidence)
        .because(found.sized, format!("how many ranks take part is asked of `{group}`"))
}
