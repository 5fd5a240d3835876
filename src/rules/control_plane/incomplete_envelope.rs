//! `incomplete-envelope`: a header without version, ids or epoch.

use crate::base::{Site, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::graph::protocol::{is_epoch, is_id, is_version};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::common::Plane;

/// The rule.
pub static RULE: Rule = Rule {
    name: "incomplete-envelope",
    group: Group::ControlPlane,
    summary: "a header without version, message id or cache epoch",
    severity: Severity::Warning,
    rows: &["OM-03", "OM-09"],
    verify: Some(Probe::Manifest),
    page: include_str!("../../../rules/control-plane/incomplete-envelope.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    let mut headers: Vec<(Site, Vec<Symbol>)> = plane.protocol.plain_headers.clone();
    for &class in &plane.protocol.headers {
        let (file, _) = program.locate_class(class);
        let definition = program.class(class);
        let body = program.file(file).model.function(definition.body);
        let names = plane.types.fields(class).into_iter().map(|(name, _)| name).collect();
        headers.push((Site { file, span: body.name_span }, names));
    }
    headers.sort_by_key(|(site, _)| (site.file, site.span.start));
    for (at, names) in headers {
        let has = |wanted: &dyn Fn(&str) -> bool| names.iter().any(|name| wanted(name.as_str()));
        let mut missing = Vec::new();
        if !has(&is_version) {
            missing.push("version");
        }
        if !has(&is_id) {
            missing.push("message id");
        }
        if !has(&is_epoch) {
            missing.push("cache epoch");
        }
        if missing.is_empty() {
            continue;
        }
        findings.push(
            Findings::new_finding(&RULE, at, "", format!("this header carries no {}", missing.join(" and no ")))
                .confidence(Confidence::Medium)
                .help(
                    "put version, action, a strictly increasing call id, chunk index, cache epoch, counts and sizes into \
                     the header: the receiver refuses what it does not speak, and drops what is stale, before it allocates",
                ),
        );
    }
}
