//! How many elements there are in tensors and lists that can be counted.

use crate::flow::{COMPREHENSION, Node, Value};
use crate::graph::evaluate::{Engine, is_in_place};

use super::Differs;
use super::measure::{MAKES, by_test};

/// Along which axes a tensor has another number of elements, by a question between two that can both be counted: of a list
/// that is written out, or made with a size that is a number.
pub(super) fn miscounted(engine: &Engine<'_>, value: Value, fuel: u32) -> Option<Differs> {
    let fuel = fuel.checked_sub(1)?;
    match *engine.values.node(value) {
        Node::If(test, then, otherwise)
            if !engine.values.vary(test).is_empty() && count_apart(engine, then, otherwise) =>
        {
            Some(by_test(engine, test, fuel))
        }
        Node::If(_, then, otherwise) => miscounted(engine, then, fuel).or_else(|| miscounted(engine, otherwise, fuel)),
        _ => None,
    }
}

pub(super) fn count_apart(engine: &Engine<'_>, one: Value, other: Value) -> bool {
    let counted = elements(engine, one).zip(elements(engine, other));
    counted.is_some_and(|(one, other)| one != other)
}

/// Whether one list has a single place and nothing in it, where the other one holds as many as there happen to be: what was
/// read, listed or taken one by one.
pub(super) fn holds_one_place(engine: &Engine<'_>, place: Value, many: Value) -> bool {
    let is_place = match engine.values.node(place) {
        Node::Sequence(items) => matches!(items[..], [only] if *engine.values.node(only) == Node::None),
        _ => false,
    };
    is_place
        && match engine.values.node(many) {
            Node::Mapped(name, parts) => {
                let over = parts.first().map(|&over| engine.values.node(over));
                name.as_str() == COMPREHENSION && !matches!(over, Some(Node::Sequence(_) | Node::Range(_)))
            }
            Node::Apply(name, _) => READS_MANY.contains(&name.last_part().as_str()),
            _ => false,
        }
}

/// Functions that give as many as there are in what they read.
const READS_MANY: [&str; 9] =
    ["load", "loads", "safe_load", "listdir", "glob", "readlines", "splitlines", "split", "sorted"];

/// The shape of a tensor that is made from constants.
pub(super) fn fixed(engine: &Engine<'_>, value: Value) -> Option<Vec<i64>> {
    let parts = match engine.values.node(value) {
        Node::Range(parts) => parts,
        Node::Mapped(name, parts) if is_in_place(*name) => return fixed(engine, *parts.first()?),
        _ => return None,
    };
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
        // Nobody hands over nothing.
        Node::If(_, one, other) => match (engine.values.node(*one), engine.values.node(*other)) {
            (Node::None, _) => elements(engine, *other),
            (_, Node::None) => elements(engine, *one),
            _ => None,
        },
        Node::Range(_) => Some(fixed(engine, value)?.into_iter().product()),
        Node::Mapped(name, parts) if is_in_place(*name) => elements(engine, *parts.first()?),
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
