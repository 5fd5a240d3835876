//! `stale-override`: a tensor that a plan asks for is taken from what an earlier call left behind.

use crate::base::{FileId, Site, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::{Context, Program, each_in_context};
use crate::model::{Expr, ExprId, File, LocalClass, LocalFunction, Stmt, each_expression, each_statement};
use crate::rules::{Check, Findings, Group, Rule};

use super::common::{Plane, leaves};

/// The rule.
pub static RULE: Rule = Rule {
    name: "stale-override",
    group: Group::ControlPlane,
    summary: "a tensor for one call is read from persistent state that is neither cleared nor checked",
    severity: Severity::Warning,
    rows: &["OM-10", "O-03"],
    verify: None,
    page: include_str!("../../../rules/control-plane/stale-override.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    for (file, function) in plane.bodies() {
        let model = plane.model(file);
        let Some(class) = model.function(function).class else { continue };
        // `fields["context"] = … if planned else None`: one call in some brings it.
        let mut taken: Vec<(ExprId, ExprId)> = Vec::new();
        each_in_context(model, function, &mut |_, stmt, context: Context<'_>| {
            let Stmt::Assign { targets, value } = stmt else { return };
            let into_message = model.list(*targets).iter().any(|&target| {
                matches!(model.expr(target), Expr::Subscript(_, key) if matches!(model.expr(key), Expr::Str(_)))
            });
            if !into_message {
                return;
            }
            match model.expr(*value) {
                Expr::IfElse(at) if model.expr(model.if_else(at)[2]) == Expr::None => {
                    taken.push((*value, model.if_else(at)[1]))
                }
                _ if !context.conditions.is_empty() => taken.push((*value, *value)),
                _ => {}
            }
        });
        for (at, value) in taken {
            let Some((attribute, home, place)) = state(&plane, file, function, class, value) else { continue };
            if !is_optional(model, class, attribute)
                || is_guarded(model, home, attribute)
                || is_cleared(model, home, attribute)
            {
                continue;
            }
            findings.push(
                Findings::new_finding(
                    &RULE,
                    Site { file, span: model.span(place) },
                    program.symbol_of(file, home),
                    format!("`{attribute}` may be what an earlier call left behind; nothing here says that it belongs to this one"),
                )
                .confidence(Confidence::Medium)
                .because(plane.site(file, at), "it goes into the message here")
                .help("remember which chunk it belongs to and refuse any other, or clear it when it has been read; send an explicit None where no override is planned"),
            );
        }
    }
}

/// The attribute of the object that a value is read from, itself or by a method that returns it: the attribute, the
/// function that reads it, the place.
fn state(
    plane: &Plane<'_>,
    file: FileId,
    function: LocalFunction,
    class: LocalClass,
    value: ExprId,
) -> Option<(Symbol, LocalFunction, ExprId)> {
    let model = plane.model(file);
    if let Some(name) = own(model, value) {
        return Some((name, function, value));
    }
    let Expr::Call(index) = model.expr(value) else { return None };
    let name = own(model, model.call(index).callee)?;
    let &(_, method) = model.class(class).methods.iter().find(|(method, _)| *method == name)?;
    let mut found = None;
    each_statement(model, model.function(method).body, &mut |_, stmt| {
        if let Stmt::Return(Some(value)) = stmt
            && let Some(name) = own(model, *value)
        {
            found = found.or(Some((name, method, *value)));
        }
    });
    found
}

fn own(model: &File, expr: ExprId) -> Option<Symbol> {
    match model.expr(expr) {
        Expr::Attribute { value, name } if matches!(model.expr(value), Expr::Name(object) if object.as_str() == "self") => {
            Some(name)
        }
        _ => None,
    }
}

/// Whether methods set the attribute to None as well as to something.
fn is_optional(model: &File, class: LocalClass, attribute: Symbol) -> bool {
    let (mut empty, mut filled) = (false, false);
    for &(_, method) in &model.class(class).methods {
        each_statement(model, model.function(method).body, &mut |_, stmt| {
            let (targets, value) = match stmt {
                Stmt::Assign { targets, value } => (model.list(*targets), *value),
                Stmt::Annotated { target, value: Some(value), .. } => (std::slice::from_ref(target), *value),
                _ => return,
            };
            if targets.iter().any(|&target| own(model, target) == Some(attribute)) {
                match model.expr(value) {
                    Expr::None => empty = true,
                    _ => filled = true,
                }
            }
        });
    }
    empty && filled
}

/// Whether the body refuses what does not belong to the call.
fn is_guarded(model: &File, function: LocalFunction, attribute: Symbol) -> bool {
    let stem = attribute.as_str().trim_start_matches('_');
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        let Stmt::If { test, body, .. } = stmt else { return };
        let mut tags = false;
        each_expression(model, *test, &mut |_, expr| {
            tags |= matches!(expr, Expr::Attribute { name, .. }
                if name != attribute && name.as_str().trim_start_matches('_').starts_with(stem))
                || matches!(expr, Expr::Attribute { name, .. } if crate::graph::protocol::is_epoch(name.as_str()) || crate::graph::protocol::is_id(name.as_str()));
        });
        found |= tags && leaves(model, *body);
    });
    found
}

/// Whether the body clears the attribute.
fn is_cleared(model: &File, function: LocalFunction, attribute: Symbol) -> bool {
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        let Stmt::Assign { targets, value } = stmt else { return };
        let empties = match model.expr(*value) {
            Expr::None => true,
            Expr::Tuple(parts) => model.list(parts).iter().any(|&part| model.expr(part) == Expr::None),
            _ => false,
        };
        let assigns = model.list(*targets).iter().any(|&target| match model.expr(target) {
            Expr::Tuple(parts) => {
                let at = model.list(parts).iter().position(|&part| own(model, part) == Some(attribute));
                match (at, model.expr(*value)) {
                    (Some(at), Expr::Tuple(values)) => {
                        model.list(values).get(at).is_some_and(|&one| model.expr(one) == Expr::None)
                    }
                    _ => false,
                }
            }
            _ => own(model, target) == Some(attribute) && model.expr(*value) == Expr::None,
        });
        found |= empties && assigns;
    });
    found
}
