//! Evaluates functions symbolically, once each: what they return, what they leave on `self`, and what they issue.
//!
//! Summaries are demanded by callers and kept; those of functions that call each other in a cycle are iterated.

mod afterwards;
mod annotated;
mod arguments;
mod assign;
mod attribute;
mod before;
mod births;
mod branch;
mod builtin;
mod call;
mod called;
mod carried;
mod checks;
mod class_of;
mod condense;
mod constructed;
mod container;
pub(in crate::graph) mod data;
mod dealt;
mod dispatch;
mod displays;
mod either;
mod elements;
mod enclosed;
mod entered;
mod entries;
mod expand;
mod expression;
mod external;
mod failures;
mod frame;
mod group_operand;
mod halves;
mod handed_attributes;
mod handed_back;
mod handlers;
mod held_here;
mod in_place;
mod invoked;
mod issuing;
mod job;
mod keyed;
mod keys;
mod known_by;
mod labelled;
mod listed;
mod loops;
mod losses;
mod makers;
mod managers;
mod marks;
mod meaning;
mod memo;
mod mesh;
mod method;
mod objects;
mod operation;
mod outside;
mod packed;
mod passed;
mod pending;
mod places;
mod pooled;
mod premise;
mod rebound;
mod records;
mod recursion;
mod regrouped;
mod shares;
pub(in crate::graph) mod shown;
mod skipped;
mod state;
mod statement;
mod substitute;
mod types;
mod wrapped;
mod wrappers;

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::base::{ClassId, FileId, FunctionId, Span, Symbol};
use crate::flow::{EffectId, Effects, Node, Value, Values};

pub use births::Birth;
pub(super) use failures::OUT_OF_MEMORY;
pub(super) use in_place::is_in_place;
pub(super) use losses::OF_TENSORS;
pub(super) use wrapped::{BACKWARD, FULLY_SHARD, WRAPPERS};

use births::Asked;
use frame::Frame;
use marks::Marks;
use memo::Memo;

use super::classes::Terms;
use super::program::Program;
use super::races::Scripts;
use super::taint::Taint;

/// How deep calls are followed on demand before a callee counts as unknown.
const MAX_DEMAND: usize = 60;

/// How deep, and up to what size in bytes, functions are followed that issue nothing and matter for their value only.
const MAX_ASIDE: u32 = 5;
const MAX_ASIDE_BYTES: u32 = 6_000;

/// Effects heavier than this are not copied into callers.
pub(super) const MAX_INLINE: u32 = 400;

/// What a function does, in terms of its parameters.
#[derive(Debug)]
pub struct Summary {
    /// What it issues.
    pub effects: EffectId,
    /// What it returns.
    pub result: Value,
    /// What it leaves in attributes of its first parameter.
    pub attributes: Vec<(Symbol, Value)>,
    /// What it leaves in variables of the module, or of the function around it, that it declares `global` or `nonlocal`.
    pub globals: Vec<(Symbol, Value)>,
    /// What it leaves in parameters that it has the ranks agree on, or shards, by position.
    pub filled: Vec<(usize, Value)>,
    /// Parameters that it puts something into, by position, as they are in the end.
    grown: Vec<(usize, Value)>,
    /// What it leaves in attributes of its other parameters that differs between ranks, by their position.
    set: Vec<handed_attributes::HandedAttribute>,
    /// Whether it takes this process out of the job.
    leaves: job::Leaves,
}

/// The evaluator and everything it has learned.
pub struct Engine<'p> {
    pub(super) program: &'p Program,
    /// Set by whoever no longer waits for the answer.
    pub(super) stop: Option<&'p AtomicBool>,
    reaching: &'p FxHashSet<FunctionId>,
    pub(super) taint: &'p Taint,
    pub(super) values: Values,
    pub(super) effects: Effects,
    pub(super) none: Value,
    summaries: FxHashMap<FunctionId, Rc<Summary>>,
    /// Functions in the order in which their summaries were completed: callees before callers.
    pub completed: Vec<FunctionId>,
    cycles: recursion::Cycles,
    attributes: FxHashMap<(ClassId, Symbol), Option<Value>>,
    globals: FxHashMap<(FileId, Symbol), Value>,
    pub(super) results: FxHashMap<(Value, Box<[Value]>), Value>,
    births: births::Births,
    /// What is known of single values and places beside what they are made of.
    pub(super) marks: Marks,
    /// What the source was asked once.
    pub(super) memo: Memo<'p>,
    /// Questions about data that is pooled further on, with what each rank answers for itself.
    pooled: FxHashMap<Value, Value>,
    /// Elements of loops that are being evaluated: whose methods they have is asked of the loop as a whole.
    elements: Vec<Value>,
    looked: FxHashMap<(FunctionId, Box<[Value]>, bool), EffectId>,
    /// Functions too large to copy, with what all ranks do alike told in short.
    condensed: FxHashMap<FunctionId, EffectId>,
    /// Effects, and what is left of them without their checks.
    unchecked: FxHashMap<EffectId, EffectId>,
    /// Function bodies of which that is left.
    shortened: FxHashSet<EffectId>,
    nesting: u32,
    /// How many attributes lead from one to the next at the moment.
    led: u32,
    aside: u32,
    /// What is left for substitutions in the function at hand.
    budget: u32,
    /// Classes of catalogued packages of which the program makes objects.
    packaged: FxHashSet<Symbol>,
    /// The path of an attribute on a path.
    pub(super) paths: FxHashMap<(Symbol, Symbol), Symbol>,
    /// The name a path begins at.
    pub(super) roots: FxHashMap<Symbol, Symbol>,
    /// Which functions only scripts of one process run.
    pub(super) scripts: Scripts<'p>,
}

