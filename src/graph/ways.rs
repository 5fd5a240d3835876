//! Whether an arm comes to an operation, and in which cases.

use rustc_hash::FxHashSet;

use crate::flow::{Effect, EffectId, EventId, Node, Value};
use crate::model::CompareOp;

use super::counterparts::is_of_the_kind;
use super::evaluate::Engine;

/// What all ranks answer alike of the parts of a question that all have to hold.
pub(super) fn demanded(engine: &Engine<'_>, test: Value) -> Vec<Value> {
    let mut found = Vec::new();
    let mut pending = vec![test];
    while let Some(part) = pending.pop() {
        match *engine.values.node(part) {
            Node::And(left, right) => pending.extend([left, right]),
            _ if engine.values.vary(part).is_empty() => found.push(part),
            _ => {}
        }
    }
    found
}

/// Whether two questions ask whether one thing is this or that, so that not both can hold.
fn exclude_each_other(engine: &Engine<'_>, one: Value, other: Value) -> bool {
    match (engine.values.node(one), engine.values.node(other)) {
        (&Node::Compare(CompareOp::Eq, left, right), &Node::Compare(CompareOp::Eq, same, instead)) => {
            left == same && engine.values.are_distinct(right, instead)
        }
        _ => false,
    }
}

/// Whether the arm comes to an operation of that kind on the same group whatever ranks answer alike; nothing where it
/// comes to none while what is `demanded` holds.
pub(super) fn ways_to(engine: &Engine<'_>, arm: EffectId, event: EventId, demanded: &[Value]) -> Option<bool> {
    let mut seen = FxHashSet::default();
    let mut pending = vec![(arm, true)];
    let mut found = None;
    while let Some((effect, always)) = pending.pop() {
        if !seen.insert((effect, always)) {
            continue;
        }
        match engine.effects.get(effect) {
            Effect::Event(issued) if is_of_the_kind(engine, *issued, event) => {
                found = Some(always || found.unwrap_or(false));
            }
            Effect::Choice { test, then, otherwise, .. } if engine.values.vary(*test).is_empty() => {
                let is_out = demanded.iter().any(|&part| exclude_each_other(engine, part, *test));
                pending.extend((!is_out).then_some((*then, false)));
                pending.push((*otherwise, false));
            }
            _ => pending.extend(engine.below(effect).into_iter().map(|below| (below, always))),
        }
    }
    found
}
