//! Collectives behind environment keys: a fact that needs no comparison of classes.

use rustc_hash::FxHashSet;

use crate::base::{FunctionId, Site, Symbol};
use crate::flow::{Effect, EffectId, Effects, EventId, LoopKind, Node, Value};

use super::evaluate::Engine;

/// A collective that is reached only under an environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The function in whose terms it was found.
    pub function: FunctionId,
    /// The variable.
    pub key: Symbol,
    /// The condition.
    pub condition: Site,
    /// The operation behind it.
    pub op: Symbol,
    /// Where that is issued.
    pub event: Site,
    /// The call that leads to it, if it is not issued in the function itself.
    pub call: Option<(Site, Symbol)>,
}

/// Pending calls behind one key that are looked into.
const MAX_LOOKS: u32 = 12;

/// Collects collectives behind environment keys.
pub(super) fn gates(engine: &mut Engine<'_>, function: FunctionId, root: EffectId, out: &mut Vec<Gate>) {
    let mut seen = FxHashSet::default();
    let mut pending = vec![root];
    while let Some(effect) = pending.pop() {
        if !seen.insert(effect) || !engine.effects.summed(effect).events {
            continue;
        }
        match engine.effects.get(effect).clone() {
            Effect::Choice { test, site, then, otherwise, .. } => {
                pending.extend([then, otherwise]);
                out.extend(behind(engine, function, (test, site), [then, otherwise], out));
            }
            // As many turns as the key says: none, mostly.
            Effect::Loop { kind: LoopKind::For { iter, .. }, site, body, .. } => {
                pending.push(body);
                out.extend(behind(engine, function, (iter, site), [body, Effects::NOTHING], out));
            }
            Effect::Seq(parts) => {
                pending.extend(parts.iter());
                for (at, &part) in parts.iter().enumerate() {
                    let Effect::Choice { test, site, then, otherwise, .. } = *engine.effects.get(part) else {
                        continue;
                    };
                    // Who leaves does not come to what follows.
                    if engine.effects.summed(then).exits != engine.effects.summed(otherwise).exits {
                        let rest = engine.effects.seq(&parts[at + 1..], &engine.values);
                        out.extend(behind(engine, function, (test, site), [rest, Effects::NOTHING], out));
                    }
                }
            }
            // A callee's own conditions are its own.
            Effect::Call { .. } => {}
            _ => pending.extend(engine.below(effect)),
        }
    }
}

/// The first operation that only one of two ways comes to, where an environment key decides between them, unless that
/// condition is known.
fn behind(
    engine: &mut Engine<'_>,
    function: FunctionId,
    (test, condition): (Value, Site),
    ways: [EffectId; 2],
    known: &[Gate],
) -> Option<Gate> {
    let facts = engine.values.facts(test);
    if !facts.environment || !facts.vary.is_empty() || known.iter().any(|gate| gate.condition == condition) {
        return None;
    }
    let ways = ways.map(|way| engine.looked_through(way, MAX_LOOKS, true));
    let engine = &*engine;
    let [one, other] = ways.map(|way| operations(engine, way));
    let names =
        |events: &[EventId]| -> Vec<Symbol> { events.iter().map(|&event| engine.effects.event(event).op).collect() };
    if names(&one) == names(&other) {
        return None;
    }
    let key = key_of(engine, test)?;
    let event = engine.effects.event(*one.first().or(other.first())?);
    let call = ways.into_iter().find_map(|way| first_call(engine, way, event.site));
    Some(Gate { function, key, condition, op: event.op, event: event.site, call })
}

/// The outermost call inside `root` that leads to the event at `event`.
fn first_call(engine: &Engine<'_>, root: EffectId, event: Site) -> Option<(Site, Symbol)> {
    let mut pending = vec![root];
    let mut steps = 0;
    while let Some(effect) = pending.pop() {
        steps += 1;
        if steps > 400 {
            break;
        }
        match engine.effects.get(effect) {
            Effect::Call { function, site, body } => {
                if operations(engine, *body).iter().any(|&found| engine.effects.event(found).site == event) {
                    return Some((*site, engine.function_name(*function)));
                }
            }
            _ => pending.extend(engine.below(effect).into_iter().rev()),
        }
    }
    None
}

/// The operations of an effect, in order, at most a few.
fn operations(engine: &Engine<'_>, root: EffectId) -> Vec<EventId> {
    let mut out = Vec::new();
    let mut pending = vec![root];
    let mut steps = 0;
    while let Some(effect) = pending.pop() {
        steps += 1;
        if steps > 400 || out.len() > 40 {
            break;
        }
        match engine.effects.get(effect) {
            Effect::Event(event) => out.push(*event),
            _ => pending.extend(engine.below(effect).into_iter().rev()),
        }
    }
    out
}

/// The environment key that decides a test.
fn key_of(engine: &Engine<'_>, test: Value) -> Option<Symbol> {
    let mut found = None;
    engine.values.search(test, usize::MAX, |value, further| {
        match engine.values.node(value) {
            _ if !engine.values.facts(value).environment => {}
            Node::Environment(key) => found = Some(*key),
            Node::Not(inner) | Node::Length(inner) | Node::Attribute(inner, _) | Node::Item(_, inner) => {
                further.push(*inner)
            }
            Node::And(left, right)
            | Node::Or(left, right)
            | Node::Compare(_, left, right)
            | Node::Binary(_, left, right)
            | Node::Index(left, right) => further.extend([*right, *left]),
            Node::If(test, then, otherwise) => further.extend([*otherwise, *then, *test]),
            Node::Apply(_, parts)
            | Node::Sequence(parts)
            | Node::Range(parts)
            | Node::Mapped(_, parts)
            | Node::Carried(_, _, parts) => {
                further.extend(parts.iter().rev());
            }
            _ => {}
        }
        found.is_some()
    });
    found
}
