//! What a question asks of a value: whether it is there, what kind of thing it is, and whether what differs between ranks
//! goes into it as it is.

use rustc_hash::FxHashSet;

use crate::flow::{DISPATCH, Node, Value, parts};
use crate::model::{BinaryOp, CompareOp};

use super::evaluate::Engine;

/// Parts of a question that are looked at.
const MAX_PARTS: usize = 24;

/// Steps of a walk through all that goes into a value.
const MAX_STEPS: usize = 2_000;

/// Questions for being there that are followed behind another one.
const MAX_QUESTIONS: u8 = 3;

/// Whether the program says the value outright.
pub(super) fn is_said(engine: &Engine<'_>, value: Value) -> bool {
    matches!(engine.values.node(value), Node::None | Node::Bool(_) | Node::Int(_) | Node::Str(_))
}

/// Whether a question, or a part of one, is what kind of thing an element of a collection is.
pub(super) fn asks_for_kind(engine: &Engine<'_>, test: Value) -> bool {
    let look = |value: Value, further: &mut Vec<Value>| {
        match engine.values.node(value) {
            Node::Not(inner) => further.push(*inner),
            Node::And(left, right) | Node::Or(left, right) => further.extend([*left, *right]),
            Node::Apply(name, parts) if name.as_str() != DISPATCH => {
                let Some(&Node::Kind(mut thing)) = parts.first().map(|&part| engine.values.node(part)) else {
                    return false;
                };
                while let Node::Attribute(whole, _) = *engine.values.node(thing) {
                    thing = whole;
                }
                return matches!(engine.values.node(thing), Node::Item(..) | Node::Index(..));
            }
            _ => {}
        }
        false
    };
    engine.values.search(test, MAX_STEPS, look) == Some(true)
}

/// Whether a fact goes into the value without being computed with.
pub(super) fn reaches_plainly(engine: &Engine<'_>, value: Value, leaf: Value) -> bool {
    let look = |value: Value, further: &mut Vec<Value>| {
        match engine.values.node(value) {
            Node::Binary(BinaryOp::Sub | BinaryOp::Add, left, right) => further.extend([*left, *right]),
            Node::Binary(..) | Node::Range(_) => {}
            // Which of two numbers it is: one of them is worked out.
            Node::If(_, then, otherwise) if !is_said(engine, *then) || !is_said(engine, *otherwise) => {
                further.extend([*then, *otherwise]);
            }
            // A number that a name holds.
            Node::Apply(name, _) if matches!(name.as_str(), "int" | "float") => {}
            Node::Apply(name, parts) if parts.len() == 1 || !matches!(name.as_str(), "DataLoader" | "min" | "max") => {
                further.extend(parts.iter());
            }
            node => further.extend(parts(node)),
        }
        value == leaf
    };
    engine.values.search(value, MAX_STEPS, look) == Some(true)
}

/// Whether a rank goes into the value by what the program itself computes, not through what an unknown function or
/// object makes of it.
pub(super) fn reaches_rank(engine: &Engine<'_>, value: Value) -> bool {
    let look = |value: Value, further: &mut Vec<Value>| {
        match engine.values.node(value) {
            _ if engine.values.vary(value).is_empty() => {}
            Node::Rank(_) => return true,
            Node::Not(inner) | Node::Length(inner) | Node::Item(_, inner) | Node::Loader(inner, _) => {
                further.push(*inner);
            }
            // Whether a loader has come to its end, and the least, the most and the sum of some.
            Node::Apply(name, parts)
                if matches!(
                    name.last_part().as_str(),
                    "ended" | "DataLoader" | "StatefulDataLoader" | "min" | "max" | "sum"
                ) =>
            {
                further.extend(parts.iter());
            }
            Node::And(left, right)
            | Node::Or(left, right)
            | Node::Compare(_, left, right)
            | Node::Binary(_, left, right)
            | Node::Index(left, right) => further.extend([*left, *right]),
            Node::If(test, then, otherwise) => further.extend([*test, *then, *otherwise]),
            Node::Sequence(parts)
            | Node::Range(parts)
            | Node::Mapped(_, parts)
            | Node::Changed(_, parts)
            | Node::Carried(_, _, parts) => further.extend(parts.iter()),
            _ => {}
        }
        false
    };
    engine.values.search(value, MAX_STEPS, look) == Some(true)
}

/// Whether all that differs is asked for being there: what a thing is made from differs, not whether it is.
pub(super) fn asks_for_none(engine: &Engine<'_>, test: Option<Value>) -> bool {
    asks_for_none_within(engine, test, MAX_QUESTIONS)
}

