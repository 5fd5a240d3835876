//! Along which axes the shape of a tensor differs, and how many elements a list has.

use crate::finding::Confidence;
use crate::flow::{Axes, FILTERS, Node, Value};
use crate::model::BinaryOp;

use super::counted::{count_apart, fixed, holds_one_place};
use super::{Differs, children};
use crate::graph::evaluate::{Engine, is_in_place};

fn first_of(parts: impl IntoIterator<Item = Option<Differs>>) -> Option<Differs> {
    parts.into_iter().flatten().max_by_key(|found| found.confidence)
}

/// Along which axes the shape of a tensor differs.
pub(super) fn shape(engine: &Engine<'_>, value: Value, fuel: u32) -> Option<Differs> {
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
                _ if JOINS.contains(&last) => {
                    let Some(parts) = joined(engine, first) else { return collected(engine, first, fuel) };
                    // What is made for it fills up what is missing.
                    let fills = parts.iter().any(|&part| matches!(engine.values.node(part), Node::Range(_)));
                    if fills { None } else { first_of(parts.iter().map(|&part| shape(engine, part, fuel))) }
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
        Node::Index(tensor, index) if is_mask(engine, *index) => {
            let axes = engine.values.vary(*index);
            let source = if engine.values.vary(*tensor).is_empty() { *index } else { *tensor };
            (!axes.is_empty()).then_some(Differs { axes, source, confidence: Confidence::Medium })
        }
        // The places at which something holds: `x[mask.nonzero()]`.
        Node::Index(_, index) => shape(engine, *index, fuel).filter(|_| is_filtered(engine, *index)),
        Node::If(_, then, otherwise)
            if lengthens(engine, *then, *otherwise) || lengthens(engine, *otherwise, *then) =>
        {
            None
        }
        Node::If(test, then, otherwise) => {
            let arms = first_of([shape(engine, *then, fuel), shape(engine, *otherwise, fuel)]);
            let differ = match (fixed(engine, *then), fixed(engine, *otherwise)) {
                (Some(one), Some(other)) => one != other,
                _ => count_apart(engine, *then, *otherwise),
            };
            let differs = !engine.values.vary(*test).is_empty();
            let guessed = || holds_one_place(engine, *then, *otherwise) || holds_one_place(engine, *otherwise, *then);
            match differ && differs {
                true => Some(by_test(engine, *test, fuel)),
                false if arms.is_none() && differs && guessed() => {
                    Some(Differs { confidence: Confidence::Medium, ..by_test(engine, *test, fuel) })
                }
                false => arms,
            }
        }
        Node::Binary(_, left, right) => first_of([shape(engine, *left, fuel), shape(engine, *right, fuel)]),
        Node::Mapped(name, parts) if is_in_place(*name) => shape(engine, *parts.first()?, fuel),
        _ => None,
    }
}

pub(super) fn by_test(engine: &Engine<'_>, test: Value, fuel: u32) -> Differs {
    let (axes, source) = (engine.values.vary(test), source_of(engine, test, fuel));
    Differs { axes, source, confidence: Confidence::High }
}

/// Whether a tensor is another one with something behind it, where that is too short: `cat([x, zeros(most - n)])`.
fn lengthens(engine: &Engine<'_>, longer: Value, shorter: Value) -> bool {
    let Node::Apply(name, parts) = engine.values.node(longer) else { return false };
    let content = parts.first().and_then(|&first| joined(engine, first));
    JOINS.contains(&name.as_str().rsplit('.').next().unwrap_or_default())
        && content.is_some_and(|content| content.len() > 1 && content.contains(&shorter))
}

/// The tensors that are put one behind the other, where the list of them is written out.
fn joined<'e>(engine: &'e Engine<'_>, given: Value) -> Option<&'e [Value]> {
    let Node::Sequence(content) = engine.values.node(given) else { return None };
    match content[..] {
        [list] => match engine.values.node(list) {
            Node::Sequence(parts) => Some(parts),
            _ => None,
        },
        _ => Some(content),
    }
}

