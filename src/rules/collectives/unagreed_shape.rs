//! A collective whose buffer has a shape of this rank's own.

use crate::finding::{Confidence, Severity};
use crate::graph::{Made, Program};
use crate::rules::{Check, Findings, Group, Probe, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "unagreed-shape",
    group: Group::Collectives,
    summary: "a collective whose buffer's shape comes from a rank-local value",
    severity: Severity::Error,
    rows: &["OM-02"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/unagreed-shape.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    for found in &program.divergence().shapes {
        let (file, local) = program.locate(found.function);
        let message = format!("the buffer of `{}` may have another shape on another rank", found.op);
        let mut finding = Findings::new_finding(&RULE, found.site, program.symbol_of(file, local), message)
            .help("agree on the size first (all_reduce it with MAX) and pad, or exchange objects or sizes")
            .confidence(found.confidence);
        if let Some(issued) = found.issued {
            finding = finding.because(issued, format!("`{}` is issued here", found.op));
        }
        if let Some((site, reason)) = found.origin {
            finding = finding.because(site, format!("its size comes from here: {reason}"));
        }
        if found.confidence < Confidence::High {
            finding.severity = Severity::Warning;
        }
        findings.push(finding);
    }
    for found in &program.conduct().unpadded {
        let (file, local) = program.locate(found.function);
        let message = format!("the buffer of `{}` is as long as what each rank has to say", found.op);
        let mut finding = Findings::new_finding(&RULE, found.site, program.symbol_of(file, local), message)
            .help("gather the sizes first and pad to the longest, or gather objects")
            .confidence(found.confidence)
            .because(
                found.made,
                match found.by {
                    Made::Serialised(by) => format!("`{by}` gives as many bytes as the object needs"),
                    Made::Picked => "as many as each rank finds in what it has".to_owned(),
                },
            );
        finding.severity = Severity::Warning;
        findings.push(finding);
    }
}
