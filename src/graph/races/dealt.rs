//! Lists of which each rank keeps every so-many-th: what is made of their elements is this rank's own.

use super::names::{each_assignment, made_of, names_in_path, names_of};
use super::words::OF_NUMBERS;
use crate::base::Symbol;
use crate::graph::context::each_in_context;
use crate::model::{BinaryOp, CompareOp, Expr, ExprId, File, LocalFunction, Stmt, each_expression};

/// Methods that put something into a list.
const PUT_IN: [&str; 2] = ["append", "add"];

/// Whether a path is made of an element of a list that the function fills by the number of this process:
/// `if i % world_size == rank: own.append(name)`, `for name in own`, `names[rank::world_size]`.
pub(super) fn is_of_a_dealt_list(model: &File, function: LocalFunction, path: ExprId) -> bool {
    let names = made_of(model, function, names_of(model, path), names_in_path);
    let mut dealt = false;
    each_in_context(model, function, &mut |_, stmt, context| {
        if let Stmt::Expr(said) = stmt
            && let Expr::Call(call) = model.expr(*said)
            && let Expr::Attribute { value, name } = model.expr(model.call(call).callee)
            && PUT_IN.contains(&name.as_str())
            && model.last_name(value).is_some_and(|list| names.contains(&list))
        {
            dealt |= context.conditions.iter().any(|&condition| takes_every_other(model, condition));
        }
    });
    each_assignment(model, function, &mut |targets, value| {
        let is_named = |&target: &ExprId| model.last_name(target).is_some_and(|name| names.contains(&name));
        dealt |= targets.iter().any(is_named) && strides(model, value);
    });
    dealt
}

/// Whether a question lets in every so-many-th by the number of this process: `i % world_size == rank`.
fn takes_every_other(model: &File, condition: ExprId) -> bool {
    let mut takes = false;
    each_expression(model, condition, &mut |_, expr| {
        if let Expr::Compare(CompareOp::Eq | CompareOp::NotEq, one, other) = expr {
            let is_rest = |side: ExprId| matches!(model.expr(side), Expr::Binary(BinaryOp::Mod, ..));
            takes |= is_rest(one) && is_number(model, other) || is_rest(other) && is_number(model, one);
        }
    });
    takes
}

/// Whether something is taken from a list in steps, beginning with the number of this process.
fn strides(model: &File, value: ExprId) -> bool {
    let mut found = false;
    each_expression(model, value, &mut |_, expr| {
        if let Expr::Slice(bounds) = expr
            && let &[lower, _, step] = model.list(bounds)
        {
            found |= model.expr(step) != Expr::Missing && is_number(model, lower);
        }
    });
    found
}

/// Whether an expression is the number of this process, by its name.
fn is_number(model: &File, expr: ExprId) -> bool {
    let name: Option<Symbol> = match model.expr(expr) {
        Expr::Call(call) => model.last_name(model.call(call).callee),
        _ => model.last_name(expr),
    };
    name.is_some_and(|name| {
        let text = name.as_str().to_ascii_lowercase();
        OF_NUMBERS.iter().any(|part| text.contains(part))
    })
}
