//! The classes of ranks that a function can tell apart: what its tests ask, and which answers go together.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::flow::{
    Answers, Assignment, Axes, Concrete, Effect, EffectId, Effects, Evaluator, EventId, GroupKey, IS_MEMBER, LoopKind,
    MEMBERS, Missing, Node, Value, Values, World,
};

/// What evaluation has made: all that comparing classes of ranks needs to know, for any number of threads at once.
#[derive(Clone, Copy)]
pub(super) struct Terms<'e> {
    pub effects: &'e Effects,
    pub values: &'e Values,
}

/// The effect tree's nodes that matter, in order.
pub(super) struct Outline {
    events: Vec<EventId>,
    tests: Vec<Value>,
    loops: Vec<Value>,
    /// Both, those of the function itself before those of what it calls.
    questions: Vec<Decider>,
}

/// What decides a choice or a loop.
#[derive(Clone, Copy)]
struct Decider {
    /// In how many calls it lies.
    depth: u32,
    value: Value,
    /// Whether it says how often, not whether.
    counts: bool,
}

/// Opaque facts that are varied together; more are varied one at a time.
pub(super) const MAX_ATOMS: usize = 4;

/// Opaque facts that are varied at all.
pub(super) const MAX_VARIED: usize = 48;

/// The outline of what is `wanted`, and of what lies around it.
pub(super) fn outline(effects: &Effects, root: EffectId, mut wanted: impl FnMut(EffectId) -> bool) -> Outline {
    let mut out = Outline { events: Vec::new(), tests: Vec::new(), loops: Vec::new(), questions: Vec::new() };
    let mut seen = FxHashSet::default();
    let mut pending = vec![(root, 0)];
    while let Some((effect, depth)) = pending.pop() {
        let ask = |questions: &mut Vec<Decider>, value, counts| questions.push(Decider { depth, value, counts });
        let mut inside = depth;
        if !seen.insert(effect) || !wanted(effect) {
            continue;
        }
        let mut below: Vec<EffectId> = Vec::new();
        match effects.get(effect) {
            Effect::Seq(parts) => below.extend(parts.iter()),
            Effect::Event(event) => out.events.push(*event),
            Effect::Choice { test, then, otherwise, .. } => {
                out.tests.push(*test);
                ask(&mut out.questions, *test, false);
                below.extend([*then, *otherwise]);
            }
            Effect::Loop { kind, body, orelse, .. } => {
                match kind {
                    LoopKind::For { iter, .. } => {
                        out.loops.push(*iter);
                        ask(&mut out.questions, *iter, true);
                    }
                    LoopKind::While { test } => {
                        out.tests.push(*test);
                        ask(&mut out.questions, *test, false);
                    }
                }
                below.extend([*body, *orelse]);
            }
            Effect::Try { body, handlers, orelse, finally } => {
                below.push(*body);
                below.extend(handlers.iter().map(|handler| handler.body));
                below.extend([*orelse, *finally]);
            }
            Effect::Scope { manager, body } => below.extend([*manager, *body]),
            Effect::Call { body, .. } => {
                below.push(*body);
                inside += 1;
            }
            Effect::Nothing | Effect::Exit(..) | Effect::Hole | Effect::Invoke { .. } | Effect::Pending { .. } => {}
        }
        pending.extend(below.into_iter().rev().map(|below| (below, inside)));
    }
    out.questions.sort_by_key(|question| question.depth);
    out
}

