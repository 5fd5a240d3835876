//! Buffers whose shape comes from a value that differs between the members of the group.

use rustc_hash::FxHashSet;

use crate::base::{FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::flow::{Axes, Effect, EffectId, Node, Value};

use super::evaluate::Engine;
use super::ragged::ragged;

/// How deep values are followed.
const FUEL: u32 = 12;

/// A collective whose buffer need not have the same shape on every member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnagreedShape {
    /// The function in whose terms it was found.
    pub function: FunctionId,
    /// The operation.
    pub op: Symbol,
    /// Where it is issued.
    pub site: Site,
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
    let mut pending = vec![root];
    while let Some(effect) = pending.pop() {
        if !seen.insert(effect) || !engine.effects.summed(effect).events {
            continue;
        }
        match engine.effects.get(effect) {
            Effect::Event(event) => {
                let event = engine.effects.event(*event);
                let Some(shaped) = event.shaped else { continue };
                let group = engine.values.group_axes(event.group);
                let found = shape(engine, shaped, FUEL).or_else(|| ragged(engine, shaped, event.site));
                let Some(found) = found.filter(|found| found.axes.meets(group)) else { continue };
                if shapes.iter().any(|known| known.site == event.site) {
                    continue;
                }
                let birth = engine.birth(found.source, function, Some(event.site));
                let sure = birth.map_or(Confidence::Medium, |birth| birth.confidence);
                // A test that hands over uneven pieces is run, and has shown that it gets through.
                let sure = if engine.is_test(function) { Confidence::Low } else { sure };
                shapes.push(UnagreedShape {
                    function,
                    op: event.op,
                    site: event.site,
                    origin: birth.map(|birth| (birth.site, birth.reason)),
                    confidence: found.confidence.min(sure),
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
                pending.extend(engine.below(effect));
            }
            _ => pending.extend(engine.below(effect)),
        }
    }
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
    super::blame::preorder(engine, body).into_iter().find_map(|effect| match engine.effects.get(effect) {
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

fn first_of(parts: impl IntoIterator<Item = Option<Differs>>) -> Option<Differs> {
    parts.into_iter().flatten().max_by_key(|found| found.confidence)
}

/// Along which axes the shape of a tensor differs.
fn shape(engine: &Engine<'_>, value: Value, fuel: u32) -> Option<Differs> {
    let fuel = fuel.checked_sub(1)?;
    match engine.values.node(value) {
        Node::Range(parts) => first_of(parts.iter().map(|&part| number(engine, part, fuel))),
        Node::Apply(name, parts) => {
            let last = name.as_str().rsplit('.').next().unwrap_or_default();
            let first = *parts.first()?;
            match last {
                _ if MAKES.contains(&last) => {
                    let Node::Sequence(content) = engine.values.node(first) else { return None };
                    length(engine, *content.first()?, fuel)
                }
                "stack" => {
                    let Node::Sequence(content) = engine.values.node(first) else { return None };
                    length(engine, *content.first()?, fuel)
                }
                _ if KEEP_SHAPE.contains(&last) => shape(engine, first, fuel),
                _ if FILTERS.contains(&last) => {
                    let whole = parts.iter().fold(Axes::NONE, |sum, &part| sum | engine.values.vary(part));
                    (!whole.is_empty()).then_some(Differs {
                        axes: whole,
                        source: first,
                        confidence: Confidence::Medium,
                    })
                }
                _ => None,
            }
        }
        // One of the places that were found, for each dimension.
        Node::Index(found, place)
            if matches!(engine.values.node(*place), Node::Int(_)) && is_filtered(engine, *found) =>
        {
            shape(engine, *found, fuel)
        }
        Node::Index(tensor, index) => match engine.values.node(*index) {
            Node::Compare(..) | Node::Not(_) => {
                let axes = engine.values.vary(*index);
                (!axes.is_empty()).then_some(Differs { axes, source: *tensor, confidence: Confidence::Medium })
            }
            // The places at which something holds: `x[mask.nonzero()]`.
            _ => shape(engine, *index, fuel).filter(|_| is_filtered(engine, *index)),
        },
        Node::If(test, then, otherwise) => {
            let arms = first_of([shape(engine, *then, fuel), shape(engine, *otherwise, fuel)]);
            let differ = match (fixed(engine, *then), fixed(engine, *otherwise)) {
                (Some(one), Some(other)) => one != other,
                _ => match (elements(engine, *then), elements(engine, *otherwise)) {
                    (Some(one), Some(other)) => one != other,
                    _ => false,
                },
            };
            match differ && !engine.values.vary(*test).is_empty() {
                true => Some(Differs {
                    axes: engine.values.vary(*test),
                    source: source_of(engine, *test, fuel),
                    confidence: Confidence::High,
                }),
                false => arms,
            }
        }
        Node::Binary(_, left, right) => first_of([shape(engine, *left, fuel), shape(engine, *right, fuel)]),
        _ => None,
    }
}

/// Functions that make a tensor of what is in a list.
const MAKES: [&str; 5] = ["tensor", "as_tensor", "asarray", "from_numpy", "array"];

/// Functions of a tensor whose result has its shape.
pub(super) const KEEP_SHAPE: [&str; 18] = [
    "cuda",
    "cpu",
    "to",
    "float",
    "double",
    "half",
    "bfloat16",
    "long",
    "int",
    "bool",
    "contiguous",
    "clone",
    "detach",
    "requires_grad_",
    "type",
    "abs",
    "empty_like",
    "zeros_like",
];

/// Functions whose result has as many elements as the data say.
const FILTERS: [&str; 5] = ["nonzero", "masked_select", "unique", "unique_consecutive", "argwhere"];

/// Whether a value is what a function found in a tensor, or one of the parts of that.
fn is_filtered(engine: &Engine<'_>, value: Value) -> bool {
    match engine.values.node(value) {
        Node::Apply(name, _) => FILTERS.contains(&name.as_str().rsplit('.').next().unwrap_or_default()),
        Node::Index(found, place) => matches!(engine.values.node(*place), Node::Int(_)) && is_filtered(engine, *found),
        _ => false,
    }
}

/// The shape of a tensor that is made from constants.
fn fixed(engine: &Engine<'_>, value: Value) -> Option<Vec<i64>> {
    let Node::Range(parts) = engine.values.node(value) else { return None };
    let mut out = Vec::new();
    for &part in parts {
        match engine.values.node(part) {
            Node::Int(known) => out.push(*known),
            Node::Sequence(inner) => {
                for &part in inner {
                    let Node::Int(known) = engine.values.node(part) else { return None };
                    out.push(*known);
                }
            }
            _ => return None,
        }
    }
    Some(out)
}

/// How many elements there are in a tensor that is made from constants or of a list that is written out, or in such a list.
fn elements(engine: &Engine<'_>, value: Value) -> Option<i64> {
    match engine.values.node(value) {
        Node::Range(_) => Some(fixed(engine, value)?.into_iter().product()),
        Node::Sequence(items) => {
            let plain = |&item: &Value| !matches!(engine.values.node(item), Node::Sequence(_) | Node::Range(_));
            items.iter().all(plain).then_some(items.len() as i64)
        }
        Node::Apply(name, parts) => {
            let made = MAKES.contains(&name.as_str().rsplit('.').next().unwrap_or_default());
            let Node::Sequence(given) = engine.values.node(*parts.first().filter(|_| made)?) else { return None };
            let of = *given.first()?;
            matches!(engine.values.node(of), Node::Sequence(_)).then(|| elements(engine, of)).flatten()
        }
        _ => None,
    }
}

/// Along which axes a number that is a size differs.
fn number(engine: &Engine<'_>, value: Value, fuel: u32) -> Option<Differs> {
    let fuel = fuel.checked_sub(1)?;
    match engine.values.node(value) {
        Node::Rank(axes) => Some(Differs { axes: *axes, source: value, confidence: Confidence::High }),
        Node::Binary(
            crate::model::BinaryOp::Add | crate::model::BinaryOp::Sub | crate::model::BinaryOp::Mul,
            left,
            right,
        )
        | Node::Compare(_, left, right) => first_of([number(engine, *left, fuel), number(engine, *right, fuel)]),
        Node::Not(inner) => number(engine, *inner, fuel),
        // A parameter that is a rank by its name.
        Node::Parameter(..) => {
            let found = number(engine, engine.values.meaning(value)?, fuel)?;
            Some(Differs { source: value, ..found })
        }
        Node::If(test, then, otherwise) => {
            let (one, other) = (engine.values.node(*then), engine.values.node(*otherwise));
            match (one, other) {
                (Node::Int(one), Node::Int(other)) if one != other => number(engine, *test, fuel),
                _ => first_of([number(engine, *then, fuel), number(engine, *otherwise, fuel)]),
            }
        }
        Node::Sequence(parts) => first_of(parts.iter().map(|&part| number(engine, part, fuel))),
        Node::Length(inner) => length(engine, *inner, fuel),
        Node::Attribute(inner, name) if name.as_str() == "shape" => shape(engine, *inner, fuel),
        Node::Index(inner, index) if matches!(engine.values.node(*index), Node::Int(_)) => {
            match engine.values.node(*inner) {
                Node::Attribute(tensor, name) if name.as_str() == "shape" => shape(engine, *tensor, fuel),
                Node::Length(tensor) => shape(engine, *tensor, fuel),
                _ => None,
            }
        }
        Node::Apply(name, parts) => match (name.as_str().rsplit('.').next().unwrap_or_default(), &parts[..]) {
            ("int" | "ceil" | "floor", &[inner]) => number(engine, inner, fuel),
            ("size" | "numel", &[tensor, ..]) => shape(engine, tensor, fuel),
            _ => None,
        },
        _ => None,
    }
}

/// Along which axes the number of elements of a list differs.
fn length(engine: &Engine<'_>, value: Value, fuel: u32) -> Option<Differs> {
    let fuel = fuel.checked_sub(1)?;
    let axes = engine.values.shape(value);
    if axes.is_empty() {
        return None;
    }
    match engine.values.node(value) {
        // A share of a list: `items[rank::world]`.
        Node::Index(_, index) if matches!(engine.values.node(*index), Node::Range(_)) => {
            let axes = engine.values.vary(*index);
            let source = source_of(engine, *index, fuel);
            (!axes.is_empty()).then_some(Differs { axes, source, confidence: Confidence::Medium })
        }
        Node::Mapped(_, parts) if parts.len() <= 2 => length(engine, *parts.first()?, fuel),
        Node::Range(parts) if parts.len() == 1 => number(engine, parts[0], fuel),
        Node::If(test, then, otherwise) => match (engine.values.node(*then), engine.values.node(*otherwise)) {
            (Node::Sequence(one), Node::Sequence(other)) if one.len() != other.len() => Some(Differs {
                axes: engine.values.vary(*test),
                source: source_of(engine, *test, fuel),
                confidence: Confidence::Medium,
            }),
            _ => first_of([length(engine, *then, fuel), length(engine, *otherwise, fuel)]),
        },
        Node::Changed(_, parts) => {
            let source = source_of(engine, *parts.first()?, fuel);
            Some(Differs { axes, source, confidence: Confidence::Low })
        }
        Node::Local(..) => Some(Differs { axes, source: value, confidence: Confidence::Low }),
        _ => None,
    }
}

/// A leaf of the value that differs.
fn source_of(engine: &Engine<'_>, value: Value, fuel: u32) -> Value {
    let Some(fuel) = fuel.checked_sub(1) else { return value };
    let parts = match engine.values.node(value) {
        Node::Not(inner) | Node::Length(inner) | Node::Attribute(inner, _) => vec![*inner],
        Node::Compare(_, left, right) | Node::And(left, right) | Node::Or(left, right) => vec![*left, *right],
        _ => children(engine, value),
    };
    match parts.into_iter().find(|&part| !engine.values.vary(part).is_empty()) {
        Some(part) => source_of(engine, part, fuel),
        None => value,
    }
}
