//! `unchecked-plan`: a plan announces a count that nobody compares before the work begins.

use crate::base::{FileId, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::model::{Expr, LocalClass, each_expression, each_statement, expressions_of};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::common::{Plane, names_any};

/// The rule.
pub static RULE: Rule = Rule {
    name: "unchecked-plan",
    group: Group::ControlPlane,
    summary: "a plan announces a count of calls that nobody compares before the work begins",
    severity: Severity::Error,
    rows: &["OM-03"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/control-plane/unchecked-plan.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    for file in program.file_ids().filter(|&file| plane.protocol.covers(file)) {
        for index in 0..program.file(file).model.classes.len() {
            let class = program.class_id(file, LocalClass(index as u32));
            let fields = plane.types.fields(class);
            let Some((expected, at)) = fields.iter().find(|(name, _)| name.as_str().starts_with("expected_")) else {
                continue;
            };
            // A plan says what it is made of; a note of what is owed does not.
            let says = |name: &Symbol| {
                let name = name.as_str();
                name.starts_with("num_") || name.starts_with("do_") || name.ends_with("_steps")
            };
            if !fields.iter().any(|(name, _)| says(name)) || is_compared(&plane, *expected) {
                continue;
            }
            findings.push(
                Findings::new_finding(
                    &RULE,
                    *at,
                    program.class(class).name.as_str(),
                    format!("nobody compares `{expected}` with what the plan makes before the collectives begin"),
                )
                .confidence(Confidence::Medium)
                .help("derive the count from the plan's own fields in the sender's preflight and again on every receiver, and refuse a plan that does not add up"),
            );
        }
    }
}

/// Whether some comparison of the field is made with something else than what was counted afterwards.
fn is_compared(plane: &Plane<'_>, field: Symbol) -> bool {
    plane.bodies().into_iter().any(|(file, function)| compares(plane, file, function, field))
}

fn compares(plane: &Plane<'_>, file: FileId, function: crate::model::LocalFunction, field: Symbol) -> bool {
    let model = plane.model(file);
    if !model.function(function).mentions.contains(&field) {
        return false;
    }
    let is_field = |root| {
        let mut found = false;
        each_expression(model, root, &mut |_, part| {
            found |= matches!(part, Expr::Attribute { name, .. } if name == field)
        });
        found
    };
    let is_counted = |root| names_any(model, root, &|name| name.starts_with("observed") || name.starts_with("actual"));
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| {
                let Expr::Compare(_, left, right) = expr else { return };
                for (side, other) in [(left, right), (right, left)] {
                    found |= is_field(side) && !is_counted(other);
                }
            });
        }
    });
    found
}
