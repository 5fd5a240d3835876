//! Failures that every rank would raise, by an answer that only some ranks work out: the others keep what it began with.

use crate::base::Site;
use crate::flow::{EffectId, Node, Value};
use crate::graph::by_rank::compares_rank;
use crate::graph::evaluate::Engine;
use crate::model::CompareOp;

use super::found_out::{asks_for_place, ends_in_failure};

/// Where an arm raises that only ranks come to which have worked out what is asked: `ok = compared(a, b) if rank == 0 else True`,
/// and then `if not ok: raise`.
pub(super) fn raised_by_some(engine: &Engine<'_>, test: Value, then: EffectId, otherwise: EffectId) -> Option<Site> {
    let (mut asked, mut holds) = (test, true);
    while let Node::Not(inner) = *engine.values.node(asked) {
        (asked, holds) = (inner, !holds);
    }
    let asked = match *engine.values.node(asked) {
        Node::Compare(CompareOp::Is, value, nothing) if *engine.values.node(nothing) == Node::None => {
            holds = !holds;
            value
        }
        _ => asked,
    };
    let kept = kept_by_others(engine, asked)?;
    let raising = if kept == holds { otherwise } else { then };
    ends_in_failure(engine, raising)
}

/// How the answer comes out, as a condition, on the ranks that do not work it out.
fn kept_by_others(engine: &Engine<'_>, answer: Value) -> Option<bool> {
    let by_place = |test: Value| asks_for_place(engine, test) && compares_rank(engine, test);
    match engine.values.node(answer) {
        Node::If(test, one, other) if by_place(*test) => match (settled(engine, *one), settled(engine, *other)) {
            (Some(kept), None) | (None, Some(kept)) => Some(kept),
            _ => None,
        },
        Node::Carried(_, _, parts) => {
            let (first, turns) = parts.split_first()?;
            let is_changed_by_some =
                |&turn: &Value| matches!(engine.values.node(turn), Node::If(test, ..) if by_place(*test));
            // What decides about the turns stands last.
            let (_, states) = turns.split_last().filter(|(_, states)| !states.is_empty()).unwrap_or((first, turns));
            settled(engine, *first).filter(|_| !states.is_empty() && states.iter().all(is_changed_by_some))
        }
        _ => None,
    }
}

/// Whether a value is one that is written down, and holds as a condition.
fn settled(engine: &Engine<'_>, value: Value) -> Option<bool> {
    match engine.values.node(value) {
        Node::Bool(known) => Some(*known),
        Node::Int(known) => Some(*known != 0),
        Node::None => Some(false),
        Node::Sequence(items) => items.is_empty().then_some(false),
        _ => None,
    }
}
