//! What may go otherwise on one rank alone, where a handler takes that: a request that fails, a queue that is empty, memory
//! that runs out. What the rank goes on to do is then its own.

use crate::base::{FileId, FunctionId, Span, Symbol};
use crate::catalog::Entry;
use crate::finding::Confidence;
use crate::flow::{Axes, ChoiceForm, Effect, Effects, Exit, Node, Value};
use crate::graph::communication::calls_in;
use crate::graph::hazard::{Caught, Failure, asks_for_memory, is_pass, is_request};
use crate::model::{
    Call, Expr, ExprId, File, Function, Handler, LocalFunction, Stmt, Try, each_expression, each_statement,
    expressions_of,
};

use super::super::resolve::Target;
use super::{Engine, Frame};

/// Why a rank may be alone in failing at a pass.
pub(in crate::graph) const OUT_OF_MEMORY: &str = "memory may run out on one rank alone";

/// A call whose failure a handler around it takes.
#[derive(Clone)]
pub(super) struct Failing {
    /// The call.
    at: ExprId,
    /// Whether it has failed.
    happened: Value,
    /// What the handler says that it catches.
    catches: Box<[Symbol]>,
}

impl<'p> Engine<'p> {
    /// The first call in what is tried that may fail on one rank alone, if a handler takes its failure.
    pub(super) fn failing(&mut self, frame: &mut Frame<'p>, parts: &'p Try) -> Option<Failing> {
        let model = frame.model;
        if let Some(failing) = self.empty_queue(frame, parts) {
            return Some(failing);
        }
        if let Some(failing) = self.out_of_memory(frame, parts) {
            return Some(failing);
        }
        let taken = parts.handlers.iter().find(|handler| Caught::of(model, handler.kind).takes(Failure::Outside))?;
        let at = first_call(model, parts, |call| is_request(self.program, frame.file, frame.local, call))?;
        let failing = self.failing_at(frame, at, taken, "a request may fail on one rank alone");
        self.marks.failures.insert(failing.happened);
        Some(failing)
    }

    /// `queue.get_nowait()`, where a handler takes that the queue is empty.
    fn empty_queue(&mut self, frame: &mut Frame<'p>, parts: &'p Try) -> Option<Failing> {
        let model = frame.model;
        let taken = parts.handlers.iter().find(|handler| takes_emptiness(model, handler))?;
        // Who finds it empty says so to its peers: one rank alone reads the queue, and hands on what it finds.
        if self.says_that_it_is_empty(frame.file, frame.local, taken) {
            return None;
        }
        let at = first_call(
            model,
            parts,
            |call| matches!(model.expr(call.callee), Expr::Attribute { name, .. } if matches!(name.as_str(), "get_nowait" | "get")),
        )?;
        Some(self.failing_at(frame, at, taken, "each rank has its own queue"))
    }

    /// Whether whoever finds a queue empty says so to its peers, in the handler that takes that.
    pub(in crate::graph) fn says_that_it_is_empty(
        &self,
        file: FileId,
        local: LocalFunction,
        handler: &Handler,
    ) -> bool {
        let (program, model) = (self.program, &self.program.file(file).model);
        takes_emptiness(model, handler)
            && calls_in(model, handler.body).into_iter().any(|(_, call)| {
                match program.target(file, local, call.callee) {
                    Some(Target::Function(function)) => self.reaches(function),
                    Some(_) => false,
                    None => model.last_name(call.callee).is_some_and(|name| self.is_understood_by_some(file, name)),
                }
            })
    }

    /// A pass through a model, where a handler takes that memory runs out in it.
    fn out_of_memory(&mut self, frame: &mut Frame<'p>, parts: &'p Try) -> Option<Failing> {
        let model = frame.model;
        let taken = parts.handlers.iter().find(|handler| {
            let caught = Caught::of(model, handler.kind);
            caught.memory || caught.takes(Failure::Any) && asks_for_memory(model, handler)
        })?;
        let at = first_call(model, parts, |call| is_pass(model, call).is_some())?;
        let failing = self.failing_at(frame, at, taken, OUT_OF_MEMORY);
        self.marks.failures.insert(failing.happened);
        Some(failing)
    }

    /// What a call may fail in, on this rank alone, and what the handler that takes it says that it catches.
    fn failing_at(&mut self, frame: &mut Frame<'p>, at: ExprId, taken: &Handler, reason: &str) -> Failing {
        let span = frame.model.span(at);
        let happened = self.values.make(Node::Local(frame.site(span), Axes::ALL));
        self.born(happened, frame, span, reason, Confidence::Medium);
        let catches = taken.kind.map_or_else(Vec::new, |kind| self.caught_names(frame, kind));
        Failing { at, happened, catches: catches.into() }
    }

    /// Whether a function shards what it is handed.
    pub(super) fn shards(&self, definition: &Function) -> bool {
        let called = |at: u32| definition.mentions.get(at as usize);
        definition.callees.iter().any(|callee| called(callee.at).is_some_and(|&name| self.taint.shards(name)))
    }

    /// Whether a function makes objects whose methods communicate: who calls it may ask them.
    pub(super) fn makes_of_package(&self, definition: &Function) -> bool {
        let called = |at: u32| definition.mentions.get(at as usize);
        !self.packaged.is_empty()
            && definition
                .callees
                .iter()
                .any(|callee| called(callee.at).is_some_and(|name| self.packaged.contains(name)))
    }

    /// Whether a function ends in an exception, or ends the process, whatever holds before.
    pub(super) fn ends_in_failure(&self, function: FunctionId) -> bool {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let Some(&last) = model.block(model.function(local).body).last() else { return false };
        match *model.stmt(last) {
            Stmt::Raise(_) => true,
            Stmt::Expr(value) => match model.expr(value) {
                Expr::Call(call) => {
                    let ends = self.program.resolve(file, local, model.call(call).callee);
                    ends.is_some_and(|ends| matches!(self.program.catalog.entry(ends), Some(Entry::Exit)))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The call at `id` has failed, or has not.
    pub(super) fn may_fail(&mut self, frame: &mut Frame<'p>, id: ExprId, span: Span) {
        let Some(failing) = frame.failing.as_ref().filter(|failing| failing.at == id).cloned() else { return };
        let site = frame.site(span);
        let fails = self.effects.make(Effect::Exit(Exit::Raise(failing.catches), site), &self.values);
        let effect = Effect::Choice {
            test: failing.happened,
            site,
            form: ChoiceForm::Expression,
            then: fails,
            otherwise: Effects::NOTHING,
        };
        let effect = self.effects.make(effect, &self.values);
        self.emit(frame, effect);
    }
}

/// The first call of what is tried that the predicate holds for.
fn first_call(model: &File, parts: &Try, wanted: impl Fn(Call) -> bool) -> Option<ExprId> {
    let mut at = None;
    each_statement(model, parts.body, &mut |_, stmt| {
        for expr in expressions_of(model, stmt) {
            each_expression(model, expr, &mut |id, expr| {
                if let Expr::Call(call) = expr
                    && at.is_none()
                    && wanted(model.call(call))
                {
                    at = Some(id);
                }
            });
        }
    });
    at
}

impl Failing {
    /// Whether the request has failed.
    pub(super) fn happened(&self) -> Value {
        self.happened
    }
}

/// `except queue.Empty:`
fn takes_emptiness(model: &File, handler: &Handler) -> bool {
    handler.kind.and_then(|kind| model.last_name(kind)).is_some_and(|name| name.as_str() == "Empty")
}
