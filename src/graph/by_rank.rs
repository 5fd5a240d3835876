//! Whether an answer is one of a rank's own number: a comparison of it, of what is dealt or counted by it, or of what some
//! ranks have and others have not.

use rustc_hash::FxHashSet;

use crate::flow::{COLLECTED, COMPREHENSION, Node, Value};
use crate::model::{BinaryOp, CompareOp};

use super::evaluate::{Engine, is_in_place};

/// Parts of a question that are looked at.
const MAX_PARTS: usize = 400;

/// Loops, one in another, through which a variable is followed.
const MAX_LOOPS: usize = 4;

/// Functions and methods that give a number, whatever they are asked of.
const GIVES_NUMBERS: [&str; 6] = ["float", "int", "round", "item", "mean", "len"];

/// Whether the value is a comparison of a rank, this rank's share of something, a number that is counted by rank, what
/// one rank has and another has not, what some ranks have put in the place of what an object held before, or made of such
/// by logic and containers alone.
pub(super) fn compares_rank(engine: &Engine<'_>, test: Value) -> bool {
    const PLAIN: [&str; 19] = [
        "min",
        "max",
        "int",
        "float",
        "range",
        "len",
        "abs",
        "item",
        "tensor",
        "full",
        "iter",
        "next",
        "zip",
        "enumerate",
        "missed",
        "ended",
        "DataLoader",
        "StatefulDataLoader",
        "Subset",
    ];
    // Values, and whether only their number of elements is asked for.
    let mut pending = vec![(test, false)];
    let mut seen = FxHashSet::default();
    while let Some((value, counted)) = pending.pop() {
        if !seen.insert(value) || seen.len() > MAX_PARTS || engine.values.vary(value).is_empty() {
            continue;
        }
        let mut push = |parts: &[Value]| pending.extend(parts.iter().map(|&part| (part, counted)));
        match engine.values.node(value) {
            Node::Rank(_) | Node::Parameter(..) => return true,
            Node::Not(inner) | Node::Agreed(_, inner, _) | Node::Loader(inner, _) => push(&[*inner]),
            Node::Length(inner) => pending.push((*inner, true)),
            Node::Compare(CompareOp::In | CompareOp::NotIn, left, _) => push(&[*left]),
            Node::And(left, right)
            | Node::Or(left, right)
            | Node::Compare(_, left, right)
            | Node::Binary(_, left, right)
            | Node::Index(left, right) => push(&[*left, *right]),
            Node::If(test, then, otherwise) => {
                push(&[*then, *otherwise]);
                let (one, other) = (*then, *otherwise);
                let replaced = engine.values.is_unset(one) && is_number(engine, other)
                    || is_number(engine, one) && engine.values.is_unset(other);
                let counted = counts_on(engine, one, other) || counts_on(engine, other, one);
                if replaced || counted || are_unlike(engine, one, other) {
                    push(&[*test]);
                }
            }
            Node::Range(parts) => {
                push(parts);
                pending
                    .extend(parts.iter().filter_map(|&bound| kept_or_found(engine, bound)).map(|test| (test, false)));
            }
            Node::Sequence(parts) | Node::Carried(_, _, parts) | Node::Changed(_, parts) => push(parts),
            Node::Apply(name, parts) | Node::Mapped(name, parts)
                if PLAIN.contains(&name.last_part().as_str()) || asks_for_numbers(name.last_part().as_str()) =>
            {
                push(parts);
            }
            Node::Mapped(name, parts) => match name.as_str() {
                COMPREHENSION | COLLECTED | "map" | "filter" | "store" | "update" | "extend" | "append" => push(parts),
                _ => push(&parts[..parts.len().min(1)]),
            },
            // What a function makes of this rank's share; how much that is says the function.
            Node::Apply(_, parts) | Node::Invoked(_, parts) if !counted => {
                let shared = |part: &&Value| matches!(engine.values.node(**part), Node::Index(..));
                pending.extend(parts.iter().filter(shared).map(|&part| (part, counted)));
            }
            _ => {}
        }
    }
    false
}

/// Whether it makes a difference which of the two it is: two numbers, something and nothing, containers that were made
/// in different ways.
fn are_unlike(engine: &Engine<'_>, one: Value, other: Value) -> bool {
    let nothing = |value: Value, other: Value| match engine.values.node(value) {
        Node::None | Node::Sequence(_) | Node::Range(_) | Node::Mapping(_) => true,
        Node::Index(whole, _) => *whole == other,
        _ => false,
    };
    let is_settled = |value: Value| {
        !matches!(engine.values.node(value), Node::If(..) | Node::Carried(..) | Node::Changed(..) | Node::Bool(_))
    };
    // As long as another rank has said.
    let is_agreed = |value: Value| match engine.values.node(value) {
        Node::Range(parts) => parts.iter().any(|&part| engine.values.is_received(part, &|_| None)),
        _ => false,
    };
    let node = |value: Value| std::mem::discriminant(engine.values.node(value));
    // There is nothing on some ranks, and something on the others that may yet turn out to be nothing.
    let asks_for_nothing = |value: Value| match *engine.values.node(value) {
        Node::Compare(CompareOp::Is | CompareOp::IsNot, _, nothing) => *engine.values.node(nothing) == Node::None,
        _ => false,
    };
    let is_truth = |value: Value| matches!(engine.values.node(value), Node::Bool(_));
    is_number(engine, one) && is_number(engine, other) && !counts_alike(engine, one, other)
        || is_truth(one) && is_truth(other) && one != other
        || is_truth(one) && asks_for_nothing(other)
        || asks_for_nothing(one) && is_truth(other)
        || is_changed(engine, one, other)
        || is_changed(engine, other, one)
        || are_turned(engine, one, other)
        || are_turned(engine, other, one)
        || (nothing(one, other) || nothing(other, one))
            && is_settled(one)
            && is_settled(other)
            && node(one) != node(other)
            && !is_agreed(one)
            && !is_agreed(other)
}

