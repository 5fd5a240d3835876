//! `unchecked-group`: a wrapper of the mesh's collectives takes whatever group it is handed.

use crate::base::{FileId, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::model::{Call, Expr, ExprId, LocalFunction, each_expression, each_statement, expressions_of};
use crate::rules::calls::{argument, keyword};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::common::{Plane, mentions};

/// The rule.
pub static RULE: Rule = Rule {
    name: "unchecked-group",
    group: Group::ControlPlane,
    summary: "a wrapper of collectives passes on whatever group it is handed",
    severity: Severity::Error,
    rows: &["OM-08"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/control-plane/unchecked-group.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    for (file, function) in plane.bodies() {
        let model = plane.model(file);
        let definition = model.function(function);
        let Some(class) = definition.class else { continue };
        if definition.name.as_str() == "__init__" {
            continue;
        }
        let Some(own) = own_group(&plane, file, class) else { continue };
        for (expr, call) in plane.calls(file, function) {
            let Some(dotted) = plane.external(file, function, call) else { continue };
            if !dotted.as_str().starts_with("torch.distributed.") {
                continue;
            }
            let Some(group) = keyword(model, call, "group").or_else(|| argument(model, call, None, "group")) else {
                continue;
            };
            let Expr::Name(name) = model.expr(group) else { continue };
            if !definition.parameters.iter().any(|parameter| parameter.name == name)
                || is_checked(&plane, file, function, name, expr)
            {
                continue;
            }
            let op = dotted.last_part();
            findings.push(
                Findings::new_finding(
                    &RULE,
                    plane.site(file, expr),
                    program.symbol_of(file, function),
                    format!("`{op}` runs on whatever `{name}` is handed in; on another group than the mesh it waits for ranks that never come"),
                )
                .confidence(Confidence::Medium)
                .because(own, "the group that belongs to this object")
                .help(format!("compare `{name}` with it before the call and raise, naming both groups and the rank")),
            );
        }
    }
}

/// Where the class keeps a group of its own.
fn own_group(plane: &Plane<'_>, file: FileId, class: crate::model::LocalClass) -> Option<crate::base::Site> {
    let fields = plane.types.fields(plane.program.class_id(file, class));
    fields
        .into_iter()
        .find(|(name, _)| {
            let name = name.as_str().trim_start_matches('_');
            matches!(name, "group" | "pg" | "process_group") || name.ends_with("_pg") || name.ends_with("_group")
        })
        .map(|(_, site)| site)
}

/// Whether the parameter is compared before the call: here, or in a function that it is handed to and that refuses.
fn is_checked(plane: &Plane<'_>, file: FileId, function: LocalFunction, name: Symbol, before: ExprId) -> bool {
    if compares(plane, file, function, name) {
        return true;
    }
    let model = plane.model(file);
    let at = model.span(before).start;
    let hands_over = |call: Call| {
        let keywords = model.keywords(call).iter().map(|one| one.value);
        model.list(call.args).iter().copied().chain(keywords).any(|arg| mentions(model, arg, &[name]))
    };
    plane.calls(file, function).into_iter().filter(|(expr, _)| model.span(*expr).start < at).any(|(_, call)| {
        hands_over(call)
            && plane.callees(file, function, call).into_iter().any(|callee| {
                let (home, local) = plane.program.locate(callee);
                let parameters = &plane.program.function(callee).parameters;
                plane.refuses(callee, 1) && parameters.iter().any(|one| compares(plane, home, local, one.name))
            })
    })
}

/// Whether a body compares a name with anything but None.
fn compares(plane: &Plane<'_>, file: FileId, function: LocalFunction, name: Symbol) -> bool {
    let model = plane.model(file);
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| {
                if let Expr::Compare(_, left, right) = expr {
                    let none = model.expr(left) == Expr::None || model.expr(right) == Expr::None;
                    found |= !none && (mentions(model, left, &[name]) || mentions(model, right, &[name]));
                }
            });
        }
    });
    found
}
