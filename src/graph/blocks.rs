//! The blocks of a function as handlers see them: what follows a statement, what a block binds, mentions and calls.

use crate::base::{Span, Symbol};
use crate::catalog::Catalog;
use crate::model::{
    Block, Call, Expr, ExprId, File, LocalFunction, Stmt, StmtId, Try, blocks_of, each_expression, each_statement,
    expressions_of, names_in,
};

/// A block around a statement: what follows in it.
#[derive(Clone, Copy)]
pub(super) struct Around<'p> {
    pub rest: &'p [StmtId],
    pub is_loop: bool,
    /// Whether it is the body of a `while`.
    pub is_endless: bool,
}

/// What sort of block a statement stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Plain,
    For,
    While,
}

/// Visits the statements of a function with what follows them in the blocks around, the outermost first.
pub(super) fn walk<'p>(
    model: &'p File,
    block: Block,
    kind: Body,
    around: &mut Vec<Around<'p>>,
    visit: &mut dyn FnMut(StmtId, &'p Stmt, &[Around<'p>]),
) {
    let statements = model.block(block);
    for (index, &id) in statements.iter().enumerate() {
        around.push(Around {
            rest: &statements[index + 1..],
            is_loop: kind != Body::Plain,
            is_endless: kind == Body::While,
        });
        let stmt = model.stmt(id);
        visit(id, stmt, around);
        match stmt {
            Stmt::If { body, orelse, .. } => {
                walk(model, *body, Body::Plain, around, visit);
                walk(model, *orelse, Body::Plain, around, visit);
            }
            Stmt::While { body, orelse, .. } => {
                walk(model, *body, Body::While, around, visit);
                walk(model, *orelse, Body::Plain, around, visit);
            }
            Stmt::For { body, orelse, .. } => {
                walk(model, *body, Body::For, around, visit);
                walk(model, *orelse, Body::Plain, around, visit);
            }
            Stmt::With { body, .. } => walk(model, *body, Body::Plain, around, visit),
            Stmt::Match { cases, .. } => {
                cases.iter().for_each(|case| walk(model, case.body, Body::Plain, around, visit))
            }
            Stmt::Try(parts) => {
                walk(model, parts.body, Body::Plain, around, visit);
                parts.handlers.iter().for_each(|handler| walk(model, handler.body, Body::Plain, around, visit));
                walk(model, parts.orelse, Body::Plain, around, visit);
                walk(model, parts.finally, Body::Plain, around, visit);
            }
            _ => {}
        }
        around.pop();
    }
}

/// Whether the block is the body of a retry: it ends the loop when it comes to its end.
pub(super) fn is_tried_again(model: &File, parts: &Try, around: &[Around<'_>]) -> bool {
    let Some(innermost) = around.iter().rposition(|around| around.is_loop) else { return false };
    let ends =
        |stmts: &[StmtId]| stmts.last().is_some_and(|&last| matches!(model.stmt(last), Stmt::Break | Stmt::Return(_)));
    ends(model.block(parts.body))
        || ends(model.block(parts.orelse))
        || around[innermost..].iter().any(|around| ends(around.rest))
        // `while not done: try: …; done = True`
        || model.block(parts.body).last().is_some_and(|&last| matches!(model.stmt(last), Stmt::Assign { value, .. } if matches!(model.expr(*value), Expr::Bool(_))))
}

/// What says of a path that a file holds tests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ByWhat {
    Folder,
    Name,
}

/// Whether a file holds tests, by its path.
pub(super) fn named_as_test(path: &str) -> Option<ByWhat> {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or_default();
    match parts.any(|part| matches!(part, "test" | "tests" | "testing" | "test_utils")) {
        true => Some(ByWhat::Folder),
        false => (file.starts_with("test_") || file.ends_with("_test.py")).then_some(ByWhat::Name),
    }
}

