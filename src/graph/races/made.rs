//! The calls of a function, and which of them all ranks make at once.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::common::Common;
use super::conditions::asks_for_rank;
use super::silenced::switched_off;
use super::single::{leaves_one, lets_in_few, lets_in_first};
use super::words::speaks_of_turns;
use crate::base::{FileId, Span, Symbol};
use crate::catalog::Entry;
use crate::graph::blocks::span_of;
use crate::graph::communication::Wanted;
use crate::graph::context::each_in_context;
use crate::graph::hazard::{Caught, Failure};
use crate::graph::program::Program;
use crate::graph::resolve::Target;
use crate::model::{
    Block, Call, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement, expressions_of,
};

/// A call in a function, with the conditions that it stands under.
#[derive(Clone)]
pub(in crate::graph) struct Made {
    pub expr: ExprId,
    pub call: Call,
    pub conditions: Vec<ExprId>,
    /// How each of them has to come out.
    pub answers: Vec<bool>,
    /// Whether every rank makes it that comes into the function, and all at once.
    pub by_all: bool,
    /// A question that lets in the first few ranks, where nothing else keeps ranks out: `rank <= 1`.
    pub by_few: Option<ExprId>,
}

impl Common<'_> {
    /// The calls in a function. All ranks make those that stand under no question for the rank, behind no exit of some
    /// ranks, and not where ranks are let in one after the other or somebody takes what fails. Where some ranks
    /// communicate alone they make none together: they may wait for each other.
    pub fn calls(&mut self, file: FileId, function: LocalFunction) -> Rc<[Made]> {
        let id = self.program.function_id(file, function);
        if let Some(known) = self.calls.get(&id) {
            return known.clone();
        }
        let calls: Rc<[Made]> = self.calls_in(file, function).into();
        self.calls.insert(id, calls.clone());
        calls
    }

    fn calls_in(&mut self, file: FileId, function: LocalFunction) -> Vec<Made> {
        let (program, taint) = (self.program, self.taint);
        let model = &program.file(file).model;
        let mut out: Vec<Made> = Vec::new();
        let mut loops: Vec<Span> = Vec::new();
        let mut raising: FxHashMap<ExprId, u32> = FxHashMap::default();
        // Where all leave the program nobody is left to miss what one of them has done.
        let mut leaving: Vec<Span> = Vec::new();
        each_statement(model, model.function(function).body, &mut |id, stmt| match stmt {
            Stmt::For { .. } | Stmt::While { .. } => loops.push(model.stmt_span(id)),
            &Stmt::If { test, body, orelse } => {
                let arms = [body, orelse];
                if arms.into_iter().any(|arm| raises(model, arm)) {
                    raising.insert(test, model.stmt_span(id).end);
                }
                let exits = arms.into_iter().filter(|&arm| exits(program, (file, function), arm));
                leaving.extend(exits.filter_map(|arm| span_of(model, arm)));
            }
            _ => {}
        });
        let body = model.block(model.function(function).body);
        // Up to where only some ranks go on: who leaves a loop comes back behind it, who raises ends the job.
        let mut alone_until = 0;
        // Behind that nobody goes on.
        let end = body.iter().find(|&&id| matches!(model.stmt(id), Stmt::Return(_) | Stmt::Raise(_)));
        let end = end.map_or(u32::MAX, |&end| model.stmt_span(end).end);
        // Each condition stands over many statements.
        let mut for_rank: FxHashMap<ExprId, bool> = FxHashMap::default();
        each_in_context(model, function, &mut |id, stmt, context| {
            let span = model.stmt_span(id);
            let mut asks = |&condition: &ExprId| {
                raising.get(&condition).is_none_or(|&end| span.start < end)
                    && *for_rank
                        .entry(condition)
                        .or_insert_with(|| asks_for_rank(program, taint, (file, function), condition))
            };
            let conditions = context.conditions.iter().zip(context.answers);
            let asking: Vec<(ExprId, bool)> =
                conditions.filter(|(it, _)| asks(it)).map(|(it, yes)| (*it, *yes)).collect();
            let by_rank = !asking.is_empty();
            let lets_in_few = |(condition, answer)| lets_in_few(program, model, condition, answer);
            let by_few = asking.first().filter(|_| asking.iter().all(|&it| lets_in_few(it))).map(|few| few.0);
            let leaves_few = || asking.iter().all(|&(condition, answer)| lets_in_few((condition, !answer)));
            alone_until = alone_until.max(match stmt {
                Stmt::Return(_) if by_rank && leaves_few() => 0,
                Stmt::Return(_) if by_rank => u32::MAX,
                Stmt::Break | Stmt::Continue if by_rank => {
                    let around = loops.iter().filter(|around| around.holds(span));
                    around.map(|around| around.end).min().unwrap_or(u32::MAX)
                }
                _ => 0,
            });
            let mut all = context.conditions.iter().zip(context.answers);
            let is_of_one = all.any(|(&condition, &answer)| leaves_one(program, model, condition, answer));
            let some_left = is_of_one || span.start < alone_until || span.start >= end;
            for root in expressions_of(model, stmt) {
                let asks = |part| asks_for_rank(program, taint, (file, function), part);
                let passed_over = passed_over(model, root, asks);
                each_expression(model, root, &mut |expr, found| {
                    let Expr::Call(call) = found else { return };
                    let (conditions, answers) = (context.conditions.to_vec(), context.answers.to_vec());
                    let span = model.span(expr);
                    let comes = !some_left && !passed_over.iter().any(|part| part.holds(span));
                    let (by_all, by_few) = (!by_rank && comes, by_few.filter(|_| comes));
                    out.push(Made { expr, call: model.call(call), conditions, answers, by_all, by_few });
                });
            }
        });
        let waits = |made: &Made| {
            let is_barrier = |name: Symbol| name.as_str().contains("barrier");
            !made.by_all
                && (model.last_name(made.call.callee).is_some_and(is_barrier) || {
                    let issue = self.communication.itself(file, function, made.expr, made.call);
                    issue.is_some_and(|issue| is_barrier(issue.op))
                })
        };
        let in_turn = out.iter().any(waits) || out.iter().any(|made| self.lets_in_turn(file, function, made.call));
        let apart = self.apart(file, function);
        for made in &mut out {
            let span = model.span(made.expr);
            let is_apart = apart.iter().chain(&leaving).any(|apart| apart.holds(span));
            made.by_all &= !in_turn && !is_apart;
            made.by_few = made.by_few.filter(|_| !in_turn && !is_apart);
        }
        out
    }

    /// Whether a function of the program that is called lets ranks in one after the other: some of them wait in a barrier of it.
    fn lets_in_turn(&self, file: FileId, function: LocalFunction, call: Call) -> bool {
        let program = self.program;
        let Some(Target::Function(called)) = program.target(file, function, call.callee) else { return false };
        let is_barrier = |name: Symbol| name.as_str().contains("barrier");
        if !program.function(called).mentions.iter().any(|&name| is_barrier(name)) {
            return false;
        }
        let (home, local) = program.locate(called);
        let model = &program.file(home).model;
        let mut found = false;
        each_in_context(model, local, &mut |_, stmt, context| {
            let Stmt::Expr(value) = *stmt else { return };
            let Expr::Call(call) = model.expr(value) else { return };
            let asks_for_first =
                |&asked: &ExprId| [true, false].into_iter().any(|answer| lets_in_first(program, model, asked, answer));
            found |= model.last_name(model.call(call).callee).is_some_and(is_barrier)
                && context.around.iter().any(asks_for_first);
        });
        found
    }

    /// Whether a manager is made of a class of the program whose `__enter__` or `__exit__` may communicate.
    pub(super) fn is_manager_that_waits(&mut self, file: FileId, function: LocalFunction, call: Call) -> bool {
        let program = self.program;
        let Some(Target::Class(class)) = program.target(file, function, call.callee) else { return false };
        ["__enter__", "__exit__"].into_iter().any(|name| {
            let method = program.method(class, Symbol::new(name));
            method.is_some_and(|method| {
                let (file, local) = program.locate(method);
                self.communication.may_reach(file, local)
            })
        })
    }

    /// Parts of a function in which ranks are let in one after the other, or nobody is, or in which somebody takes what
    /// fails.
    fn apart(&mut self, file: FileId, function: LocalFunction) -> Vec<Span> {
        let model = &self.program.file(file).model;
        let mut out = switched_off(model, function);
        let mut managed: Vec<(ExprId, Option<Span>)> = Vec::new();
        each_statement(model, model.function(function).body, &mut |_, stmt| match stmt {
            Stmt::Try(parts)
                if parts.handlers.iter().any(|handler| Caught::of(model, handler.kind).takes(Failure::Outside)) =>
            {
                out.extend(span_of(model, parts.body));
            }
            Stmt::With { items, body, .. } => {
                managed.extend(items.iter().map(|item| (item.context, span_of(model, *body))));
            }
            _ => {}
        });
        for (manager, body) in managed {
            let communicates = match model.expr(manager) {
                Expr::Call(call) => {
                    let call = model.call(call);
                    let issues = self.communication.issued(file, function, manager, call, Wanted::Collective);
                    issues.is_some() || self.is_manager_that_waits(file, function, call)
                }
                _ => false,
            };
            if communicates || speaks_of_turns(model, manager) {
                out.extend(body);
            }
        }
        out
    }
}