/// Whether a tensor is another one with something put into it.
fn is_changed(engine: &Engine<'_>, changed: Value, before: Value) -> bool {
    match engine.values.node(changed) {
        Node::Mapped(name, parts) => is_in_place(*name) && parts.first() == Some(&before),
        _ => false,
    }
}

/// Whether a flag is turned in a loop where it stood the other way before.
fn are_turned(engine: &Engine<'_>, turned: Value, kept: Value) -> bool {
    let Node::Bool(turned) = engine.values.node(turned) else { return false };
    let mut before = kept;
    for _ in 0..MAX_LOOPS {
        let Node::Carried(_, _, parts) = engine.values.node(before) else { break };
        let Some(&first) = parts.first() else { return false };
        before = first;
    }
    before != kept && matches!(engine.values.node(before), Node::Bool(begins) if begins != turned)
}

/// Whether a loop keeps a number as it is in the one arm, and counts it on or begins it anew in all that the other may come
/// to: a counter that only some ranks count.
fn counts_on(engine: &Engine<'_>, kept: Value, other: Value) -> bool {
    let Node::If(_, one, another) = *engine.values.node(other) else { return false };
    let Node::Carried(at, ..) = engine.values.node(kept) else { return false };
    let is_counted = |value: Value| match *engine.values.node(value) {
        Node::Int(_) => true,
        Node::Binary(BinaryOp::Add, counted, step) => {
            matches!(engine.values.node(step), Node::Int(_))
                && matches!(engine.values.node(counted), Node::Carried(around, ..) if around == at)
        }
        _ => false,
    };
    is_number(engine, kept) && is_counted(one) && is_counted(another)
}

/// The question by which the bound of a range is a number that all began with, or one that some have found elsewhere.
fn kept_or_found(engine: &Engine<'_>, bound: Value) -> Option<Value> {
    let Node::If(test, one, other) = *engine.values.node(bound) else { return None };
    let begun = |value: Value| matches!(engine.values.node(value), Node::Int(_));
    let found = |value: Value| matches!(engine.values.node(value), Node::Index(..) | Node::Attribute(..));
    (begun(one) && found(other) || found(one) && begun(other)).then_some(test)
}

/// Whether two loops count on from one number in steps of one size, neither for a number of turns that differs between
/// ranks.
fn counts_alike(engine: &Engine<'_>, one: Value, other: Value) -> bool {
    let counter = |value: Value| {
        let Node::Carried(_, _, parts) = engine.values.node(value) else { return None };
        let step = |&part: &Value| match *engine.values.node(part) {
            Node::Binary(BinaryOp::Add, counted, step) if matches!(engine.values.node(step), Node::Int(_)) => {
                matches!(engine.values.node(counted), Node::Carried(..)).then_some(step)
            }
            _ => None,
        };
        let turns = parts.last().filter(|turns| engine.values.vary(**turns).is_empty());
        turns.and(parts.first().copied().zip(parts.iter().find_map(step)))
    };
    one != other && counter(one).is_some_and(|counted| counter(other) == Some(counted))
}

fn is_number(engine: &Engine<'_>, value: Value) -> bool {
    is_number_within(engine, value, MAX_LOOPS)
}

fn is_number_within(engine: &Engine<'_>, value: Value, fuel: usize) -> bool {
    let Some(fuel) = fuel.checked_sub(1) else { return false };
    let is_number = |value: Value| is_number_within(engine, value, fuel);
    match engine.values.node(value) {
        Node::Int(_) | Node::Binary(..) => true,
        Node::If(_, one, other) => is_number(*one) && is_number(*other),
        Node::Carried(_, _, parts) => parts.first().is_some_and(|&first| is_number(first)),
        Node::Apply(name, _) | Node::Mapped(name, _) => GIVES_NUMBERS.contains(&name.last_part().as_str()),
        _ => false,
    }
}

/// Whether a function asks whether these are numbers at all: that is each rank's own, before it is averaged and after.
pub(super) fn asks_for_numbers(name: &str) -> bool {
    ["isnan", "isinf", "isfinite", "overflow"].iter().any(|asked| name.contains(asked))
}
