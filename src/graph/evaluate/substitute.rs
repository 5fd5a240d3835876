//! A summary in the terms of its caller: parameters and captured variables replaced by what they are there.

use rustc_hash::FxHashMap;

use crate::base::{FunctionId, Symbol};
use crate::flow::{Effect, EffectId, Event, HandlerEffect, LoopKind, Node, Standing, Value};

use super::Engine;
use super::constructed::Given;
use super::handed_attributes::HandedAttribute;

/// How deep functions are called that are only known where they are handed over: one may be handed to itself.
pub(super) const MAX_NESTING: u32 = 8;

/// Calls that are looked into on behalf of one that is made on another object by some ranks.
const MAX_LOOKS: u32 = 20;

/// Nodes that the substitutions of one function rebuild; what is left keeps its parameters, of which nothing is known.
pub(super) const MAX_STEPS: u32 = 12_000;

/// Questions one within the other that are answered even when no steps are left.
const MAX_ASKED: u32 = 6;

/// What parameters and captured variables stand for.
#[derive(Default)]
pub(super) struct Substitution {
    parameters: FxHashMap<(FunctionId, u16), Value>,
    captures: FxHashMap<(FunctionId, Symbol), Value>,
    /// What the caller has put into attributes of what it hands over.
    attributes: FxHashMap<(FunctionId, u16, Symbol), Value>,
    values: FxHashMap<Value, Value>,
    effects: FxHashMap<EffectId, EffectId>,
    /// Whether any of that may shape a buffer, once somebody has asked.
    shapes: Option<bool>,
    depth: u32,
    /// How deep a question is looked into for which no steps are left.
    asked: u32,
}

impl Substitution {
    pub(super) fn parameters(&mut self, function: FunctionId, values: &[Value]) {
        for (position, &value) in values.iter().enumerate() {
            self.parameters.insert((function, position as u16), value);
        }
    }

    pub(super) fn attributes(&mut self, function: FunctionId, handed: &[HandedAttribute]) {
        self.attributes.extend(handed.iter().map(|&(position, name, value)| ((function, position, name), value)));
    }

    /// Parameters of constructors.
    pub(super) fn given(&mut self, given: Given) {
        self.parameters.extend(given);
    }

    pub(super) fn capture(&mut self, owner: FunctionId, name: Symbol, value: Value) {
        self.captures.insert((owner, name), value);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parameters.is_empty() && self.captures.is_empty()
    }
}

impl<'p> Engine<'p> {
    /// An attribute as a particular object has it: parameters of the constructor are its arguments.
    pub(super) fn as_seen_by(&mut self, object: Value, value: Value) -> Value {
        let facts = self.values.facts(value);
        if !facts.open && facts.vary.is_empty() || !matches!(self.values.node(object), Node::Instance(..)) {
            return value;
        }
        if !facts.open {
            let given = self.constructed(object);
            return self.regrouped(value, given);
        }
        let mut substitution = Substitution::default();
        substitution.given(self.constructed(object));
        self.replaced(value, &mut substitution)
    }

    /// The value with parameters and captures replaced.
    pub(super) fn replaced(&mut self, value: Value, by: &mut Substitution) -> Value {
        if !self.values.facts(value).open {
            return value;
        }
        if by.depth > 200 || self.budget == 0 {
            // A flag that was handed over is looked up all the same: that makes nothing new.
            let known = match *self.values.node(value) {
                Node::Parameter(function, position) => by.parameters.get(&(function, position)),
                Node::Capture(owner, name) => by.captures.get(&(owner, name)),
                _ => None,
            };
            let is_flag = |known: Value| {
                matches!(self.values.node(known), Node::None | Node::Bool(_) | Node::Int(_) | Node::Str(_))
            };
            if let Some(known) = known.copied().filter(|&known| is_flag(known)) {
                return known;
            }
            // So are questions about flags: what nobody handed over is not up to the caller.
            let asks =
                matches!(self.values.node(value), Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Compare(..));
            if !asks || by.asked >= MAX_ASKED {
                return value;
            }
            if let Some(&known) = by.values.get(&value) {
                return known;
            }
            by.asked += 1;
            let made = self.rebuilt(value, by);
            by.asked -= 1;
            by.values.insert(value, made);
            return made;
        }
        if let Some(&known) = by.values.get(&value) {
            return known;
        }
        by.depth += 1;
        self.budget -= 1;
        let made = self.rebuilt(value, by);
        by.depth -= 1;
        by.values.insert(value, made);
        made
    }

