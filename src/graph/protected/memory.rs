//! Memory that runs out on one rank: its handler goes on while the peers are in the middle of the same step.
//!
//! It strikes anywhere in a forward or backward pass, so that neither a vote behind the block nor a second try brings the
//! rank back in step: the peers stand in a collective of the pass that this rank has left.

use crate::base::{FileId, Site, Symbol};
use crate::catalog::OperationKind;
use crate::finding::Confidence;
use crate::model::{Block, Expr, File, Handler, LocalFunction, Stmt, StmtId, Try, each_expression, each_statement};

use super::super::blocks::{Around, calls_of, mentions};
use super::super::communication::{Issue, Wanted, calls_in};
use super::super::hazard::{Failure, Hazard, is_pass};
use super::{Search, Skip, Swallowed};

/// What makes a pass through a model communicate, by words in its name.
const WRAPS: [&str; 6] = ["DataParallel", "DDP", "FSDP", "fully_shard", "deepspeed", "prepare"];

impl Search<'_, '_> {
    /// A handler that goes on after memory ran out in a pass through the model.
    pub(super) fn out_of_memory(
        &mut self,
        file: FileId,
        function: LocalFunction,
        parts: &Try,
        handler: &Handler,
        around: &[Around<'_>],
        in_body: &[Issue],
    ) -> Option<Swallowed> {
        let model = self.model(file);
        let step = calls_in(model, parts.body).into_iter().find_map(|(expr, call)| {
            let name = is_pass(model, call)?;
            Some((Site { file, span: model.span(expr) }, name))
        });
        // Either the pass says itself that it communicates, or it is one of a model that ranks train together.
        let (issue, (site, name)) = match (in_body.first(), step) {
            (Some(issue), Some(step)) => (issue.clone(), step),
            // The pass stands in what the block calls.
            (Some(_), None) if let Some((pass, name)) = self.pass_called(file, function, parts.body, in_body) => {
                (pass.clone(), (pass.start(), name))
            }
            // Forward alone, and backward behind the block: who leaves does not come to it.
            (Some(_), None) if leaves(model, handler) => {
                let forward = in_body.iter().find(|issue| issue.implicit && issue.op.as_str().ends_with("_forward"))?;
                (forward.clone(), (forward.site, forward.op))
            }
            (None, Some((site, name))) if self.goes_together(file, function, around) && self.wraps_models(file) => {
                (implicit(site, name), (site, name))
            }
            _ => return None,
        };
        // `monitored_barrier` ends the job where a peer does not come.
        let is_watched = |stmt: StmtId| {
            let mut calls = calls_of(model, stmt).into_iter();
            calls.any(|(_, call)| model.last_name(call.callee).is_some_and(|name| name.as_str() == "monitored_barrier"))
        };
        if self.makes_up(file, function, handler, around)
            || around.iter().flat_map(|around| around.rest).any(|&stmt| is_watched(stmt))
        {
            return None;
        }
        // A pass that asks its peers on the way and raises for them has at least thought of it.
        let thought_of = self.program.file(file).is_test() || raises_for_peers(model, parts.body);
        let confidence = if thought_of { Confidence::Low } else { Confidence::Medium };
        Some(Swallowed {
            function: (file, function),
            handler: Site { file, span: handler.span },
            hazard: Hazard { failure: Failure::Any, site, name, direct: true },
            issue,
            skip: Skip::Midway,
            confidence,
        })
    }

    /// A pass through a model, there and back, in a function that the block calls.
    fn pass_called<'i>(
        &mut self,
        file: FileId,
        function: LocalFunction,
        block: Block,
        issued: &'i [Issue],
    ) -> Option<(&'i Issue, Symbol)> {
        issued.iter().filter(|issue| is_pass_of_model(issue)).find_map(|issue| {
            let (home, called) = self.called_at(file, function, block, issue.start())?;
            let model = self.model(home);
            let passes = calls_in(model, model.function(called).body).into_iter();
            passes.filter_map(|(_, call)| is_pass(model, call)).next().map(|name| (issue, name))
        })
    }

    /// What the handler begins again after memory ran out in the middle of it: the peers are in what is left of the pass, or
    /// of a function that communicates more than once, and the rank comes to its first operation with them in a later one.
    pub(super) fn begun_again(
        &mut self,
        file: FileId,
        function: LocalFunction,
        parts: &Try,
        handler: &Handler,
    ) -> Option<(Issue, Site)> {
        let again = self.communication.issued_in(file, function, handler.body, Wanted::Collective);
        let begun = self.communication.issued_in(file, function, parts.body, Wanted::Collective);
        let pairs = again.into_iter().flat_map(|issue| begun.iter().map(move |first| (issue.clone(), first)));
        let pairs: Vec<(Issue, &Issue)> = pairs.filter(|(issue, first)| are_alike(issue, first)).collect();
        pairs.into_iter().find_map(|(issue, first)| {
            let is_midway = match first.calls.is_empty() {
                true => is_pass_of_model(first),
                false => self.fails_midway(file, function, parts.body, first.start()),
            };
            is_midway.then(|| (issue, first.start()))
        })
    }

