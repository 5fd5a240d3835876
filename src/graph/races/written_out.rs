//! Files that hold the same whoever writes them: all that is ever written is spelled out in the source.

use crate::base::Symbol;
use crate::model::{Block, Expr, ExprId, File, LocalFunction, Stmt, each_call, each_expression, each_statement};
use crate::model::{expressions_of, names_in};

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

/// `open(path, "w").write("done")`
fn at_once(model: &File, function: LocalFunction, opening: ExprId) -> bool {
    let mut found = false;
    each_call(model, function, &mut |_, call| {
        if let Expr::Attribute { value, name } = model.expr(call.callee)
            && value == opening
        {
            let texts = model.list(call.args);
            found |=
                name.as_str() == "close" || name.as_str() == "write" && texts.iter().all(|&text| is_text(model, text));
        }
    });
    found
}

/// `with open(path, "w") as file: file.write("done")`
fn opened_for(model: &File, function: LocalFunction, opening: ExprId) -> bool {
    let mut held: Option<(Symbol, Block)> = None;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Stmt::With { items, body, .. } = stmt
            && let Some(item) = items.iter().find(|item| item.context == opening)
            && let Some(Expr::Name(name)) = item.target.map(|target| model.expr(target))
        {
            held = Some((name, *body));
        }
    });
    let Some((file, body)) = held else { return false };
    let (mut uses, mut marks) = (0, 0);
    each_statement(model, body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            uses += names_in(model, root).iter().filter(|&&name| name == file).count();
            each_expression(model, root, &mut |_, expr| {
                if let Expr::Call(call) = expr
                    && let call = model.call(call)
                    && let Expr::Attribute { value, name } = model.expr(call.callee)
                    && model.expr(value) == Expr::Name(file)
                    && name.as_str() == "write"
                    && model.list(call.args).iter().all(|&text| is_text(model, text))
                {
                    marks += 1;
                }
            });
        }
    });
    uses > 0 && uses == marks
}

fn is_text(model: &File, text: ExprId) -> bool {
    matches!(model.expr(text), Expr::Str(_))
}
