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
mod carried;
mod checks;
mod condense;
mod constructed;
mod container;
pub(in crate::graph) mod data;
mod dealt;
mod dispatch;
mod displays;
mod elements;
mod enclosed;
mod expand;
mod expression;
mod external;
mod failures;
mod frame;
mod halves;
mod handed_back;
mod handlers;
mod in_place;
mod issuing;
mod job;
mod keyed;
mod keys;
mod known_by;
mod labelled;
mod listed;
mod loops;
mod losses;
mod managers;
mod meaning;
mod mesh;
mod method;
mod objects;
mod operation;
mod outside;
mod packed;
mod passed;
mod places;
mod pooled;
mod premise;
mod rebound;
mod records;
mod recursion;
pub(in crate::graph) mod shown;
mod skipped;
mod state;
mod statement;
mod substitute;
mod types;
mod wrapped;
mod wrappers;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::base::{ClassId, FileId, FunctionId, Site, Span, Symbol};
use crate::finding::Confidence;
use crate::flow::{Axes, EffectId, Effects, Node, Value, Values};
use crate::model::{ExprId, FunctionKind};

pub use births::Birth;
pub(super) use failures::OUT_OF_MEMORY;
pub(super) use in_place::is_in_place;
pub(super) use losses::OF_TENSORS;
pub(super) use wrapped::{BACKWARD, FULLY_SHARD, WRAPPERS};

use births::Asked;
use frame::Frame;

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
    /// Whether it takes this process out of the job.
    leaves: job::Leaves,
}

