//! Decorators: what stands around a function.

use super::super::program::Program;
use super::super::resolve::Target;
use super::arguments::Arguments;
use super::substitute::Substitution;
use super::{Engine, Frame};
use crate::base::{ClassId, FileId, FunctionId, Site, Span, Symbol};
use crate::catalog::{Entry, Wrapper};
use crate::finding::Confidence;
use crate::flow::{Axes, ChoiceForm, Effect, EffectId, Effects, Node, Value};
use crate::model::{Expr, ExprId, FunctionKind, LocalFunction};

impl<'p> Engine<'p> {
    /// A function with its decorators applied: what its name is bound to.
    pub(super) fn decorated(&mut self, frame: &mut Frame<'p>, function: FunctionId) -> Value {
        let plain = self.values.make(Node::Function(function, None));
        let value = self.wrapped_by_the_program(function).unwrap_or(plain);
        let span = self.program.function(function).span;
        match self.wrapper_guard(frame, function, span) {
            Some(first) => {
                let none = self.none;
                self.values.make(Node::If(first, value, none))
            }
            None => value,
        }
    }

    /// A method of a class that a framework calls, or a function that nobody in the program calls, and that a decorator lets
    /// one rank run: what the decorator does counts here.
    pub(super) fn as_hook(&mut self, function: FunctionId, effects: EffectId) -> EffectId {
        if !self.effects.summed(effects).events {
            return effects;
        }
        let (file, local) = self.program.locate(function);
        let span = self.program.file(file).model.function(local).name_span;
        let mut frame = self.module_frame(file);
        frame.function = function;
        if let Some(wrapped) = self.wrapped_by_the_program(function) {
            return self.as_wrapped_hook(&mut frame, wrapped, effects);
        }
        if self.program.class_of(function).is_none_or(|class| self.program.external_bases(class).is_empty()) {
            return effects;
        }
        let Some(test) = self.wrapper_guard(&mut frame, function, span) else { return effects };
        let effect = Effect::Choice {
            test,
            site: Site { file, span },
            form: ChoiceForm::Wrapper,
            then: effects,
            otherwise: Effects::NOTHING,
        };
        self.effects.make(effect, &self.values)
    }

    /// The same for a decorator of the program, where nobody is seen to call the method: not on the object at hand, and
    /// nobody makes an object of the class by its name, so that whoever calls it was handed one.
    fn as_wrapped_hook(&mut self, frame: &mut Frame<'p>, wrapped: Value, effects: EffectId) -> EffectId {
        let (program, function) = (self.program, frame.function);
        let definition = program.function(function);
        let is_called = match program.class_of(function) {
            Some(class) => is_seen_called(program, class, definition.name),
            None => is_seen_named(program, definition.name),
        };
        if is_called {
            return effects;
        }
        let own = (0..definition.parameters.len() as u16).map(|at| self.values.make(Node::Parameter(function, at)));
        let positional = own.map(|value| (value, None)).collect();
        self.call_value(frame, wrapped, Arguments { positional, ..Arguments::default() }, definition.name_span);
        let called = self.take_sequence(frame);
        match self.effects.summed(called).events {
            true => called,
            false => effects,
        }
    }

