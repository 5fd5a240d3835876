//! Where classes of ranks can part ways: each function's effect tree is traced for every class, group by group, and
//! the first event on which two classes disagree is a split.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use crate::base::FileId;
use crate::base::FunctionId;
use crate::finding::Confidence;
use crate::flow::{
    Assignment, Axes, ChoiceForm, Effect, EffectId, Effects, Evaluator, EventId, GroupKey, Healed, IS_MEMBER, LoopKind,
    MEMBERS, Missing, Node, Tracer, Value, World, disputed,
};
use crate::model::{FunctionKind, LocalFunction};

use super::candidates;
use super::evaluate::Engine;
use super::gates::{Gate, gates};
use super::orders::{UnorderedLoop, unordered_loops};
use super::program::Program;
use super::reach::reaching;
use super::roots::{ForeignRoot, ForeignRoots};
use super::shapes::{PermutedLoop, UnagreedShape, shapes};
use super::stranded::{Stranded, stranded};
use super::taint::Taint;
use super::witness::{Found, Split, explain};

/// Trees heavier than this are not traced.
const MAX_WEIGHT: u32 = 1_600;

/// Pending calls that are looked into for one function.
const MAX_LOOKS: u32 = 120;

/// Steps of one function's comparison on one group.
pub(super) const FUEL: u32 = 4_000;

/// Splits reported for one function and group.
const MAX_SPLITS: usize = 6;

/// Axes that are tried with one rank along them.
const MAX_SINGLE: usize = 3;

/// Opaque facts that are varied together; more are varied one at a time.
const MAX_ATOMS: usize = 4;

/// What the traces of a program show.
#[derive(Debug, Default)]
pub struct Divergence {
    /// Where ranks can part ways, in order of files and functions.
    pub splits: Vec<Split>,
    /// Roots that are no members of their group.
    pub foreign_roots: Vec<ForeignRoot>,
    /// Collectives behind an environment variable.
    pub gates: Vec<Gate>,
    /// Loops whose order is each process's own.
    pub unordered: Vec<UnorderedLoop>,
    /// Collectives whose buffers differ in shape.
    pub shapes: Vec<UnagreedShape>,
    /// Loops over the same things in another order on other ranks.
    pub permuted: Vec<PermutedLoop>,
    /// Failures of some ranks in front of a collective of all.
    pub stranded: Vec<Stranded>,
    /// The functions from which a collective can be reached, and some more.
    pub reaching: Arc<FxHashSet<FunctionId>>,
}

/// What is found out once, before any function is evaluated.
pub struct Prepared {
    reaching: Arc<FxHashSet<FunctionId>>,
    taint: Arc<Taint>,
    candidates: FxHashSet<FunctionId>,
    /// Set by whoever no longer waits for the answer.
    stop: Arc<AtomicBool>,
}

impl Prepared {
    /// Finds out who reaches a collective and which names may differ between ranks. The two know nothing of each
    /// other: `both` may run them side by side.
    pub fn of(program: &Program, both: impl FnOnce(&(dyn Fn() + Sync), &(dyn Fn() + Sync))) -> Prepared {
        let (taint, reached) = (OnceLock::new(), OnceLock::new());
        both(&|| drop(taint.set(Taint::of(program))), &|| drop(reached.set(reaching(program))));
        let taint = taint.into_inner().expect("both were run");
        let reaching = reached.into_inner().expect("both were run");
        let candidates = candidates::of(program, &taint, &reaching);
        Prepared { reaching: Arc::new(reaching.functions), taint: Arc::new(taint), candidates, stop: Arc::default() }
    }

    /// Evaluates functions by what was found out.
    pub(super) fn engine<'p>(&'p self, program: &'p Program) -> Engine<'p> {
        let mut engine = Engine::new(program, &self.reaching, &self.taint);
        engine.stop = Some(&self.stop);
        engine
    }

    /// Whether a collective can be reached from a function.
    pub fn reaches(&self, function: FunctionId) -> bool {
        self.reaching.contains(&function)
    }

    /// The same, to be given up when `stop` is set.
    #[must_use]
    pub fn until(self, stop: Arc<AtomicBool>) -> Prepared {
        Prepared { stop, ..self }
    }

    /// The same, for some functions only.
    #[must_use]
    pub fn only(&self, functions: impl IntoIterator<Item = FunctionId>, stop: Arc<AtomicBool>) -> Prepared {
        let candidates = functions.into_iter().collect();
        Prepared { reaching: self.reaching.clone(), taint: self.taint.clone(), candidates, stop }
    }

