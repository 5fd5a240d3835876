//! Who may be the members of a group that a question decides about: reasons to believe that those who get there are just
//! the ranks that the operation is for.

use crate::flow::{Axes, Effect, EffectId, EventId, GroupKey, Node, Parting, Value};
use crate::model::{BinaryOp, CompareOp, Expr, ExprId, File, each_expression};

use super::confidence::Evidence;
use super::descent::{contains, paths_to, preorder};
use super::evaluate::Engine;
use super::questions::is_said;
use super::witness::SplitKind;

/// Parts of a question that are looked at.
const MAX_PARTS: usize = 24;

/// Whether the question and the group have a name in common, but for what all such names are made of: who `is_leader`
/// belongs to the `leader_group`.
pub(super) fn are_named_alike(engine: &Engine<'_>, question: Option<(&File, ExprId)>, main: EventId) -> bool {
    const COMMON: [&str; 10] = ["is", "in", "group", "rank", "process", "pg", "self", "get", "my", "world"];
    let words = |(model, expr): (&File, ExprId)| {
        let mut out: Vec<String> = Vec::new();
        each_expression(model, expr, &mut |_, expr| {
            if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
                let parts = name.as_str().split('_').map(|part| part.trim_end_matches('s').to_ascii_lowercase());
                out.extend(parts.filter(|part| part.len() > 2 && !COMMON.contains(&part.as_str())));
            }
        });
        out
    };
    let Some(asked) = question.map(words) else { return false };
    let Some((model, Expr::Call(call))) =
        engine.written_at(engine.effects.event(main).site).map(|(model, expr)| (model, model.expr(expr)))
    else {
        return false;
    };
    let group = model
        .keywords(model.call(call))
        .iter()
        .find(|keyword| keyword.name.is_some_and(|name| matches!(name.as_str(), "group" | "process_group")));
    group.is_some_and(|group| words((model, group.value)).iter().any(|word| asked.contains(word)))
}

/// Whether the group is that of both ends of a pipeline, which keep their embeddings alike, and the question whether this rank
/// is one or the other.
fn are_both_ends(engine: &Engine<'_>, test: Option<Value>, axes: Axes) -> bool {
    let Some(mut test) = test.filter(|_| axes.is_embedding()) else { return false };
    while let Node::Not(inner) = *engine.values.node(test) {
        test = inner;
    }
    let Node::Or(left, right) = *engine.values.node(test) else { return false };
    let asks_for_stage = |side: Value| engine.values.vary(side) == Axes::named("pp");
    asks_for_stage(left) || asks_for_stage(right)
}

/// Whether the ranks of a group that nobody knows the layout of may be just those that the question is true of: it asks
/// whether this rank is in a list, or works out its place.
pub(super) fn may_be_members(engine: &Engine<'_>, test: Option<Value>, group: &GroupKey) -> bool {
    let group = match group {
        GroupKey::Other(group) => group,
        GroupKey::Axis(axes) => return are_both_ends(engine, test, *axes),
        _ => return false,
    };
    let is_whole = |list: Value| matches!(engine.values.node(*group), Node::MadeGroup(_, ranks) if *ranks == list);
    let mut pending: Vec<Value> = test.into_iter().collect();
    for _ in 0..MAX_PARTS {
        let Some(value) = pending.pop() else { return false };
        match engine.values.node(value) {
            Node::Not(inner) => pending.push(*inner),
            Node::And(left, right) | Node::Or(left, right) => pending.extend([*left, *right]),
            // Whoever is asked for stands for this rank where the group was made of that very list.
            Node::Compare(CompareOp::In | CompareOp::NotIn, rank, list) => {
                let is_list = matches!(engine.values.node(*list), Node::Sequence(_));
                if is_whole(*list) || is_world_rank(engine, *rank) && is_list {
                    return true;
                }
            }
            // Between the first and the last of somebody's ranks.
            Node::Compare(CompareOp::Less, left, right)
                if [*left, *right].iter().any(|&side| is_world_rank(engine, side))
                    && ![*left, *right].iter().any(|&side| matches!(engine.values.node(side), Node::Int(_))) =>
            {
                return true;
            }
            Node::Compare(_, left, right) => pending.extend([*left, *right]),
            // What is set where this rank has a place.
            Node::If(test, then, otherwise) if is_said(engine, *then) != is_said(engine, *otherwise) => {
                pending.push(*test);
            }
            Node::Binary(BinaryOp::Mod | BinaryOp::FloorDiv, left, _) if is_world_rank(engine, *left) => return true,
            Node::Binary(_, left, right) => pending.extend([*left, *right]),
            _ => {}
        }
    }
    false
}