    /// Whether the function that is called at a place of the block communicates in a pass, in a loop, or more than once.
    fn fails_midway(&mut self, file: FileId, function: LocalFunction, block: Block, place: Site) -> bool {
        let Some((file, local)) = self.called_at(file, function, block, place) else { return false };
        let model = self.model(file);
        let body = model.function(local).body;
        let mut loops = Vec::new();
        each_statement(model, body, &mut |id, stmt| {
            if matches!(stmt, Stmt::For { .. } | Stmt::While { .. }) {
                loops.push(model.stmt_span(id));
            }
        });
        let issues = self.communication.issued_in(file, local, body, Wanted::Collective);
        let is_repeated = |issue: &Issue| loops.iter().any(|around| around.holds(issue.start().span));
        issues.len() > 1 || issues.iter().any(|issue| is_pass_of_model(issue) || is_repeated(issue))
    }

    /// Whether the function that is called on the way to an operation goes through a loop before it comes to that.
    pub(super) fn works_first(&mut self, file: FileId, function: LocalFunction, block: Block, issue: &Issue) -> bool {
        let called = issue.calls.first().and_then(|&(place, _)| self.called_at(file, function, block, place));
        let Some((home, local)) = called else { return false };
        let next = issue.calls.get(1).map_or(issue.site, |&(next, _)| next);
        let model = self.model(home);
        let mut works = false;
        each_statement(model, model.function(local).body, &mut |id, stmt| {
            let is_loop = matches!(stmt, Stmt::For { .. } | Stmt::While { .. });
            works |= is_loop && home == next.file && model.stmt_span(id).end <= next.span.start;
        });
        works
    }

    /// Whether ranks do together what stands behind the block: it communicates.
    fn goes_together(&mut self, file: FileId, function: LocalFunction, around: &[Around<'_>]) -> bool {
        around.iter().flat_map(|around| around.rest).any(|&stmt| self.issued_by(file, function, stmt).is_some())
    }

    /// Whether the program has anything that makes a pass through a model communicate. Who averages gradients by hand does so
    /// behind the pass.
    fn wraps_models(&self, file: FileId) -> bool {
        let program = self.program;
        let tree = program.tree_of(file);
        let mut of_tree = program.file_ids().filter(|&file| program.tree_of(file) == tree);
        of_tree.any(|file| {
            let mut functions = program.file(file).model.functions.iter();
            functions.any(|function| function.mentions.iter().any(|name| wraps(name.as_str())))
        })
    }

    /// Whether what the handler notes leads to another pass, so that the counts of all ranks come out the same.
    fn makes_up(&mut self, file: FileId, function: LocalFunction, handler: &Handler, around: &[Around<'_>]) -> bool {
        let model = self.model(file);
        let mut noted = super::swallow::noted(model, handler);
        noted.retain(|name| name.as_str() != "self");
        around.iter().flat_map(|around| around.rest).any(|&id| {
            let Stmt::If { test, body, .. } = model.stmt(id) else { return false };
            mentions(model, *test, &noted)
                && calls_in(model, *body).into_iter().any(|(expr, call)| {
                    is_pass(model, call).is_some()
                        || self.communication.issued(file, function, expr, call, Wanted::Collective).is_some()
                })
        })
    }
}

/// Whether two issues are one operation, and come from one function where functions lead to them.
fn are_alike(one: &Issue, other: &Issue) -> bool {
    let called = |issue: &Issue| issue.calls.first().map(|&(_, called)| called);
    one.op == other.op && called(one) == called(other)
}

/// Passes through a model in which ranks wait for each other.
const PASSES: [&str; 5] = ["ddp_forward", "backward", "fsdp_forward", "deepspeed_forward", "deepspeed_backward"];

/// Whether an operation is a pass through a model that ranks train together.
pub(super) fn is_pass_of_model(issue: &Issue) -> bool {
    issue.implicit && PASSES.contains(&issue.op.as_str())
}

/// Whether the handler leaves the loop or the function, or takes its next turn.
pub(super) fn leaves(model: &File, handler: &Handler) -> bool {
    let mut leaves = false;
    each_statement(model, handler.body, &mut |_, stmt| {
        leaves |= matches!(stmt, Stmt::Continue | Stmt::Break | Stmt::Return(_));
    });
    leaves
}

/// `raise RuntimeError("CUDA out of memory on a different rank")`
fn raises_for_peers(model: &File, body: Block) -> bool {
    let mut found = false;
    each_statement(model, body, &mut |_, stmt| {
        if let Stmt::Raise(Some(exception)) = stmt {
            each_expression(model, *exception, &mut |_, expr| {
                found |= matches!(expr, Expr::Str(text) if text.as_str().contains("memory"));
            });
        }
    });
    found
}

fn implicit(site: Site, name: Symbol) -> Issue {
    Issue {
        op: name,
        kind: OperationKind::Collective,
        implicit: true,
        on_world: true,
        site,
        calls: Vec::new(),
        confidence: Confidence::Medium,
    }
}

/// `DistributedDataParallel`, `FSDP`, `DistributedFairseqModel`, `accelerator.prepare`
fn wraps(name: &str) -> bool {
    WRAPS.iter().any(|word| name.contains(word)) || name.starts_with("Distributed") && name.ends_with("Model")
}