    fn all(&mut self, mut parts: Box<[Value]>, by: &mut Substitution) -> Box<[Value]> {
        for part in &mut parts {
            *part = self.replaced(*part, by);
        }
        parts
    }

    fn rebuilt(&mut self, value: Value, by: &mut Substitution) -> Value {
        let node = self.values.node(value).clone();
        let node = match node {
            Node::Parameter(function, position) => {
                return by.parameters.get(&(function, position)).copied().unwrap_or(value);
            }
            Node::Capture(owner, name) => {
                let found = by.captures.get(&(owner, name)).copied();
                return found.unwrap_or(value);
            }
            Node::Not(inner) => Node::Not(self.replaced(inner, by)),
            Node::And(left, right) => Node::And(self.replaced(left, by), self.replaced(right, by)),
            Node::Or(left, right) => Node::Or(self.replaced(left, by), self.replaced(right, by)),
            Node::Compare(op, left, right) => Node::Compare(op, self.replaced(left, by), self.replaced(right, by)),
            Node::Binary(op, left, right) => Node::Binary(op, self.replaced(left, by), self.replaced(right, by)),
            Node::If(test, then, otherwise) => {
                let test = self.replaced(test, by);
                let node = Node::If(test, self.replaced(then, by), self.replaced(otherwise, by));
                let made = self.values.make(node);
                if !self.values.vary(test).is_empty() {
                    self.births.remade(made, value);
                }
                return made;
            }
            Node::Sequence(parts) => Node::Sequence(self.all(parts, by)),
            Node::Mapping(parts) => Node::Mapping(
                parts.iter().map(|&(key, value)| (self.replaced(key, by), self.replaced(value, by))).collect(),
            ),
            Node::Index(value, index) => Node::Index(self.replaced(value, by), self.replaced(index, by)),
            Node::Attribute(object, name) => {
                if let Node::Parameter(function, position) = *self.values.node(object)
                    && let Some(&set) = by.attributes.get(&(function, position, name))
                {
                    return set;
                }
                let object = self.replaced(object, by);
                match self.known_attribute(object, name) {
                    Some(found) => return found,
                    None => Node::Attribute(object, name),
                }
            }
            Node::Keyword(mapping, name) => Node::Keyword(self.replaced(mapping, by), name),
            Node::Apply(name, parts) => {
                let parts = self.all(parts, by);
                if let Some(runs) = self.runs_method_below(name, &parts) {
                    return self.values.make(Node::Bool(runs));
                }
                if let Some(read) = self.read_by_caller(name, &parts) {
                    return read;
                }
                if let Some((object, name)) = self.named_attribute(name, &parts) {
                    let found = self.known_attribute(object, name);
                    return found.unwrap_or_else(|| self.values.make(Node::Attribute(object, name)));
                }
                match self.with_dealt(name, &parts) {
                    Some(dealt) => Node::Apply(name, parts.iter().copied().chain([dealt]).collect()),
                    None => Node::Apply(name, parts),
                }
            }
            Node::Length(inner) => {
                let inner = self.replaced(inner, by);
                Node::Length(self.gone_through(inner))
            }
            Node::Kind(inner) => Node::Kind(self.replaced(inner, by)),
            Node::Range(parts) => Node::Range(self.all(parts, by)),
            Node::Mapped(name, parts) => Node::Mapped(name, self.all(parts, by)),
            Node::Loader(value, batch) => Node::Loader(self.replaced(value, by), batch),
            Node::Changed(site, parts) => Node::Changed(site, self.all(parts, by)),
            Node::Item(site, inner) => Node::Item(site, self.replaced(inner, by)),
            Node::Carried(site, name, parts) => Node::Carried(site, name, self.all(parts, by)),
            Node::Function(function, bound) => Node::Function(function, bound.map(|bound| self.replaced(bound, by))),
            Node::Closure(function, captured) => Node::Closure(
                function,
                captured.iter().map(|&(owner, name, value)| (owner, name, self.replaced(value, by))).collect(),
            ),
            Node::Partial(callee, args, keywords) => Node::Partial(
                self.replaced(callee, by),
                self.all(args, by),
                keywords.iter().map(|&(name, value)| (name, self.replaced(value, by))).collect(),
            ),
            Node::Invoked(callee, args) => {
                let callee = self.replaced(callee, by);
                let args = self.all(args, by);
                if let Some(result) = self.invoked_result(callee, &args) {
                    return result;
                }
                let result = self.made_from(value, Node::Invoked(callee, args));
                return self.forward_result(callee, result);
            }
            Node::Instance(class, args) => Node::Instance(class, self.all(args, by)),
            Node::Generator(function, args) => Node::Generator(function, self.all(args, by)),
            Node::MadeGroup(site, ranks) => Node::MadeGroup(site, self.replaced(ranks, by)),
            Node::Agreed(site, inner, group) => Node::Agreed(site, self.replaced(inner, by), self.replaced(group, by)),
            Node::Spread(site, inner, group) => {
                let node = Node::Spread(site, self.replaced(inner, by), self.replaced(group, by));
                let made = self.values.make(node);
                if self.births.is_pass(site) {
                    self.births.remade(made, value);
                }
                return made;
            }
            Node::Forward(inner) => Node::Forward(self.replaced(inner, by)),
            Node::None
            | Node::Bool(_)
            | Node::Int(_)
            | Node::Str(_)
            | Node::Rank(_)
            | Node::Size(_)
            | Node::Class(_)
            | Node::External(_)
            | Node::Typed(_)
            | Node::Module(_)
            | Node::World
            | Node::AxisGroup(_)
            | Node::Mesh(_)
            | Node::NonMember
            | Node::Local(..)
            | Node::Environment(_)
            | Node::Unknown(_) => return value,
        };
        self.made_from(value, node)
    }