/// How many ranks to assume: enough that every rank the source names exists, and some it does not.
pub(super) fn world_size(terms: Terms<'_>, outline: &Outline) -> i64 {
    let mut largest = 0;
    let mut seen = FxHashSet::default();
    let mut pending: Vec<(Value, bool)> =
        outline.tests.iter().chain(&outline.loops).map(|&value| (value, false)).collect();
    for &event in &outline.events {
        let event = terms.effects.event(event);
        pending.extend([Some(event.group), event.root, event.members].into_iter().flatten().map(|value| (value, true)));
    }
    while let Some((value, near_rank)) = pending.pop() {
        if !seen.insert((value, near_rank)) {
            continue;
        }
        let mut push = |values: &[Value], near: bool| pending.extend(values.iter().map(|&value| (value, near)));
        match terms.values.node(value) {
            Node::Int(known) if near_rank && (0..32).contains(known) => largest = largest.max(*known),
            Node::Compare(_, left, right) | Node::Binary(_, left, right) | Node::Index(left, right) => {
                let near = near_rank || terms.values.vary(*left).is_all() || terms.values.vary(*right).is_all();
                push(&[*left, *right], near);
            }
            Node::Not(inner) => push(&[*inner], near_rank),
            Node::And(left, right) | Node::Or(left, right) => push(&[*left, *right], false),
            Node::If(test, then, otherwise) => {
                push(&[*test], false);
                push(&[*then, *otherwise], near_rank);
            }
            Node::Sequence(parts) | Node::Range(parts) | Node::Mapped(_, parts) => push(parts, near_rank),
            Node::MadeGroup(_, ranks) => push(&[*ranks], true),
            _ => {}
        }
    }
    let size = (largest + 1).clamp(4, 16);
    size + size % 2
}

pub(super) fn groups(terms: Terms<'_>, events: &[EventId], size: i64) -> BTreeSet<GroupKey> {
    let mut out = BTreeSet::new();
    for rank in 0..size {
        let class = Assignment { rank, ..Assignment::default() };
        let world = World { size, extent: 2, axes: Axes::ALL, single: Axes::NONE };
        let evaluator = Evaluator::new(terms.values, world, &class);
        for &event in events {
            out.insert(group_of(&evaluator, terms.effects.event(event).group));
        }
        if !evaluator.missing.borrow().rank {
            break;
        }
    }
    out.remove(&GroupKey::NonMember);
    out
}

/// The group, for who comes to use it: an attribute that is set under a setting is set there.
fn group_of(evaluator: &Evaluator<'_>, group: Value) -> GroupKey {
    match (evaluator.group(group), evaluator.values.node(group)) {
        (GroupKey::Other(known), &Node::If(_, then, otherwise)) if known == group => {
            match [then, otherwise].map(|arm| evaluator.values.is_unset(arm)) {
                [true, false] => group_of(evaluator, otherwise),
                [false, true] => group_of(evaluator, then),
                _ => GroupKey::Other(known),
            }
        }
        (key, _) => key,
    }
}

pub(super) fn axes_of(terms: Terms<'_>, group: &GroupKey) -> Axes {
    match group {
        GroupKey::World | GroupKey::Made(..) => Axes::ALL,
        GroupKey::Axis(axes) => axes.spanned(),
        GroupKey::Other(value) => terms.values.group_axes(*value),
        GroupKey::NonMember => Axes::NONE,
    }
}

