//! What a method is handed of a batch: its fields by name, which are the same everywhere, or what is in them.

use rustc_hash::FxHashSet;

use super::is_of;
use crate::base::{Span, Symbol};
use crate::flow::TELLING;
use crate::model::{
    Call, Expr, ExprId, File, Function, LocalFunction, Stmt, each_call, each_expression, each_statement, names_in,
};

/// Whether an expression says what is in a batch, not which fields it has: `batch["task"]`, `labels.tolist()`, an element of
/// that, or a text with one of these in it.
pub(super) fn says_what_is_in(model: &File, function: &Function, root: ExprId, held: &FxHashSet<Symbol>) -> bool {
    let tells = |root: ExprId| {
        let mut tells = false;
        each_expression(model, root, &mut |_, expr| {
            if let Expr::Call(call) = expr {
                let name = model.last_name(model.call(call).callee);
                tells |= name.is_some_and(|name| TELLING.contains(&name.as_str()));
            }
        });
        tells
    };
    let mut told: FxHashSet<Symbol> = FxHashSet::default();
    each_statement(model, function.body, &mut |_, stmt| {
        if let Stmt::For { target, iter, .. } = stmt
            && is_of(model, *iter, held)
            && tells(*iter)
        {
            told.extend(names_in(model, *target));
        }
    });
    let says = |expr: ExprId| match model.expr(expr) {
        Expr::Name(name) => told.contains(&name),
        Expr::Subscript(of, key) => is_of(model, of, held) || is_of(model, key, &told),
        Expr::Attribute { .. } => true,
        Expr::Call(_) => is_of(model, expr, held) && tells(expr),
        _ => false,
    };
    match model.expr(root) {
        Expr::Format(parts) => model.list(parts).iter().any(|&part| says(part)),
        _ => says(root),
    }
}

/// Whether a function hands the same method what a list of names holds, beside what a batch does: there is an entry for each of
/// them on every rank.
pub(super) fn enters_all(
    model: &File,
    local: LocalFunction,
    (call, at): (Call, u16),
    held: &FxHashSet<Symbol>,
    loaders: &FxHashSet<Symbol>,
) -> bool {
    let mut lists: Vec<(Span, FxHashSet<Symbol>)> = Vec::new();
    each_statement(model, model.function(local).body, &mut |id, stmt| {
        if let Stmt::For { target, iter, .. } = stmt
            && matches!(
                model.expr(*iter),
                Expr::Name(_) | Expr::Attribute { .. } | Expr::ListDisplay(_) | Expr::Tuple(_)
            )
            && !is_of(model, *iter, held)
            && !model.last_name(*iter).is_some_and(|name| loaders.contains(&name))
        {
            lists.push((model.stmt_span(id), names_in(model, *target).into_iter().collect()));
        }
    });
    let name = model.last_name(call.callee);
    let of_list = |given: ExprId| {
        let around = |(list, _): &&(Span, FxHashSet<Symbol>)| list.holds(model.span(given));
        lists.iter().filter(around).any(|(_, names)| is_of(model, given, names))
    };
    let mut enters = false;
    each_call(model, local, &mut |_, other| {
        let given = usize::from(at).checked_sub(1).and_then(|at| model.list(other.args).get(at));
        enters |= model.last_name(other.callee) == name && given.is_some_and(|&given| of_list(given));
    });
    enters
}