    /// What an object that is known by now has under a name.
    fn known_attribute(&mut self, object: Value, name: Symbol) -> Option<Value> {
        if let Some(found) = self.field(object, name).or_else(|| self.entry_named(object, name)) {
            return Some(found);
        }
        let Node::Instance(class, _) = *self.values.node(object) else {
            return self.attribute_of_function(object, name);
        };
        let found = self.attribute(class, name)?;
        // What a method leaves in one attribute may be made of another one of the same object, and that of the first.
        if self.led >= MAX_NESTING {
            return Some(found);
        }
        self.led += 1;
        let seen = self.as_seen_by(object, found);
        self.led -= 1;
        Some(seen)
    }

    /// The value made of `node`, which came of `value`: mostly it has none of the parameters in it and is what it was.
    fn made_from(&mut self, value: Value, node: Node) -> Value {
        match node == *self.values.node(value) {
            true => value,
            false => self.values.make(node),
        }
    }

    /// Whether something that is handed over may give a buffer another shape on another rank, or is handed on.
    fn may_shape(&self, by: &mut Substitution) -> bool {
        if let Some(known) = by.shapes {
            return known;
        }
        let mut given = by.parameters.values().chain(by.captures.values());
        let shapes = given.any(|&value| {
            let facts = self.values.facts(value);
            facts.open || !facts.vary.is_empty()
        });
        by.shapes = Some(shapes);
        shapes
    }