impl<'p> Engine<'p> {
    /// What was made so far, to compare.
    pub(super) fn terms(&self) -> Terms<'_> {
        Terms { effects: &self.effects, values: &self.values }
    }

    /// An engine for the program; `reaching` are the functions from which a collective can be reached.
    /// `taint` says which names are worth following.
    pub fn new(program: &'p Program, reaching: &'p FxHashSet<FunctionId>, taint: &'p Taint) -> Self {
        let mut values = Values::default();
        let none = values.make(Node::None);
        Engine {
            program,
            stop: None,
            reaching,
            taint,
            values,
            effects: Effects::default(),
            none,
            summaries: FxHashMap::default(),
            completed: Vec::new(),
            cycles: recursion::Cycles::default(),
            attributes: FxHashMap::default(),
            globals: FxHashMap::default(),
            results: FxHashMap::default(),
            births: births::Births::default(),
            marks: Marks::default(),
            memo: Memo::default(),
            pooled: FxHashMap::default(),
            elements: Vec::new(),
            looked: FxHashMap::default(),
            condensed: FxHashMap::default(),
            unchecked: FxHashMap::default(),
            shortened: FxHashSet::default(),
            nesting: 0,
            led: 0,
            aside: 0,
            budget: substitute::MAX_STEPS,
            packaged: super::packaged::made(program).into_iter().map(|made| made.name).collect(),
            paths: FxHashMap::default(),
            roots: FxHashMap::default(),
            scripts: Scripts::default(),
        }
    }

    /// Whether nobody waits for the answer any more.
    pub(in crate::graph) fn is_given_up(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// What the function does; while it is being found out, what is known of it by then.
    pub fn summary(&mut self, function: FunctionId) -> Option<Rc<Summary>> {
        self.births.asks(Asked::Function(function));
        let assumed = self.cycles.asked(function);
        if let Some(known) = self.summaries.get(&function) {
            return Some(known.clone());
        }
        if let Some(assumed) = assumed {
            return assumed;
        }
        if self.is_given_up() || self.cycles.depth() >= MAX_DEMAND {
            return None;
        }
        // What only matters for its value is followed a few steps, and only while it is small.
        let aside = !self.reaches(function);
        if aside {
            let span = self.program.function(function).span;
            if self.aside >= MAX_ASIDE || span.end - span.start > MAX_ASIDE_BYTES {
                return None;
            }
            self.aside += 1;
        }
        let budget = std::mem::replace(&mut self.budget, substitute::MAX_STEPS);
        let summary = self.evaluated(function);
        self.budget = budget;
        if aside {
            self.aside -= 1;
        }
        self.summaries.insert(function, summary.clone());
        self.completed.push(function);
        Some(summary)
    }

    /// Whether a collective can be reached from the function.
    pub fn reaches(&self, function: FunctionId) -> bool {
        self.reaching.contains(&function)
    }

    /// The parts of an effect, in order.
    pub(super) fn below(&self, effect: EffectId) -> SmallVec<[EffectId; 4]> {
        self.effects.below(effect)
    }

    /// What a function issues, where that is known already.
    pub(super) fn known_effects(&self, function: FunctionId) -> Option<EffectId> {
        self.summaries.get(&function).map(|summary| summary.effects)
    }

    fn evaluate(&mut self, function: FunctionId) -> Summary {
        let frame = self.entered(function);
        self.evaluate_in(frame)
    }

    /// What a function does that has been entered.
    fn evaluate_in(&mut self, mut frame: Frame<'p>) -> Summary {
        let model = frame.model;
        let definition = model.function(frame.local);
        self.block(&mut frame, definition.body);
        self.keep_for_enclosed(&frame);
        let effects = self.take_sequence(&mut frame);
        let result = self.result(&mut frame, definition.is_generator);
        let attributes = self.left_in_object(&mut frame);
        let filled = self.filled(&frame);
        let globals =
            rebound::rebound(model, definition).filter_map(|name| frame.get(name).map(|value| (name, value))).collect();
        let grown = self.grown(&frame);
        let set = self.set_on_given(&frame);
        let leaves = self.leaves_job(&mut frame);
        Summary { effects, result, attributes, globals, filled, grown, set, leaves }
    }

    pub(super) fn unknown(&mut self, frame: &Frame<'p>, span: Span) -> Value {
        self.values.make(Node::Unknown(frame.site(span)))
    }

    pub(super) fn emit(&mut self, frame: &mut Frame<'p>, effect: EffectId) {
        let events = self.effects.summed(effect).events;
        let silenced = (frame.parted || frame.job.is_of_one) && events;
        if effect != Effects::NOTHING && !frame.dead && !silenced {
            frame.sequence.push(effect);
            frame.job.has_begun |= events;
        }
    }

    pub(super) fn take_sequence(&mut self, frame: &mut Frame<'p>) -> EffectId {
        let sequence = std::mem::take(&mut frame.sequence);
        self.effects.seq(&sequence, &self.values)
    }
}
