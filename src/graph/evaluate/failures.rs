//! Requests that fail on one rank alone, where a handler takes that: what the rank goes on to do is then its own.

use crate::base::{Span, Symbol};
use crate::finding::Confidence;
use crate::flow::{Axes, ChoiceForm, Effect, Effects, Exit, Node, Value};
use crate::graph::hazard::{Caught, Failure, is_request};
use crate::model::{Expr, ExprId, Try, each_expression, each_statement, expressions_of};

use super::{Engine, Frame};

/// A request whose failure a handler around it takes.
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
    /// The first request in what is tried, if a handler takes its failure.
    pub(super) fn failing(&mut self, frame: &mut Frame<'p>, parts: &'p Try) -> Option<Failing> {
        let model = frame.model;
        let taken = parts.handlers.iter().find(|handler| Caught::of(model, handler.kind).takes(Failure::Outside))?;
        let mut at = None;
        each_statement(model, parts.body, &mut |_, stmt| {
            for expr in expressions_of(model, stmt) {
                each_expression(model, expr, &mut |id, expr| {
                    if let Expr::Call(call) = expr
                        && at.is_none()
                        && is_request(self.program, frame.file, frame.local, model.call(call))
                    {
                        at = Some(id);
                    }
                });
            }
        });
        let at = at?;
        let happened = self.values.make(Node::Local(frame.site(model.span(at)), Axes::ALL));
        self.failures.insert(happened);
        self.born(happened, frame, model.span(at), "a request may fail on one rank alone", Confidence::Medium);
        let catches = taken.kind.map_or_else(Vec::new, |kind| self.caught_names(frame, kind));
        Some(Failing { at, happened, catches: catches.into() })
    }

    /// The request at `id` has failed, or has not.
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

impl Failing {
    /// Whether the request has failed.
    pub(super) fn happened(&self) -> Value {
        self.happened
    }
}
