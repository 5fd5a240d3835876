//! Buffers whose shape comes from a value that differs between the members of the group.

use rustc_hash::FxHashSet;

use crate::base::{FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::flow::{Axes, Effect, EffectId, Node, Value};

use super::evaluate::Engine;
use super::even::fills_up;
use super::origin::leaf;
use super::ragged::ragged;

mod counted;
mod measure;

use counted::miscounted;
pub(super) use measure::KEEP_SHAPE;
use measure::shape;

/// How deep values are followed.
const FUEL: u32 = 12;

/// A collective whose buffer need not have the same shape on every member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnagreedShape {
    /// The function in whose terms it was found.
    pub function: FunctionId,
    /// The operation.
    pub op: Symbol,
    /// Where the buffer is handed over: to the operation, or to a function that issues it.
    pub site: Site,
    /// Where that function issues it.
    pub issued: Option<Site>,
    /// Where what decides about the shape was born, and why it differs.
    pub origin: Option<(Site, Symbol)>,
    /// How sure.
    pub confidence: Confidence,
}

/// A loop over the same things in another order on other ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermutedLoop {
    /// The function in whose terms it was found.
    pub function: FunctionId,
    /// What is iterated.
    pub site: Site,
    /// The operation in it.
    pub op: Symbol,
    /// Where that is issued.
    pub event: Site,
}

/// Along which axes a number or a shape differs, why, and how sure that is.
#[derive(Clone, Copy)]
pub(super) struct Differs {
    pub(super) axes: Axes,
    pub(super) source: Value,
    pub(super) confidence: Confidence,
}

/// Collects both from what a function issues.
pub(super) fn shapes(
    engine: &Engine<'_>,
    function: FunctionId,
    root: EffectId,
    seen: &mut FxHashSet<EffectId>,
    shapes: &mut Vec<UnagreedShape>,
    loops: &mut Vec<PermutedLoop>,
) {
    let mut pending: Vec<(EffectId, Vec<Site>)> = vec![(root, Vec::new())];
    while let Some((effect, way)) = pending.pop() {
        if !seen.insert(effect) || !engine.effects.summed(effect).events {
            continue;
        }
        match engine.effects.get(effect) {
            Effect::Event(event) => {
                let event = engine.effects.event(*event);
                let Some(shaped) = event.shaped else { continue };
                let group = engine.values.group_axes(event.group);
                // Whoever sends from one rank says elsewhere what the others receive, but for what is counted.
                let counted = !way.is_empty() && event.root.is_some();
                let found = match counted {
                    true => miscounted(engine, shaped, FUEL),
                    false => shape(engine, shaped, FUEL).or_else(|| ragged(engine, shaped, event.site)),
                };
                let Some(found) = found.filter(|found| found.axes.meets(group)) else { continue };
                let source = leaf(engine, found.source, found.axes).unwrap_or(found.source);
                let birth = engine.birth(source, function, Some(event.site));
                let call = match counted {
                    // What can be counted was written out where the function begins that can.
                    true => way.first().copied(),
                    false => handed_over(engine, &way, birth.map(|birth| birth.site)),
                };
                let site = call.unwrap_or(event.site);
                let issued = call.map(|_| event.site);
                if shapes.iter().any(|known| (known.site, known.issued) == (site, issued)) {
                    continue;
                }
                let sure = birth.map_or(Confidence::Medium, |birth| birth.confidence);
                // A test that hands over uneven pieces is run, and has shown that it gets through.
                let sure = if engine.is_test(function) { Confidence::Low } else { sure };
                // A share by the rank is as large as any other where the data were filled up before.
                let by_rank = matches!(engine.values.node(source), Node::Rank(_));
                let even = by_rank && birth.is_some_and(|birth| fills_up(engine.program, birth.site.file));
                let sure = if even { Confidence::Low } else { sure };
                shapes.push(UnagreedShape {
                    function,
                    op: event.op,
                    site,
                    issued,
                    origin: birth.map(|birth| (birth.site, birth.reason)),
                    confidence: match call {
                        // What the function does with it on its way need not be seen.
                        Some(_) => found.confidence.min(sure).min(Confidence::Medium),
                        None => found.confidence.min(sure),
                    },
                });
            }
            Effect::Loop { kind: crate::flow::LoopKind::For { iter, item }, site, body, .. } => {
                if is_permuted(engine, *iter)
                    && let Some(event) = speaks_of(engine, *body, *item)
                    && !loops.iter().any(|known| known.site == *site)
                {
                    let (op, event) = (engine.effects.event(event).op, engine.effects.event(event).site);
                    loops.push(PermutedLoop { function, site: *site, op, event });
                }
                pending.extend(engine.below(effect).into_iter().map(|part| (part, way.clone())));
            }
            Effect::Call { site, body, .. } => pending.push((*body, [&way[..], &[*site]].concat())),
            _ => pending.extend(engine.below(effect).into_iter().map(|part| (part, way.clone()))),
        }
    }
}

/// The call on the way to an operation that hands over what was made in the function that makes it: that of the function in
/// which it was born, or the last one.
fn handed_over(engine: &Engine<'_>, way: &[Site], born: Option<Site>) -> Option<Site> {
    let home = born.map(|born| (born.file, engine.function_at(born)));
    let is_at_home = |call: &&Site| home == Some((call.file, engine.function_at(**call)));
    way.iter().rev().find(is_at_home).or(way.last()).copied()
}

/// Whether ranks iterate the same things in different orders.
fn is_permuted(engine: &Engine<'_>, iter: Value) -> bool {
    let Node::If(test, one, other) = *engine.values.node(iter) else { return false };
    let (Node::Sequence(one), Node::Sequence(other)) = (engine.values.node(one), engine.values.node(other)) else {
        return false;
    };
    let sorted = |parts: &[Value]| {
        let mut parts = parts.to_vec();
        parts.sort();
        parts
    };
    !engine.values.vary(test).is_empty() && one != other && sorted(one) == sorted(other)
}

/// The first event in the body whose group, root or buffer is made from the loop's element.
fn speaks_of(engine: &Engine<'_>, body: EffectId, item: Value) -> Option<crate::flow::EventId> {
    super::descent::preorder(engine, body).into_iter().find_map(|effect| match engine.effects.get(effect) {
        Effect::Event(id) => {
            let event = engine.effects.event(*id);
            let parts = [Some(event.group), event.root, event.shaped, event.members];
            parts.into_iter().flatten().any(|part| made_from(engine, part, item, FUEL)).then_some(*id)
        }
        _ => None,
    })
}

fn made_from(engine: &Engine<'_>, value: Value, item: Value, fuel: u32) -> bool {
    let Some(fuel) = fuel.checked_sub(1) else { return false };
    value == item || children(engine, value).into_iter().any(|part| made_from(engine, part, item, fuel))
}

fn children(engine: &Engine<'_>, value: Value) -> Vec<Value> {
    match engine.values.node(value) {
        Node::Apply(_, parts)
        | Node::Sequence(parts)
        | Node::Range(parts)
        | Node::Mapped(_, parts)
        | Node::Changed(_, parts)
        | Node::Carried(_, _, parts) => parts.to_vec(),
        Node::Index(left, right) | Node::Binary(_, left, right) => vec![*left, *right],
        Node::If(_, then, otherwise) => vec![*then, *otherwise],
        Node::Attribute(inner, _) | Node::MadeGroup(_, inner) => vec![*inner],
        _ => Vec::new(),
    }
}