    /// The same, for another reader.
    #[must_use]
    pub fn again(&self, stop: Arc<AtomicBool>) -> Prepared {
        self.only(self.candidates.iter().copied(), stop)
    }

    /// What holds after one file was replaced, for as long as nobody finds it out anew: `moved` says where a function
    /// of before is now, and everything in `fresh` counts as worth a look.
    #[must_use]
    pub fn carried(&self, moved: impl Fn(FunctionId) -> Option<FunctionId>, fresh: &[FunctionId]) -> Prepared {
        let carry = |set: &FxHashSet<FunctionId>| {
            set.iter().filter_map(|&id| moved(id)).chain(fresh.iter().copied()).collect::<FxHashSet<FunctionId>>()
        };
        Prepared {
            reaching: Arc::new(carry(&self.reaching)),
            taint: self.taint.clone(),
            candidates: carry(&self.candidates),
            stop: Arc::default(),
        }
    }
}

/// Traces every function of the files from which a collective can be reached. Files of one tree belong together:
/// what they share with other trees is evaluated again there, so that trees can be traced side by side.
pub fn divergence(program: &Program, prepared: &Prepared, files: &[FileId]) -> Divergence {
    let mut engine = prepared.engine(program);
    let mut healed = Healed::default();
    let unordered = unordered_loops(program, &prepared.reaching, files);
    let mut out = Divergence { unordered, reaching: prepared.reaching.clone(), ..Divergence::default() };
    let mut checked = 0;
    let mut seen_roots = ForeignRoots::default();
    let mut seen_shapes = FxHashSet::default();
    for &file in files {
        let model = &program.file(file).model;
        for index in 0..model.functions.len() as u32 {
            let local = LocalFunction(index);
            let function = program.function_id(file, local);
            let skipped = model.function(local).kind == FunctionKind::ClassBody;
            if skipped || !prepared.candidates.contains(&function) {
                continue;
            }
            if prepared.stop.load(Ordering::Relaxed) {
                return out;
            }
            engine.summary(function);
            // Callees complete before their callers, so that a split is found where it arises, not where it is inherited.
            while let Some(&completed) = engine.completed.get(checked) {
                checked += 1;
                if prepared.stop.load(Ordering::Relaxed) {
                    return out;
                }
                if !program.same_tree(program.locate(completed).0, file) {
                    continue;
                }
                let Some(summary) = engine.summary(completed) else { continue };
                let judged = engine.judged(completed, summary.effects);
                let root = whole(&mut engine, judged);
                check(&engine, completed, root, &mut healed, &mut out.splits);
                seen_roots.collect(&mut engine, completed, summary.effects, &mut out.foreign_roots);
                gates(&engine, completed, summary.effects, &mut out.gates);
                stranded(&engine, program, completed, root, &mut out.stranded);
                shapes(&engine, completed, summary.effects, &mut seen_shapes, &mut out.shapes, &mut out.permuted);
            }
        }
    }
    out
}

/// The effect with its pending calls looked into, where something around them differs between ranks.
fn whole(engine: &mut Engine<'_>, root: EffectId) -> EffectId {
    let summed = engine.effects.summed(root);
    match summed.events && summed.pending && !summed.varies.is_empty() {
        true => {
            let whole = engine.looked_through(root, MAX_LOOKS, false);
            // Too much to trace: rather what stands in the function itself than nothing.
            if engine.effects.summed(whole).weight > MAX_WEIGHT { root } else { whole }
        }
        false => root,
    }
}

/// The effect tree's nodes that matter, in order.
struct Outline {
    events: Vec<EventId>,
    tests: Vec<Value>,
    loops: Vec<Value>,
}

fn check(engine: &Engine<'_>, function: FunctionId, root: EffectId, healed: &mut Healed, out: &mut Vec<Split>) {
    let summed = engine.effects.summed(root);
    if !summed.events || summed.varies.is_empty() || summed.weight > MAX_WEIGHT {
        return;
    }
    let disputed = disputed(&engine.effects, &engine.values, root);
    if disputed.is_empty() {
        return;
    }
    let outline = outline(&engine.effects, root);
    let size = world_size(engine, &outline);
    for group in groups(engine, &disputed, size) {
        for _ in 0..MAX_SPLITS {
            let Some(found) = first_difference(engine, root, &outline, &group, size, healed) else { break };
            let Some((mut split, heals)) = explain(engine, function, root, &found, healed) else { break };
            let mut fresh = false;
            for (site, call, heal) in heals {
                fresh |= healed.insert(site, call, heal);
            }
            if !fresh {
                break;
            }
            if engine.is_unsettled(function) {
                split.confidence = Confidence::Low;
            }
            out.push(split);
        }
    }
}

