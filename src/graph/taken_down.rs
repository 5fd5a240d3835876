//! Groups that one rank alone takes down, while its peers leave without it.

use rustc_hash::FxHashSet;

use crate::base::{FunctionId, Site, Symbol};
use crate::catalog::{Entry, OperationKind};
use crate::model::{Stmt, each_statement};

use super::communication::{Communication, Issue, Wanted};
use super::conduct::bodies;
use super::program::Program;
use super::races::asks_for_first_among;

/// A place where one rank alone takes the group of all down.
#[derive(Clone, Debug)]
pub struct TakenDown {
    /// The function.
    pub function: FunctionId,
    /// What lets one rank in.
    pub test: Site,
    /// What takes the group down.
    pub issue: Issue,
}

/// The places, in order. Whoever calls it in two ways may have a call for everybody.
pub(super) fn taken_down(program: &Program, communication: &mut Communication<'_>) -> Vec<TakenDown> {
    let words: FxHashSet<Symbol> = program
        .catalog
        .entries()
        .filter(|(_, entry)| matches!(entry, Entry::Operation(operation) if operation.kind == OperationKind::Teardown))
        .map(|(name, _)| name.last_part())
        .collect();
    let mut out = Vec::new();
    for (file, function) in bodies(program) {
        let entry = program.file(file);
        let definition = entry.model.function(function);
        if entry.is_test() || !definition.mentions.iter().any(|name| words.contains(name)) {
            continue;
        }
        let mut issues = communication.issued_in(file, function, definition.body, Wanted::Any);
        issues.retain(|issue| issue.kind == OperationKind::Teardown);
        let [issue] = &issues[..] else { continue };
        if !issue.on_world || !issue.calls.is_empty() {
            continue;
        }
        let model = &entry.model;
        let mut test = None;
        each_statement(model, definition.body, &mut |_, stmt| {
            let Stmt::If { test: asked, body, .. } = *stmt else { return };
            let body = model.block(body);
            let at = body.iter().position(|&inner| model.stmt_span(inner).holds(issue.site.span));
            // Who goes on to something else has left the job on purpose.
            let is_last =
                at.is_some_and(|at| body[at + 1..].iter().all(|&after| matches!(model.stmt(after), Stmt::Expr(_))));
            if is_last && asks_for_first_among(program, model, asked) {
                test = Some(Site { file, span: model.span(asked) });
            }
        });
        let function = program.function_id(file, function);
        out.extend(test.map(|test| TakenDown { function, test, issue: issue.clone() }));
    }
    out
}
