//! Ranks that hold nothing leave before an exchange in which each hands every other its share: the others wait for theirs,
//! empty as it is.

use crate::base::{FunctionId, Site};
use crate::finding::Confidence;
use crate::model::{CompareOp, Expr, ExprId, File, Stmt, StmtId, UnaryOp};

use super::blocks::{calls_of, is_test};
use super::communication::{Communication, Issue, Wanted};
use super::conduct::bodies;
use super::program::Program;

/// A rank that leaves because it has nothing to exchange.
#[derive(Clone, Debug)]
pub struct NothingToSend {
    /// The function.
    pub function: FunctionId,
    /// The question whether there is anything.
    pub test: Site,
    /// The exchange behind it.
    pub issue: Issue,
    /// How sure.
    pub confidence: Confidence,
}

/// Functions that leave so before the first thing that they ask of their peers, in order of files. That a rank exchanges
/// something with others says that each has its own: how much it is they cannot know of each other. Other collectives may
/// be about what all have alike.
pub(super) fn nothing_to_send(program: &Program, communication: &mut Communication<'_>) -> Vec<NothingToSend> {
    let mut out = Vec::new();
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        let body = model.block(model.function(function).body);
        let Some((test, behind)) =
            body.iter().zip(1..).find_map(|(&id, behind)| Some((leaves_with_nothing(model, id)?, behind)))
        else {
            continue;
        };
        if !communication.may_reach(file, function) {
            continue;
        }
        let mut first_in = |ids: &[StmtId]| {
            let mut calls = ids.iter().flat_map(|&id| calls_of(model, id));
            calls.find_map(|(expr, call)| communication.issued(file, function, expr, call, Wanted::Collective))
        };
        let (before, after) = body.split_at(behind);
        let Some(issue) = first_in(after).filter(|issue| issue.op.as_str().starts_with("all_to_all")) else { continue };
        if first_in(before).is_none() {
            let sure = if is_test(&program.file(file).path) { Confidence::Low } else { Confidence::Medium };
            out.push(NothingToSend {
                function: program.function_id(file, function),
                test: Site { file, span: model.span(test) },
                confidence: sure.min(issue.confidence),
                issue,
            });
        }
    }
    out
}

/// What a statement asks that leaves where there is nothing.
fn leaves_with_nothing(model: &File, id: StmtId) -> Option<ExprId> {
    let Stmt::If { test, body, .. } = *model.stmt(id) else { return None };
    let returns = matches!(model.block(body).last().map(|&last| model.stmt(last)), Some(Stmt::Return(_)));
    (returns && asks_for_nothing(model, test)).then_some(test)
}

/// `tokens.numel() == 0`, `tokens.shape[0] == 0`, `len(tokens) < 1`, `not len(tokens)`
fn asks_for_nothing(model: &File, test: ExprId) -> bool {
    match model.expr(test) {
        Expr::Compare(CompareOp::Eq | CompareOp::LessEq, count, zero) => {
            model.expr(zero) == Expr::Int(0) && is_count(model, count)
        }
        Expr::Compare(CompareOp::Less, count, one) => model.expr(one) == Expr::Int(1) && is_count(model, count),
        Expr::Unary(UnaryOp::Not, count) => is_count(model, count),
        _ => false,
    }
}

/// How many there are in a tensor or a list.
fn is_count(model: &File, count: ExprId) -> bool {
    match model.expr(count) {
        Expr::Call(call) => {
            let called = model.last_name(model.call(call).callee);
            called.is_some_and(|name| matches!(name.as_str(), "len" | "numel" | "nelement" | "size"))
        }
        Expr::Subscript(shape, _) => {
            matches!(model.expr(shape), Expr::Attribute { name, .. } if name.as_str() == "shape")
        }
        _ => false,
    }
}
