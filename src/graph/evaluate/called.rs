//! Calls of functions and classes of the program: their summaries, in terms of what the caller hands over.

use crate::base::{ClassId, FunctionId, Span, Symbol};
use crate::flow::{ChoiceForm, Effect, Effects, Node, Value};

use super::afterwards::agrees_by_name;
use super::arguments::Arguments;
use super::job::answers_whether_joined;
use super::substitute::Substitution;
use super::{Engine, Frame, MAX_INLINE};

impl<'p> Engine<'p> {
    /// Calls a function of the program.
    pub(super) fn call_function(
        &mut self,
        frame: &mut Frame<'p>,
        function: FunctionId,
        arguments: Arguments,
        span: Span,
    ) -> Value {
        if let Some(entry) = self.program.catalogued(function) {
            let entry = entry.clone();
            return self.catalogued_call(frame, &entry, self.program.function(function).name, arguments, span);
        }
        if answers_whether_joined(self.program, function) {
            return self.whether_joined();
        }
        self.call_summary(frame, function, arguments, Substitution::default(), span)
    }

    /// The arguments of a call, where a class method is handed the class that it was called on.
    fn with_class(&mut self, function: FunctionId, mut arguments: Arguments) -> Arguments {
        let class = match arguments.receiver.map(|receiver| self.values.node(receiver)) {
            None => self.program.class_of(function),
            Some(&Node::Instance(class, _)) => Some(class),
            Some(_) => None,
        };
        if let Some(class) = class.filter(|_| self.is_class_method(function)) {
            arguments.receiver = Some(self.values.make(Node::Class(class)));
        }
        arguments
    }

    /// Whether a method is handed the class that it is called on.
    pub(super) fn is_class_method(&self, method: FunctionId) -> bool {
        let (file, local) = self.program.locate(method);
        self.program.class_of(method).is_some() && self.has_decorator(file, local, "classmethod")
    }

