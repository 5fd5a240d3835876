//! Where classes of ranks can part ways: each function's effect tree is traced for every class, group by group, and
//! the first event on which two classes disagree is a split.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Site};
use crate::finding::Confidence;
use crate::flow::{ChoiceForm, Effect, EffectId, Effects, GroupKey};
use crate::model::{FunctionKind, LocalFunction};

use super::comparison::MAX_WEIGHT;
use super::crossed::{Crossed, crossed};
use super::evaluate::Engine;
use super::gates::{Gate, gates};
use super::held_by_one::{HeldByOne, held_by_objects, held_by_one};
use super::orders::{UnorderedLoop, unordered_loops};
use super::partings::{Known, partings, splits};
use super::paths::{UnagreedPath, UnagreedPaths};
use super::program::Program;
use super::races::{Common, FileRace, UnawaitedFile, on_files};
use super::reach::reaching;
use super::roots::{ForeignRoot, ForeignRoots};
use super::shapes::{PermutedLoop, UnagreedShape, shapes};
use super::stranded::{Stranded, stranded};
use super::taint::Taint;
use super::witness::Split;

/// Pending calls that are looked into for one function.
const MAX_LOOKS: u32 = 120;

/// Splits that are explained in one file: nobody reads on, and text that a program wrote may have one in every function.
const MAX_EXPLAINED: usize = 250;

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
    /// Places that each rank names by itself, though all save there together.
    pub paths: Vec<UnagreedPath>,
    /// Loops over the same things in another order on other ranks.
    pub permuted: Vec<PermutedLoop>,
    /// Collectives on two groups in one order on some ranks, in the other on others.
    pub crossed: Vec<Crossed>,
    /// Failures of some ranks in front of a collective of all.
    pub stranded: Vec<Stranded>,
    /// Files that all ranks make or remove at once.
    pub races: Vec<FileRace>,
    /// Files of one rank that the others rely on at once.
    pub unawaited: Vec<UnawaitedFile>,
    /// Variables that one rank alone has where all use them.
    pub held_by_one: Vec<HeldByOne>,
}

/// Runs a task for every number below the first, in any order: side by side where there are threads for it.
pub type Spread = fn(usize, &(dyn Fn(usize) + Sync));

/// One task after the other.
pub fn in_turn(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).for_each(task);
}

/// Functions that are evaluated before what they completed is compared.
const BATCH: usize = 256;

/// What is found out once, before any function is evaluated: who reaches a collective, and which names may differ between
/// ranks.
pub struct Prepared {
    reaching: Arc<FxHashSet<FunctionId>>,
    taint: Arc<Taint>,
    /// Functions that are asked about.
    asked: Arc<FxHashSet<FunctionId>>,
    /// Set by whoever no longer waits for the answer.
    stop: Arc<AtomicBool>,
}

impl Prepared {
    /// Finds it out. The two know nothing of each other: `both` may run them side by side.
    pub fn of(program: &Program, both: impl FnOnce(&(dyn Fn() + Sync), &(dyn Fn() + Sync))) -> Prepared {
        let (taint, reached) = (OnceLock::new(), OnceLock::new());
        both(&|| drop(taint.set(Taint::of(program))), &|| drop(reached.set(reaching(program))));
        let taint = Arc::new(taint.into_inner().expect("both were run"));
        let reaching = Arc::new(reached.into_inner().expect("both were run"));
        Prepared { asked: reaching.clone(), reaching, taint, stop: Arc::default() }
    }

    /// Evaluates functions by what was found out.
    pub(super) fn engine<'p>(&'p self, program: &'p Program) -> Engine<'p> {
        let mut engine = Engine::new(program, &self.reaching, &self.taint);
        engine.stop = Some(&self.stop);
        engine
    }

    /// Tells the program what does not wait for the traces.
    pub fn announce(&self, program: &Program) {
        program.keep_reaching(&self.reaching);
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
        let asked = Arc::new(functions.into_iter().collect());
        Prepared { reaching: self.reaching.clone(), taint: self.taint.clone(), asked, stop }
    }

    /// The same, for another reader.
    #[must_use]
    pub fn again(&self, stop: Arc<AtomicBool>) -> Prepared {
        Prepared { reaching: self.reaching.clone(), taint: self.taint.clone(), asked: self.asked.clone(), stop }
    }

    /// What holds after one file was replaced, for as long as nobody finds it out anew: `moved` says where a function
    /// of before is now, and everything in `fresh` counts as worth a look.
    #[must_use]
    pub fn carried(&self, moved: impl Fn(FunctionId) -> Option<FunctionId>, fresh: &[FunctionId]) -> Prepared {
        let carry = |set: &FxHashSet<FunctionId>| {
            Arc::new(set.iter().filter_map(|&id| moved(id)).chain(fresh.iter().copied()).collect())
        };
        Prepared {
            reaching: carry(&self.reaching),
            taint: self.taint.clone(),
            asked: carry(&self.asked),
            stop: Arc::default(),
        }
    }
}

