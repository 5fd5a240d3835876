//! Method calls: on objects of the program, on objects of catalogued types, on containers and tensors.

use crate::base::{ClassId, FunctionId, Span, Symbol};
use crate::catalog::Entry;
use crate::finding::Confidence;
use crate::flow::{Node, Value};
use crate::model::{Call, ExprId};

use super::super::resolve::Target;
use super::arguments::Arguments;
use super::managers::ENTERS;
use super::types::{hands_on, makes_tensor, moves, tells_kind, tells_shape};
use super::wrapped::BACKWARD;
use super::{Engine, Frame};

impl<'p> Engine<'p> {
    pub(super) fn method_call(
        &mut self,
        frame: &mut Frame<'p>,
        object: ExprId,
        name: Symbol,
        call: Call,
        span: Span,
    ) -> Value {
        if let Some(value) = self.keyed_by_axis(frame, name, call, span) {
            return value;
        }
        let path = self.path(frame, object);
        let receiver = self.expression(frame, object);
        let mut arguments = self.arguments(frame, call);
        arguments.receiver = Some(receiver);
        arguments.holder = path;

        if name.as_str() == ENTERS
            && let [(manager, _)] = arguments.positional[..]
            && !self.has_method_of_its_own(receiver, name)
        {
            return self.entered_on_stack(frame, manager, span);
        }
        if let Some(changed) = self.changed_in_place(frame, object, (receiver, name), &arguments, span) {
            return changed;
        }
        // A function kept in an attribute is called without the object.
        if let Some(path) = path
            && let Some(&whole) = self.paths.get(&(path, name))
            && let Some(kept) = frame.get(whole)
        {
            arguments.receiver = None;
            return self.call_value(frame, kept, arguments, span);
        }
        if let Some(ranks) = self.ranks_of_group(name, &arguments.values()) {
            return ranks;
        }
        match self.values.node(receiver).clone() {
            Node::Module(file) => {
                if let Some(target) = self.program.attribute(Target::Module(file), name) {
                    arguments.receiver = None;
                    let callee = match target {
                        Target::Function(function) => self.decorated(frame, function),
                        target => self.target_value(target),
                    };
                    return self.call_value(frame, callee, arguments, span);
                }
            }
            Node::External(dotted) => {
                let whole = Symbol::new(&format!("{dotted}.{name}"));
                if self.program.catalog.entry(whole).is_some() {
                    return self.call_external(frame, whole, arguments, span);
                }
            }
            Node::Class(class) => {
                if let Some(method) = self.program.method(class, name) {
                    arguments.receiver = self.is_class_method(method).then_some(receiver);
                    return self.call_function(frame, method, arguments, span);
                }
            }
            // One or the other by a setting: what one of them issues stands for both.
            Node::If(..) if let Some(one) = self.either_object(receiver) => {
                arguments.receiver = Some(one);
            }
            // What is handed in, or else an object of the function's own, `writer = writer or Writer()`: that stands for both.
            Node::Or(given, default) if self.is_handed(given) && self.has_method_of_its_own(default, name) => {
                arguments.receiver = Some(default);
            }
            Node::If(test, one, other)
                if let Some(default) = self.default_beside_given(one, other, name)
                    && !self.picks_by_rank(test, one, other) =>
            {
                arguments.receiver = Some(default);
            }
            // What it answers may hang on much else; what it issues is issued by all that have it.
            Node::If(..) | Node::Carried(..) => {
                let there = self.where_there(receiver);
                if let Node::Instance(class, _) = *self.values.node(there)
                    && self.program.method(class, name).is_some_and(|method| self.reaches(method))
                {
                    arguments.receiver = Some(there);
                }
            }
            _ => {}
        }
        let receiver = arguments.receiver.unwrap_or(receiver);
        let known = self.class_of_value(frame, object, receiver);
        // What annotations say is asked where it may tell what is issued.
        let said = known.is_none() && (self.is_understood_by_some(frame.file, name) || self.taint.holds(name));
        let class = known.or_else(|| if said { self.class_said(frame, object, receiver, name) } else { None });
        if let Some(class) = class {
            if let Some(method) = self.program.method(class, name) {
                return self.dispatched(frame, class, method, arguments, span);
            }
            if let Some(value) = self.attribute(class, name) {
                let value = self.as_seen_by(receiver, value);
                let issues = self.may_be_wrapped(value) || self.meant_by_a_call(value).is_some();
                if issues || self.can_be_called(value) || self.is_handed_in(frame, value) {
                    arguments.receiver = None;
                    arguments.holder = path.and_then(|path| self.path_of(path, name));
                    return self.call_value(frame, value, arguments, span);
                }
            }
            if let Some(entry) = self.inherited_entry(class, name) {
                return self.catalogued_call(frame, &entry, name, arguments, span);
            }
        }
        // An object of a library that is there in some cases, or kept across turns, is that object where it is asked.
        let receiver = match *self.values.node(self.where_there(receiver)) {
            Node::Typed(_) | Node::Mesh(_) | Node::AxisGroup(_) => self.where_there(receiver),
            _ => receiver,
        };
        if let Some((test, [then, otherwise])) = self.typed_by_a_setting(receiver, name) {
            return self.of_either(frame, (object, name), test, [then, otherwise], &arguments, span);
        }
        self.shown_by(frame, name, &arguments);
        let of_library = if self.is_sharded_in_place(receiver) { self.sharded() } else { receiver };
        if let Some(value) = self.typed_method(frame, object, of_library, name, &arguments, span) {
            return value;
        }
        if let Some(value) = self.container_method(frame, object, receiver, name, &arguments, span) {
            return value;
        }
        if let Some(share) = self.taken_out(frame, name, receiver, &arguments, span) {
            return share;
        }
        if name.as_str() == BACKWARD && self.backward_pass(frame, receiver, span) {
            return self.none;
        }
        if let Some(value) = self.conventional_call(frame, name, span) {
            return value;
        }
        let is_one_of = self.may_be_one_of(receiver);
        if !is_one_of
            && !self.is_of_a_library(receiver)
            && let Some(method) = self.program.sole_method(frame.file, name)
            && self.reaches(method)
            && self.takes(frame, method, &arguments)
            && self.may_mean(frame.file, method)
            // Who hands a call on to what it holds calls that by its own name.
            && method != frame.function
        {
            return self.call_method(frame, method, arguments, span);
        }
        if is_one_of || self.is_handed(receiver) {
            self.call_one_of(frame, receiver, name, &arguments, span);
        }
        if name.as_str() == "from_pretrained" {
            return self.unknown(frame, span);
        }
        // Which fields a batch has is the same everywhere, and so is whether an optional one is there.
        if name.as_str() == "get" && self.is_whole_batch(receiver) {
            let kind = self.values.make(Node::Kind(receiver));
            arguments.receiver = Some(kind);
        }
        if tells_kind(name.as_str()) {
            return self.values.make(Node::Kind(receiver));
        }
        if tells_shape(name.as_str()) {
            return self.values.make(Node::Length(receiver));
        }
        // A model or a metric that is moved is the same object.
        if moves(name.as_str()) && self.is_object(self.where_there(receiver)) {
            return receiver;
        }
        // How many pieces there are is a matter of the number that is given, not of its shape.
        if matches!(name.as_str(), "chunk" | "split")
            && arguments.values().iter().any(|&given| !self.values.vary(given).is_empty())
        {
            let pieces = self.values.make(Node::Range(arguments.values().into()));
            return self.values.make(Node::Apply(name, Box::from([receiver, pieces])));
        }
        if name.as_str() == "tensor_split"
            && let Some(pieces) = self.pieces(receiver, arguments.values().first().copied())
        {
            return pieces;
        }
        if makes_tensor(name.as_str()) && !arguments.positional.is_empty() {
            let sizes = arguments.positional.iter().map(|given| given.0);
            let sizes: Vec<Value> = if name.as_str() == "new_full" { sizes.take(1).collect() } else { sizes.collect() };
            return self.values.make(Node::Range(sizes.into()));
        }
        if hands_on(name.as_str()) {
            return self.values.make(Node::Apply(name, Box::from([receiver])));
        }
        if self.values.facts(receiver).open
            && matches!(self.values.node(receiver), Node::Parameter(..))
            && arguments.values().is_empty()
        {
            return self.values.make(Node::Apply(name, Box::from([receiver])));
        }
        self.opaque_call(name, &arguments, span, frame)
    }