    /// What decorators of the program make of a function, if they put another in its place.
    pub(super) fn wrapped_by_the_program(&mut self, function: FunctionId) -> Option<Value> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        if definition.kind != FunctionKind::Def || model.list(definition.decorators).is_empty() {
            return None;
        }
        // What the catalogue says of it holds whatever is around it.
        if self.program.catalogued(function).is_some() {
            return None;
        }
        let mut value = None;
        for &decorator in model.list(definition.decorators).iter().rev() {
            let Some(wrapper) = self.decorator_of_the_program(file, definition.parent.unwrap_or(local), decorator)
            else {
                continue;
            };
            // What it returns when it is given the function.
            let given = value.unwrap_or_else(|| self.values.make(Node::Function(function, None)));
            if let Some(result) = self.invoked_result(wrapper, &[given])
                && let Some(runs) = self.run_in_its_place(result)
                && !self.only_calls(runs)
            {
                value = Some(result);
            }
        }
        value
    }

    /// What is called where a decorator has put something in a function's place.
    fn run_in_its_place(&self, decorated: Value) -> Option<FunctionId> {
        match *self.values.node(decorated) {
            Node::Closure(function, _) => Some(function),
            Node::Instance(class, _) => self.program.method(class, Symbol::new("__call__")),
            _ => None,
        }
    }

    /// Whether a function issues nothing itself and calls what it wraps, whatever holds: it measures, say. Then the
    /// wrapped one stands for it, of which more is known.
    fn only_calls(&mut self, wrapper: FunctionId) -> bool {
        let Some(effects) = self.summary(wrapper).map(|summary| summary.effects) else { return false };
        let mut pending = vec![effects];
        while let Some(effect) = pending.pop() {
            let summed = self.effects.summed(effect);
            let decides = matches!(self.effects.get(effect), Effect::Choice { .. } | Effect::Loop { .. });
            if summed.events || summed.pending || decides && (summed.invokes || summed.exits) {
                return false;
            }
            pending.extend(self.below(effect));
        }
        self.effects.summed(effects).invokes
    }

    /// What a decorator of the program is: a function, what a function makes of its settings, `@only(0)`, or a class whose
    /// objects can be called.
    fn decorator_of_the_program(&mut self, file: FileId, scope: LocalFunction, decorator: ExprId) -> Option<Value> {
        let model = &self.program.file(file).model;
        let named = match model.expr(decorator) {
            Expr::Name(_) | Expr::Attribute { .. } => decorator,
            Expr::Call(call) => model.call(call).callee,
            _ => return None,
        };
        match self.program.target(file, scope, named)? {
            Target::Function(wrapper) if self.program.catalogued(wrapper).is_none() => match named == decorator {
                true => Some(self.values.make(Node::Function(wrapper, None))),
                false => {
                    let Expr::Call(call) = model.expr(decorator) else { return None };
                    let mut frame = self.module_frame(file);
                    let arguments = self.arguments(&mut frame, model.call(call));
                    self.made_with_settings(wrapper, &arguments)
                }
            },
            Target::Class(class) if named == decorator => {
                self.program.method(class, Symbol::new("__call__"))?;
                Some(self.values.make(Node::Class(class)))
            }
            _ => None,
        }
    }

    /// The function that another makes of settings, as a decorator.
    fn made_with_settings(&mut self, maker: FunctionId, arguments: &Arguments) -> Option<Value> {
        let bound = self.bind(maker, arguments);
        let made = self.summary(maker)?.result;
        let mut substitution = Substitution::default();
        substitution.parameters(maker, &bound);
        let made = self.replaced(made, &mut substitution);
        matches!(self.values.node(made), Node::Closure(..) | Node::Function(..)).then_some(made)
    }

    /// The condition under which a decorator of the catalogue lets the function run.
    pub(super) fn wrapper_guard(&mut self, frame: &mut Frame<'p>, function: FunctionId, span: Span) -> Option<Value> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        for &decorator in model.list(definition.decorators) {
            let callee = match model.expr(decorator) {
                Expr::Call(call) => model.call(call).callee,
                _ => decorator,
            };
            let scope = definition.parent.unwrap_or(local);
            let entry = match self.program.target(file, scope, callee) {
                Some(Target::External(dotted)) => self.program.catalog.entry(dotted),
                Some(Target::Function(wrapper)) => self.program.catalogued(wrapper),
                _ => self.method_of_variable(model, callee),
            };
            if let Some(Entry::Wrapper(Wrapper::FirstRankOnly)) = entry {
                let first = self.is_first(Axes::ALL);
                let rank = self.values.make(Node::Rank(Axes::ALL));
                self.born(rank, frame, span, "its decorator runs it on the first rank only", Confidence::High);
                return Some(first);
            }
        }
        None
    }

    /// The condition under which decorators let a method run that changes its object, where that may differ between ranks.
    pub(super) fn let_in_by(&mut self, function: FunctionId) -> Option<Value> {
        let (file, local) = self.program.locate(function);
        let definition = self.program.file(file).model.function(local);
        if self.program.file(file).model.list(definition.decorators).is_empty() {
            return None;
        }
        let mut frame = self.module_frame(file);
        if let Some(first) = self.wrapper_guard(&mut frame, function, definition.name_span) {
            return Some(first);
        }
        let wrapped = self.wrapped_by_the_program(function)?;
        let Node::Closure(wrapper, _) = *self.values.node(wrapped) else { return None };
        let effects = self.summary(wrapper)?.effects;
        let parts = match self.effects.get(effects) {
            Effect::Seq(parts) => parts.to_vec(),
            _ => vec![effects],
        };
        let invokes = |effect: EffectId| self.effects.summed(effect).invokes;
        let leaves = |effect: EffectId| self.effects.summed(effect).exits;
        let mut found = None;
        for (at, &part) in parts.iter().enumerate() {
            let Effect::Choice { test, then, otherwise, .. } = *self.effects.get(part) else { continue };
            if self.values.vary(test).is_empty() {
                continue;
            }
            let is_called_behind = || parts[at + 1..].iter().any(|&part| invokes(part));
            found = match (invokes(then), invokes(otherwise)) {
                (true, false) => Some((test, true)),
                (false, true) => Some((test, false)),
                _ if leaves(then) != leaves(otherwise) && is_called_behind() => Some((test, leaves(otherwise))),
                _ => continue,
            };
            break;
        }
        let (test, answer) = found?;
        Some(if answer { test } else { self.values.make(Node::Not(test)) })
    }
}

/// Whether some function names one of that name.
fn is_seen_named(program: &Program, name: Symbol) -> bool {
    let models = program.file_ids().map(|file| &program.file(file).model);
    let mut naming = models.filter(|model| model.names().may_hold_any(&[name]));
    naming.any(|model| model.functions.iter().any(|function| function.mentions.contains(&name)))
}

/// Whether somebody calls a method of that name, on the object at hand or where objects of the class are made by its name.
fn is_seen_called(program: &Program, class: ClassId, method: Symbol) -> bool {
    let made_as = program.class(class).name;
    let (mut called, mut on_self, mut made) = (false, false, false);
    for file in program.file_ids() {
        let model = &program.file(file).model;
        if !model.names().may_hold_any(&[made_as, method]) {
            continue;
        }
        for function in model.functions.iter().filter(|function| !function.skeleton) {
            made |= function.mentions.contains(&made_as);
            if !function.mentions.contains(&method) {
                continue;
            }
            called = true;
            let receiver = function.class.and_then(|_| function.parameters.first()).map(|own| Expr::Name(own.name));
            on_self |= function.callees.iter().any(|callee| match model.expr(callee.expr) {
                Expr::Attribute { value, name } => name == method && Some(model.expr(value)) == receiver,
                _ => false,
            });
        }
        if called && (on_self || made) {
            return true;
        }
    }
    false
}