/// Traces every function of the files from which a collective can be reached. Files of one tree belong together:
/// what they share with other trees is evaluated again there, so that trees can be traced side by side.
pub fn divergence(program: &Program, prepared: &Prepared, files: &[FileId], spread: Spread) -> Divergence {
    prepared.announce(program);
    let mut engine = prepared.engine(program);
    let mut known = Known::default();
    let mut out = Divergence::default();
    let mut checked = 0;
    let mut seen_roots = ForeignRoots::default();
    let mut seen_paths = UnagreedPaths::default();
    let (mut seen_shapes, mut seen_crossed) = (FxHashSet::default(), FxHashSet::default());
    let mut explained: FxHashMap<FileId, usize> = FxHashMap::default();
    let Some(&first) = files.first() else { return out };
    let is_given_up = || prepared.stop.load(Ordering::Relaxed);
    for batch in asked_in(program, prepared, files).chunks(BATCH) {
        let mut traced: Vec<Traced> = Vec::new();
        for &function in batch {
            if is_given_up() {
                return out;
            }
            engine.summary(function);
            let completed = checked..engine.completed.len();
            judged_in(&mut engine, first, completed, &mut traced);
            checked = engine.completed.len();
        }
        let roots: Vec<(FunctionId, EffectId)> = traced.iter().map(|traced| (traced.function, traced.root)).collect();
        let partings = partings(&mut engine, &roots, &known.healed, spread, &prepared.stop);
        known.since.clear();
        for (&Traced { function, effects, root }, parting) in traced.iter().zip(partings) {
            if is_given_up() {
                return out;
            }
            let so_far = explained.entry(program.locate(function).0).or_insert(0usize);
            if let Some(parting) = parting.filter(|_| *so_far < MAX_EXPLAINED) {
                let before = out.splits.len();
                splits(&mut engine, function, parting, &mut known, &mut out.splits);
                *so_far += out.splits.len() - before;
            }
            known.told.insert(function);
            seen_roots.collect(&mut engine, function, effects, &mut out.foreign_roots);
            seen_paths.collect(&mut engine, function, effects, &mut out.paths);
            gates(&mut engine, function, effects, &mut out.gates);
            crossed(&engine, function, root, &mut seen_crossed, &mut out.crossed);
            stranded(&engine, program, function, root, &mut out.stranded);
            for effects in [effects, root] {
                shapes(&engine, function, effects, &mut seen_shapes, &mut out.shapes, &mut out.permuted);
            }
        }
    }
    ForeignRoot::said_once(&mut out.foreign_roots);
    out
}

/// Leaves out what callers in other trees inherit: a scripts folder calls the library beside it, where the operation stands
/// and where the same is said already, as surely.
pub(super) fn said_at_home(program: &Program, splits: &mut Vec<Split>) {
    let place = |split: &Split| split.decision.map(|decision| (split.event.site, decision.site));
    let is_at_home = |split: &Split| program.same_tree(program.locate(split.function).0, split.event.site.file);
    let mut known: FxHashMap<(Site, Site), Confidence> = FxHashMap::default();
    for split in splits.iter().filter(|split| is_at_home(split)) {
        if let Some(place) = place(split) {
            let surest = known.entry(place).or_insert(split.confidence);
            *surest = split.confidence.max(*surest);
        }
    }
    splits.retain(|split| {
        let surest = place(split).and_then(|place| known.get(&place));
        is_at_home(split) || surest.is_none_or(|surest| *surest < split.confidence)
    });
}

/// Loops of the files whose order is each process's own, and files that all ranks make at once: that takes no traces and
/// can be found beside them.
pub fn orders(program: &Program, prepared: &Prepared, files: &[FileId]) -> Divergence {
    prepared.announce(program);
    let Some(&home) = files.first() else { return Divergence::default() };
    let mut common = Common::of_tree(program, &prepared.taint, home);
    let (races, unawaited) = on_files(&mut common, files);
    let mut held = held_by_one(&mut common, files);
    held.extend(held_by_objects(&mut common, files));
    Divergence {
        unordered: unordered_loops(program, &prepared.reaching, files),
        races,
        unawaited,
        held_by_one: held,
        ..Divergence::default()
    }
}

/// A function whose effects are complete.
#[derive(Clone, Copy)]
struct Traced {
    function: FunctionId,
    effects: EffectId,
    /// Its effects with what they wait for looked into.
    root: EffectId,
}

/// What was completed, in the order in which it is to be compared: callees before their callers, so that a split is found
/// where it arises, not where it is inherited. Some calls are looked into only now, for the caller's sake.
fn judged_in(engine: &mut Engine<'_>, tree: FileId, completed: Range<usize>, out: &mut Vec<Traced>) {
    for index in completed {
        if engine.is_given_up() {
            return;
        }
        let function = engine.completed[index];
        let so_far = engine.completed.len();
        let traced = traced(engine, tree, function);
        judged_in(engine, tree, so_far..engine.completed.len(), out);
        out.extend(traced);
    }
}

/// What is compared of a function of the tree.
fn traced(engine: &mut Engine<'_>, tree: FileId, function: FunctionId) -> Option<Traced> {
    let program = engine.program;
    let summary = program.same_tree(program.locate(function).0, tree).then(|| engine.summary(function)).flatten()?;
    let root = engine.on_behalf_of(function, |engine| {
        let enclosed = engine.as_enclosed(function, summary.effects);
        let judged = engine.judged(function, enclosed);
        whole(engine, judged)
    });
    Some(Traced { function, effects: summary.effects, root })
}

/// The functions of the files that are asked about, in order.
fn asked_in(program: &Program, prepared: &Prepared, files: &[FileId]) -> Vec<FunctionId> {
    let functions = files.iter().flat_map(|&file| {
        let model = &program.file(file).model;
        let bodies = (0..model.functions.len() as u32).map(LocalFunction);
        let bodies = bodies.filter(|&local| model.function(local).kind != FunctionKind::ClassBody);
        bodies.map(move |local| program.function_id(file, local))
    });
    functions.filter(|function| prepared.asked.contains(function)).collect()
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
