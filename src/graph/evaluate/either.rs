//! What may be one object or another, by a setting or as somebody has set it up: which of them a call means.

use crate::base::{ClassId, Span, Symbol};
use crate::catalog::Entry;
use crate::flow::{ChoiceForm, Node, Value};
use crate::model::ExprId;

use super::arguments::Arguments;
use super::{Engine, Frame};

impl<'p> Engine<'p> {
    /// One of several objects, where each arm of the choices between them is one and none is made by a rank's place.
    pub(super) fn either_object(&self, value: Value) -> Option<Value> {
        match *self.values.node(value) {
            Node::If(test, then, otherwise) if !self.picks_by_rank(test, then, otherwise) => {
                self.either_object(otherwise).and_then(|_| self.either_object(then))
            }
            _ => self.is_object(value).then_some(value),
        }
    }

    pub(super) fn are_of_one_kind(&self, one: Value, other: Value) -> bool {
        match (self.values.node(one), self.values.node(other)) {
            (Node::Instance(one, _), Node::Instance(other, _)) => one == other,
            (one, other) => one == other,
        }
    }

    /// Of a choice by a setting its test and its arms, where one is an object of a library whose method issues something:
    /// `if args.deepspeed: model = initialize(model)`.
    pub(super) fn typed_by_a_setting(&self, value: Value, name: Symbol) -> Option<(Value, [Value; 2])> {
        let Node::If(test, then, otherwise) = *self.values.node(value) else { return None };
        let issues = |arm: Value| match *self.values.node(arm) {
            Node::Typed(kind) => {
                let entry = self.program.catalog.entry(Symbol::new(&format!("{kind}.{name}")));
                matches!(entry, Some(Entry::Operation(_)))
            }
            _ => false,
        };
        let by_rank = !self.values.vary(test).is_empty();
        (!by_rank && (issues(then) || issues(otherwise))).then_some((test, [then, otherwise]))
    }

    /// What a method of an object does that is one thing or another by a setting: what is known of each.
    pub(super) fn of_either(
        &mut self,
        frame: &mut Frame<'p>,
        (object, name): (ExprId, Symbol),
        test: Value,
        arms: [Value; 2],
        arguments: &Arguments,
        span: Span,
    ) -> Value {
        let outer = std::mem::take(&mut frame.sequence);
        let of_arm = |engine: &mut Self, frame: &mut Frame<'p>, arm: Value| {
            let arguments = Arguments { receiver: Some(arm), ..arguments.clone() };
            let result = match engine.typed_method(frame, object, arm, name, &arguments, span) {
                Some(result) => result,
                None => engine.opaque_call(name, &arguments, span, frame),
            };
            (result, engine.take_sequence(frame))
        };
        let (one, one_effect) = of_arm(self, frame, arms[0]);
        let (other, other_effect) = of_arm(self, frame, arms[1]);
        frame.sequence = outer;
        self.choose(frame, test, span, ChoiceForm::Expression, one_effect, other_effect);
        self.values.make(Node::If(test, one, other))
    }

    /// Of what may be one thing or another, or nothing, the object whose call issues something.
    pub(super) fn meant_by_a_call(&self, value: Value) -> Option<Value> {
        let communicates = |kind: Symbol| {
            let entry = self.program.catalog.entry(Symbol::new(&format!("{kind}.__call__")));
            matches!(entry, Some(Entry::Operation(_)))
        };
        let method = |class: ClassId, name: &str| self.program.method(class, Symbol::new(name));
        match *self.values.node(value) {
            Node::Typed(kind) => communicates(kind).then_some(value),
            Node::Instance(class, _) => {
                let called = method(class, "__call__").or_else(|| method(class, "forward"))?;
                self.reaches(called).then_some(value)
            }
            Node::If(_, then, otherwise) => self.meant_by_a_call(then).or_else(|| self.meant_by_a_call(otherwise)),
            Node::Carried(_, _, ref parts) => {
                parts.iter().filter(|&&part| part != value).find_map(|&part| self.meant_by_a_call(part))
            }
            _ => None,
        }
    }
}