    /// What a class has under a name from a library that it is made of.
    pub(super) fn inherited_entry(&self, class: ClassId, name: Symbol) -> Option<Entry> {
        let bases = self.program.external_bases(class);
        bases.into_iter().find_map(|base| self.program.catalog.entry(Symbol::new(&format!("{base}.{name}")))).cloned()
    }

    /// Whether the constructor was handed it, so that who made the object knows what it is: a wrapped model, say.
    fn is_handed_in(&self, frame: &Frame<'p>, value: Value) -> bool {
        let Node::Parameter(constructor, position) = *self.values.node(value) else { return false };
        position > 0 && constructor != frame.function && self.reaches(frame.function)
    }

    /// Of two values, one of which is handed in, the object of the program that stands in where it is not and has the method.
    fn default_beside_given(&self, one: Value, other: Value, name: Symbol) -> Option<Value> {
        let mut pairs = [(one, other), (other, one)].into_iter();
        let pair = pairs.find(|&(given, default)| self.is_handed(given) && self.has_method_of_its_own(default, name));
        pair.map(|(_, default)| default)
    }

    pub(super) fn is_object(&self, value: Value) -> bool {
        matches!(self.values.node(value), Node::Instance(..) | Node::Typed(_) | Node::Mesh(_) | Node::AxisGroup(_))
    }

