//! A place on the disk that each rank names by itself, though all save there together.

use crate::base::Site;
use crate::finding::{Finding, Severity};
use crate::graph::{Program, UnagreedPath};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::and_so_here;

/// The rule.
pub static RULE: Rule = Rule {
    name: "unagreed-path",
    group: Group::Collectives,
    summary: "a checkpoint of all ranks in a folder that each rank names by itself, with the time or a name of its own",
    severity: Severity::Warning,
    rows: &["OM-04"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/unagreed-path.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let mut mistakes: Vec<Vec<&UnagreedPath>> = Vec::new();
    for path in &program.divergence().paths {
        let same = |other: &UnagreedPath| other.function == path.function && other.origin.0 == path.origin.0;
        match mistakes.iter_mut().find(|mistake| same(mistake[0])) {
            Some(mistake) => mistake.push(path),
            None => mistakes.push(vec![path]),
        }
    }
    for paths in mistakes {
        findings.push(finding(program, &paths));
    }
}

/// One finding for the operations of a function on what one line has named.
fn finding(program: &Program, paths: &[&UnagreedPath]) -> Finding {
    let found = paths[0];
    let (file, local) = program.locate(found.function);
    let message = format!("all ranks take part in `{}`, and each may name another place for it", found.op);
    let (origin, reason) = found.origin;
    let help = "make the name on one rank and hand it to the others (`broadcast_object_list`), or take it from the \
                configuration";
    let mut finding = Findings::new_finding(&RULE, found.site, program.symbol_of(file, local), message)
        .help(help)
        .confidence(found.confidence)
        .because(origin, format!("it goes into the name: {reason}"));
    if let Some(named_in) = found.named_in {
        finding = finding.because(named_in, "here each rank gets its name");
    }
    let mut further: Vec<Site> = paths.iter().map(|path| path.site).filter(|&site| site != found.site).collect();
    further.dedup();
    and_so_here(&mut finding, &further);
    finding
}
