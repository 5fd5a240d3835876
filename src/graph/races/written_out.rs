//! Files that hold the same whoever writes them: all that is ever written is spelled out in the source.

use crate::model::{Expr, ExprId, File, LocalFunction, Stmt, each_call, each_statement};

/// Whether what a call writes, or what is written to the file that it opens, is the same text on every rank: a mark that
/// says that something is there, not what was worked out.
pub(super) fn is_written_out(model: &File, function: LocalFunction, write: ExprId) -> bool {
    let Expr::Call(call) = model.expr(write) else { return false };
    let call = model.call(call);
    match model.last_name(call.callee).map(|name| name.as_str()) {
        Some("write_text" | "write_bytes") => model.list(call.args).first().is_some_and(|&text| is_text(model, text)),
        Some("open") => at_once(model, function, write) || opened_for(model, function, write),
        _ => false,
    }
}

/// `open(path, "w").write("done")`, `open(path, "w").close()`
fn at_once(model: &File, function: LocalFunction, opening: ExprId) -> bool {
    let mut found = false;
    each_call(model, function, &mut |_, call| {
        if let Expr::Attribute { value, name } = model.expr(call.callee)
            && value == opening
        {
            let is_mark = || model.list(call.args).iter().all(|&text| is_text(model, text));
            found |= matches!(name.as_str(), "write" | "close") && is_mark();
        }
    });
    found
}

/// `with open(path, "w") as file: file.write("done")`, and nothing else in it: who asks first may leave it empty.
fn opened_for(model: &File, function: LocalFunction, opening: ExprId) -> bool {
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Stmt::With { items, body, .. } = stmt
            && let Some(item) = items.iter().find(|item| item.context == opening)
            && let Some(file @ Expr::Name(_)) = item.target.map(|target| model.expr(target))
        {
            found |= model.block(*body).iter().all(|&inner| is_mark(model, model.stmt(inner), file));
        }
    });
    found
}

/// `file.write("done")`
fn is_mark(model: &File, stmt: &Stmt, file: Expr) -> bool {
    let Stmt::Expr(written) = *stmt else { return false };
    let Expr::Call(call) = model.expr(written) else { return false };
    let call = model.call(call);
    let Expr::Attribute { value, name } = model.expr(call.callee) else { return false };
    name.as_str() == "write"
        && model.expr(value) == file
        && model.list(call.args).iter().all(|&text| is_text(model, text))
}

fn is_text(model: &File, text: ExprId) -> bool {
    matches!(model.expr(text), Expr::Str(_))
}
