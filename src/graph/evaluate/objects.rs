//! Methods of objects that are one of several, that a list holds, or that a caller hands in: what is issued is told as soon
//! as it is known which objects these are.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::arguments::Arguments;
use super::substitute::MAX_NESTING;
use super::{Engine, Frame};
use crate::base::{ClassId, FileId, FunctionId, Site, Span, Symbol};
use crate::catalog::{Entry, OperationKind, Type};
use crate::flow::{ChoiceForm, DISPATCH, Effect, EffectId, Effects, Node, Value};
use crate::model::{Expr, ExprId, Parameter, Sink};

/// An attribute that is asked for by a name which is handed in.
const LOOKED_UP: &str = "getattr";

/// Methods that any model or optimizer has: what they issue shows in the passes.
const OF_ANY_MODEL: [&str; 4] = ["backward", "step", "forward", "__call__"];

/// Objects of a list that are told apart, and parts of a value that are gone through for them.
const MAX_OBJECTS: usize = 16;
const MAX_PARTS: usize = 64;

impl<'p> Engine<'p> {
    /// Whether the value is one of several objects of the program, or an element of a list of them.
    pub(super) fn may_be_one_of(&self, object: Value) -> bool {
        match *self.values.node(object) {
            Node::If(test, then, otherwise) => self.picks_by_rank(test, then, otherwise),
            Node::Item(_, container) => !self.objects_in(container).is_empty(),
            _ => false,
        }
    }

    /// `getattr(object, name)` by a name that a caller hands in.
    pub(super) fn looked_up_by_name(&mut self, frame: &mut Frame<'p>, args: &[ExprId]) -> Option<Value> {
        let &[object, name] = args else { return None };
        if !matches!(frame.model.expr(name), Expr::Name(_)) || !self.reaches(frame.function) {
            return None;
        }
        let (object, name) = (self.expression(frame, object), self.expression(frame, name));
        self.is_handed(name).then(|| self.values.make(Node::Apply(Symbol::new(LOOKED_UP), Box::from([object, name]))))
    }

    /// Whether a text is the name of a method that may communicate: the callee may look it up.
    pub(super) fn names_a_method(&self, text: Value) -> bool {
        let Node::Str(name) = *self.values.node(text) else { return false };
        self.program.methods_named(name).iter().any(|&method| self.reaches(method))
    }