    /// Whether the value is an object of a class of the program that has the method, where it is there.
    pub(super) fn has_method_of_its_own(&self, value: Value, name: Symbol) -> bool {
        match *self.values.node(self.where_there(value)) {
            Node::Instance(class, _) => self.program.method(class, name).is_some(),
            _ => false,
        }
    }

    pub(super) fn call_method(
        &mut self,
        frame: &mut Frame<'p>,
        method: FunctionId,
        mut arguments: Arguments,
        span: Span,
    ) -> Value {
        let (file, local) = self.program.locate(method);
        if self.has_decorator(file, local, "staticmethod") {
            arguments.receiver = None;
        }
        match self.wrapper_guard(frame, method, span) {
            None => self.call_decorated(frame, method, arguments, span),
            Some(guard) => {
                let outer = std::mem::take(&mut frame.sequence);
                let value = self.call_decorated(frame, method, arguments, span);
                let effect = self.take_sequence(frame);
                frame.sequence = outer;
                self.choose(
                    frame,
                    guard,
                    span,
                    crate::flow::ChoiceForm::Wrapper,
                    effect,
                    crate::flow::Effects::NOTHING,
                );
                let none = self.none;
                self.values.make(Node::If(guard, value, none))
            }
        }
    }

    /// Calls a method, or what its decorators have put in its place: that is handed the object as any other argument.
    fn call_decorated(
        &mut self,
        frame: &mut Frame<'p>,
        method: FunctionId,
        mut arguments: Arguments,
        span: Span,
    ) -> Value {
        let wrapper = if self.reaches(method) { self.wrapped_by_the_program(method) } else { None };
        let Some(wrapper) = wrapper else { return self.call_function(frame, method, arguments, span) };
        let object = arguments.receiver.take();
        arguments.positional.splice(0..0, object.map(|object| (object, None)));
        self.call_value(frame, wrapper, arguments, span)
    }

    fn conventional_call(&mut self, frame: &mut Frame<'p>, name: Symbol, span: Span) -> Option<Value> {
        let convention = self.program.catalog.convention(name).filter(|convention| !convention.variables_only)?;
        let meaning = convention.value.clone();
        let value = self.meaning(&meaning, frame, span)?;
        let reason = format!("`{name}()` is this rank's own, by its name");
        self.born(value, frame, span, &reason, Confidence::Medium);
        Some(value)
    }

    /// Whether the value is an object that a library's class has made: its methods are the library's.
    fn is_of_a_library(&self, value: Value) -> bool {
        let is_class = |name: Symbol| {
            name.as_str().contains('.')
                && name.last_part().as_str().starts_with(|first: char| first.is_ascii_uppercase())
        };
        match self.values.node(value) {
            Node::Apply(class, _) => is_class(*class),
            // `(Fast if fast else Plain)(…)`
            Node::Invoked(callee, _) => match *self.values.node(*callee) {
                Node::If(_, one, other) => [one, other]
                    .iter()
                    .all(|&one| matches!(*self.values.node(one), Node::External(name) if is_class(name))),
                _ => false,
            },
            Node::If(_, one, other) => self.is_of_a_library(*one) && self.is_of_a_library(*other),
            // What the class does not define the library's class behind it does.
            Node::Instance(class, _) => !self.program.external_bases(*class).is_empty(),
            _ => false,
        }
    }
}