/// What a statement writes into: the targets it assigns to, and the object of which it calls a method.
pub(super) fn written_by(model: &File, stmt: &Stmt) -> Vec<ExprId> {
    match stmt {
        Stmt::Assign { targets, .. } => model.list(*targets).to_vec(),
        Stmt::AugAssign { target, .. } | Stmt::Annotated { target, .. } => vec![*target],
        Stmt::Expr(value) => match model.expr(*value) {
            Expr::Call(call) => match model.expr(model.call(call).callee) {
                Expr::Attribute { value, .. } => vec![value],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Whether the variable is among the targets of a statement.
pub(super) fn binds(model: &File, stmt: &Stmt, name: Symbol) -> bool {
    let of = |target: ExprId| names_in(model, target).contains(&name);
    match stmt {
        Stmt::Assign { targets, .. } => model.list(*targets).iter().any(|&target| of(target)),
        Stmt::AugAssign { target, .. } | Stmt::Annotated { target, .. } | Stmt::For { target, .. } => of(*target),
        Stmt::With { items, .. } => items.iter().filter_map(|item| item.target).any(of),
        _ => false,
    }
}

/// Whether the block yields to somebody else's code.
pub(super) fn yields(model: &File, block: Block) -> bool {
    let mut found = false;
    each_statement(model, block, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| found |= matches!(expr, Expr::Yield(_) | Expr::YieldFrom(_)));
        }
    });
    found
}

/// The names that the protected block or its handlers bind.
pub(super) fn names_bound(model: &File, parts: &Try) -> Vec<Symbol> {
    let mut out = Vec::new();
    let mut blocks = vec![parts.body, parts.orelse];
    blocks.extend(parts.handlers.iter().map(|handler| handler.body));
    for block in blocks {
        each_statement(model, block, &mut |_, stmt| {
            if let Stmt::Assign { targets, value } = stmt
                && matches!(model.expr(*value), Expr::Bool(_) | Expr::None | Expr::Name(_) | Expr::Int(_))
            {
                out.extend(model.list(*targets).iter().filter_map(|&target| root_name(model, target)));
            }
        });
    }
    out
}

/// The conditions inside a block, each with the stretch of source that it governs.
pub(super) fn conditions_in(model: &File, block: Block) -> Vec<(Span, ExprId)> {
    let mut out = Vec::new();
    each_statement(model, block, &mut |id, stmt| {
        if let Stmt::If { test, .. } = stmt {
            out.push((model.stmt_span(id), *test));
        }
    });
    out
}

/// From the first statement of a block to its last.
pub(super) fn span_of(model: &File, block: Block) -> Option<Span> {
    let statements = model.block(block);
    let (first, last) = (statements.first()?, statements.last()?);
    Some(Span::new(model.stmt_span(*first).start, model.stmt_span(*last).end))
}

/// Objects that hold settings: their attributes come from a file or a command line, and may be `None`.
const SETTINGS: [&str; 13] = [
    "args", "arg", "opt", "opts", "options", "cfg", "config", "conf", "hparams", "params", "flags", "FLAGS", "settings",
];

/// Whether an object of that name holds settings.
pub(super) fn holds_settings(name: Symbol) -> bool {
    SETTINGS.contains(&name.as_str())
}

/// Whether an expression is the object whose method it stands in, by its usual name.
pub(super) fn is_self(model: &File, expr: ExprId) -> bool {
    matches!(model.expr(expr), Expr::Name(name) if name.as_str() == "self")
}

/// What a variable is set to by an assignment to a target, if it is set there: its part of a row, `a, b = 0, 1`.
pub(super) fn set_to(model: &File, target: ExprId, value: ExprId, name: Symbol) -> Option<ExprId> {
    if model.expr(target) == Expr::Name(name) {
        return Some(value);
    }
    let (Expr::Tuple(targets), Expr::Tuple(values)) = (model.expr(target), model.expr(value)) else { return None };
    let (targets, values) = (model.list(targets), model.list(values));
    let at = targets.iter().position(|&target| model.expr(target) == Expr::Name(name));
    at.filter(|_| targets.len() == values.len()).and_then(|at| values.get(at).copied())
}

/// The name at the root of a chain of attributes and subscripts; the last attribute for chains on `self`.
pub(super) fn root_name(model: &File, expr: ExprId) -> Option<Symbol> {
    match model.expr(expr) {
        Expr::Name(name) => Some(name),
        Expr::Attribute { value, name } if is_self(model, value) => Some(name),
        Expr::Attribute { value, .. } => root_name(model, value),
        Expr::Subscript(value, _) => root_name(model, value),
        _ => None,
    }
}

pub(super) fn mentions(model: &File, root: ExprId, names: &[Symbol]) -> bool {
    let mut found = false;
    each_expression(model, root, &mut |_, expr| {
        if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
            found |= names.contains(&name);
        }
    });
    found
}

pub(super) fn calls_of(model: &File, stmt: StmtId) -> Vec<(ExprId, Call)> {
    let mut statements = vec![stmt];
    collect(model, stmt, &mut statements);
    let mut out = Vec::new();
    for id in statements {
        for root in expressions_of(model, model.stmt(id)) {
            each_expression(model, root, &mut |id, expr| {
                if let Expr::Call(call) = expr {
                    out.push((id, model.call(call)));
                }
            });
        }
    }
    out
}

/// Whether an expression names this rank, or its place among the others, by a name that conventionally stands for it.
pub(super) fn speaks_of_rank(catalog: &Catalog, model: &File, root: ExprId) -> bool {
    let mut speaks = false;
    each_expression(model, root, &mut |_, expr| {
        if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
            speaks |= catalog.is_rank_by_name(name);
        }
    });
    speaks
}

/// The innermost function around a place.
pub fn function_around(model: &File, place: Span) -> Option<LocalFunction> {
    let functions = (0..model.functions.len() as u32).map(LocalFunction);
    let span = |function: LocalFunction| model.function(function).span;
    let around = functions.filter(|&function| span(function).start <= place.start && place.end <= span(function).end);
    around.min_by_key(|&function| span(function).end - span(function).start)
}

/// The statements within a statement, in source order.
pub(super) fn collect(model: &File, stmt: StmtId, out: &mut Vec<StmtId>) {
    for block in blocks_of(model.stmt(stmt)) {
        each_statement(model, block, &mut |id, _| out.push(id));
    }
}

/// Whether two places in a block lie in arms of which only one is taken. In a loop, one turn may take the one and the next
/// the other.
pub(super) fn exclude_each_other(model: &File, mut block: Block, one: Span, other: Span) -> bool {
    let holds = |id: StmtId, place: Span| {
        let span = model.stmt_span(id);
        span.start <= place.start && place.end <= span.end
    };
    loop {
        let Some(&around) = model.block(block).iter().find(|&&id| holds(id, one) && holds(id, other)) else {
            return false;
        };
        let stmt = model.stmt(around);
        let arms = blocks_of(stmt);
        let arm_of = |place: Span| arms.iter().position(|&arm| model.block(arm).iter().any(|&id| holds(id, place)));
        match (arm_of(one), arm_of(other)) {
            (Some(arm), Some(same)) if arm == same && !matches!(stmt, Stmt::For { .. } | Stmt::While { .. }) => {
                block = arms[arm];
            }
            (Some(arm), Some(another)) => {
                return arm != another && matches!(stmt, Stmt::If { .. } | Stmt::Match { .. });
            }
            _ => return false,
        }
    }
}
