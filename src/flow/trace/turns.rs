//! The loops of a trace: as many turns as are known, or one that stands for all.

use super::build::Run;
use super::ends::{Ends, each_part};
use super::*;

impl Run<'_, '_> {
    pub(super) fn repeat(
        &mut self,
        id: EffectId,
        kind: LoopKind,
        body: EffectId,
        orelse: EffectId,
        to: &Continuations,
    ) -> TraceId {
        let after = self.effect(orelse, to);
        let level = to.level + 1;
        let mute = !self.tracer.effects.summed(body).events;
        self.tracer.matters(kind_label(kind));
        match kind {
            LoopKind::For { iter, item } => {
                let whole = iter;
                let iter = self.evaluator.counted(iter);
                if let Concrete::Tuple(parts) = self.evaluator.value(whole)
                    && parts.len() <= MAX_UNROLLED
                    && (self.tracer.effects.summed(body).weight < 200 || parts.len() < 2)
                {
                    self.tracer.decided(id, Decided::Turns(label(&format!("{parts:?}"))));
                    let mut next = after;
                    for part in parts.into_iter().rev() {
                        self.evaluator.bind(item, part);
                        next = self.effect(body, &Continuations { next, brk: to.next, again: next, ..to.clone() });
                        self.evaluator.unbind();
                    }
                    return next;
                }
                match self.turns(id, iter) {
                    Some(true) => {
                        self.effect(body, &Continuations { next: after, brk: to.next, again: after, ..to.clone() })
                    }
                    Some(false) => after,
                    None => {
                        let inside = self.looping(to, level);
                        let turn = self.effect(body, &inside);
                        let counts = matches!(self.tracer.values.node(iter), Node::Range(_));
                        if counts && self.tries_again(body, turn, level) {
                            return ABORT;
                        }
                        let body = turn;
                        let label = match self.evaluator.value(iter) {
                            Concrete::Tuple(parts) | Concrete::Keys(parts) => label(&parts.len()),
                            _ => self.evaluator.length_of_range(iter).map_or(label(&iter), |turns| label(&turns)),
                        };
                        if self.received(iter) {
                            self.tracer.received.entry(label).or_default();
                        }
                        self.tracer.decided(id, Decided::Turns(label));
                        self.tracer.repeat(Turn { label, level, mute }, body, after, to.next)
                    }
                }
            }
            LoopKind::While { test } => match self.evaluator.truth(test) {
                Truth::Known(known) if self.tracer.values.node(test) != &Node::Bool(true) => {
                    self.tracer.decided(id, Decided::Truth(Truth::Known(known)));
                    match known {
                        true => {
                            self.effect(body, &Continuations { next: after, brk: to.next, again: after, ..to.clone() })
                        }
                        false => after,
                    }
                }
                truth => {
                    self.tracer.decided(id, Decided::Truth(truth));
                    let inside = self.looping(to, level);
                    let turn = self.effect(body, &inside);
                    if self.tries_again(body, turn, level) {
                        return ABORT;
                    }
                    let body = turn;
                    self.tracer.repeat(Turn { label: label(&truth), level, mute }, body, after, to.next)
                }
            },
        }
    }

    pub(super) fn looping(&mut self, to: &Continuations, level: u16) -> Continuations {
        let again = self.tracer.make(Shape::Again(level), [END; 3], None);
        let leave = self.tracer.make(Shape::Leave(level), [END; 3], None);
        Continuations { next: again, brk: leave, again, level, ..to.clone() }
    }

    /// Whether this class goes round having issued nothing in a loop that ranks leave once they have issued what they
    /// owe: it tries again, and in the end issues as much as the others.
    fn tries_again(&self, body: EffectId, turn: TraceId, level: u16) -> bool {
        if !matches!(self.tracer.shape(turn), Shape::Again(at) if *at == level) {
            return false;
        }
        let ends = Ends::of(self.tracer.effects, body);
        if !ends.has(true, Exit::Break) && !ends.has(true, Exit::Return) || ends.goes_round_with_events() {
            return false;
        }
        // Somebody who goes round for what it is, not for what happened to it, goes round for ever.
        let anybody = Assignment { atoms: std::collections::BTreeMap::new(), ..self.evaluator.class.clone() };
        let plain = Evaluator::new(self.tracer.values, self.tracer.world, &anybody);
        let mut pending = vec![body];
        let mut seen = FxHashSet::default();
        while let Some(effect) = pending.pop() {
            if !seen.insert(effect) {
                continue;
            }
            if let Effect::Choice { test, .. } = self.tracer.effects.get(effect)
                && matches!(self.evaluator.truth(*test), Truth::Known(_))
                && matches!(plain.truth(*test), Truth::Same(_))
            {
                return true;
            }
            each_part(self.tracer.effects.get(effect), |part| pending.push(part));
        }
        false
    }

    /// Whether this class finds something to iterate, when ranks may differ in that.
    fn turns(&mut self, id: EffectId, iter: Value) -> Option<bool> {
        let known = match self.evaluator.value(iter) {
            // So many keys are so many turns; what was sent is as long as the sender made it.
            Concrete::Keys(_) => return None,
            Concrete::Opaque(_) if self.received(iter) => return None,
            // So many that nobody writes them out.
            Concrete::Opaque(_) if self.evaluator.length_of_range(iter).is_some() => return None,
            Concrete::Tuple(parts) => {
                if !self.tracer.values.shape(iter).meets(self.tracer.world.axes) {
                    return None;
                }
                // More of them than ranks that share them: each number is one of its own.
                if parts.len() as i64 > self.tracer.world.extent {
                    return None;
                }
                // Ranks take different numbers of turns: the longer against the shorter.
                parts.len() as i64 > self.tracer.world.extent / 2
            }
            _ => *self.evaluator.class.atoms.get(&iter)?,
        };
        self.tracer.decided(id, Decided::Truth(Truth::Known(known)));
        Some(known)
    }
}

/// What decides how often a loop turns.
pub(super) fn kind_label(kind: LoopKind) -> Value {
    match kind {
        LoopKind::For { iter, .. } => iter,
        LoopKind::While { test } => test,
    }
}