fn outline(effects: &Effects, root: EffectId) -> Outline {
    let mut out = Outline { events: Vec::new(), tests: Vec::new(), loops: Vec::new() };
    let mut seen = FxHashSet::default();
    let mut pending = vec![root];
    while let Some(effect) = pending.pop() {
        if !seen.insert(effect) {
            continue;
        }
        let mut below: Vec<EffectId> = Vec::new();
        match effects.get(effect) {
            Effect::Seq(parts) => below.extend(parts.iter()),
            Effect::Event(event) => out.events.push(*event),
            Effect::Choice { test, then, otherwise, .. } => {
                out.tests.push(*test);
                below.extend([*then, *otherwise]);
            }
            Effect::Loop { kind, body, orelse, .. } => {
                match kind {
                    LoopKind::For { iter, .. } => out.loops.push(*iter),
                    LoopKind::While { test } => out.tests.push(*test),
                }
                below.extend([*body, *orelse]);
            }
            Effect::Try { body, handlers, orelse, finally } => {
                below.push(*body);
                below.extend(handlers.iter().map(|handler| handler.body));
                below.extend([*orelse, *finally]);
            }
            Effect::Scope { manager, body } => below.extend([*manager, *body]),
            Effect::Call { body, .. } => below.push(*body),
            Effect::Nothing | Effect::Exit(..) | Effect::Hole | Effect::Invoke { .. } | Effect::Pending { .. } => {}
        }
        pending.extend(below.into_iter().rev());
    }
    out
}

/// How many ranks to assume: enough that every rank the source names exists, and some it does not.
fn world_size(engine: &Engine<'_>, outline: &Outline) -> i64 {
    let mut largest = 0;
    let mut seen = FxHashSet::default();
    let mut pending: Vec<(Value, bool)> =
        outline.tests.iter().chain(&outline.loops).map(|&value| (value, false)).collect();
    for &event in &outline.events {
        let event = engine.effects.event(event);
        pending.extend([Some(event.group), event.root, event.members].into_iter().flatten().map(|value| (value, true)));
    }
    while let Some((value, near_rank)) = pending.pop() {
        if !seen.insert((value, near_rank)) {
            continue;
        }
        let mut push = |values: &[Value], near: bool| pending.extend(values.iter().map(|&value| (value, near)));
        match engine.values.node(value) {
            Node::Int(known) if near_rank && (0..32).contains(known) => largest = largest.max(*known),
            Node::Compare(_, left, right) | Node::Binary(_, left, right) | Node::Index(left, right) => {
                let near = near_rank || engine.values.vary(*left).is_all() || engine.values.vary(*right).is_all();
                push(&[*left, *right], near);
            }
            Node::Not(inner) => push(&[*inner], near_rank),
            Node::And(left, right) | Node::Or(left, right) => push(&[*left, *right], false),
            Node::If(test, then, otherwise) => {
                push(&[*test], false);
                push(&[*then, *otherwise], near_rank);
            }
            Node::Sequence(parts) => push(parts, near_rank),
            Node::MadeGroup(_, ranks) => push(&[*ranks], true),
            _ => {}
        }
    }
    let size = (largest + 1).clamp(4, 16);
    size + size % 2
}

fn groups(engine: &Engine<'_>, events: &[EventId], size: i64) -> BTreeSet<GroupKey> {
    let mut out = BTreeSet::new();
    for rank in 0..size {
        let class = Assignment { rank, ..Assignment::default() };
        let world = World { size, extent: 2, axes: Axes::ALL, single: Axes::NONE };
        let evaluator = Evaluator::new(&engine.values, world, &class);
        for &event in events {
            out.insert(evaluator.group(engine.effects.event(event).group));
        }
    }
    out.remove(&GroupKey::NonMember);
    out
}

fn axes_of(engine: &Engine<'_>, group: &GroupKey) -> Axes {
    match group {
        GroupKey::World | GroupKey::Made(..) => Axes::ALL,
        GroupKey::Axis(axes) => *axes,
        GroupKey::Other(value) => engine.values.group_axes(*value),
        GroupKey::NonMember => Axes::NONE,
    }
}

