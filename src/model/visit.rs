//! Walks over the compact tree, iterative so that deep nesting cannot exhaust the stack.

use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use crate::base::Symbol;

use super::{Block, Expr, ExprId, File, LocalFunction, Stmt, StmtId};

/// Calls `visit` for every statement of `block` and of the blocks nested in it, in source order.
/// Bodies of nested functions and classes are not entered.
pub fn each_statement(file: &File, block: Block, visit: &mut dyn FnMut(StmtId, &Stmt)) {
    let mut pending: Vec<StmtId> = file.block(block).iter().rev().copied().collect();
    while let Some(id) = pending.pop() {
        let stmt = file.stmt(id);
        visit(id, stmt);
        for block in blocks_of(stmt).into_iter().rev() {
            pending.extend(file.block(block).iter().rev());
        }
    }
}

/// The blocks of a statement, in source order.
pub fn blocks_of(stmt: &Stmt) -> SmallVec<[Block; 4]> {
    let mut blocks: SmallVec<[Block; 4]> = SmallVec::new();
    match stmt {
        Stmt::If { body, orelse, .. } | Stmt::While { body, orelse, .. } | Stmt::For { body, orelse, .. } => {
            blocks.extend([*body, *orelse]);
        }
        Stmt::With { body, .. } => blocks.push(*body),
        Stmt::Match { cases, .. } => blocks.extend(cases.iter().map(|case| case.body)),
        Stmt::Try(parts) => {
            blocks.push(parts.body);
            blocks.extend(parts.handlers.iter().map(|handler| handler.body));
            blocks.extend([parts.orelse, parts.finally]);
        }
        _ => {}
    }
    blocks
}

/// Calls `visit` for `root` and every expression below it, parents first, in source order.
/// Bodies of lambdas are entered: they stand in the same expression.
pub fn each_expression(file: &File, root: ExprId, visit: &mut dyn FnMut(ExprId, Expr)) {
    let mut pending: SmallVec<[ExprId; 24]> = smallvec![root];
    let mut below: SmallVec<[ExprId; 12]> = SmallVec::new();
    while let Some(id) = pending.pop() {
        let expr = file.expr(id);
        visit(id, expr);
        children(file, expr, &mut below);
        pending.extend(below.drain(..).rev());
    }
}

/// The variables that an expression names, in source order.
pub fn names_in(file: &File, root: ExprId) -> Vec<Symbol> {
    let mut names = Vec::new();
    each_expression(file, root, &mut |_, expr| {
        if let Expr::Name(name) = expr {
            names.push(name);
        }
    });
    names
}

/// Calls `visit` for every call of `function`, in source order; those of nested functions are not included.
pub fn each_call(file: &File, function: LocalFunction, visit: &mut dyn FnMut(ExprId, super::Call)) {
    let mut seen = |id: ExprId, expr: Expr| {
        if let Expr::Call(call) = expr {
            visit(id, file.call(call));
        }
    };
    each_statement(file, file.function(function).body, &mut |_, stmt| {
        for root in expressions_of(file, stmt) {
            each_expression(file, root, &mut seen);
        }
    });
}

/// The calls of a file whose callee is wanted, in source order within each function; those of a lambda stand in the
/// function around it. Bodies without any, and skeletons, are not walked: looking for few calls costs little.
pub fn calls_to(file: &File, wanted: &dyn Fn(ExprId) -> bool) -> Vec<(LocalFunction, ExprId, super::Call)> {
    if !file.calls().iter().any(|call| wanted(call.callee)) {
        return Vec::new();
    }
    let mut holds = vec![false; file.functions.len()];
    for (index, function) in file.functions.iter().enumerate() {
        if function.callees.iter().any(|callee| wanted(callee.expr)) {
            holds[file.home(LocalFunction(index as u32)).0 as usize] = true;
        }
    }
    let mut out = Vec::new();
    for (index, function) in file.functions.iter().enumerate() {
        if holds[index] && !function.skeleton {
            let home = LocalFunction(index as u32);
            each_call(file, home, &mut |expr, call| {
                if wanted(call.callee) {
                    out.push((home, expr, call));
                }
            });
        }
    }
    out
}

