//! A loop in an order of this process's own, around collectives or group creation.

use crate::finding::{Confidence, Severity};
use crate::graph::{Cause, Program};
use crate::rules::{Check, Findings, Group, Probe, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "unordered-iteration",
    group: Group::Collectives,
    summary: "a set or directory listing whose order feeds collectives or group creation",
    severity: Severity::Error,
    rows: &["OM-03"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/unordered-iteration.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    for found in &program.divergence().unordered {
        let (file, local) = program.locate(found.function);
        let what = match found.source.cause {
            Cause::Set => "a set",
            Cause::Listing => "a directory listing",
        };
        let message = match found.creates {
            true => format!("`{}` is called in the order of {what}, which differs between processes", found.op),
            false => format!("`{}` is reached in the order of {what}, which differs between processes", found.op),
        };
        let mut finding = Findings::new_finding(&RULE, found.site, program.symbol_of(file, local), message)
            .help("iterate over `sorted(…)`, or keep a list or dict that every rank fills in the same order")
            .confidence(found.confidence);
        if found.source.site != found.site {
            let made = match found.source.cause {
                Cause::Set => "the set is made here: strings and objects lie by hashes that each process draws anew",
                Cause::Listing => "the directory is listed here, in the order in which the file system keeps it",
            };
            finding = finding.because(found.source.site, made);
        }
        finding = finding.because(found.call, format!("`{}` is called for each element here", found.op));
        if found.confidence < Confidence::High {
            finding.severity = Severity::Warning;
        }
        findings.push(finding);
    }
}