fn first_difference(
    engine: &Engine<'_>,
    root: EffectId,
    outline: &Outline,
    group: &GroupKey,
    size: i64,
    healed: &Healed,
) -> Option<Found> {
    let axes = axes_of(engine, group);
    let extent = size.min(4);
    let world = World { size, extent, axes, single: Axes::NONE };
    let members = members(engine, group, outline);
    let missing = needed(engine, outline, world);
    let whole = compare_classes(engine, root, group, world, &members, &missing, healed);
    if whole.is_some() {
        return whole;
    }
    // A job need not use every axis: what is done where there is one rank along it counts as well.
    let others = missing.sizes.iter().filter(|asked| !axes.without(**asked).is_empty()).take(MAX_SINGLE);
    others.copied().find_map(|single| {
        let world = World { single, ..world };
        let missing = needed(engine, outline, world);
        compare_classes(engine, root, group, world, &members, &missing, healed)
    })
}

/// Compares classes of ranks in a job of that form.
fn compare_classes(
    engine: &Engine<'_>,
    root: EffectId,
    group: &GroupKey,
    world: World,
    members: &BTreeMap<Value, bool>,
    missing: &Missing,
    healed: &Healed,
) -> Option<Found> {
    let World { size, extent, .. } = world;
    let atoms: Vec<Value> = missing.atoms.iter().copied().filter(|atom| !members.contains_key(atom)).collect();
    let ranks: Vec<i64> = match (group, missing.rank) {
        (GroupKey::Made(_, ranks), _) => ranks.iter().copied().filter(|rank| (0..size).contains(rank)).collect(),
        (_, true) => (0..size).collect(),
        (_, false) => vec![0],
    };
    if ranks.is_empty() {
        return None;
    }
    let mut tracer = Tracer::new(&engine.values, &engine.effects, world, group.clone(), healed, FUEL);
    for base in bases(&atoms, &missing.axes, members, &ranks) {
        for other in neighbours(&base, &atoms, &missing.axes, &ranks, extent) {
            if contradicts(engine, &base) || contradicts(engine, &other) || missing.rank && is_misplaced(&other) {
                continue;
            }
            if let Some(difference) = tracer.compare(root, &base, &other) {
                if !two_ranks(&mut tracer, root, (&base, &other), &missing.axes, &ranks, extent) {
                    continue;
                }
                return Some(Found { group: group.clone(), world, one: base, other, difference });
            }
            if tracer.exhausted() {
                return None;
            }
        }
    }
    None
}

/// Whether two ranks can be what the classes say. Classes that differ in a fact alone are one rank where only one rank
/// asks for that fact: the only sender of a message does not part ways with itself.
fn two_ranks(
    tracer: &mut Tracer<'_>,
    root: EffectId,
    (one, other): (&Assignment, &Assignment),
    axes: &BTreeSet<Axes>,
    ranks: &[i64],
    extent: i64,
) -> bool {
    if one.rank != other.rank || one.coordinates != other.coordinates || ranks.len() < 2 && axes.is_empty() {
        return true;
    }
    let elsewhere = |class: &Assignment| neighbours(class, &[], axes, ranks, extent);
    elsewhere(other).iter().any(|other| tracer.compare(root, one, other).is_some())
        || elsewhere(one).iter().any(|one| tracer.compare(root, one, other).is_some())
        || tracer.exhausted()
}

