//! What a statement does with a buffer that an operation may still be filling, and whether it waits.

use crate::base::Symbol;
use crate::model::{Block, Expr, ExprId, File, Stmt, StmtId, each_expression, expressions_of};

pub(super) fn blocks_of(stmt: &Stmt) -> Vec<Block> {
    match stmt {
        Stmt::If { body, orelse, .. } | Stmt::While { body, orelse, .. } | Stmt::For { body, orelse, .. } => {
            vec![*body, *orelse]
        }
        Stmt::With { body, .. } => vec![*body],
        Stmt::Match { cases, .. } => cases.iter().map(|case| case.body).collect(),
        Stmt::Try(parts) => {
            let mut out = vec![parts.body];
            out.extend(parts.handlers.iter().map(|handler| handler.body));
            out.extend([parts.orelse, parts.finally]);
            out
        }
        _ => Vec::new(),
    }
}

/// Whether a later statement waits for everything at once.
pub(super) fn synchronises(model: &File, rest: &[StmtId]) -> bool {
    rest.iter().any(|&id| synchronising(model, id))
}

pub(super) fn synchronising(model: &File, id: StmtId) -> bool {
    let mut found = false;
    each_inside(model, id, &mut |expr| {
        if let Expr::Call(call) = expr
            && let Some(name) = model.last_name(model.call(call).callee)
        {
            found |=
                matches!(name.as_str(), "synchronize" | "wait_stream" | "wait_event" | "barrier" | "wait" | "wait_all");
        }
    });
    found
}

pub(super) fn mentioned_in(model: &File, id: StmtId, name: Symbol) -> bool {
    let mut found = false;
    each_inside(model, id, &mut |expr| found |= expr == Expr::Name(name));
    if let Stmt::Function(function) = model.stmt(id) {
        found |= model.function(*function).mentions.contains(&name);
    }
    found
}

fn each_inside(model: &File, id: StmtId, visit: &mut dyn FnMut(Expr)) {
    let mut visit_statement = |stmt: &Stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| visit(expr));
        }
    };
    visit_statement(model.stmt(id));
    for block in blocks_of(model.stmt(id)) {
        crate::model::each_statement(model, block, &mut |_, stmt| visit_statement(stmt));
    }
}

/// A use of one of the buffers for its content: in arithmetic, an index, a method call, a printed text.
pub(super) fn read_of(model: &File, stmt: &Stmt, buffers: &[Symbol]) -> Option<(ExprId, Symbol)> {
    let values: Vec<ExprId> = match stmt {
        Stmt::Assign { value, .. } | Stmt::Expr(value) | Stmt::AugAssign { value, .. } | Stmt::Return(Some(value)) => {
            vec![*value]
        }
        Stmt::Annotated { value: Some(value), .. } => vec![*value],
        Stmt::If { test, .. } | Stmt::While { test, .. } | Stmt::Assert(test) => vec![*test],
        _ => Vec::new(),
    };
    let mut found = None;
    for root in values {
        each_expression(model, root, &mut |_, expr| {
            let operands: Vec<ExprId> = match expr {
                Expr::Binary(_, left, right) => vec![left, right],
                Expr::Compare(op, left, right)
                    if !matches!(op, crate::model::CompareOp::Is | crate::model::CompareOp::IsNot) =>
                {
                    vec![left, right]
                }
                Expr::Unary(_, value) => vec![value],
                Expr::Call(call) => match model.expr(model.call(call).callee) {
                    Expr::Attribute { value, name } if READS.contains(&name.as_str()) => vec![value],
                    Expr::Attribute { value, name }
                        if model.expr(value) == Expr::Name(*TORCH) && TORCH_READS.contains(&name.as_str()) =>
                    {
                        model.list(model.call(call).args).to_vec()
                    }
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            };
            for operand in operands {
                if let Expr::Name(name) = model.expr(operand)
                    && buffers.contains(&name)
                {
                    found = found.or(Some((operand, name)));
                }
            }
        });
    }
    found
}

static TORCH: std::sync::LazyLock<Symbol> = std::sync::LazyLock::new(|| Symbol::new("torch"));

/// Functions of torch that look at what is in their arguments.
const TORCH_READS: [&str; 12] =
    ["cat", "stack", "sum", "mean", "max", "min", "isnan", "isinf", "isfinite", "equal", "allclose", "add"];

/// Methods of a tensor that look at what is in it.
const READS: [&str; 20] = [
    "item", "tolist", "clone", "sum", "mean", "max", "min", "cpu", "numpy", "norm", "any", "all", "add", "mul", "div",
    "sub", "float", "double", "half", "copy",
];

/// A statement that changes the content of one of the buffers in place.
pub(super) fn write_of(model: &File, stmt: &Stmt, buffers: &[Symbol]) -> Option<(ExprId, Symbol)> {
    let is_buffer = |expr: ExprId| match model.expr(expr) {
        Expr::Name(name) if buffers.contains(&name) => Some((expr, name)),
        _ => None,
    };
    match stmt {
        Stmt::AugAssign { target, .. } => match model.expr(*target) {
            Expr::Subscript(value, _) => is_buffer(value),
            _ => is_buffer(*target),
        },
        Stmt::Assign { targets, .. } => model.list(*targets).iter().find_map(|&target| match model.expr(target) {
            Expr::Subscript(value, _) => is_buffer(value),
            _ => None,
        }),
        Stmt::Expr(value) => {
            let Expr::Call(call) = model.expr(*value) else { return None };
            let Expr::Attribute { value, name } = model.expr(model.call(call).callee) else { return None };
            let in_place =
                name.as_str().ends_with('_') && !name.as_str().ends_with("__") && name.as_str() != "requires_grad_";
            if in_place { is_buffer(value) } else { None }
        }
        _ => None,
    }
}

pub(super) fn rebinds(model: &File, stmt: &Stmt, buffers: &[Symbol]) -> bool {
    let Stmt::Assign { targets, .. } = stmt else { return false };
    model.list(*targets).iter().any(|&target| matches!(model.expr(target), Expr::Name(name) if buffers.contains(&name)))
}