/// Along which axes it differs how many tensors there are in a list that is put together as it is.
fn collected(engine: &Engine<'_>, given: Value, fuel: u32) -> Option<Differs> {
    let Node::Sequence(content) = engine.values.node(given) else { return None };
    length(engine, *content.first()?, fuel)
}

/// Functions that put tensors one behind the other.
const JOINS: [&str; 4] = ["cat", "concat", "concatenate", "hstack"];

/// Functions that make a tensor of what is in a list.
pub(super) const MAKES: [&str; 5] = ["tensor", "as_tensor", "asarray", "from_numpy", "array"];

/// Functions of a tensor whose result has its shape.
pub(in crate::graph) const KEEP_SHAPE: [&str; 22] = [
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
    "normalize",
    "relu",
    "sigmoid",
    "exp",
];

/// Functions that say of each element whether something holds.
const MASKS: [&str; 12] =
    ["bool", "isnan", "isfinite", "isinf", "logical_not", "logical_and", "logical_or", "eq", "ne", "gt", "lt", "ge"];

/// Whether an index says of each element whether it is taken.
fn is_mask(engine: &Engine<'_>, index: Value) -> bool {
    match engine.values.node(index) {
        Node::Compare(..) | Node::Not(_) => true,
        Node::Apply(name, _) => MASKS.contains(&name.as_str().rsplit('.').next().unwrap_or_default()),
        Node::Binary(BinaryOp::BitAnd | BinaryOp::BitOr, left, right) => {
            is_mask(engine, *left) || is_mask(engine, *right)
        }
        // A field of a batch that is called so.
        Node::Index(_, key) => {
            matches!(engine.values.node(*key), Node::Str(field) if field.as_str().ends_with("mask"))
        }
        Node::Attribute(_, field) => field.as_str().ends_with("mask"),
        _ => false,
    }
}

/// Whether a value is what a function found in a tensor, or one of the parts of that.
fn is_filtered(engine: &Engine<'_>, value: Value) -> bool {
    match engine.values.node(value) {
        Node::Apply(name, _) => FILTERS.contains(&name.as_str().rsplit('.').next().unwrap_or_default()),
        Node::Index(found, place) => matches!(engine.values.node(*place), Node::Int(_)) && is_filtered(engine, *found),
        _ => false,
    }
}

/// Along which axes a number that is a size differs.
fn number(engine: &Engine<'_>, value: Value, fuel: u32) -> Option<Differs> {
    let fuel = fuel.checked_sub(1)?;
    match engine.values.node(value) {
        Node::Rank(axes) => Some(Differs { axes: *axes, source: value, confidence: Confidence::High }),
        Node::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, left, right) | Node::Compare(_, left, right) => {
            first_of([number(engine, *left, fuel), number(engine, *right, fuel)])
        }
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
        // Every so many from this rank's own on: `range(rank, len(items), world)`.
        Node::Range(parts) if parts.len() == 3 => {
            let first = number(engine, parts[0], fuel)?;
            let every = matches!(engine.values.node(parts[2]), Node::Size(_) | Node::Parameter(..));
            every.then_some(Differs { confidence: Confidence::Medium, ..first })
        }
        Node::Loader(data, _) => length(engine, *data, fuel),
        Node::Apply(name, parts) => match name.last_part().as_str() {
            "DataLoader" => length(engine, *parts.first()?, fuel),
            "Subset" => length(engine, *parts.get(1)?, fuel),
            _ => None,
        },
        // A list that began empty has as many as there were turns.
        Node::Carried(_, _, parts) => {
            let begun = matches!(engine.values.node(*parts.first()?), Node::Sequence(items) if items.is_empty());
            let found = length(engine, *parts.last().filter(|_| begun)?, fuel)?;
            Some(Differs { confidence: found.confidence.min(Confidence::Medium), ..found })
        }
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
