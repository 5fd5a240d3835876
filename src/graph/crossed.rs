//! Collectives on two groups that one rank issues in one order and its peers in the other: each group by itself sees the same
//! words on every member, and they wait for each other all the same (docs: analysis, "order is compared over pairs of
//! overlapping groups").

use rustc_hash::FxHashSet;

use crate::base::{FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::flow::{Axes, Effect, EffectId, EventId, GroupKey, Node, Value};
use crate::model::CompareOp;

use super::descent::preorder;
use super::evaluate::Engine;
use super::origin::group_name;

/// Operations of one arm that are looked at.
const MAX_EVENTS: usize = 64;

/// The weight of an arm up to which it is looked at.
const MAX_WEIGHT: u32 = 4_000;

/// What is issued from one rank to another: that is matched elsewhere.
const BETWEEN_TWO: [&str; 5] = ["send", "recv", "isend", "irecv", "batch_isend_irecv"];

/// One of two operations, as it stands in the arm that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issued {
    /// Its name.
    pub op: Symbol,
    /// Where it is issued.
    pub site: Site,
    /// The group, as a reader knows it.
    pub group: String,
}

/// Two operations on two groups in the two orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossed {
    /// The function in whose terms it was found.
    pub function: FunctionId,
    /// Where ranks part.
    pub condition: Site,
    /// What the ranks for which the condition holds issue first, and then.
    pub here: [Issued; 2],
    /// What the others issue first.
    pub there: Site,
    /// How sure it is.
    pub confidence: Confidence,
}

/// The first and the last operation of an arm on one group, by their places in its order.
struct On {
    group: Value,
    first: (usize, EventId),
    last: usize,
}

/// Adds the crossed orders of one function.
pub(super) fn crossed(
    engine: &Engine<'_>,
    function: FunctionId,
    root: EffectId,
    seen: &mut FxHashSet<EffectId>,
    out: &mut Vec<Crossed>,
) {
    let summed = engine.effects.summed(root);
    if !summed.events || summed.varies.is_empty() {
        return;
    }
    for effect in preorder(engine, root) {
        let Effect::Choice { test, site, then, otherwise, .. } = *engine.effects.get(effect) else { continue };
        let communicate = [then, otherwise].iter().all(|&arm| {
            let arm = engine.effects.summed(arm);
            arm.events && arm.weight <= MAX_WEIGHT
        });
        if !communicate || engine.values.vary(test).is_empty() || !seen.insert(effect) {
            continue;
        }
        let (one, other) = (groups_of(engine, then), groups_of(engine, otherwise));
        let Some((first, second)) = swapped(engine, test, &one, &other) else { continue };
        if out.iter().any(|known| known.condition == site) {
            continue;
        }
        let issued = |arm: EffectId, on: &On| {
            let event = engine.effects.event(on.first.1);
            let site = place_in(engine, arm, on.first.1, &mut FxHashSet::default()).unwrap_or(event.site);
            Issued { op: event.op, site, group: named(engine, on.group) }
        };
        let there = other.iter().find(|on| on.group == second.group);
        let there = there.map_or(site, |on| issued(otherwise, on).site);
        let here = [issued(then, first), issued(then, second)];
        let confidence = if engine.is_test(function) { Confidence::Low } else { Confidence::Medium };
        out.push(Crossed { function, condition: site, here, there, confidence });
    }
}

/// Where the function at hand issues an operation of an arm: itself, or by a call.
fn place_in(engine: &Engine<'_>, arm: EffectId, event: EventId, seen: &mut FxHashSet<EffectId>) -> Option<Site> {
    if !seen.insert(arm) {
        return None;
    }
    match engine.effects.get(arm) {
        Effect::Event(issued) => (*issued == event).then(|| engine.effects.event(event).site),
        Effect::Call { site, body, .. } => preorder(engine, *body)
            .into_iter()
            .any(|effect| *engine.effects.get(effect) == Effect::Event(event))
            .then_some(*site),
        _ => engine.below(arm).into_iter().find_map(|part| place_in(engine, part, event, seen)),
    }
}

/// The groups that an arm issues something on.
fn groups_of(engine: &Engine<'_>, arm: EffectId) -> Vec<On> {
    let mut out: Vec<On> = Vec::new();
    let events = preorder(engine, arm).into_iter().filter_map(|effect| match engine.effects.get(effect) {
        Effect::Event(event) => Some(*event),
        _ => None,
    });
    let collective = |event: &EventId| {
        let event = engine.effects.event(*event);
        !event.creates && !event.sharded && !BETWEEN_TWO.contains(&event.op.as_str())
    };
    for (place, event) in events.filter(collective).take(MAX_EVENTS).enumerate() {
        let group = engine.effects.event(event).group;
        match out.iter_mut().find(|on| on.group == group) {
            Some(on) => on.last = place,
            None => out.push(On { group, first: (place, event), last: place }),
        }
    }
    out
}

/// Two groups of which the one arm is through with the first before it comes to the second, and the other arm the other way
/// round, where both have members in both arms.
fn swapped<'a>(engine: &Engine<'_>, test: Value, one: &'a [On], other: &[On]) -> Option<(&'a On, &'a On)> {
    let is_one_rank = is_of_one_rank(engine, test);
    let pairs = one.iter().flat_map(|first| one.iter().map(move |second| (first, second)));
    pairs.into_iter().find(|&(first, second)| {
        let there = |group: Value| other.iter().find(|on| on.group == group);
        let crossed =
            there(first.group).zip(there(second.group)).is_some_and(|(first, second)| second.last < first.first.0);
        let all = [first, second].map(|on| is_of_all(engine, on.group));
        first.last < second.first.0 && crossed && (all == [true; 2] || is_one_rank && all.contains(&true))
    })
}

/// Whether a group holds all ranks: WORLD, or one that was made of as many as there are.
fn is_of_all(engine: &Engine<'_>, group: Value) -> bool {
    match engine.values.node(group) {
        Node::World | Node::None => true,
        Node::MadeGroup(_, ranks) => is_everybody(engine, *ranks),
        _ => false,
    }
}

/// `range(world_size)`, `list(range(world_size))`
fn is_everybody(engine: &Engine<'_>, ranks: Value) -> bool {
    match engine.values.node(ranks) {
        Node::Range(parts) => match parts[..] {
            [size] => matches!(engine.values.node(size), Node::Size(axes) if axes.is_all()),
            _ => false,
        },
        Node::Mapped(_, parts) => matches!(parts[..], [inner] if is_everybody(engine, inner)),
        _ => false,
    }
}

/// Whether a question singles out one rank, of all or of each node: the others of its groups answer otherwise.
fn is_of_one_rank(engine: &Engine<'_>, test: Value) -> bool {
    match *engine.values.node(test) {
        Node::Not(inner) => is_of_one_rank(engine, inner),
        Node::Compare(CompareOp::Eq | CompareOp::NotEq, left, right) => {
            let is_rank = matches!(engine.values.node(left), Node::Rank(axes) if *axes != Axes::NONE);
            is_rank && matches!(engine.values.node(right), Node::Int(_))
        }
        _ => false,
    }
}

fn named(engine: &Engine<'_>, group: Value) -> String {
    let key = match engine.values.node(group) {
        Node::World | Node::None => GroupKey::World,
        Node::AxisGroup(axes) => GroupKey::Axis(*axes),
        Node::MadeGroup(..) => return "a group of its own".to_owned(),
        _ => GroupKey::Other(group),
    };
    group_name(engine, &key, group)
}