/// The parts of an expression that are evaluated where a part before them, for which `asks` holds, comes out so.
fn passed_over(model: &File, root: ExprId, asks: impl Fn(ExprId) -> bool) -> Vec<Span> {
    let mut out = Vec::new();
    each_expression(model, root, &mut |_, expr| match expr {
        Expr::And(parts) | Expr::Or(parts) => {
            let behind = model.list(parts).iter().skip_while(|&&part| !asks(part)).skip(1);
            out.extend(behind.map(|&part| model.span(part)));
        }
        Expr::IfElse(at) => {
            let [test, then, otherwise] = model.if_else(at);
            if asks(test) {
                out.extend([model.span(then), model.span(otherwise)]);
            }
        }
        _ => {}
    });
    out
}

/// Whether a block ends in an exception.
fn raises(model: &File, block: Block) -> bool {
    model.block(block).last().is_some_and(|&last| matches!(model.stmt(last), Stmt::Raise(_)))
}

/// Whether a block ends the program: `exit()`, `sys.exit()`.
fn exits(program: &Program, (file, function): (FileId, LocalFunction), block: Block) -> bool {
    let model = &program.file(file).model;
    let Some(Stmt::Expr(last)) = model.block(block).last().map(|&last| model.stmt(last)) else { return false };
    let Expr::Call(call) = model.expr(*last) else { return false };
    let called = program.resolve(file, function, model.call(call).callee);
    called.is_some_and(|called| matches!(program.catalog.entry(called), Some(Entry::Exit)))
}
