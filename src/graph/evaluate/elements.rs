//! Loops over lists of objects: how many turns count where some of the objects issue nothing.

use super::Engine;
use crate::base::{ClassId, Symbol};
use crate::flow::{Effect, EffectId, LoopKind, Node, Value};

/// Lists longer than this are not gone through.
const MAX_LISTED: usize = 16;

/// Steps down to what was put into a list.
const MAX_DEPTH: u32 = 24;

impl Engine<'_> {
    /// A loop over `iter`, in whose body methods of `item` are left to be looked up until here. Objects whose methods issue
    /// nothing take turns that nobody waits for: lists that have the others in common are of the same length.
    pub(super) fn loop_over(&mut self, (iter, item): (Value, Value), body: EffectId) -> (LoopKind, EffectId) {
        let mut called = Vec::new();
        if self.effects.summed(body).invokes {
            self.methods_of(item, body, &mut called);
        }
        if called.is_empty() {
            return (LoopKind::For { iter, item }, body);
        }
        let is_alike = !self.effects.summed(body).events && self.are_heard_alike(iter, &called, MAX_DEPTH);
        let body = self.with_methods_of(item, body);
        let iter = match is_alike && self.holds_objects(iter) {
            true => self.values.make(Node::Kind(iter)),
            false => iter,
        };
        (LoopKind::For { iter, item }, body)
    }

    /// The names of methods that an effect calls on the object.
    fn methods_of(&self, object: Value, effect: EffectId, out: &mut Vec<Symbol>) {
        if let Effect::Invoke { callee, .. } = *self.effects.get(effect)
            && let Node::Attribute(of, name) = *self.values.node(callee)
            && of == object
        {
            out.push(name);
        }
        for part in self.below(effect) {
            if self.effects.summed(part).invokes {
                self.methods_of(object, part, out);
            }
        }
    }

    /// The effect with what the methods of the object issue.
    fn with_methods_of(&mut self, object: Value, effect: EffectId) -> EffectId {
        if !self.effects.summed(effect).invokes {
            return effect;
        }
        if let Effect::Invoke { callee, args, site } = self.effects.get(effect).clone() {
            return match *self.values.node(callee) {
                Node::Attribute(of, name) if of == object => self.method_effect(object, name, &args, site),
                _ => effect,
            };
        }
        let parts: Vec<EffectId> =
            self.below(effect).into_iter().map(|part| self.with_methods_of(object, part)).collect();
        let whole = self.effects.get(effect).clone();
        self.with_parts(whole, &parts).unwrap_or(effect)
    }

    /// Whether lists hold the same of those objects that issue something in a method of these names, wherever ranks have put
    /// different ones into them.
    fn are_heard_alike(&self, list: Value, called: &[Symbol], fuel: u32) -> bool {
        let facts = self.values.facts(list);
        if facts.vary.is_empty() && facts.shape.is_empty() {
            return true;
        }
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        let alike = |part: &Value| self.are_heard_alike(*part, called, fuel);
        match self.values.node(list) {
            Node::Instance(..) => true,
            Node::If(test, one, other) if !self.values.vary(*test).is_empty() => {
                matches!((self.heard(*one, called), self.heard(*other, called)), (Some(one), Some(other)) if one == other)
            }
            Node::If(_, one, other) => alike(one) && alike(other),
            Node::Sequence(parts)
            | Node::Range(parts)
            | Node::Mapped(_, parts)
            | Node::Changed(_, parts)
            | Node::Carried(_, _, parts) => parts.iter().all(alike),
            Node::Length(of) | Node::Item(_, of) => alike(of),
            _ => false,
        }
    }

    /// The classes of objects in a list that issue something in a method of these names; none if something in it is not
    /// known.
    fn heard(&self, list: Value, called: &[Symbol]) -> Option<Vec<ClassId>> {
        let mut objects = Vec::new();
        self.listed(list, &mut objects)?;
        let class = |object: Value| match *self.values.node(object) {
            Node::Instance(class, _) => Some(class),
            _ => None,
        };
        let classes: Vec<ClassId> = objects.into_iter().map(class).collect::<Option<_>>()?;
        let issues = |class: ClassId| {
            let methods = called.iter().filter_map(|&name| self.program.method(class, name));
            methods.into_iter().any(|method| self.reaches(method))
        };
        Some(classes.into_iter().filter(|&class| issues(class)).collect())
    }

    /// What a list holds, in order: what it was made with, and what was added.
    fn listed(&self, list: Value, out: &mut Vec<Value>) -> Option<()> {
        match self.values.node(list) {
            Node::Sequence(parts) => out.extend(parts),
            // What was added stands behind what was there, and then under which conditions.
            Node::Changed(_, parts) => {
                self.listed(*parts.first()?, out)?;
                self.listed(*parts.get(1)?, out)?;
            }
            _ => return None,
        }
        (out.len() <= MAX_LISTED).then_some(())
    }
}
