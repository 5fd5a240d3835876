//! What may be one object or another, by a setting or as somebody has set it up: which of them a call means.

use crate::base::{ClassId, Span, Symbol};
use crate::flow::{ChoiceForm, Node, Value};
use crate::model::ExprId;

use super::arguments::Arguments;
use super::{Engine, Frame};

/// Arms of choices that are looked through for an object.
const MAX_ARMS: usize = 12;

/// Choices and loops, one around the other, that are looked through for an object.
const MAX_STEPS: u8 = 6;

impl<'p> Engine<'p> {
    /// One of several objects, where each arm of the choices between them is one and none is made by a rank's place.
    pub(super) fn either_object(&self, value: Value) -> Option<Value> {
        let mut first = None;
        let mut pending = vec![value];
        for _ in 0..MAX_ARMS {
            let Some(value) = pending.pop() else { return first };
            match *self.values.node(value) {
                Node::If(test, then, otherwise) if !self.picks_by_rank(test, then, otherwise) => {
                    pending.extend([otherwise, then]);
                }
                _ if self.is_object(value) => first = first.or(Some(value)),
                _ => return None,
            }
        }
        None
    }

    /// The object that is there in some cases only: who calls its methods has it.
    pub(super) fn where_there(&self, value: Value) -> Value {
        self.there_within(value, MAX_STEPS).unwrap_or(value)
    }

    fn there_within(&self, value: Value, fuel: u8) -> Option<Value> {
        let fuel = fuel.checked_sub(1)?;
        let absent = |value: Value| self.values.is_absent(value);
        let there = |value: Value| self.there_within(value, fuel).unwrap_or(value);
        let found = match *self.values.node(value) {
            Node::If(_, then, otherwise) if absent(otherwise) => there(then),
            Node::If(_, then, otherwise) if absent(then) => there(otherwise),
            // What a loop or several methods leave in one place: the object, where it is there.
            Node::Carried(_, _, ref parts) => {
                let mut parts = parts.iter().copied().filter(|&part| !absent(part) && part != value);
                let first = there(parts.next()?);
                let alike = self.is_object(first) && parts.all(|other| self.are_of_one_kind(first, there(other)));
                return alike.then_some(first);
            }
            _ => return None,
        };
        self.is_object(found).then_some(found)
    }

    fn are_of_one_kind(&self, one: Value, other: Value) -> bool {
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
            Node::Typed(kind) => self.program.catalog.is_operation_of(kind, name.as_str()),
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
        let method = |class: ClassId, name: &str| self.program.method(class, Symbol::new(name));
        let mut pending = vec![value];
        for _ in 0..MAX_ARMS {
            let value = pending.pop()?;
            match *self.values.node(value) {
                Node::Typed(kind) if self.program.catalog.is_operation_of(kind, "__call__") => return Some(value),
                Node::Instance(..) if self.is_sharded_in_place(value) => return Some(value),
                Node::Instance(class, _) => {
                    let called = method(class, "__call__").or_else(|| method(class, "forward"));
                    if called.is_some_and(|called| self.reaches(called)) {
                        return Some(value);
                    }
                }
                Node::If(_, then, otherwise) => pending.extend([otherwise, then]),
                Node::Carried(_, _, ref parts) => pending.extend(parts.iter().rev().filter(|&&part| part != value)),
                _ => {}
            }
        }
        None
    }
}