/// Tests that are true of every member of the group, with their answers.
fn members(engine: &Engine<'_>, group: &GroupKey, outline: &Outline) -> BTreeMap<Value, bool> {
    let mut out = BTreeMap::new();
    let is_group = |value: Value| match (group, engine.values.node(value)) {
        (GroupKey::Other(group), _) => value == *group,
        (GroupKey::Axis(axes), Node::AxisGroup(known)) => known == axes,
        (GroupKey::Axis(axes), Node::Parameter(..)) => {
            let meaning = engine.values.meaning(value).map(|meaning| engine.values.node(meaning));
            meaning == Some(&Node::AxisGroup(*axes))
        }
        _ => false,
    };
    let ranks = match group {
        GroupKey::Other(group) => match engine.values.node(*group) {
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
        match engine.values.node(value) {
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
                            || asks_for_ranks(engine, *right, &is_group)
                            || goes_with(engine, *right, group) =>
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
fn asks_for_ranks(engine: &Engine<'_>, value: Value, is_group: &impl Fn(Value) -> bool) -> bool {
    match engine.values.node(value) {
        Node::Apply(name, parts) => {
            let last = name.as_str().rsplit('.').next().unwrap_or_default();
            let asks = last.contains("ranks") && parts.iter().any(|&of| is_group(of));
            asks || last == MEMBERS && matches!(parts[..], [of] if is_group(of))
        }
        Node::Mapped(_, parts) => parts.first().is_some_and(|&part| asks_for_ranks(engine, part, is_group)),
        _ => false,
    }
}

/// Whether a loop hands out the ranks together with their group: `for ranks, group in groups.items()`.
fn goes_with(engine: &Engine<'_>, ranks: Value, group: &GroupKey) -> bool {
    let GroupKey::Other(group) = group else { return false };
    match (engine.values.node(ranks), engine.values.node(*group)) {
        (Node::Item(_, keys), Node::Item(_, source)) => {
            keys == source || *engine.values.node(*keys) == Node::Length(*source)
        }
        _ => false,
    }
}

/// What the tests, loops and events ask of a class.
fn needed(engine: &Engine<'_>, outline: &Outline, world: World) -> Missing {
    let mut out = Missing::default();
    let on_group = |event: EventId| {
        let event = engine.effects.event(event);
        [Some(event.group), event.root, event.operator, event.members.filter(|_| event.creates)]
    };
    for rank in 0..world.size {
        let class = Assignment { rank, ..Assignment::default() };
        let evaluator = Evaluator::new(&engine.values, world, &class);
        for &test in &outline.tests {
            evaluator.truth(test);
        }
        for &iter in &outline.loops {
            let iter = evaluator.counted(iter);
            let known =
                matches!(evaluator.value(iter), crate::flow::Concrete::Tuple(_) | crate::flow::Concrete::Keys(_));
            if !known && engine.values.shape(iter).meets(world.axes) {
                evaluator.missing.borrow_mut().atoms.insert(iter);
            }
        }
        for &event in &outline.events {
            for value in on_group(event).into_iter().flatten() {
                evaluator.value(value);
            }
        }
        let missing = evaluator.missing.into_inner();
        out.rank |= missing.rank;
        out.axes.extend(missing.axes);
        out.sizes.extend(missing.sizes);
        out.atoms.extend(missing.atoms);
    }
    out
}

/// Classes to start from: all opaque facts false, all true, and every mixture while they are few.
fn bases(atoms: &[Value], axes: &BTreeSet<Axes>, members: &BTreeMap<Value, bool>, ranks: &[i64]) -> Vec<Assignment> {
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
fn neighbours(
    base: &Assignment,
    atoms: &[Value],
    axes: &BTreeSet<Axes>,
    ranks: &[i64],
    extent: i64,
) -> Vec<Assignment> {
    let mut out = Vec::new();
    for &rank in &ranks[1..] {
        out.push(Assignment { rank, ..base.clone() });
    }
    for &axis in axes {
        for at in 1..extent {
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
    for &atom in atoms.iter().take(32) {
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
fn is_misplaced(class: &Assignment) -> bool {
    class.rank == 0 && class.coordinates.values().any(|&at| at != 0)
}

/// Whether a class claims what cannot be: something that is `None` and also true, or equal to two constants.
fn contradicts(engine: &Engine<'_>, class: &Assignment) -> bool {
    use crate::model::CompareOp;
    let mut equal: Vec<Value> = Vec::new();
    for (&atom, &holds) in &class.atoms {
        if !holds {
            continue;
        }
        match engine.values.node(atom) {
            Node::Compare(CompareOp::Is, subject, other)
                if *engine.values.node(*other) == Node::None && class.atoms.get(subject) == Some(&true) =>
            {
                return true;
            }
            Node::Compare(CompareOp::Eq, subject, constant)
                if matches!(engine.values.node(*constant), Node::Int(_) | Node::Str(_) | Node::Bool(_)) =>
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

/// Whether a finding needs more than one inferred step.
pub(super) fn group_confidence(group: &GroupKey) -> Confidence {
    match group {
        GroupKey::World | GroupKey::Made(..) => Confidence::High,
        GroupKey::Axis(_) | GroupKey::Other(_) | GroupKey::NonMember => Confidence::Medium,
    }
}

/// The form of the choice, for wording.
pub(super) fn form_of(effects: &Effects, effect: EffectId) -> Option<ChoiceForm> {
    match effects.get(effect) {
        Effect::Choice { form, .. } => Some(*form),
        _ => None,
    }
}