impl Evidence<'_, '_> {
    /// Whether the operation is a method of the group it runs on, and the group may be `None`, which is all ranks elsewhere:
    /// here it has no such method, and who has none does not come so far.
    pub(super) fn is_asked_of_the_group(&self) -> bool {
        let site = self.engine.effects.event(self.main).site;
        let Some((model, expr)) = self.engine.written_at(site) else { return false };
        let Expr::Call(call) = model.expr(expr) else { return false };
        let Expr::Attribute { value, .. } = model.expr(model.call(call).callee) else { return false };
        let receiver = model.last_name(value).map(|name| name.as_str().to_ascii_lowercase());
        self.found.group == GroupKey::World
            && self.kind == SplitKind::WrongGroup
            && receiver.is_some_and(|receiver| receiver.ends_with("group") || receiver.ends_with("pg"))
    }
}

pub(super) fn is_world_rank(engine: &Engine<'_>, value: Value) -> bool {
    matches!(engine.values.node(value), Node::Rank(axes) if axes.is_all())
}

/// Whether a group, or a wrapped model, is made once, behind a question whether it is there: every rank asks at its first
/// use, and where that is says nothing of who gets there.
pub(super) fn is_kept(engine: &Engine<'_>, root: EffectId, cause: Option<Parting>, main: EventId) -> bool {
    let Some(cause) = cause else { return false };
    let event = engine.effects.event(main);
    let asks = |test: Value| match event.creates {
        true => asks_whether_empty(engine, test) || asks_for_attribute(engine, test),
        false => matches!(engine.values.node(test), Node::Compare(CompareOp::Is, ..)),
    };
    // A function that keeps what it has made may have been asked before, by every rank.
    if event.creates && engine.keeps_results(event.site) {
        let is_made = |effect: EffectId| matches!(engine.effects.get(effect), Effect::Event(found) if *found == main);
        let here = paths_to(engine, cause.effect, &is_made);
        return paths_to(engine, root, &is_made).iter().any(|way| !here.iter().any(|other| way.ends_with(other)));
    }
    let made = event.creates || event.op.as_str() == "ddp_init";
    made && preorder(engine, cause.effect).into_iter().any(|effect| match engine.effects.get(effect) {
        Effect::Choice { test, then, .. } if effect != cause.effect && engine.values.vary(*test).is_empty() => {
            asks(*test) && contains(engine, *then, main)
        }
        _ => false,
    })
}

/// `not hasattr(object, name)`
fn asks_for_attribute(engine: &Engine<'_>, test: Value) -> bool {
    let asks = |value: Value| match engine.values.node(value) {
        Node::Apply(name, _) => name.as_str() == "hasattr",
        Node::Kind(_) => true,
        _ => false,
    };
    matches!(engine.values.node(test), Node::Not(inner) if engine.values.any_part(*inner, MAX_PARTS, asks))
}

fn asks_whether_empty(engine: &Engine<'_>, test: Value) -> bool {
    match engine.values.node(test) {
        Node::Compare(CompareOp::Eq, left, right) => {
            matches!(engine.values.node(*left), Node::Length(_)) && *engine.values.node(*right) == Node::Int(0)
        }
        Node::Not(inner) => matches!(engine.values.node(*inner), Node::Length(_)),
        _ => false,
    }
}
