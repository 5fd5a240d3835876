//! Ranks that come to the operation later than their peers: they go round once more, and are waited for.

use crate::flow::{Effect, EffectId, Exit, LoopKind, Node, handles};

use super::confidence::Evidence;
use super::descent::{arm_without, contains, preorder};
use super::evaluate::Engine;
use super::witness::SplitKind;

impl Evidence<'_, '_> {
    /// Whether a rank only begins another turn of an endless loop, in which nothing has been issued yet: its peers wait for
    /// it in the operation, and it comes there in a later turn.
    pub(super) fn asks_again(&self) -> bool {
        let Some(cause) = self.cause.filter(|_| self.kind == SplitKind::EarlyExit) else { return false };
        let engine = self.engine;
        let below = preorder(engine, cause.effect);
        let ways = ways_out(engine, cause.effect);
        let leaves = |exit: &&Exit| matches!(exit, Exit::Break | Exit::Return);
        let goes_on = ways.contains(&&Exit::Continue) && !ways.iter().any(leaves);
        (goes_on || self.is_caught_and_goes_on(cause.effect))
            && preorder(engine, self.root).into_iter().any(|effect| match engine.effects.get(effect) {
                Effect::Loop { kind: LoopKind::While { test }, body, .. } => {
                    let inside = preorder(engine, *body);
                    let before = inside.iter().take_while(|&&effect| effect != cause.effect);
                    *engine.values.node(*test) == Node::Bool(true)
                        && contains(engine, *body, self.main)
                        && inside.contains(&cause.effect)
                        && before.chain(&below).all(|&effect| !matches!(engine.effects.get(effect), Effect::Event(_)))
                }
                _ => false,
            })
    }

    /// Whether an effect only raises what a handler around it takes to begin another turn: a queue that was empty is asked
    /// again.
    fn is_caught_and_goes_on(&self, effect: EffectId) -> bool {
        let engine = self.engine;
        let exits = |effect: EffectId| -> Vec<&Exit> {
            let below = preorder(engine, effect).into_iter();
            below
                .filter_map(
                    |below| if let Effect::Exit(exit, _) = engine.effects.get(below) { Some(exit) } else { None },
                )
                .collect()
        };
        let [Exit::Raise(names)] = exits(effect)[..] else { return false };
        let mut tries = preorder(engine, self.root);
        tries.reverse();
        // The innermost comes last.
        let handler = tries.into_iter().find_map(|around| match engine.effects.get(around) {
            Effect::Try { body, handlers, .. } if preorder(engine, *body).contains(&effect) => {
                handlers.iter().find(|handler| handles(&handler.catches, names)).map(|handler| handler.body)
            }
            _ => None,
        });
        handler.is_some_and(|handler| {
            matches!(exits(handler)[..], [Exit::Continue]) && !engine.effects.summed(handler).events
        })
    }

    /// Whether the rank that does not issue the operation has only begun another turn of an endless loop, before it
    /// issued anything: it comes there in a later one.
    pub(super) fn tries_again(&self) -> bool {
        let Some(cause) = self.cause.filter(|_| self.kind == SplitKind::Conditional) else { return false };
        let engine = self.engine;
        let Some(arm) = arm_without(engine, engine.effects.get(cause.effect), self.main) else { return false };
        let is_exit = |effect: EffectId, wanted: fn(&Exit) -> bool| match engine.effects.get(effect) {
            Effect::Exit(exit, _) => wanted(exit),
            _ => false,
        };
        let below = preorder(engine, arm);
        let event = below.iter().position(|&effect| matches!(engine.effects.get(effect), Effect::Event(_)));
        let again = below.iter().position(|&effect| is_exit(effect, |exit| matches!(exit, Exit::Continue)));
        let leaves = below.iter().any(|&effect| is_exit(effect, |exit| matches!(exit, Exit::Break | Exit::Return)));
        let (Some(event), Some(again)) = (event, again) else { return false };
        again < event
            && !leaves
            && preorder(engine, self.root).into_iter().any(|effect| match engine.effects.get(effect) {
                Effect::Loop { kind: LoopKind::While { test }, body, .. } => {
                    *engine.values.node(*test) == Node::Bool(true) && contains(engine, *body, self.main)
                }
                _ => false,
            })
    }

    /// Whether a clock only says when a rank issues the operation for which its peers wait: it stays in a loop in which
    /// nothing else is issued.
    pub(super) fn waits_for_the_time(&self) -> bool {
        let engine = self.engine;
        let by_clock = self.leaf.is_some_and(|leaf| engine.marks.clocks.contains(&leaf));
        let Some(cause) = self.cause.filter(|_| by_clock && self.kind == SplitKind::Conditional) else { return false };
        let main = engine.effects.event(self.main);
        let is_other = |effect: &EffectId| match engine.effects.get(*effect) {
            Effect::Event(event) => engine.effects.event(*event).op != main.op,
            _ => false,
        };
        preorder(engine, self.root).into_iter().any(|effect| match engine.effects.get(effect) {
            Effect::Loop { kind: LoopKind::While { .. }, body, .. } => {
                let inside = preorder(engine, *body);
                inside.contains(&cause.effect) && !inside.iter().any(is_other) && ways_out(engine, *body).is_empty()
            }
            _ => false,
        })
    }
}

/// The ways in which an effect is left for what stands around it: not those of loops and calls inside.
fn ways_out<'e>(engine: &'e Engine<'_>, effect: EffectId) -> Vec<&'e Exit> {
    let mut out = Vec::new();
    // Effects, and whether they stand in a loop, and in a call.
    let mut pending = vec![(effect, false, false)];
    while let Some((effect, in_loop, in_call)) = pending.pop() {
        match engine.effects.get(effect) {
            Effect::Exit(Exit::Break | Exit::Continue, _) if in_loop => {}
            Effect::Exit(Exit::Return, _) if in_call => {}
            Effect::Exit(exit, _) => out.push(exit),
            Effect::Call { body, .. } => pending.push((*body, false, true)),
            Effect::Loop { body, orelse, .. } => pending.extend([(*body, true, in_call), (*orelse, in_loop, in_call)]),
            _ => pending.extend(engine.below(effect).into_iter().map(|below| (below, in_loop, in_call))),
        }
    }
    out
}
