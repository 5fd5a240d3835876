//! Context managers: what stands around a block.

use super::arguments::Arguments;
use super::substitute::Substitution;
use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::catalog::{Entry, Wrapper};
use crate::flow::{ChoiceForm, Effect, EffectId, Effects, Node, Value};
use crate::model::ExprId;

/// Choices that are followed to a manager of the catalogue.
const MAX_CHOICES: usize = 8;

/// What entering a `with` statement's context means.
pub(super) struct Context {
    /// What `as` binds.
    pub(super) value: Value,
    /// What the manager does around the body, with a hole for it.
    pub(super) manager: EffectId,
    /// Whether differences in the number of collectives inside are evened out.
    pub(super) mutes: bool,
    /// Whether what a wrapped module's backward issues is suspended inside.
    pub(super) quiets: bool,
    /// The condition under which it is, where ranks may answer that differently.
    pub(super) quiets_some: Option<Value>,
}

/// The method by which a stack of managers enters one more.
pub(super) const ENTERS: &str = "enter_context";

impl<'p> Engine<'p> {
    /// What entering `with expr` means.
    pub(super) fn context(&mut self, frame: &mut Frame<'p>, expr: ExprId) -> Context {
        let span = frame.model.span(expr);
        let value = self.expression(frame, expr);
        let manager = self.managed(frame, value, span);
        let wrapper = match self.values.node(value) {
            Node::Generator(..) | Node::Instance(..) => None,
            _ => self.wrapper(value),
        };
        let quiets = wrapper == Some(Wrapper::NoSync);
        Context {
            value,
            manager,
            mutes: wrapper == Some(Wrapper::EvensOut),
            quiets,
            quiets_some: self.quiets_some(value).filter(|_| quiets),
        }
    }

    /// Enters a manager on a stack of managers. What it does at the end counts here: all that enter it leave it.
    pub(super) fn entered_on_stack(&mut self, frame: &mut Frame<'p>, manager: Value, span: Span) -> Value {
        let around = self.managed(frame, manager, span);
        if around != Effects::NOTHING {
            let scope = self.effects.make(Effect::Scope { manager: around, body: Effects::NOTHING }, &self.values);
            self.emit(frame, scope);
        }
        manager
    }

    /// What a manager of the program does around a body, with a hole for it.
    fn managed(&mut self, frame: &mut Frame<'p>, manager: Value, span: Span) -> EffectId {
        match self.values.node(manager).clone() {
            Node::Generator(function, args) => {
                let mut substitution = Substitution::default();
                substitution.parameters(function, &args);
                self.capture_environment(frame, function, &mut substitution);
                let Some(summary) = self.summary(function) else { return Effects::NOTHING };
                let body = self.replaced_effect(summary.effects, &mut substitution);
                let summed = self.effects.summed(body);
                if !(summed.hole && summed.events) {
                    return Effects::NOTHING;
                }
                self.effects.make(Effect::Call { function, site: frame.site(span), body }, &self.values)
            }
            Node::Instance(class, _) => {
                let part = |engine: &mut Self, frame: &mut Frame<'p>, name: &str| {
                    let Some(method) = engine.program.method(class, Symbol::new(name)) else { return Effects::NOTHING };
                    let outer = std::mem::take(&mut frame.sequence);
                    let arguments = Arguments { receiver: Some(manager), ..Arguments::default() };
                    engine.call_function(frame, method, arguments, span);
                    let effect = engine.take_sequence(frame);
                    frame.sequence = outer;
                    effect
                };
                let enter = part(self, frame, "__enter__");
                let exit = part(self, frame, "__exit__");
                if enter == Effects::NOTHING && exit == Effects::NOTHING {
                    return Effects::NOTHING;
                }
                let body = self.effects.make(Effect::Hole, &self.values);
                let inside = Effect::Try { body, handlers: Box::from([]), orelse: Effects::NOTHING, finally: exit };
                let inside = self.effects.make(inside, &self.values);
                self.effects.seq(&[enter, inside], &self.values)
            }
            // One or the other: the body stands in both.
            Node::If(test, then, otherwise) => {
                let arms = [then, otherwise].map(|arm| self.managed(frame, arm, span));
                if arms == [Effects::NOTHING; 2] {
                    return Effects::NOTHING;
                }
                let hole = self.effects.make(Effect::Hole, &self.values);
                let [then, otherwise] = arms.map(|arm| if arm == Effects::NOTHING { hole } else { arm });
                let (form, site) = (ChoiceForm::Expression, frame.site(span));
                self.effects.make(Effect::Choice { form, site, test, then, otherwise }, &self.values)
            }
            _ => Effects::NOTHING,
        }
    }

    /// The condition under which a context suspends gradients, where ranks may differ in it: `no_sync() if c else other`.
    fn quiets_some(&mut self, value: Value) -> Option<Value> {
        let Node::If(test, then, otherwise) = *self.values.node(value) else { return None };
        if self.values.vary(test).is_empty() {
            return None;
        }
        let [then, otherwise] = [then, otherwise].map(|arm| self.wrapper(arm) == Some(Wrapper::NoSync));
        match (then, otherwise) {
            (true, false) => Some(test),
            (false, true) => Some(self.values.make(Node::Not(test))),
            _ => None,
        }
    }

    /// The wrapper of the catalogue that a value is, under some settings at least: a model that is wrapped for several
    /// processes only has nothing to suspend where it is not.
    fn wrapper(&self, value: Value) -> Option<Wrapper> {
        let mut pending = vec![value];
        for _ in 0..MAX_CHOICES {
            match self.values.node(pending.pop()?) {
                Node::If(_, then, otherwise) => pending.extend([*otherwise, *then]),
                Node::Apply(name, _) | Node::External(name) => {
                    if let Some(Entry::Wrapper(wrapper)) = self.program.catalog.entry(*name) {
                        return Some(*wrapper);
                    }
                }
                _ => {}
            }
        }
        None
    }
}