/// Tests that are true of every member of the group, with their answers.
pub(super) fn members(terms: Terms<'_>, group: &GroupKey, outline: &Outline) -> BTreeMap<Value, bool> {
    let mut out = BTreeMap::new();
    let is_group = |value: Value| match (group, terms.values.node(value)) {
        (GroupKey::Other(group), _) => value == *group,
        (GroupKey::Axis(axes), Node::AxisGroup(known)) => known == axes,
        (GroupKey::Axis(axes), Node::Parameter(..)) => {
            let meaning = terms.values.meaning(value).map(|meaning| terms.values.node(meaning));
            meaning == Some(&Node::AxisGroup(*axes))
        }
        _ => false,
    };
    let ranks = match group {
        GroupKey::Other(group) => match terms.values.node(*group) {
            Node::MadeGroup(_, ranks) => Some(*ranks),
            _ => None,
        },
        _ => None,
    };
    let mut seen = FxHashSet::default();
    let mut pending: Vec<Value> = outline.tests.clone();
    while let Some(value) = pending.pop() {
        if !seen.insert(value) {
            continue;
        }
        match terms.values.node(value) {
            Node::Not(inner) => pending.push(*inner),
            Node::And(left, right) | Node::Or(left, right) => pending.extend([*left, *right]),
            Node::If(test, then, otherwise) => pending.extend([*test, *then, *otherwise]),
            Node::Compare(op, left, right) => {
                use crate::model::CompareOp;
                let mentions = is_group(*left) || is_group(*right);
                match op {
                    CompareOp::Is | CompareOp::Eq if mentions => {
                        out.insert(value, false);
                    }
                    CompareOp::In
                        if Some(*right) == ranks
                            || asks_for_ranks(terms, *right, &is_group)
                            || goes_with(terms, *right, group) =>
                    {
                        out.insert(value, true);
                    }
                    _ => {}
                }
            }
            Node::Apply(name, parts) if name.as_str() == IS_MEMBER && parts.first().is_some_and(|&of| is_group(of)) => {
                out.insert(value, true);
            }
            _ if is_group(value) => {
                out.insert(value, true);
            }
            _ => {}
        }
    }
    out
}

/// Whether the value is the list of the group's ranks, as the group itself gives it.
fn asks_for_ranks(terms: Terms<'_>, value: Value, is_group: &impl Fn(Value) -> bool) -> bool {
    match terms.values.node(value) {
        Node::Apply(name, parts) => {
            let last = name.as_str().rsplit('.').next().unwrap_or_default();
            let asks = last.contains("ranks") && parts.iter().any(|&of| is_group(of));
            asks || last == MEMBERS && matches!(parts[..], [of] if is_group(of))
        }
        Node::Mapped(_, parts) => parts.first().is_some_and(|&part| asks_for_ranks(terms, part, is_group)),
        _ => false,
    }
}

/// Whether a loop hands out the ranks together with their group: `for ranks, group in groups.items()`.
fn goes_with(terms: Terms<'_>, ranks: Value, group: &GroupKey) -> bool {
    let GroupKey::Other(group) = group else { return false };
    match (terms.values.node(ranks), terms.values.node(*group)) {
        (Node::Item(_, keys), Node::Item(_, source)) => {
            keys == source || *terms.values.node(*keys) == Node::Length(*source)
        }
        _ => false,
    }
}

/// What the tests, loops and events ask of a class.
pub(super) fn needed(terms: Terms<'_>, outline: &Outline, world: World) -> Missing {
    let mut out = Missing::default();
    let mut common = Answers::default();
    let on_group = |event: EventId| {
        let event = terms.effects.event(event);
        [Some(event.group), event.root, event.operator]
    };
    for rank in 0..world.size {
        let class = Assignment { rank, ..Assignment::default() };
        let evaluator = Evaluator::new(terms.values, world, &class).with_common(common);
        for question in &outline.questions {
            if !question.counts {
                evaluator.truth(question.value);
                continue;
            }
            let iter = evaluator.counted(question.value);
            let known = matches!(evaluator.value(iter), Concrete::Tuple(_) | Concrete::Keys(_));
            if !known && terms.values.shape(iter).meets(world.axes) {
                evaluator.missing.borrow_mut().ask(iter);
            }
        }
        for &event in &outline.events {
            for value in on_group(event).into_iter().flatten() {
                evaluator.value(value);
            }
            evaluator.members_wire(terms.effects.event(event).members);
        }
        let missing = evaluator.missing.take();
        common = evaluator.into_common();
        out.rank |= missing.rank;
        out.axes.extend(missing.axes);
        out.sizes.extend(missing.sizes);
        missing.atoms.into_iter().for_each(|atom| out.ask(atom));
        // Who need not know the rank answers the same for each.
        if !missing.rank {
            break;
        }
    }
    out
}