    /// The effect with parameters and captures replaced.
    pub(super) fn replaced_effect(&mut self, effect: EffectId, by: &mut Substitution) -> EffectId {
        let summed = self.effects.summed(effect);
        if !(summed.open || summed.shaped && self.may_shape(by)) {
            return effect;
        }
        if let Some(&known) = by.effects.get(&effect) {
            return known;
        }
        let made = match self.effects.get(effect).clone() {
            Effect::Seq(parts) => {
                let parts: Vec<EffectId> = parts.iter().map(|&part| self.replaced_effect(part, by)).collect();
                self.effects.seq(&parts, &self.values)
            }
            Effect::Event(event) => {
                let event = self.effects.event(event).clone();
                let event = Event {
                    group: self.replaced(event.group, by),
                    root: event.root.map(|root| self.replaced(root, by)),
                    operator: event.operator.map(|operator| self.replaced(operator, by)),
                    members: event.members.map(|members| self.replaced(members, by)),
                    shaped: event.shaped.map(|shaped| self.replaced(shaped, by)),
                    place: event.place.map(|place| self.replaced(place, by)),
                    ..event
                };
                self.effects.issue(event, &self.values)
            }
            Effect::Choice { test, site, form, then, otherwise } => {
                let test = self.replaced(test, by);
                let then = self.replaced_effect(then, by);
                let otherwise = self.replaced_effect(otherwise, by);
                match self.values.node(test) {
                    Node::Bool(true) => then,
                    Node::Bool(false) | Node::None => otherwise,
                    _ => self.effects.make(Effect::Choice { test, site, form, then, otherwise }, &self.values),
                }
            }
            Effect::Loop { kind, site, body, orelse } => {
                let (kind, body) = match kind {
                    LoopKind::For { iter, item } => {
                        let (iter, item) = (self.replaced(iter, by), self.replaced(item, by));
                        let iter = self.gone_through(iter);
                        self.elements.push(item);
                        let body = self.replaced_effect(body, by);
                        self.elements.pop();
                        self.loop_over((iter, item), body)
                    }
                    LoopKind::While { test } => {
                        (LoopKind::While { test: self.replaced(test, by) }, self.replaced_effect(body, by))
                    }
                };
                let orelse = self.replaced_effect(orelse, by);
                self.effects.make(Effect::Loop { kind, site, body, orelse }, &self.values)
            }
            Effect::Try { body, handlers, orelse, finally } => {
                let body = self.replaced_effect(body, by);
                let handlers = handlers
                    .iter()
                    .map(|handler| HandlerEffect {
                        catches: handler.catches.clone(),
                        body: self.replaced_effect(handler.body, by),
                    })
                    .collect();
                let orelse = self.replaced_effect(orelse, by);
                let finally = self.replaced_effect(finally, by);
                self.effects.make(Effect::Try { body, handlers, orelse, finally }, &self.values)
            }
            Effect::Scope { manager, body } => {
                let manager = self.replaced_effect(manager, by);
                let body = self.replaced_effect(body, by);
                self.effects.make(Effect::Scope { manager, body }, &self.values)
            }
            Effect::Call { function, site, body } => {
                let body = self.replaced_effect(body, by);
                self.effects.make(Effect::Call { function, site, body }, &self.values)
            }
            Effect::Invoke { callee: asked, args, site } => {
                let callee = self.replaced(asked, by);
                let args = self.all(args, by);
                // What the caller hands over, or an object of the caller's keeps in an attribute: a wrapped model, say.
                let handed = matches!(
                    self.values.node(asked),
                    Node::Attribute(..) | Node::Apply(..) | Node::Parameter(..) | Node::Capture(..)
                );
                match handed && self.is_called_as_an_object(callee) {
                    true => self.object_called(callee, &args, site),
                    false => self.invoke_effect(callee, args, site),
                }
            }
            Effect::Pending { function, site, args } => {
                let args = self.all(args, by);
                match self.is_handed_objects(function, &args) {
                    true => self.looked_into(function, site, &args, Standing::Parted, &mut { MAX_LOOKS }),
                    false => self.effects.make(Effect::Pending { function, site, args }, &self.values),
                }
            }
            Effect::Nothing | Effect::Exit(..) | Effect::Hole => effect,
        };
        by.effects.insert(effect, made);
        made
    }
}