/// The evaluator and everything it has learned.
pub struct Engine<'p> {
    pub(super) program: &'p Program,
    /// Set by whoever no longer waits for the answer.
    pub(super) stop: Option<&'p AtomicBool>,
    pub(super) values: Values,
    pub(super) effects: Effects,
    summaries: FxHashMap<FunctionId, Rc<Summary>>,
    cycles: recursion::Cycles,
    attributes: FxHashMap<(ClassId, Symbol), Option<Value>>,
    /// What classes below define instead of a method and communicates, the farthest from the class first.
    overriders: FxHashMap<(ClassId, Symbol), dispatch::Overriders>,
    /// Classes and those that descend from them, once somebody has asked.
    below: Option<FxHashMap<ClassId, Rc<[ClassId]>>>,
    globals: FxHashMap<(FileId, Symbol), Value>,
    /// The class of the objects that functions assign to a global variable.
    global_classes: FxHashMap<(FileId, Symbol), Option<ClassId>>,
    /// What functions show those within them.
    enclosed: FxHashMap<FunctionId, enclosed::Seen>,
    handed_up: FxHashMap<FunctionId, Option<Rc<constructed::HandedUp>>>,
    writers: FxHashMap<ClassId, Rc<FxHashMap<Symbol, Vec<FunctionId>>>>,
    fields: FxHashMap<ClassId, Rc<[Symbol]>>,
    /// What annotations say of the elements of the containers that fields hold.
    elements_of_fields: FxHashMap<(ClassId, Symbol), Option<ClassId>>,
    births: births::Births,
    /// Values that are this rank's share of the data, not facts of the outside world.
    pub(super) shares: FxHashSet<Value>,
    /// Outermost folders, and whether anything in them speaks of sharded models.
    pub(in crate::graph) knows_of_sharding: RefCell<FxHashMap<&'p str, bool>>,
    /// Whether a file speaks of numbers for each token, once it was asked.
    pub(in crate::graph) speaks_of_tokens: RefCell<FxHashMap<FileId, bool>>,
    /// Those of them that a loss was, or was made of, behind its backward pass.
    pub(in crate::graph) losses: FxHashSet<Value>,
    /// Questions about data that is pooled further on, with what each rank answers for itself.
    pooled: FxHashMap<Value, Value>,
    /// Backward passes of which it is only supposed that they communicate.
    pub(super) supposed: FxHashSet<Site>,
    /// Trees that wrap models.
    wrapping: FxHashMap<Symbol, bool>,
    /// Values that this rank's clock told.
    pub(super) clocks: FxHashSet<Value>,
    /// Values that say what lies on this rank's disk.
    pub(super) disks: FxHashSet<Value>,
    /// What no other process gets: temporary names, tokens.
    pub(super) own_names: FxHashSet<Value>,
    /// Failures of requests.
    pub(super) failures: FxHashSet<Value>,
    /// Conditions under which a function refuses its argument: a file where it asked for a folder.
    pub(super) refusals: FxHashSet<Site>,
    /// Variables of modules that begin with a constant and are set by functions.
    pub(super) switches: FxHashSet<Value>,
    /// Values that an object of unknown make is taken to hold.
    pub(super) inferred: FxHashSet<Value>,
    owners: Option<Rc<known_by::Owners>>,
    outside_writers: Option<Rc<outside::Writers>>,
    callable_attributes: Option<Rc<FxHashSet<Symbol>>>,
    operations_of_objects: Option<Rc<FxHashSet<Symbol>>>,
    /// Elements of loops that are being evaluated: whose methods they have is asked of the loop as a whole.
    elements: Vec<Value>,
    reaching: &'p FxHashSet<FunctionId>,
    pub(super) taint: &'p Taint,
    pub(super) results: FxHashMap<(Value, Box<[Value]>), Value>,
    looked: FxHashMap<(FunctionId, Box<[Value]>, bool), EffectId>,
    /// Functions too large to copy, with what all ranks do alike told in short.
    condensed: FxHashMap<FunctionId, EffectId>,
    /// Effects, and what is left of them without their checks.
    unchecked: FxHashMap<EffectId, EffectId>,
    /// Function bodies of which that is left.
    shortened: FxHashSet<EffectId>,
    nesting: u32,
    aside: u32,
    pub(super) none: Value,
    /// The names of what shards a model in place.
    sharding: FxHashSet<Symbol>,
    /// Classes of catalogued packages of which the program makes objects.
    packaged: FxHashSet<Symbol>,
    /// The path of an attribute on a path.
    pub(super) paths: FxHashMap<(Symbol, Symbol), Symbol>,
    /// The name a path begins at.
    pub(super) roots: FxHashMap<Symbol, Symbol>,
    /// Functions in the order in which their summaries were completed: callees before callers.
    pub completed: Vec<FunctionId>,
    /// What is left for substitutions in the function at hand.
    budget: u32,
    /// Where the functions stand that are in no other one, in files that findings speak of.
    outermost: RefCell<FxHashMap<FileId, Box<[Span]>>>,
    /// Expressions by where they are written, in files that findings speak of.
    written: RefCell<FxHashMap<FileId, FxHashMap<Span, ExprId>>>,
    /// Which functions only scripts of one process run.
    pub(super) scripts: Scripts<'p>,
    /// The effects below the large one that was gone through last.
    pub(super) walked: RefCell<Option<(EffectId, Vec<EffectId>)>>,
    /// Attributes of which somebody has asked whether anybody turns them on.
    pub(super) untouched: RefCell<FxHashMap<Symbol, bool>>,
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
            values,
            effects: Effects::default(),
            summaries: FxHashMap::default(),
            cycles: recursion::Cycles::default(),
            attributes: FxHashMap::default(),
            overriders: FxHashMap::default(),
            below: None,
            globals: FxHashMap::default(),
            global_classes: FxHashMap::default(),
            enclosed: FxHashMap::default(),
            handed_up: FxHashMap::default(),
            writers: FxHashMap::default(),
            fields: FxHashMap::default(),
            elements_of_fields: FxHashMap::default(),
            births: births::Births::default(),
            shares: FxHashSet::default(),
            losses: FxHashSet::default(),
            knows_of_sharding: RefCell::default(),
            speaks_of_tokens: RefCell::default(),
            pooled: FxHashMap::default(),
            supposed: FxHashSet::default(),
            wrapping: FxHashMap::default(),
            clocks: FxHashSet::default(),
            disks: FxHashSet::default(),
            own_names: FxHashSet::default(),
            failures: FxHashSet::default(),
            refusals: FxHashSet::default(),
            switches: FxHashSet::default(),
            inferred: FxHashSet::default(),
            owners: None,
            outside_writers: None,
            callable_attributes: None,
            operations_of_objects: None,
            elements: Vec::new(),
            reaching,
            taint,
            results: FxHashMap::default(),
            looked: FxHashMap::default(),
            condensed: FxHashMap::default(),
            unchecked: FxHashMap::default(),
            shortened: FxHashSet::default(),
            nesting: 0,
            aside: 0,
            paths: FxHashMap::default(),
            roots: FxHashMap::default(),
            completed: Vec::new(),
            budget: substitute::MAX_STEPS,
            outermost: RefCell::default(),
            written: RefCell::default(),
            walked: RefCell::default(),
            untouched: RefCell::default(),
            scripts: Scripts::default(),
            none,
            sharding: program.catalog.shards_in_place(),
            packaged: super::packaged::made(program).into_iter().map(|made| made.name).collect(),
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

    /// What a function knows as it is entered: its parameters.
    fn entered(&mut self, function: FunctionId) -> Frame<'p> {
        let program = self.program;
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let definition = model.function(local);
        let class = program.class_of(function);
        let is_method =
            class.is_some() && definition.kind == FunctionKind::Def && !self.has_decorator(file, local, "staticmethod");
        let receiver = is_method.then(|| definition.parameters.first().map(|first| first.name)).flatten();
        let mut frame = Frame {
            function,
            file,
            local,
            model,
            class,
            receiver,
            env: FxHashMap::default(),
            paths: FxHashMap::default(),
            log: Vec::new(),
            sequence: Vec::new(),
            guards: Vec::new(),
            returns: Vec::new(),
            left: Vec::new(),
            handed: Vec::new(),
            dead: false,
            quiet: 0,
            quiet_on_some: Vec::new(),
            parted: false,
            job: job::Job::default(),
            parts: false,
            passed: Vec::new(),
            failing: None,
            cuts: Vec::new(),
            turning: false,
            pools: self.taint.pooled().holds(function),
        };
        for (position, parameter) in definition.parameters.iter().enumerate() {
            let meaning = self.parameter_meaning(&frame, parameter.name);
            if meaning.is_none()
                && let Some(axis) = self.taint.started().axis(function, position as u16)
            {
                let rank = self.values.make(Node::Rank(Axes::named(axis)));
                let value = self.values.parameter(function, position as u16, Some(rank));
                let reason = format!("`{}` is the number of this process", parameter.name);
                self.born(value, &frame, parameter.span, &reason, Confidence::Medium);
                frame.set(parameter.name, value);
                continue;
            }
            if meaning.is_none()
                && let Some((data, reason)) =
                    self.data_parameter(&frame, parameter.name, position as u16, parameter.span)
            {
                let value = self.values.parameter(function, position as u16, Some(data));
                self.shares.insert(value);
                self.born(value, &frame, parameter.span, reason, Confidence::Medium);
                frame.set(parameter.name, value);
                continue;
            }
            let value = self.values.parameter(function, position as u16, meaning);
            if meaning.is_some() {
                let reason = format!("`{}` is this rank's own, by its name", parameter.name);
                self.born(value, &frame, parameter.span, &reason, Confidence::Medium);
            }
            frame.set(parameter.name, value);
        }
        self.begin_with_outer(&mut frame);
        if let (Some(class), Some(first)) = (class, receiver)
            && self.has_decorator(file, local, "classmethod")
            && !self.fields(class).is_empty()
        {
            let made = self.values.make(Node::Class(class));
            frame.set(first, made);
        }
        frame
    }

    fn evaluate(&mut self, function: FunctionId) -> Summary {
        let mut frame = self.entered(function);
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
        let leaves = self.leaves_job(&mut frame);
        Summary { effects, result, attributes, globals, filled, grown, leaves }
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

    /// What the function's returns come to, the first that applies winning.
    fn result(&mut self, frame: &mut Frame<'p>, is_generator: bool) -> Value {
        if is_generator {
            let parameters = &frame.model.function(frame.local).parameters;
            let args: Vec<Value> = parameters
                .iter()
                .enumerate()
                .map(|(position, _)| self.values.parameter(frame.function, position as u16, None))
                .collect();
            return self.values.make(Node::Generator(frame.function, args.into()));
        }
        let mut result = self.none;
        let mut returns = std::mem::take(&mut frame.returns);
        // Nobody comes to the end: who has not returned before returns there.
        if let Some((guard, _)) = returns.last_mut().filter(|_| frame.dead) {
            *guard = None;
        }
        if returns.len() > 8 {
            let parts: Vec<Value> =
                returns.iter().flat_map(|(guard, value)| guard.iter().copied().chain([*value])).collect();
            return self.values.make(Node::Apply(Symbol::new("result"), parts.into()));
        }
        for (guard, value) in returns.into_iter().rev() {
            let value = self.closed_over(frame, value);
            result = match guard {
                None => value,
                Some(guard) => match self.passed_on(&frame.passed, guard, value, result) {
                    Some(same) => same,
                    None => self.values.make(Node::If(guard, value, result)),
                },
            };
        }
        result
    }
}
