//! Peers that issue the same elsewhere, as often as nobody knows.

use crate::flow::{Effect, EffectId, EventId, LoopKind, Node};

use super::blame::preorder;
use super::confidence::Evidence;
use super::evaluate::Engine;
use super::witness::SplitKind;

impl Evidence<'_, '_> {
    /// Whether both arms go through something of their own and issue the operation for each of it, where what one goes
    /// through and what the other does is mostly the same thing twice: the entries of a state dict, beside those of the
    /// dict that they replace. Ranges say how long they are.
    pub(super) fn is_matched_in_the_other_arm(&self) -> bool {
        let Some(cause) = self.cause.filter(|_| self.kind == SplitKind::Conditional) else { return false };
        let Effect::Choice { then, otherwise, .. } = *self.engine.effects.get(cause.effect) else { return false };
        let counted = |arm: EffectId| turns_issuing(self.engine, arm, self.main);
        match (counted(then), counted(otherwise)) {
            (Some(one), Some(other)) => !one || !other,
            _ => false,
        }
    }
}

/// Whether the arm issues an operation of that kind on the same group for each of what all ranks have as much of, and
/// whether that is a range.
fn turns_issuing(engine: &Engine<'_>, arm: EffectId, event: EventId) -> Option<bool> {
    let meant = engine.effects.event(event);
    let issues = |body: EffectId| {
        preorder(engine, body).into_iter().any(|effect| match engine.effects.get(effect) {
            Effect::Event(found) => {
                let found = engine.effects.event(*found);
                found.op == meant.op && found.group == meant.group
            }
            _ => false,
        })
    };
    preorder(engine, arm).into_iter().find_map(|effect| match engine.effects.get(effect) {
        Effect::Loop { kind: LoopKind::For { iter, .. }, body, .. }
            if engine.values.shape(*iter).is_empty() && issues(*body) =>
        {
            Some(matches!(engine.values.node(*iter), Node::Range(_)))
        }
        _ => None,
    })
}
