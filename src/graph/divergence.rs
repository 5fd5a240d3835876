//! Where classes of ranks can part ways: each function's effect tree is traced for every class, group by group, and
//! the first event on which two classes disagree is a split.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use crate::base::{FileId, FunctionId};
use crate::finding::Confidence;
use crate::flow::{
    Assignment, Axes, ChoiceForm, Effect, EffectId, Effects, GroupKey, Healed, Missing, Tracer, Value, World, disputed,
};
use crate::model::{FunctionKind, LocalFunction};

use super::candidates;
use super::classes::{
    Outline, axes_of, bases, contradicts, groups, is_misplaced, members, needed, neighbours, outline, world_size,
};
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