    /// Which attribute that is once the name is known.
    pub(super) fn named_attribute(&self, question: Symbol, parts: &[Value]) -> Option<(Value, Symbol)> {
        match *parts {
            [object, name] if question.as_str() == LOOKED_UP => match *self.values.node(name) {
                Node::Str(name) => Some((object, name)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Issues what a call of a method issues whose object is one of several, or one that only a caller knows.
    pub(super) fn call_one_of(
        &mut self,
        frame: &mut Frame<'p>,
        object: Value,
        name: Symbol,
        arguments: &Arguments,
        span: Span,
    ) {
        let is_understood = self.is_understood_by_some(frame.file, name);
        let may_be_known = |engine: &mut Self| {
            engine.callable_attributes().contains(&name) || engine.operations_of_objects().contains(&name)
        };
        if is_understood || self.is_handed(object) && may_be_known(self) {
            let args = self.packed_by_name(arguments);
            let effect = self.method_effect(object, name, &args, frame.site(span));
            self.emit(frame, effect);
        }
    }

    /// Names of attributes that hold an object of the catalogue whose call communicates: a wrapped model.
    fn callable_attributes(&mut self) -> Rc<FxHashSet<Symbol>> {
        if let Some(known) = &self.memo.callable_attributes {
            return known.clone();
        }
        let constructors = self.program.catalog.wrappers();
        let mut found = FxHashSet::default();
        for file in self.program.file_ids() {
            let model = &self.program.file(file).model;
            let imported = model.imports.iter().flat_map(|(_, import)| &import.names);
            let renamed: Vec<Symbol> =
                imported.filter(|alias| constructors.contains(&alias.name)).filter_map(|alias| alias.alias).collect();
            let constructs = |name: &Symbol| constructors.contains(name) || renamed.contains(name);
            for function in &model.functions {
                for flow in &function.flows {
                    let Sink::Attribute(name) = flow.to else { continue };
                    let mentions = &function.mentions[flow.start as usize..flow.end as usize];
                    if mentions.iter().any(constructs) {
                        found.insert(name);
                    }
                }
            }
        }
        let found = Rc::new(found);
        self.memo.callable_attributes = Some(found.clone());
        found
    }

    /// Names of methods that communicate, of types of the catalogue that the program makes objects of: `save_checkpoint` of
    /// an engine that is handed over as `model`.
    fn operations_of_objects(&mut self) -> Rc<FxHashSet<Symbol>> {
        if let Some(known) = &self.memo.operations_of_objects {
            return known.clone();
        }
        let catalog = &self.program.catalog;
        let is_made = |kind: &Type| {
            let makers = kind.aliases.iter().chain(&kind.first_of).chain([&kind.name]);
            let makers: Vec<Symbol> = makers.map(|name| name.last_part()).collect();
            self.program.file_ids().any(|file| self.program.file(file).model.names().may_hold_any(&makers))
        };
        let made: FxHashSet<Symbol> = catalog.types().filter(|kind| is_made(kind)).map(|kind| kind.name).collect();
        let of_objects = catalog.entries().filter_map(|(name, entry)| {
            let kind = Symbol::new(name.as_str().rsplit_once('.')?.0);
            let communicates = matches!(entry, Entry::Operation(found) if found.kind == OperationKind::Collective);
            (communicates && made.contains(&kind)).then(|| name.last_part())
        });
        let found = of_objects.filter(|name| !OF_ANY_MODEL.contains(&name.as_str())).collect();
        let found = Rc::new(found);
        self.memo.operations_of_objects = Some(Rc::clone(&found));
        found
    }

    /// What the method of an object of a library issues.
    pub(super) fn issued_by_library(
        &mut self,
        kind: Symbol,
        object: Value,
        name: Symbol,
        args: &[Value],
        site: Site,
    ) -> EffectId {
        if !self.program.catalog.is_operation_of(kind, name.as_str()) {
            return Effects::NOTHING;
        }
        let dotted = Symbol::new(&format!("{kind}.{name}"));
        let mut arguments = self.unpacked(args);
        arguments.receiver = Some(object);
        self.issued_at(site, |engine, frame| engine.call_external(frame, dotted, arguments, site.span))
    }

    /// Whether a class in the same tree has a method of that name that may communicate.
    pub(super) fn is_understood_by_some(&self, file: FileId, name: Symbol) -> bool {
        self.program
            .methods_named(name)
            .iter()
            .any(|&method| self.reaches(method) && self.program.same_tree(self.program.locate(method).0, file))
    }

    /// Whether it may be another object on another rank: not one of the same class.
    pub(super) fn picks_by_rank(&self, test: Value, one: Value, other: Value) -> bool {
        let facts = self.values.facts(test);
        let kinds = match (self.values.node(one), self.values.node(other)) {
            (Node::Instance(one, _), Node::Instance(other, _)) => one != other,
            _ => self.may_be_object(one) || self.may_be_object(other),
        };
        kinds && !facts.vary.is_empty()
    }

    fn may_be_object(&self, value: Value) -> bool {
        match *self.values.node(value) {
            Node::Instance(..) => true,
            Node::If(_, then, otherwise) => self.may_be_object(then) || self.may_be_object(otherwise),
            _ => false,
        }
    }

    /// What a method issues by what its object is; what only a caller knows is left to be asked again.
    pub(super) fn method_effect(&mut self, object: Value, name: Symbol, args: &[Value], site: Site) -> EffectId {
        match *self.values.node(object) {
            Node::Instance(class, _) => self.issued_by(class, object, name, args, site),
            Node::Typed(kind) => self.issued_by_library(kind, object, name, args, site),
            Node::If(test, then, otherwise) => {
                let then = self.method_effect(then, name, args, site);
                let otherwise = self.method_effect(otherwise, name, args, site);
                self.either(test, then, otherwise, site)
            }
            // The loop over them asks once it is known as a whole.
            Node::Item(..) if self.elements.contains(&object) => self.asked_of(object, name, args, site),
            Node::Item(at, container) => match *self.values.node(container) {
                // Other objects, as many of them; where there are more on one rank than on another its loop takes more turns.
                Node::If(test, then, otherwise) if self.are_as_long(then, otherwise) => {
                    let then = self.values.make(Node::Item(at, then));
                    let otherwise = self.values.make(Node::Item(at, otherwise));
                    let then = self.method_effect(then, name, args, site);
                    let otherwise = self.method_effect(otherwise, name, args, site);
                    self.either(test, then, otherwise, site)
                }
                _ => self.issued_by_elements(at, container, name, args, site),
            },
            _ if self.is_handed(object) => self.asked_of(object, name, args, site),
            _ => Effects::NOTHING,
        }
    }

    /// Whether only a caller knows the object: it is handed in.
    pub(super) fn is_handed(&self, object: Value) -> bool {
        match *self.values.node(object) {
            Node::Parameter(..) | Node::Capture(..) => true,
            // An element of what is handed in, or of what that keeps.
            Node::Item(_, mut container) => {
                while let Node::Attribute(of, _) = *self.values.node(container) {
                    container = of;
                }
                matches!(self.values.node(container), Node::Parameter(..) | Node::Capture(..))
            }
            _ => false,
        }
    }

    fn asked_of(&mut self, object: Value, name: Symbol, args: &[Value], site: Site) -> EffectId {
        let callee = self.values.make(Node::Attribute(object, name));
        self.effects.make(Effect::Invoke { callee, args: args.into(), site }, &self.values)
    }

    fn are_as_long(&self, one: Value, other: Value) -> bool {
        match (self.values.node(one), self.values.node(other)) {
            (Node::Sequence(one), Node::Sequence(other)) => one.len() == other.len(),
            _ => false,
        }
    }

    /// What calling an object itself issues: a wrapped model, or one of the program's that can be called.
    pub(super) fn object_called(&mut self, object: Value, args: &[Value], site: Site) -> EffectId {
        let arguments = self.unpacked(args);
        self.issued_at(site, |engine, frame| engine.call_value(frame, object, arguments, site.span))
    }

    /// What a call issues that stands at a place of which nothing else is known any more.
    fn issued_at(&mut self, site: Site, call: impl FnOnce(&mut Self, &mut Frame<'p>) -> Value) -> EffectId {
        if self.nesting >= MAX_NESTING {
            return Effects::NOTHING;
        }
        let mut frame = self.module_frame(site.file);
        self.nesting += 1;
        call(self, &mut frame);
        self.nesting -= 1;
        self.take_sequence(&mut frame)
    }

    pub(super) fn either(&mut self, test: Value, then: EffectId, otherwise: EffectId, site: Site) -> EffectId {
        match then == otherwise {
            true => then,
            false => {
                let form = ChoiceForm::Expression;
                self.effects.make(Effect::Choice { test, site, form, then, otherwise }, &self.values)
            }
        }
    }

    /// What the method of an object of known class issues.
    fn issued_by(&mut self, class: ClassId, object: Value, name: Symbol, args: &[Value], site: Site) -> EffectId {
        let Some(method) = self.program.method(class, name) else {
            let kept = self.attribute(class, name).map(|kept| self.as_seen_by(object, kept));
            let kept = kept.filter(|&kept| matches!(self.values.node(kept), Node::Typed(_) | Node::Instance(..)));
            return kept.map_or(Effects::NOTHING, |kept| self.object_called(kept, args, site));
        };
        if !self.reaches(method) {
            return Effects::NOTHING;
        }
        let mut arguments = self.unpacked(args);
        arguments.receiver = Some(object);
        self.issued_at(site, |engine, frame| engine.call_method(frame, method, arguments, site.span))
    }

    /// What the method issues of each kind of object that a list holds. Which one it is in a turn is the same for all ranks.
    fn issued_by_elements(&mut self, at: Site, container: Value, name: Symbol, args: &[Value], site: Site) -> EffectId {
        let objects = self.objects_in(container);
        if objects.is_empty() {
            let item = self.values.make(Node::Item(at, container));
            return match self.is_handed(item) {
                true => self.asked_of(item, name, args, site),
                false => Effects::NOTHING,
            };
        }
        let unknown = self.values.make(Node::Unknown(at));
        let kind = self.values.make(Node::Kind(unknown));
        let mut whole = Effects::NOTHING;
        for (class, object) in objects.into_iter().rev() {
            let effect = self.issued_by(class, object, name, args, site);
            let class = self.values.make(Node::Class(class));
            let test = self.values.make(Node::Apply(Symbol::new(DISPATCH), Box::from([kind, class])));
            whole = self.either(test, effect, whole, site);
        }
        whole
    }

    /// Whether an object was made with other objects of the program on other ranks, or with more of them.
    fn holds_other_objects(&self, object: Value) -> bool {
        let Node::Instance(_, given) = self.values.node(object) else { return false };
        given.iter().any(|&part| {
            // An engine or a wrapped model that its constructor was given.
            if matches!(self.values.node(part), Node::Typed(_)) {
                return true;
            }
            let facts = self.values.facts(part);
            let differs = !facts.vary.is_empty() || !facts.shape.is_empty();
            differs && (self.may_be_object(part) || !self.objects_in(part).is_empty())
        })
    }

    /// Whether what a function is handed says which methods run in it.
    pub(super) fn is_handed_objects(&self, function: FunctionId, given: &[Value]) -> bool {
        self.is_handed_a_library_object(function, given) || given.iter().any(|&given| self.holds_other_objects(given))
    }

    /// Whether a function is handed an object of a library whose methods communicate, and does not know it by its name.
    fn is_handed_a_library_object(&self, function: FunctionId, bound: &[Value]) -> bool {
        let parameters = &self.program.function(function).parameters;
        let is_unknown = |(parameter, &given): (&Parameter, &Value)| match *self.values.node(given) {
            Node::Typed(kind) => {
                parameter.annotation.is_none() && self.program.catalog.type_of_variable(parameter.name) != Some(kind)
            }
            _ => self.meant_by_a_call(given).is_some_and(|meant| self.is_sharded_in_place(meant)),
        };
        parameters.iter().zip(bound).any(is_unknown)
    }

    /// Whether a list holds objects of the program.
    pub(in crate::graph) fn holds_objects(&self, list: Value) -> bool {
        !self.objects_in(list).is_empty()
    }

    /// The objects of the program that a list may hold, one of each class.
    fn objects_in(&self, container: Value) -> Vec<(ClassId, Value)> {
        let mut out: Vec<(ClassId, Value)> = Vec::new();
        let mut pending = vec![(container, false)];
        for _ in 0..MAX_PARTS {
            let Some((value, is_element)) = pending.pop() else { break };
            match self.values.node(value) {
                Node::Instance(class, _)
                    if is_element && out.len() < MAX_OBJECTS && out.iter().all(|(known, _)| known != class) =>
                {
                    out.push((*class, value));
                }
                Node::Item(_, container) if is_element => pending.push((*container, false)),
                Node::If(_, then, otherwise) => pending.extend([(*otherwise, is_element), (*then, is_element)]),
                Node::Sequence(parts) => pending.extend(parts.iter().rev().map(|&part| (part, true))),
                Node::Changed(_, parts) => {
                    pending.extend(parts.iter().skip(1).rev().map(|&part| (part, true)));
                    pending.extend(parts.first().map(|&whole| (whole, false)));
                }
                Node::Carried(_, _, parts) | Node::Mapped(_, parts) => {
                    pending.extend(parts.iter().rev().map(|&part| (part, is_element)));
                }
                _ => {}
            }
        }
        out
    }
}
