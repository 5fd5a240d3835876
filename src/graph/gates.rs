//! Two facts that need no comparison of classes: roots outside their group, and collectives behind environment keys.

use rustc_hash::FxHashSet;

use crate::base::{FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::flow::{Assignment, Axes, Effect, EffectId, Evaluator, EventId, GroupKey, Node, Value, World};

use super::evaluate::Engine;

/// A root that is no member of the group it is the root of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignRoot {
    /// The function it stands in.
    pub function: FunctionId,
    /// The operation.
    pub site: Site,
    /// `src` or `dst`.
    pub parameter: Symbol,
    /// What is wrong, in one sentence.
    pub message: String,
    /// How sure.
    pub confidence: Confidence,
}

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

/// Collects roots outside their group.
pub(super) fn foreign_roots(
    engine: &Engine<'_>,
    function: FunctionId,
    root: EffectId,
    seen: &mut FxHashSet<EffectId>,
    out: &mut Vec<ForeignRoot>,
) {
    let mut pending = vec![root];
    let world = World { size: 4, extent: 4, axes: Axes::ALL };
    let class = Assignment::default();
    let evaluator = Evaluator::new(&engine.values, world, &class);
    while let Some(effect) = pending.pop() {
        if !seen.insert(effect) || !engine.effects.summed(effect).events {
            continue;
        }
        if let Effect::Event(event) = engine.effects.get(effect) {
            let event = engine.effects.event(*event);
            let (Some(value), Some(parameter)) = (event.root, event.root_parameter) else { continue };
            if out.iter().any(|known| known.site == event.site) {
                continue;
            }
            let described = describe(engine, &evaluator, value, event.group);
            if let Some((what, confidence)) = described {
                let message = format!("`{parameter}` of `{}` is {what}", event.op);
                out.push(ForeignRoot { function, site: event.site, parameter, message, confidence });
            }
            continue;
        }
        pending.extend(engine.below(effect));
    }
}

fn describe(engine: &Engine<'_>, evaluator: &Evaluator<'_>, root: Value, group: Value) -> Option<(String, Confidence)> {
    let literal = match engine.values.node(root) {
        Node::Int(known) => Some(*known),
        _ => None,
    };
    match (evaluator.group(group), literal) {
        (GroupKey::Made(_, ranks), Some(root)) if !ranks.contains(&root) => {
            Some((format!("rank {root}, which is not in the group of ranks {ranks:?}"), Confidence::High))
        }
        (GroupKey::Axis(axes), Some(root)) if !axes.is_all() => {
            let name =
                engine.axes_name(axes).map_or_else(|| "a subgroup".to_owned(), |name| format!("the {name} group"));
            Some((format!("rank {root} of the job, which need not be in {name}"), Confidence::Medium))
        }
        (GroupKey::Axis(_) | GroupKey::Other(_) | GroupKey::Made(..), None) => {
            let inner = match engine.values.node(root) {
                Node::Rank(axes) => Some(*axes),
                _ => None,
            };
            inner
                .filter(|axes| !axes.is_all() && *axes == engine.values.group_axes(group))
                .map(|_| ("a rank within the group where a rank of the job is meant".to_owned(), Confidence::Medium))
        }
        _ => None,
    }
}

/// Collects collectives behind environment keys.
pub(super) fn gates(engine: &Engine<'_>, function: FunctionId, root: EffectId, out: &mut Vec<Gate>) {
    let mut seen = FxHashSet::default();
    let mut pending = vec![root];
    while let Some(effect) = pending.pop() {
        if !seen.insert(effect) || !engine.effects.summed(effect).events {
            continue;
        }
        match engine.effects.get(effect) {
            Effect::Choice { test, site, then, otherwise, .. } => {
                let facts = engine.values.facts(*test);
                let (one, other) = (operations(engine, *then), operations(engine, *otherwise));
                let names = |events: &[EventId]| -> Vec<Symbol> {
                    events.iter().map(|&event| engine.effects.event(event).op).collect()
                };
                if facts.environment
                    && facts.vary.is_empty()
                    && names(&one) != names(&other)
                    && !out.iter().any(|gate| gate.condition == *site)
                    && let Some(key) = key_of(engine, *test)
                    && let Some(&event) = one.first().or(other.first())
                {
                    let event = engine.effects.event(event);
                    let call =
                        first_call(engine, *then, event.site).or_else(|| first_call(engine, *otherwise, event.site));
                    out.push(Gate { function, key, condition: *site, op: event.op, event: event.site, call });
                }
                pending.extend([*then, *otherwise]);
            }
            // A callee's own conditions are its own.
            Effect::Call { .. } => {}
            _ => pending.extend(engine.below(effect)),
        }
    }
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
    let mut seen = FxHashSet::default();
    let mut pending = vec![test];
    while let Some(value) = pending.pop() {
        if !seen.insert(value) || !engine.values.facts(value).environment {
            continue;
        }
        match engine.values.node(value) {
            Node::Environment(key) => return Some(*key),
            Node::Not(inner) | Node::Length(inner) | Node::Attribute(inner, _) | Node::Item(_, inner) => {
                pending.push(*inner)
            }
            Node::And(left, right)
            | Node::Or(left, right)
            | Node::Compare(_, left, right)
            | Node::Binary(_, left, right)
            | Node::Index(left, right) => pending.extend([*right, *left]),
            Node::If(test, then, otherwise) => pending.extend([*otherwise, *then, *test]),
            Node::Apply(_, parts) | Node::Sequence(parts) | Node::Mapped(_, parts) | Node::Carried(_, _, parts) => {
                pending.extend(parts.iter().rev());
            }
            _ => {}
        }
    }
    None
}
