//! `missing-override-fallback`: the plan says that a tensor is required, and the code makes do without it.

use crate::base::{FileId, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::{Context, Program, each_in_context};
use crate::model::{
    CompareOp, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement, expressions_of,
};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::common::{Plane, names_any};

/// The rule.
pub static RULE: Rule = Rule {
    name: "missing-override-fallback",
    group: Group::ControlPlane,
    summary: "a tensor that the plan requires is replaced by a local one when it is missing",
    severity: Severity::Error,
    rows: &["OM-10"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/control-plane/missing-override-fallback.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    for (file, function) in plane.bodies() {
        let model = plane.model(file);
        let mut found: Vec<(ExprId, ExprId)> = Vec::new();
        each_in_context(model, function, &mut |_, stmt, context: Context<'_>| {
            let planned = context.conditions.iter().copied().find(|&condition| is_plan_bit(model, condition));
            for root in expressions_of(model, stmt) {
                each_expression(model, root, &mut |id, expr| {
                    let Some(taken) = fallback(&plane, file, function, id, expr) else { return };
                    if let Some(planned) = planned.or_else(|| names_override(model, taken).then_some(taken)) {
                        found.push((id, planned));
                    }
                });
            }
        });
        found.dedup_by_key(|(id, _)| *id);
        for (id, planned) in found {
            findings.push(
                Findings::new_finding(
                    &RULE,
                    plane.site(file, id),
                    program.symbol_of(file, function),
                    "a missing tensor is replaced by a local one, although the plan says that it comes with the message",
                )
                .confidence(Confidence::Medium)
                .because(plane.site(file, planned), "the plan of the call says so here")
                .help("take it by its key and refuse the message without it, in the sender's preflight: override required, no fall-back"),
            );
        }
    }
}

/// `call.tensors.get(key)` and the like, where something else stands in for what is missing: the access.
fn fallback(plane: &Plane<'_>, file: FileId, function: LocalFunction, id: ExprId, expr: Expr) -> Option<ExprId> {
    let model = plane.model(file);
    match expr {
        // `fields.get(key, something)`, `x = fields.get(key)` and then `if x is None: x = …`
        Expr::Call(index) => {
            let call = model.call(index);
            let Expr::Attribute { value, name } = model.expr(call.callee) else { return None };
            if name.as_str() != "get" || !is_message_field(plane, file, function, value) {
                return None;
            }
            let has_default = model.list(call.args).get(1).is_some_and(|&one| model.expr(one) != Expr::None);
            (has_default || is_filled_in(model, function, id)).then_some(id)
        }
        // `fields.get(key) or something`, `message.context or something`
        Expr::Or(parts) => {
            let &first = model.list(parts).first()?;
            is_taken(plane, file, function, first).then_some(first)
        }
        // `something if x is None else x`
        Expr::IfElse(at) => {
            let [test, then, otherwise] = model.if_else(at);
            let Expr::Compare(CompareOp::Is | CompareOp::IsNot | CompareOp::In | CompareOp::NotIn, ..) =
                model.expr(test)
            else {
                return None;
            };
            let absent = |side: ExprId| matches!(model.expr(side), Expr::None);
            let one = [then, otherwise].into_iter().find(|&side| is_taken(plane, file, function, side))?;
            (![then, otherwise].into_iter().any(absent)).then_some(one)
        }
        _ => None,
    }
}

/// Whether an expression takes something out of a message.
fn is_taken(plane: &Plane<'_>, file: FileId, function: LocalFunction, expr: ExprId) -> bool {
    let model = plane.model(file);
    match model.expr(expr) {
        Expr::Call(index) => match model.expr(model.call(index).callee) {
            Expr::Attribute { value, name } => name.as_str() == "get" && is_message_field(plane, file, function, value),
            _ => false,
        },
        Expr::Subscript(value, _) => is_message_field(plane, file, function, value),
        Expr::Attribute { .. } => is_message_field(plane, file, function, expr),
        _ => false,
    }
}

/// Whether an expression is a field of a message.
fn is_message_field(plane: &Plane<'_>, file: FileId, function: LocalFunction, expr: ExprId) -> bool {
    let Expr::Attribute { value, .. } = plane.model(file).expr(expr) else { return false };
    plane.types.class_of(file, function, value).is_some_and(|class| plane.protocol.messages.contains(&class))
}

/// Whether the name that gets the value is filled in where it is None.
fn is_filled_in(model: &File, function: LocalFunction, value: ExprId) -> bool {
    let names: Vec<Symbol> = crate::graph::protocol::bound_to(model, function, value);
    let mut filled = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        let Stmt::If { test, body, .. } = stmt else { return };
        let about = match model.expr(*test) {
            Expr::Compare(CompareOp::Is | CompareOp::Eq, left, right) => {
                matches!(model.expr(left), Expr::Name(name) if names.contains(&name)) && model.expr(right) == Expr::None
            }
            Expr::Unary(crate::model::UnaryOp::Not, inner) => {
                matches!(model.expr(inner), Expr::Name(name) if names.contains(&name))
            }
            _ => false,
        };
        if !about {
            return;
        }
        each_statement(model, *body, &mut |_, stmt| {
            if let Stmt::Assign { targets, .. } = stmt {
                filled |= model
                    .list(*targets)
                    .iter()
                    .any(|&one| matches!(model.expr(one), Expr::Name(name) if names.contains(&name)));
            }
        });
    });
    filled
}

/// Whether a condition asks the plan for an optional phase.
fn is_plan_bit(model: &File, condition: ExprId) -> bool {
    names_any(model, condition, &|name| {
        ["do_", "with_", "wants_", "needs_"].iter().any(|head| name.starts_with(head)) || name.contains("recompute")
    })
}

fn names_override(model: &File, expr: ExprId) -> bool {
    let mut found = names_any(model, expr, &|name| name.contains("override"));
    each_expression(model, expr, &mut |_, part| {
        found |= matches!(part, Expr::Str(text) if text.as_str().contains("override"));
    });
    found
}