/// Whether peers can see in an event how this rank answers a question of fact, or what it holds.
pub(super) fn tells_facts(terms: Terms<'_>, outline: &Outline, evaluator: &Evaluator<'_>) -> bool {
    outline.events.iter().any(|&event| {
        let event = terms.effects.event(event);
        evaluator.group(event.group);
        evaluator.members_wire(event.members);
        let asked = !evaluator.missing.borrow().atoms.is_empty();
        let told = [event.root, event.operator, event.members].into_iter().flatten();
        asked
            || told.into_iter().any(|value| {
                let own = terms.values.vary(value).meets(evaluator.world.axes);
                own && matches!(evaluator.value(value), Concrete::Opaque(_))
            })
    })
}

/// Classes to start from: all opaque facts false, all true, and every mixture while they are few.
pub(super) fn bases(
    atoms: &[Value],
    axes: &BTreeSet<Axes>,
    members: &BTreeMap<Value, bool>,
    ranks: &[i64],
) -> Vec<Assignment> {
    let combinations: Vec<Vec<bool>> = match atoms.len() {
        0 => vec![Vec::new()],
        count if count <= MAX_ATOMS => {
            (0..1_u32 << count).map(|bits| (0..count).map(|bit| bits >> bit & 1 == 1).collect()).collect()
        }
        count => vec![vec![false; count], vec![true; count]],
    };
    combinations
        .into_iter()
        .map(|truths| {
            let mut known = members.clone();
            known.extend(atoms.iter().copied().zip(truths));
            Assignment { rank: ranks[0], coordinates: axes.iter().map(|&axis| (axis, 0)).collect(), atoms: known }
        })
        .collect()
}

/// Classes that differ from the base in one thing.
pub(super) fn neighbours(
    base: &Assignment,
    atoms: &[Value],
    axes: &BTreeSet<Axes>,
    ranks: &[i64],
    world: World,
) -> Vec<Assignment> {
    let mut out = Vec::new();
    for &rank in &ranks[1..] {
        out.push(Assignment { rank, ..base.clone() });
    }
    for &axis in axes {
        let nearest = if world.axes.holds_ends_of(axis) { world.extent - 1 } else { 1 };
        for at in nearest..world.extent {
            let mut other = base.clone();
            other.coordinates.insert(axis, at);
            // The first rank is the first along every axis.
            if let Some(&second) = ranks.get(1)
                && other.rank == 0
            {
                out.push(Assignment { rank: second, ..other.clone() });
            }
            out.push(other);
        }
    }
    for &atom in atoms.iter().take(MAX_VARIED) {
        // Of many facts only few mixtures are begun with: where all of them hold, each is taken away in turn.
        let flipped = match base.atoms.get(&atom) {
            Some(false) => true,
            Some(true) if atoms.len() > MAX_ATOMS => false,
            _ => continue,
        };
        let mut other = base.clone();
        other.atoms.insert(atom, flipped);
        out.push(other);
    }
    out
}

/// Whether the first rank is said to be another along some axis.
pub(super) fn is_misplaced(class: &Assignment) -> bool {
    class.rank == 0 && class.coordinates.values().any(|&at| at != 0)
}

/// Whether a class claims what cannot be: something that is `None` and also true, or equal to two constants.
pub(super) fn contradicts(terms: Terms<'_>, class: &Assignment) -> bool {
    use crate::model::CompareOp;
    let mut equal: Vec<Value> = Vec::new();
    for (&atom, &holds) in &class.atoms {
        if !holds {
            continue;
        }
        match terms.values.node(atom) {
            Node::Compare(CompareOp::Is, subject, other)
                if *terms.values.node(*other) == Node::None && class.atoms.get(subject) == Some(&true) =>
            {
                return true;
            }
            Node::Compare(CompareOp::Eq, subject, constant)
                if matches!(terms.values.node(*constant), Node::Int(_) | Node::Str(_) | Node::Bool(_)) =>
            {
                if equal.contains(subject) {
                    return true;
                }
                equal.push(*subject);
            }
            _ => {}
        }
    }
    false
}
