//! Names in expressions, and what variables of a function are made of.

use crate::base::{Span, Symbol};
use crate::graph::blocks::set_to;
use crate::model::{Call, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement};

/// Assignments that a name is followed back.
const ROUNDS: usize = 3;

/// Functions that answer by what they are handed.
const PASSING: [&str; 9] = ["int", "bool", "str", "len", "any", "all", "min", "max", "getattr"];

/// Methods that move an object to a device.
const MOVES: [&str; 2] = ["to", "cuda"];

/// The names, with those that they are made of in the function; `of` tells what an expression is made of.
pub(super) fn made_of(
    model: &File,
    function: LocalFunction,
    mut fresh: Vec<Symbol>,
    of: impl Fn(&File, ExprId) -> Vec<Symbol>,
) -> Vec<Symbol> {
    let mut seen: Vec<Symbol> = Vec::new();
    for _ in 0..ROUNDS {
        seen.append(&mut fresh);
        each_assignment(model, function, &mut |targets, value| {
            if targets.iter().any(|&target| sets(model, target, |name| seen.contains(&name))) {
                fresh.extend(of(model, value));
            }
        });
        fresh.retain(|name| !seen.contains(name));
        if fresh.is_empty() {
            break;
        }
    }
    seen.append(&mut fresh);
    seen
}

/// What is assigned to a name in a function, or gone through under it.
pub(in crate::graph) fn assigned(model: &File, function: LocalFunction, name: Symbol) -> Vec<ExprId> {
    let mut out = Vec::new();
    each_assignment(model, function, &mut |targets, value| {
        let set = targets.iter().find(|&&target| sets(model, target, |set| set == name));
        out.extend(set.map(|&target| set_to(model, target, value, name).unwrap_or(value)));
    });
    out
}

/// Whether a target sets one of the names: as a rule it is one.
fn sets(model: &File, target: ExprId, is_one: impl Fn(Symbol) -> bool) -> bool {
    match model.expr(target) {
        Expr::Name(name) => is_one(name),
        _ => names_asked(model, target).into_iter().any(is_one),
    }
}

/// What is assigned in a function, or gone through by a loop, with the targets.
pub(super) fn each_assignment(model: &File, function: LocalFunction, visit: &mut dyn FnMut(&[ExprId], ExprId)) {
    each_statement(model, model.function(function).body, &mut |_, stmt| match stmt {
        Stmt::Assign { targets, value } => visit(model.list(*targets), *value),
        Stmt::Annotated { target, value: Some(value), .. } => visit(std::slice::from_ref(target), *value),
        Stmt::AugAssign { target, value, .. } => visit(std::slice::from_ref(target), *value),
        Stmt::For { target, iter, .. } => visit(std::slice::from_ref(target), *iter),
        _ => {}
    });
}

/// The names and attributes in an expression, and the keys of entries.
pub(super) fn names_of(model: &File, root: ExprId) -> Vec<Symbol> {
    let mut out = Vec::new();
    each_expression(model, root, &mut |_, expr| match expr {
        Expr::Name(name) | Expr::Attribute { name, .. } => out.push(name),
        Expr::Subscript(_, key) => out.extend(key_of(model, key)),
        _ => {}
    });
    out
}

/// The same, without what is handed to functions that may answer what they like.
pub(super) fn names_told(model: &File, root: ExprId) -> Vec<Symbol> {
    names_outside(model, root, |call, left_out| {
        if model.last_name(call.callee).is_none_or(|name| !PASSING.contains(&name.as_str())) {
            left_out.extend(handed_to(model, call));
        }
    })
}

/// The same, without what objects are made of, but for paths, and without where they are moved to.
pub(super) fn names_in_path(model: &File, root: ExprId) -> Vec<Symbol> {
    let is_class = |name: Symbol| name.as_str().starts_with(char::is_uppercase) && !name.as_str().ends_with("Path");
    names_outside(model, root, |call, left_out| match model.last_name(call.callee) {
        Some(name) if is_class(name) => left_out.extend(handed_to(model, call).chain([model.span(call.callee)])),
        Some(name) if MOVES.contains(&name.as_str()) => left_out.extend(handed_to(model, call)),
        _ => {}
    })
}

/// What is handed to a call.
fn handed_to(model: &File, call: Call) -> impl Iterator<Item = Span> + '_ {
    let by_name = model.keywords(call).iter().map(|keyword| keyword.value);
    model.list(call.args).iter().copied().chain(by_name).map(|handed| model.span(handed))
}

/// The same, without the parts of calls that `leave_out` adds.
fn names_outside(model: &File, root: ExprId, leave_out: impl Fn(Call, &mut Vec<Span>)) -> Vec<Symbol> {
    let mut left_out: Vec<Span> = Vec::new();
    each_expression(model, root, &mut |_, expr| {
        if let Expr::Call(call) = expr {
            leave_out(model.call(call), &mut left_out);
        }
    });
    let is_left_out = |expr: ExprId| left_out.iter().any(|part| part.holds(model.span(expr)));
    let mut out = Vec::new();
    each_expression(model, root, &mut |id, expr| match expr {
        Expr::Name(name) | Expr::Attribute { name, .. } if !is_left_out(id) => out.push(name),
        Expr::Subscript(_, key) if !is_left_out(id) => out.extend(key_of(model, key)),
        _ => {}
    });
    out
}

fn key_of(model: &File, key: ExprId) -> Option<Symbol> {
    if let Expr::Str(key) = model.expr(key) { Some(key) } else { None }
}

/// The same, where of a chain of attributes and entries the last one counts alone.
pub(super) fn names_asked(model: &File, root: ExprId) -> Vec<Symbol> {
    let (mut found, mut bases): (Vec<(ExprId, Symbol)>, Vec<ExprId>) = (Vec::new(), Vec::new());
    each_expression(model, root, &mut |id, expr| match expr {
        Expr::Attribute { value, name } => {
            bases.push(value);
            found.push((id, name));
        }
        Expr::Name(name) => found.push((id, name)),
        Expr::Subscript(value, key) => {
            if let Some(key) = key_of(model, key) {
                bases.push(value);
                found.push((id, key));
            }
        }
        _ => {}
    });
    found.into_iter().filter(|(id, _)| !bases.contains(id)).map(|(_, name)| name).collect()
}