/// The calls of a file whose callee bears one of the names, as [`calls_to`] gives them. Where there is none, that takes a
/// few lookups.
pub fn calls_by_name(file: &File, names: &FxHashSet<Symbol>) -> Vec<(LocalFunction, ExprId, super::Call)> {
    if !file.calls_one_of(names) {
        return Vec::new();
    }
    let named = |callee: ExprId| match file.expr(callee) {
        Expr::Name(name) | Expr::Attribute { name, .. } => names.contains(&name),
        _ => false,
    };
    calls_to(file, &named)
}

/// The expressions that a statement itself evaluates (not those of its blocks), in source order.
pub(crate) fn expressions_of(file: &File, stmt: &Stmt) -> SmallVec<[ExprId; 6]> {
    let mut out = SmallVec::new();
    match stmt {
        Stmt::Expr(value) | Stmt::Assert(value) => out.push(*value),
        Stmt::Assign { targets, value } => {
            out.extend_from_slice(file.list(*targets));
            out.push(*value);
        }
        Stmt::AugAssign { target, value, .. } => out.extend([*target, *value]),
        Stmt::Annotated { target, value, .. } => {
            out.push(*target);
            out.extend(*value);
        }
        Stmt::Return(value) | Stmt::Raise(value) => out.extend(*value),
        Stmt::If { test, .. } | Stmt::While { test, .. } => out.push(*test),
        Stmt::For { target, iter, .. } => out.extend([*target, *iter]),
        Stmt::With { items, .. } => {
            for item in items {
                out.push(item.context);
                out.extend(item.target);
            }
        }
        Stmt::Match { subject, cases } => {
            out.push(*subject);
            out.extend(cases.iter().map(|case| case.test));
        }
        Stmt::Try(parts) => out.extend(parts.handlers.iter().filter_map(|handler| handler.kind)),
        Stmt::Delete(targets) => out.extend_from_slice(file.list(*targets)),
        Stmt::Function(function) => {
            let function = file.function(*function);
            out.extend_from_slice(file.list(function.decorators));
            out.extend(function.parameters.iter().filter_map(|parameter| parameter.default));
        }
        Stmt::Class(class) => {
            let class = file.class(*class);
            out.extend_from_slice(file.list(class.decorators));
            out.extend_from_slice(file.list(class.bases));
        }
        Stmt::Break | Stmt::Continue | Stmt::Outer(_) | Stmt::Import(_) => {}
    }
    out
}

/// The expressions that an expression is made of, in source order.
pub(crate) fn parts_of(file: &File, whole: ExprId) -> SmallVec<[ExprId; 12]> {
    let mut out = SmallVec::new();
    children(file, file.expr(whole), &mut out);
    out
}

fn children(file: &File, expr: Expr, out: &mut SmallVec<[ExprId; 12]>) {
    match expr {
        Expr::Missing | Expr::None | Expr::Bool(_) | Expr::Int(_) | Expr::Str(_) | Expr::Name(_) => {}
        Expr::Attribute { value, .. }
        | Expr::Unary(_, value)
        | Expr::Await(value)
        | Expr::Yield(value)
        | Expr::YieldFrom(value)
        | Expr::Starred(value)
        | Expr::Walrus(_, value) => out.push(value),
        Expr::Call(index) => {
            let call = file.call(index);
            out.push(call.callee);
            out.extend_from_slice(file.list(call.args));
            out.extend(file.keywords(call).iter().map(|keyword| keyword.value));
        }
        Expr::Binary(_, left, right) | Expr::Compare(_, left, right) | Expr::Subscript(left, right) => {
            out.extend([left, right]);
        }
        Expr::And(list)
        | Expr::Or(list)
        | Expr::Slice(list)
        | Expr::Tuple(list)
        | Expr::ListDisplay(list)
        | Expr::Set(list)
        | Expr::Dict(list)
        | Expr::Format(list) => out.extend_from_slice(file.list(list)),
        Expr::IfElse(at) => out.extend(file.if_else(at)),
        Expr::Comprehension(index) => {
            let comprehension = file.comprehension(index);
            for clause in &comprehension.clauses {
                out.extend([clause.target, clause.iter]);
                out.extend_from_slice(file.list(clause.conditions));
            }
            out.extend(comprehension.key);
            out.push(comprehension.element);
        }
        Expr::Lambda(function) => {
            for &stmt in file.block(file.function(function).body) {
                out.extend(expressions_of(file, file.stmt(stmt)));
            }
        }
    }
}
