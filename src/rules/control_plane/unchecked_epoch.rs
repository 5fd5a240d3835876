//! `unchecked-epoch`: a result is accepted by its ids, whatever cache world it comes from.

use crate::base::{ClassId, FileId, Site, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::graph::protocol::{is_epoch, is_id};
use crate::model::{CompareOp, Expr, ExprId, LocalFunction, each_expression, each_statement, expressions_of};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::common::Plane;

/// The rule.
pub static RULE: Rule = Rule {
    name: "unchecked-epoch",
    group: Group::ControlPlane,
    summary: "a result is accepted without comparing its epoch with the current one",
    severity: Severity::Error,
    rows: &["OM-09"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/control-plane/unchecked-epoch.md"),
    check: Check::Program(check),
};

/// What a body compares of results.
#[derive(Default)]
struct Compared {
    id: Option<ExprId>,
    older: bool,
    newer: bool,
    class: Option<ClassId>,
}

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    if plane.protocol.results.is_empty() {
        return;
    }
    for (file, function) in plane.bodies() {
        let compared = compared(&plane, file, function);
        let (Some(id), Some(class)) = (compared.id, compared.class) else { continue };
        let (message, help) = match (compared.older, compared.newer) {
            (true, true) => continue,
            (false, false) => (
                "a result is accepted by its ids alone; one of another cache epoch passes as well",
                "compare its epoch with the current one first: drop an older result, end the run on a newer one",
            ),
            (false, true) => (
                "a result of an older cache epoch is accepted here like any other",
                "drop it, log both epochs and keep receiving: what a cut has made stale is never decoded or emitted",
            ),
            (true, false) => (
                "a result of a future cache epoch is accepted here like any other",
                "end the run: only this rank moves the epoch, so nobody can answer for one that has not begun",
            ),
        };
        let mut finding =
            Findings::new_finding(&RULE, plane.site(file, id), program.symbol_of(file, function), message)
                .confidence(Confidence::Medium)
                .help(help);
        if let Some(site) = field(&plane, class) {
            finding = finding.because(site, "the result carries its epoch");
        }
        findings.push(finding);
    }
}

fn field(plane: &Plane<'_>, class: ClassId) -> Option<Site> {
    plane.types.fields(class).into_iter().find(|(name, _)| is_epoch(name.as_str())).map(|(_, site)| site)
}

fn compared(plane: &Plane<'_>, file: FileId, function: LocalFunction) -> Compared {
    let model = plane.model(file);
    let mut out = Compared::default();
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |id, expr| {
                let Expr::Compare(op, left, right) = expr else { return };
                match (model.expr(left), model.expr(right)) {
                    (Expr::Tuple(lefts), Expr::Tuple(rights)) => {
                        let pairs = model.list(lefts).iter().zip(model.list(rights));
                        pairs.for_each(|(&left, &right)| pair(plane, file, function, (id, op, left, right), &mut out));
                    }
                    _ => pair(plane, file, function, (id, op, left, right), &mut out),
                }
            });
        }
    });
    out
}

fn pair(
    plane: &Plane<'_>,
    file: FileId,
    function: LocalFunction,
    (at, op, left, right): (ExprId, CompareOp, ExprId, ExprId),
    out: &mut Compared,
) {
    for (side, other, turned) in [(left, right, false), (right, left, true)] {
        let Some((class, name)) = of_result(plane, file, function, side) else { continue };
        if is_id(name.as_str()) {
            out.id = out.id.or(Some(at));
            out.class = out.class.or(Some(class));
        }
        if !is_epoch(name.as_str()) || !is_state(plane, file, function, other) {
            continue;
        }
        let (below, above) = match op {
            CompareOp::Less | CompareOp::LessEq => (true, false),
            CompareOp::Greater | CompareOp::GreaterEq => (false, true),
            _ => (true, true),
        };
        out.older |= if turned { above } else { below };
        out.newer |= if turned { below } else { above };
    }
}

/// The field of a result that an expression is.
fn of_result(plane: &Plane<'_>, file: FileId, function: LocalFunction, expr: ExprId) -> Option<(ClassId, Symbol)> {
    let Expr::Attribute { value, name } = plane.model(file).expr(expr) else { return None };
    let class = plane.types.class_of(file, function, value)?;
    plane.protocol.results.contains(&class).then_some((class, name))
}

/// Whether an expression is this rank's own state, not a field of something that was sent or noted for a message.
fn is_state(plane: &Plane<'_>, file: FileId, function: LocalFunction, expr: ExprId) -> bool {
    let model = plane.model(file);
    match model.expr(expr) {
        Expr::Attribute { value, .. } => {
            let class = plane.types.class_of(file, function, value);
            let noted = matches!(model.expr(value), Expr::Name(name)
                if !matches!(name.as_str(), "self" | "cls")
                && plane.program.single_assignment(file, function, name)
                    .is_some_and(|value| matches!(model.expr(value), Expr::Call(_) | Expr::Subscript(..))));
            !noted && class.is_none_or(|class| !plane.protocol.messages.contains(&class))
        }
        Expr::Name(name) => match plane.program.single_assignment(file, function, name) {
            Some(value) => is_state(plane, file, function, value),
            None => true,
        },
        Expr::Subscript(..) => false,
        _ => true,
    }
}
