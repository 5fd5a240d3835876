//! Loops over lists of objects: how many turns count where some of the objects issue nothing.

use super::Engine;
use crate::base::Symbol;
use crate::flow::{Effect, EffectId, LoopKind, Node, Value};

/// Lists longer than this are not gone through.
const MAX_LISTED: usize = 16;

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
        let heard = match self.effects.summed(body).events {
            true => None,
            false => self.heard_alike(iter, &called),
        };
        let body = self.with_methods_of(item, body);
        (LoopKind::For { iter: heard.unwrap_or(iter), item }, body)
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

    /// Of one list or another: the objects that issue something in a method of these names, if they are of the same classes
    /// in both.
    fn heard_alike(&mut self, lists: Value, called: &[Symbol]) -> Option<Value> {
        let Node::If(_, one, other) = *self.values.node(lists) else { return None };
        let one = self.heard(one, called)?;
        let other = self.heard(other, called)?;
        let classes = |list: &[Value]| -> Vec<_> {
            list.iter()
                .map(
                    |&object| if let Node::Instance(class, _) = self.values.node(object) { Some(*class) } else { None },
                )
                .collect()
        };
        let alike = classes(&one) == classes(&other);
        alike.then(|| self.values.make(Node::Sequence(one.into())))
    }

    /// The objects of a list that issue something in a method of these names; none if something in it is not known.
    fn heard(&self, list: Value, called: &[Symbol]) -> Option<Vec<Value>> {
        let mut objects = Vec::new();
        self.listed(list, &mut objects)?;
        let issues = |object: &Value| match self.values.node(*object) {
            Node::Instance(class, _) => {
                called.iter().any(|&name| self.program.method(*class, name).is_some_and(|method| self.reaches(method)))
            }
            _ => false,
        };
        let known = objects.iter().all(|&object| matches!(self.values.node(object), Node::Instance(..)));
        known.then(|| objects.into_iter().filter(issues).collect())
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