fn asks_for_none_within(engine: &Engine<'_>, test: Option<Value>, fuel: u8) -> bool {
    let mut pending: Vec<(Value, Option<(Value, bool)>)> = test.into_iter().map(|test| (test, None)).collect();
    let mut asks = false;
    while let Some((value, given)) = pending.pop() {
        match engine.values.node(value) {
            _ if engine.values.truth_axes(value).is_empty() && given.is_none() => {}
            Node::Not(inner) => pending.push((*inner, given)),
            Node::And(left, right) | Node::Or(left, right) => pending.extend([(*left, given), (*right, given)]),
            // What is surely there in one arm, and computed in the other: that is asked for.
            Node::If(test, then, otherwise)
                if let Some(question) = question_beside(engine, *test, (*then, *otherwise)) =>
            {
                asks = true;
                pending.push((question, given));
            }
            // One thing here and another there: either is asked for.
            Node::If(test, then, otherwise) => match given {
                Some((known, holds)) if known == *test => {
                    pending.push((if holds { *then } else { *otherwise }, given));
                }
                // That is asked for being there, too, and is there on all or on none.
                _ if engine.values.truth_axes(*test).is_empty()
                    || given.is_none() && is_computed(engine, *test, fuel) =>
                {
                    pending.extend([(*then, given), (*otherwise, given)])
                }
                _ => pending.extend([(*then, Some((*test, true))), (*otherwise, Some((*test, false)))]),
            },
            Node::Compare(CompareOp::Is | CompareOp::IsNot, subject, none)
                if *engine.values.node(*none) == Node::None
                    && !may_be_missing(engine, *subject, fuel)
                    && !(given.is_some() && is_place(engine, *subject)) =>
            {
                asks = true;
            }
            _ => return false,
        }
    }
    asks
}

/// The arm that asks whether something is there, where the other one says what it says if that is so.
fn question_beside(engine: &Engine<'_>, test: Value, (then, otherwise): (Value, Value)) -> Option<Value> {
    let values = &engine.values;
    // What is asked again in an arm has been answered.
    let then = match values.node(then) {
        Node::If(again, then, _) if *again == test => *then,
        _ => then,
    };
    let otherwise = match values.node(otherwise) {
        Node::If(again, _, otherwise) if *again == test => *otherwise,
        _ => otherwise,
    };
    let is_beside = |question: Value, known: Value| {
        let (absence, if_there) = match values.node(question) {
            Node::Not(absence) => (*absence, true),
            _ => (question, false),
        };
        matches!(values.node(absence), Node::Compare(CompareOp::Is, _, none) if *values.node(*none) == Node::None)
            && *values.node(known) == Node::Bool(if_there)
    };
    match (is_beside(then, otherwise), is_beside(otherwise, then)) {
        (true, _) => Some(then),
        (_, true) => Some(otherwise),
        _ => None,
    }
}

/// Whether a question behind another one is no more than whether something that is computed is there.
fn is_computed(engine: &Engine<'_>, test: Value, fuel: u8) -> bool {
    fuel > 0 && asks_for_none_within(engine, Some(test), fuel - 1)
}

/// Whether it is what stands at some place of a thing.
fn is_place(engine: &Engine<'_>, value: Value) -> bool {
    matches!(engine.values.node(value), Node::Index(..))
}

/// Whether a variable holds `None` in one of the ways to it, or nothing yet.
fn may_be_none(engine: &Engine<'_>, value: Value) -> bool {
    let look = |value: Value, further: &mut Vec<Value>| {
        match engine.values.node(value) {
            // Or bound in the other arm only.
            _ if engine.values.is_absent(value) => return true,
            Node::If(_, then, otherwise) => further.extend([*then, *otherwise]),
            Node::Carried(_, _, parts) => further.extend(parts.first()),
            _ => {}
        }
        false
    };
    engine.values.search(value, MAX_PARTS, look) == Some(true)
}

/// Whether anything says that a thing is there on one rank and missing on another: it is set where ranks part, or handed
/// over as it is. What is computed from a rank's data, or looked up in them, is there on all ranks or on none.
fn may_be_missing(engine: &Engine<'_>, subject: Value, fuel: u8) -> bool {
    let mut seen = FxHashSet::default();
    let mut pending = vec![(subject, false)];
    while let Some((value, part)) = pending.pop() {
        if !seen.insert(value) || engine.values.vary(value).is_empty() {
            continue;
        }
        match engine.values.node(value) {
            Node::If(test, then, otherwise) => {
                let (then, otherwise) = (*then, *otherwise);
                // Whether it was set may hang on whether another thing is there, and that on what was computed alone.
                let parts = !engine.values.truth_axes(*test).is_empty() && !is_computed(engine, *test, fuel);
                // What is a part of one thing need not be a part of another.
                let part = part || is_place(engine, then) || is_place(engine, otherwise);
                if parts && (part || may_be_none(engine, then) != may_be_none(engine, otherwise)) {
                    return true;
                }
                pending.extend([(then, part), (otherwise, part)]);
            }
            Node::Carried(_, _, parts) | Node::Changed(_, parts) => {
                pending.extend(parts.iter().map(|&each| (each, part)));
            }
            // Too deep to be told apart.
            Node::Local(..) if !engine.values.behind(value).is_empty() => {}
            Node::Attribute(whole, _) | Node::Index(whole, _) => pending.push((*whole, true)),
            Node::Agreed(..) | Node::Apply(..) | Node::Invoked(..) | Node::Binary(..) => {}
            // An entry of what a rank was given.
            _ if part && engine.marks.shares.contains(&value) => {}
            _ => return true,
        }
    }
    false
}
