//! Checks that a function makes before it goes on: who fails one that nothing catches ends the job, and nobody waits.

use super::Engine;
use crate::flow::{Effect, EffectId, Effects, Exit, LoopKind, Node, Value};

/// Parts of a question that are looked at.
const MAX_PARTS: usize = 24;

impl Engine<'_> {
    /// A large effect without its checks, for when it is too large to be compared as it is: parts in which nothing is issued
    /// and that are left by a raise or at their end. Whoever goes on behind them does so with all peers, or there is no job
    /// any more: the many checks that a library makes of its arguments are no part of what ranks say to each other. Checks of
    /// the form of the job and of the place in it stay, and what is caught.
    pub(in crate::graph) fn without_checks(&mut self, root: EffectId) -> EffectId {
        let short = self.without_its_checks(root);
        if short != root {
            self.shortened.insert(short);
        }
        short
    }

    /// Whether checks were left out of what was compared: what they rule out is not known there.
    pub(in crate::graph) fn lacks_checks(&self, root: EffectId) -> bool {
        self.shortened.contains(&root)
    }

    fn without_its_checks(&mut self, effect: EffectId) -> EffectId {
        let summed = self.effects.summed(effect);
        if !summed.raises {
            return effect;
        }
        if let Some(&known) = self.unchecked.get(&effect) {
            return known;
        }
        let told = self.effects.get(effect).clone();
        let silent = !(summed.events || summed.hole || summed.invokes || summed.pending);
        let rest = match &told {
            Effect::Try { .. } => effect,
            Effect::Choice { .. } | Effect::Loop { .. } | Effect::Call { .. }
                if silent && !self.fails(effect) && self.fails_or_goes_on(effect, Around::default()) =>
            {
                Effects::NOTHING
            }
            _ => {
                let parts: Vec<EffectId> =
                    self.below(effect).into_iter().map(|part| self.without_its_checks(part)).collect();
                let rest = self.with_parts(told, &parts).unwrap_or(effect);
                match self.effects.get(rest) {
                    Effect::Call { body: Effects::NOTHING, .. } => Effects::NOTHING,
                    _ => rest,
                }
            }
        };
        self.unchecked.insert(effect, rest);
        rest
    }

    /// Whether the effect fails whatever is asked in it, as far as that is seen.
    fn fails(&self, effect: EffectId) -> bool {
        match self.effects.get(effect) {
            Effect::Exit(exit, _) => matches!(exit, Exit::Raise(_) | Exit::Abort),
            Effect::Seq(parts) => parts.iter().any(|&part| self.fails(part)),
            Effect::Choice { then, otherwise, .. } => self.fails(*then) && self.fails(*otherwise),
            Effect::Call { body, .. } => self.fails(*body),
            _ => false,
        }
    }

    /// Whether the effect is left by failing or at its end only, not by a return, nor for another turn of a loop around it,
    /// and no question in it is one of the form of the job or of the place in it.
    fn fails_or_goes_on(&self, effect: EffectId, around: Around) -> bool {
        let asks_for_form = |question: Value| {
            let of_form = |part: Value| matches!(self.values.node(part), Node::Size(_) | Node::Rank(_));
            self.values.any_part(question, MAX_PARTS, of_form)
        };
        let (asked, around) = match self.effects.get(effect) {
            Effect::Exit(exit, _) => {
                return match exit {
                    Exit::Raise(_) | Exit::Abort => true,
                    Exit::Done => false,
                    Exit::Return => around.call,
                    Exit::Break | Exit::Continue => around.turn,
                };
            }
            Effect::Choice { test, .. } => (Some(*test), around),
            Effect::Loop { kind: LoopKind::While { test }, .. } => (Some(*test), Around { turn: true, ..around }),
            Effect::Loop { kind: LoopKind::For { iter, .. }, .. } => (Some(*iter), Around { turn: true, ..around }),
            Effect::Call { .. } => (None, Around { call: true, turn: false }),
            _ => (None, around),
        };
        !asked.is_some_and(asks_for_form)
            && self.below(effect).into_iter().all(|part| self.fails_or_goes_on(part, around))
    }
}

/// What an exit inside a part leads no further than.
#[derive(Clone, Copy, Default)]
struct Around {
    /// A call, for a return.
    call: bool,
    /// A turn of a loop, for `break` and `continue`.
    turn: bool,
}