    pub(super) fn call_summary(
        &mut self,
        frame: &mut Frame<'p>,
        function: FunctionId,
        arguments: Arguments,
        mut substitution: Substitution,
        span: Span,
    ) -> Value {
        let definition = self.program.function(function);
        let arguments = self.with_class(function, arguments);
        let bound = self.bind(function, &arguments);
        let by_convention = self.conventional_result(frame, function, span);
        // What was written into the object here is known here.
        let written = |holder: Symbol| frame.receiver != Some(holder) && frame.paths.contains_key(&holder);
        // Which group a getter returns is worth a look: the name is a guess.
        let is_group = by_convention.is_some_and(|meaning| matches!(self.values.node(meaning), Node::AxisGroup(_)));
        let handed = self.handed_attributes(frame, function, &arguments);
        let held = self.held_by_receiver(frame, function, &arguments);
        let is_another = !held.is_empty();
        if !is_group
            && handed.is_empty()
            && !is_another
            && self.may_wait(function, &bound)
            && !self.writes_apart(frame, function)
            && !arguments.holder.is_some_and(written)
            && !self.is_used_apart(function, &bound)
        {
            return by_convention.unwrap_or_else(|| self.pending_call(frame, function, bound, span));
        }
        let Some(summary) = self.summary_holding(function, held) else {
            self.after_filling(frame, function, &arguments, span);
            return by_convention.unwrap_or_else(|| self.unfollowed(frame, function, bound, span));
        };
        substitution.parameters(function, &bound);
        substitution.attributes(function, &handed);
        self.capture_environment(frame, function, &mut substitution);
        if let Some(receiver) = arguments.receiver {
            substitution.given(self.made_with(receiver));
        }
        if definition.is_generator {
            let result = self.replaced(summary.result, &mut substitution);
            return result;
        }
        let effects = match is_another {
            true => summary.effects,
            false => self.condensed_summary(function, summary.effects),
        };
        let weight = self.effects.summed(effects).weight;
        if weight > 0 && weight <= MAX_INLINE {
            let body = match substitution.is_empty() {
                true => effects,
                false => self.replaced_effect(effects, &mut substitution),
            };
            let call = Effect::Call { function, site: frame.site(span), body };
            let call = self.effects.make(call, &self.values);
            match self.missed(function, &bound) {
                Some(missed) => self.choose(frame, missed, span, ChoiceForm::Expression, call, Effects::NOTHING),
                None => self.emit(frame, call),
            }
        } else if weight > MAX_INLINE {
            let effect = self.abbreviated(summary.effects, function, frame, span);
            self.emit(frame, effect);
        }
        self.after_method(frame, function, &arguments, &summary.attributes, &mut substitution);
        self.after_rebinding(frame, function, &summary.globals, &mut substitution);
        self.after_filling(frame, function, &arguments, span);
        self.after_growth(frame, &arguments, &summary.grown, &mut substitution);
        self.after_agreement(frame, function, &arguments, &summary.filled, &mut substitution);
        self.after_setting(frame, function, &arguments, &summary.set, &mut substitution);
        // Where the result is a place in a group that it is handed.
        let vary = self.values.vary(summary.result);
        let places = if vary.is_empty() || vary.is_all() { Vec::new() } else { bound_to(function, &bound) };
        // Of what was not read in full nobody has seen what it returns.
        let result = match definition.skeleton {
            true => self.unfollowed(frame, function, bound, span),
            false => self.replaced(summary.result, &mut substitution),
        };
        let result = self.regrouped(result, places);
        self.after_leaving(frame, summary.leaves, result);
        let says_nothing = matches!(
            self.values.node(result),
            Node::None
                | Node::Unknown(_)
                | Node::Attribute(..)
                | Node::Apply(..)
                | Node::External(_)
                | Node::Capture(..)
        );
        // What is called an all-reduce and issues none agrees by other means: a message queue, a store, shared memory.
        let agrees = definition.name.as_str().trim_start_matches('_');
        let agrees = agrees.starts_with("all_reduce") || agrees.starts_with("allreduce");
        if agrees && !self.effects.summed(summary.effects).events && !self.values.vary(result).is_empty() {
            return self.unknown(frame, span);
        }
        let result = match agrees_by_name(definition.name) && !self.values.vary(result).is_empty() {
            true => self.agreed_by(summary.effects, result, &mut substitution, frame.site(span)),
            false => result,
        };
        // What is called a group getter returns a group, whatever could be made of its body.
        let group = is_group
            && !matches!(
                self.values.node(result),
                Node::AxisGroup(_) | Node::World | Node::MadeGroup(..) | Node::If(..) | Node::Index(..)
            );
        // A name can say along which axis something differs that its body only shows to differ somewhere.
        let narrower = |meaning: Value| {
            let (meant, known) = (self.values.vary(meaning), self.values.vary(result));
            known.is_all() && !meant.is_all() && !meant.is_empty()
        };
        match by_convention {
            Some(meaning) if says_nothing || group || narrower(meaning) => meaning,
            _ => result,
        }
    }

    pub(super) fn construct(
        &mut self,
        frame: &mut Frame<'p>,
        class: ClassId,
        arguments: Arguments,
        span: Span,
    ) -> Value {
        let bound = match self.program.method(class, Symbol::new("__init__")) {
            Some(constructor) => {
                let mut with_self = arguments.clone();
                let placeholder = self.values.make(Node::Instance(class, Box::from([])));
                with_self.receiver = Some(placeholder);
                let bound = self.bind(constructor, &with_self);
                let instance = self.values.make(Node::Instance(class, bound.into()));
                with_self.receiver = Some(instance);
                if self.reaches(constructor) {
                    self.call_summary(frame, constructor, with_self, Substitution::default(), span);
                }
                return instance;
            }
            None => self.given_to_fields(class, &arguments),
        };
        if self.program.catalogued_class(class) {
            let (file, _) = self.program.locate_class(class);
            let dotted = self.program.class_name(file, class);
            return self.values.make(Node::Typed(dotted));
        }
        self.values.make(Node::Instance(class, bound.into()))
    }
}

/// What the parameters of a function are given, by their position.
fn bound_to(function: FunctionId, bound: &[Value]) -> Vec<((FunctionId, u16), Value)> {
    bound.iter().enumerate().map(|(position, &given)| ((function, position as u16), given)).collect()
}
