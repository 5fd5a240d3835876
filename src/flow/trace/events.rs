//! Events in front of what follows: on the group that they are issued on, with what peers can see of them.

use super::build::Run;
use super::*;

impl Run<'_, '_> {
    pub(super) fn event(&mut self, id: EventId, next: TraceId) -> TraceId {
        let event = self.tracer.effects.event(id);
        if self.tracer.healed.get(event.site, &self.calls).is_some() {
            return next;
        }
        self.event_on(id, event.group, next)
    }

    fn is_none(&self, value: Value) -> bool {
        *self.tracer.values.node(value) == Node::None
    }

    /// Whether nobody has set it: who comes to use it finds it set.
    fn is_unset(&self, group: Value) -> bool {
        self.tracer.values.is_unset(group)
    }

    fn is_looked_up(&self, group: Value) -> bool {
        matches!(self.tracer.values.node(group), Node::Index(..))
    }

    /// An event on one group or another, whichever a condition that ranks share chooses.
    fn event_on(&mut self, id: EventId, group: Value, next: TraceId) -> TraceId {
        if let Node::If(test, then, otherwise) = *self.tracer.values.node(group) {
            match self.evaluator.truth(test) {
                Truth::Known(true) => return self.event_on(id, then, next),
                Truth::Known(false) => return self.event_on(id, otherwise, next),
                // Who looks a group up finds it, or has not made it yet.
                Truth::Same(_) if self.is_unset(then) || self.is_none(then) && self.is_looked_up(otherwise) => {
                    return self.event_on(id, otherwise, next);
                }
                Truth::Same(_) if self.is_unset(otherwise) || self.is_none(otherwise) && self.is_looked_up(then) => {
                    return self.event_on(id, then, next);
                }
                Truth::Same(_) if self.evaluator.group(group) == GroupKey::Other(group) => {
                    let then = self.event_on(id, then, next);
                    let otherwise = self.event_on(id, otherwise, next);
                    self.choice = None;
                    return self.asked(test, then, otherwise);
                }
                Truth::Same(_) => {}
            }
        }
        let event = self.tracer.effects.event(id);
        let group = self.evaluator.group(group);
        if group != self.tracer.group {
            return next;
        }
        let root = self.evaluator.root_wire(event.root, &group);
        let members = self.evaluator.members_wire(event.members);
        let operator = event.operator;
        self.issued(id, (root, members), operator, next)
    }

    /// An event with one reduce operator or another, whichever a condition that ranks share chooses.
    fn issued(&mut self, id: EventId, parts: (u64, u64), operator: Option<Value>, next: TraceId) -> TraceId {
        if let Some(value) = operator
            && let Node::If(test, then, otherwise) = *self.tracer.values.node(value)
        {
            match self.evaluator.truth(test) {
                Truth::Known(true) => return self.issued(id, parts, Some(then), next),
                Truth::Known(false) => return self.issued(id, parts, Some(otherwise), next),
                Truth::Same(_) => {
                    let then = self.issued(id, parts, Some(then), next);
                    let otherwise = self.issued(id, parts, Some(otherwise), next);
                    self.choice = None;
                    return self.asked(test, then, otherwise);
                }
            }
        }
        let op = self.tracer.effects.event(id).op;
        let key = label(&(op, parts.0, self.evaluator.wire(operator), parts.1));
        self.tracer.event(key, id, next)
    }
}
