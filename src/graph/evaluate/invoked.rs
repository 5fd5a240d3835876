//! Calls of values that turn out to be functions only where a call is followed: what they do, and what they give.

use rustc_hash::FxHashSet;

use crate::base::{FunctionId, Site, Symbol};
use crate::catalog::Entry;
use crate::flow::{Effect, EffectId, Effects, Node, Value};

use super::Engine;
use super::substitute::{MAX_NESTING, Substitution};
use super::wrapped::BACKWARD;

/// Values of one name that nothing is known of, each of which is asked what calling it does.
const MAX_UNKNOWN: usize = 3;

impl<'p> Engine<'p> {
    /// What calling a function value returns, in terms of `args`.
    pub(super) fn invoked_result(&mut self, callee: Value, args: &[Value]) -> Option<Value> {
        if let Node::Class(class) = *self.values.node(callee) {
            return Some(self.made_of(class, args));
        }
        let (function, mut substitution) = self.callable(callee, args)?;
        let differs = args.iter().any(|&arg| {
            let facts = self.values.facts(arg);
            !facts.vary.is_empty() || !facts.shape.is_empty() || self.is_function(arg)
        });
        let closure = matches!(self.values.node(callee), Node::Closure(..));
        if !differs && !closure && !self.taint.holds(self.program.function(function).name) {
            // Nothing that differs goes in and, by its name, nothing that differs comes out.
            return match args.iter().any(|&arg| self.values.facts(arg).open) {
                true => None,
                false => Some(self.values.make(Node::Apply(self.program.function(function).name, args.into()))),
            };
        }
        let key = (callee, Box::<[Value]>::from(args));
        if let Some(&known) = self.results.get(&key) {
            self.births.asks(super::births::Asked::Function(function));
            return Some(known);
        }
        let summary = self.summary(function)?;
        if self.nesting >= MAX_NESTING {
            return None;
        }
        self.nesting += 1;
        let result = self.replaced(summary.result, &mut substitution);
        self.nesting -= 1;
        self.results.insert(key, result);
        Some(result)
    }

    fn is_function(&self, value: Value) -> bool {
        matches!(self.values.node(value), Node::Function(..) | Node::Closure(..) | Node::Partial(..))
    }

    /// The function behind a function value, with its parameters and captured variables bound to `args`.
    pub(super) fn callable(&mut self, callee: Value, args: &[Value]) -> Option<(FunctionId, Substitution)> {
        let mut substitution = Substitution::default();
        let (function, bound) = match self.values.node(callee).clone() {
            Node::Function(function, bound) => (function, bound),
            Node::Class(class) => {
                (self.program.method(class, Symbol::new("__init__"))?, Some(self.made_of(class, args)))
            }
            Node::Closure(function, captured) => {
                for &(owner, name, value) in &captured {
                    substitution.capture(owner, name, value);
                }
                (function, None)
            }
            _ => return None,
        };
        if args.iter().any(|&arg| self.is_packed(arg)) {
            let mut arguments = self.unpacked(args);
            arguments.receiver = bound;
            let values = self.bind(function, &arguments);
            substitution.parameters(function, &values);
            return Some((function, substitution));
        }
        let values: Vec<Value> = bound.into_iter().chain(args.iter().copied()).collect();
        let count = self.program.function(function).parameters.len();
        substitution.parameters(function, &values[..values.len().min(count)]);
        Some((function, substitution))
    }

    /// Whether it is known what calling a value does, at least where it is one of two.
    pub(super) fn can_be_called(&self, value: Value) -> bool {
        match *self.values.node(value) {
            Node::Function(..) | Node::Closure(..) => true,
            Node::If(_, then, otherwise) => {
                let arms = [then, otherwise];
                arms.iter().any(|&arm| self.is_function(arm))
                    && arms.iter().all(|&arm| arm == self.none || self.can_be_called(arm))
            }
            Node::Or(given, default) => self.is_handed(given) && self.can_be_called(default),
            _ => self.is_called_as_an_object(value),
        }
    }

    /// Whether a value is a function or an operation, which whoever is handed it may call.
    pub(super) fn is_handed_to_be_called(&self, value: Value) -> bool {
        let is_object = matches!(self.values.node(value), Node::Typed(_) | Node::Instance(..));
        self.is_function(value) || !is_object && self.is_called_as_an_object(value)
    }

    /// Whether calling a value is more than running a function of the program: it is an object, a function with some
    /// arguments given, or an operation.
    pub(super) fn is_called_as_an_object(&self, callee: Value) -> bool {
        match *self.values.node(callee) {
            Node::Typed(_) | Node::Instance(..) | Node::Partial(..) => true,
            Node::Function(function, _) => matches!(self.program.catalogued(function), Some(Entry::Operation(_))),
            Node::External(name) => matches!(self.program.catalog.entry(name), Some(Entry::Operation(_))),
            _ => false,
        }
    }

    /// Whether a value is one of many, of none of which it is known what calling it does: to ask each is not worth it
    /// until somebody knows one.
    fn is_one_of_many_unknown(&self, callee: Value) -> bool {
        let (mut seen, mut pending, mut unknown) = (FxHashSet::default(), vec![callee], 0);
        while let Some(value) = pending.pop() {
            if !seen.insert(value) {
                continue;
            }
            match *self.values.node(value) {
                Node::If(_, then, otherwise) => pending.extend([then, otherwise]),
                Node::Parameter(..) | Node::Capture(..) | Node::Item(..) | Node::Index(..) | Node::Unknown(_) => {
                    unknown += 1;
                }
                Node::Invoked(..) | Node::Apply(..) | Node::None => unknown += 1,
                _ => return false,
            }
        }
        unknown > MAX_UNKNOWN
    }

    /// What calling a function value issues.
    pub(super) fn invoke_effect(&mut self, callee: Value, args: Box<[Value]>, site: Site) -> EffectId {
        if let Some(effect) = self.known_backward(callee, site) {
            return effect;
        }
        if let Node::If(test, then, otherwise) = *self.values.node(callee) {
            if self.is_one_of_many_unknown(callee) {
                return self.effects.make(Effect::Invoke { callee, args, site }, &self.values);
            }
            let then = self.invoke_effect(then, args.clone(), site);
            let otherwise = self.invoke_effect(otherwise, args, site);
            return self.either(test, then, otherwise, site);
        }
        // A wrapped model that is handed on.
        match self.meant_by_a_call(callee) {
            Some(meant) if let Node::Typed(kind) = *self.values.node(meant) => {
                return self.issued_by_library(kind, meant, Symbol::new("__call__"), &args, site);
            }
            Some(meant) if self.is_sharded_in_place(meant) => return self.object_called(meant, &args, site),
            _ => {}
        }
        if let Node::Attribute(object, name) = *self.values.node(callee)
            && name.as_str() != BACKWARD
            && matches!(self.values.node(object), Node::Instance(..) | Node::Typed(_) | Node::If(..) | Node::Item(..))
        {
            return self.method_effect(object, name, &args, site);
        }
        if let Some((function, mut substitution)) = self.callable(callee, &args) {
            let Some(summary) = self.summary(function) else { return Effects::NOTHING };
            if self.nesting >= MAX_NESTING {
                return Effects::NOTHING;
            }
            self.nesting += 1;
            let body = self.replaced_effect(summary.effects, &mut substitution);
            self.nesting -= 1;
            return self.effects.make(Effect::Call { function, site, body }, &self.values);
        }
        match self.values.facts(callee).open {
            true => self.effects.make(Effect::Invoke { callee, args, site }, &self.values),
            false => Effects::NOTHING,
        }
    }
}
