//! Groups of which each rank has one of several as its own: no rank of the job is in all of them.

use super::{MAX_PARTS, WORLD};
use crate::flow::{Assignment, Evaluator, GroupKey, Node, Value};
use crate::graph::evaluate::Engine;

/// Whether a loop makes several groups, of which each rank keeps the one that it belongs to.
pub(super) fn is_own_of_a_loop(engine: &Engine<'_>, group: Value) -> bool {
    let values = &engine.values;
    match *values.node(group) {
        Node::MadeGroup(..) => engine.marks.own_groups.contains(&group),
        // The attribute of an object that begins without one.
        Node::Carried(_, _, ref parts) => {
            let is_made = |part: Value| match *values.node(part) {
                // What the last turn has left that went for this rank.
                Node::MadeGroup(_, ranks) => {
                    values.any_part(ranks, MAX_PARTS, |part| matches!(values.node(part), Node::Item(..)))
                }
                _ => false,
            };
            let groups = |part: &&Value| matches!(values.node(**part), Node::MadeGroup(..));
            let mut there = parts.iter().filter(groups);
            there.next().is_some_and(|&only| is_own_of_a_loop(engine, only) || is_made(only)) && there.next().is_none()
        }
        _ => false,
    }
}

/// A rank whose own of several groups does not hold the root, with the ranks of that group.
pub(super) fn chosen_without(engine: &Engine<'_>, group: Value, root: i64) -> Option<(i64, Box<[i64]>)> {
    if engine.values.vary(group).is_empty() {
        return None;
    }
    (0..WORLD.size).find_map(|rank| {
        let class = Assignment { rank, ..Assignment::default() };
        match Evaluator::new(&engine.values, WORLD, &class).group(group) {
            GroupKey::Made(_, ranks) if ranks.contains(&rank) && !ranks.contains(&root) => {
                Some((rank, ranks.iter().copied().collect()))
            }
            _ => None,
        }
    })
}
