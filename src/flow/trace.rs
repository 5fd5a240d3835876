//! What a class of ranks issues on one group, as a regular tree of events, and where two such trees differ.
//!
//! Trees are built backwards, each effect in front of its continuation, and shared by hash-consing: equal remainders are
//! one node, so that comparing them is a comparison of numbers.

mod asked;
mod build;
mod compare;
mod ends;
mod events;
mod healed;
mod questions;
mod relations;
mod tables;
mod topics;
mod turns;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{Site, Symbol};

use super::bearing::Bearing;
use super::concrete::{Answers, Assignment, Cases, Concrete, Evaluator, GroupKey, Truth, World, label};
use super::effect::{Effect, EffectId, Effects, EventId, Exit, LoopKind, handles};
use super::value::{Node, Value, Values};
pub use asked::Asked;
use asked::Said;
use build::Run;
pub use healed::{Heal, Healed};
use relations::Compared;
use tables::Lent;
use topics::Topics;

/// A node of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TraceId(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Shape {
    /// The function's end.
    End,
    /// The job ends, or an exception leaves the function: compatible with anything.
    Abort,
    /// The next turn of the loop so many levels out.
    Again(u16),
    /// Leaves that loop.
    Leave(u16),
    /// An event, identified by what peers can see of it.
    Event(u64, u32),
    /// One of two, decided alike on every rank.
    Choice(u64, u32, u32),
    /// A loop of equally many turns on every rank: its level, then each turn, what follows the last, what follows `break`.
    Loop(u64, u16, [u32; 3]),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Entry {
    /// Identity without regard to where events stand.
    canon: u32,
    first: TraceId,
    second: TraceId,
    /// Where `break` leads, of a loop.
    leave: TraceId,
    event: Option<EventId>,
}

/// One side of a difference: the event it comes to, or what happens instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// This event.
    Event(EventId),
    /// The end of the function.
    End,
    /// The next turn of a loop.
    Again,
    /// The end of a loop.
    Leave,
}

/// Where two classes first issue something else: at least one of them an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What the first class does.
    pub one: Reached,
    /// What the second class does.
    pub other: Reached,
    /// Events that both issue before.
    pub before: Vec<EventId>,
}

impl Difference {
    /// The events that the two classes come to.
    pub fn events(&self) -> [Option<EventId>; 2] {
        [self.one, self.other].map(|reached| match reached {
            Reached::Event(event) => Some(event),
            _ => None,
        })
    }
}

/// A loop while it is traced.
#[derive(Clone, Copy)]
struct Turn {
    label: u64,
    level: u16,
    /// Whether no rank issues anything in it.
    mute: bool,
}

/// How a class decided a choice or a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decided {
    /// A condition, also where it is only known to be the same on every rank.
    Truth(Truth),
    /// What a loop iterates.
    Turns(u64),
}

/// A choice or loop that two classes decide differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The choice or loop.
    pub effect: EffectId,
    /// How the first class decides it.
    pub one: Decided,
    /// How the second class does.
    pub other: Decided,
}

/// A loop that a comparison is inside of.
struct Frame {
    level: u16,
    /// The loop's node.
    whole: TraceId,
    /// Whether the other side is in the same turn of the same loop.
    paired: bool,
    /// Answers that were known before it was entered: they hold in every turn.
    known: [usize; 2],
    /// What is asked in it and behind it.
    topics: Topics,
    outer: Frames,
}

type Frames = Option<Rc<Frame>>;

#[derive(Clone)]
struct RaiseChain {
    handlers: Vec<(Box<[Symbol]>, TraceId)>,
    outer: Option<Rc<RaiseChain>>,
    /// Says where whatever is raised leads.
    label: u64,
}

impl RaiseChain {
    fn new(handlers: Vec<(Box<[Symbol]>, TraceId)>, outer: Option<Rc<RaiseChain>>) -> RaiseChain {
        let label = label(&(&handlers, outer.as_ref().map_or(0, |outer| outer.label)));
        RaiseChain { handlers, outer, label }
    }
}

#[derive(Clone)]
struct Continuations {
    next: TraceId,
    ret: TraceId,
    brk: TraceId,
    again: TraceId,
    raise: Option<Rc<RaiseChain>>,
    hole: Option<Rc<Hole>>,
    level: u16,
}

enum Hole {
    /// Run the body of the `with` statement, whose own surroundings are these.
    Run { body: EffectId, outer: Continuations, ret: Leaving, brk: Leaving, again: Leaving, at: Cell<usize> },
    /// Remember what follows each hole, in the order in which they are come by.
    Capture(RefCell<Vec<TraceId>>),
}

/// Where leaving the body of a `with` statement leads, by the hole it runs in.
struct Leaving {
    after: Vec<TraceId>,
    /// Where nothing is known to follow the hole.
    target: TraceId,
}

impl Leaving {
    fn from(&self, hole: usize) -> TraceId {
        self.after.get(hole).copied().unwrap_or(self.target)
    }
}

/// An effect, where it leads, the loops around it, and what else of its surroundings decides.
type MemoKey = (EffectId, TraceId, TraceId, TraceId, TraceId, u16, u64, u64);

/// How a class decided, in the order in which its trace was built.
type Decisions = FxHashMap<EffectId, Vec<Decided>>;

/// Decisions kept for one choice that is met many times.
const MAX_DECISIONS: usize = 32;

/// Trees below this weight are traced for each class sooner than it is found out what they ask for.
const MIN_SHARED: u32 = 60;

/// Builds and compares traces of one effect tree on one group.
pub struct Tracer<'a> {
    values: &'a Values,
    effects: &'a Effects,
    world: World,
    group: GroupKey,
    bearing: Bearing<'a>,
    tables: Lent,
    fuel: u32,
    healed: &'a Healed,
    /// How choices and loops were decided for the class last traced.
    decisions: Decisions,
    /// Questions about what a peer sent: the sender need not have asked them in these words.
    received: FxHashMap<u64, Vec<EffectId>>,
    /// Where the class last traced asked for what it was sent together with something that settled the question.
    heard: Heard,
    /// The same, of the two classes compared.
    both_heard: [Rc<Heard>; 2],
    /// How often a class heard something.
    hearings: u32,
    /// Questions of how something stands to a constant.
    compared: FxHashMap<u64, Compared>,
    /// Questions that have one answer as long as the function runs.
    lasting: FxHashSet<u64>,
    /// Classes traced before.
    classes: FxHashMap<Assignment, Traced>,
    /// Answers that all classes give.
    common: Answers,
    asked: Rc<RefCell<Asked>>,
    /// Whether each class is to decide for itself.
    records: bool,
    /// Whether classes take over from each other what they take alike.
    shares: bool,
    /// What was asked where the answer makes a difference, for whoever wants to know.
    mattered: Option<FxHashSet<Value>>,
}

/// Choices about something that was sent, which a class settles by something else.
type Heard = FxHashSet<EffectId>;

/// The trace of a class, how it decided, and what it heard.
type Traced = (TraceId, Rc<Decisions>, Rc<Heard>);

const END: TraceId = TraceId(0);
const ABORT: TraceId = TraceId(1);

/// Loops of at most this many turns are unrolled when their number of turns is known.
const MAX_UNROLLED: usize = 8;

impl<'a> Tracer<'a> {
    /// A tracer for the events on `group`. `fuel` bounds the steps over all classes.
    /// What is `healed` counts as decided alike on every rank: it has been reported.
    pub fn new(
        values: &'a Values,
        effects: &'a Effects,
        world: World,
        group: GroupKey,
        healed: &'a Healed,
        fuel: u32,
    ) -> Self {
        let mut tracer = Tracer {
            values,
            effects,
            world,
            bearing: Bearing::new(values, effects, world, group.clone()),
            group,
            tables: Lent::new(),
            fuel,
            healed,
            decisions: FxHashMap::default(),
            received: FxHashMap::default(),
            heard: Heard::default(),
            both_heard: Default::default(),
            hearings: 0,
            compared: FxHashMap::default(),
            lasting: FxHashSet::default(),
            classes: FxHashMap::default(),
            common: Answers::default(),
            asked: Rc::new(RefCell::new(Asked::new(world.axes))),
            records: false,
            shares: false,
            mattered: None,
        };
        tracer.make(Shape::End, [END; 3], None);
        tracer.make(Shape::Abort, [END; 3], None);
        tracer
    }

    /// The same, going on with what another one has found out about what effects ask for; of classes along the same axes.
    #[must_use]
    pub fn with_asked(self, asked: &Rc<RefCell<Asked>>) -> Self {
        Tracer { asked: asked.clone(), ..self }
    }

    /// Whether the bound on steps was hit: nothing may be concluded then.
    pub fn exhausted(&self) -> bool {
        self.fuel == 0
    }

    /// The choices and loops that two classes decide differently, in no order. Only a tracer that has compared nothing yet
    /// knows all of them.
    pub fn partings(&mut self, root: EffectId, one: &Assignment, other: &Assignment) -> Vec<Parting> {
        self.records = true;
        let (_, first, _) = self.trace(root, one);
        let (_, second, _) = self.trace(root, other);
        let mut out: Vec<Parting> = first
            .iter()
            .filter_map(|(&effect, decided)| {
                let others = second.get(&effect)?;
                let differs = |(one, other): (&Decided, &Decided)| {
                    (one != other).then_some(Parting { effect, one: *one, other: *other })
                };
                decided.iter().zip(others).find_map(differs)
            })
            .collect();
        out.sort_by_key(|parting| parting.effect);
        out
    }

    /// What the class asks on its way where it matters how the answer is, in no order; nothing where that takes too many
    /// steps. Only a tracer that has traced nothing yet knows all of it.
    pub fn mattering(mut self, root: EffectId, class: &Assignment) -> Option<Vec<Value>> {
        self.mattered = Some(FxHashSet::default());
        self.trace(root, class);
        let all = self.mattered.take().filter(|_| !self.exhausted())?;
        Some(all.into_iter().collect())
    }

    fn matters(&mut self, question: Value) {
        if let Some(all) = &mut self.mattered {
            all.insert(question);
        }
    }

    fn trace(&mut self, root: EffectId, class: &Assignment) -> Traced {
        let continuations =
            Continuations { next: END, ret: END, brk: END, again: END, raise: None, hole: None, level: 0 };
        if let Some(known) = self.classes.get(class) {
            return known.clone();
        }
        let evaluator = Evaluator::new(self.values, self.world, class).with_common(std::mem::take(&mut self.common));
        self.shares = !self.records && self.effects.summed(root).weight >= MIN_SHARED;
        let said = if self.shares { self.asked.borrow_mut().said(self.values, class) } else { Said::default() };
        self.tables.own.clear();
        let mut run = Run { tracer: self, evaluator, said, calls: Vec::new(), choice: None };
        let made = run.effect(root, &continuations);
        self.common = run.evaluator.into_common();
        let decisions = Rc::new(std::mem::take(&mut self.decisions));
        let traced = (made, decisions, Rc::new(std::mem::take(&mut self.heard)));
        self.classes.insert(class.clone(), traced.clone());
        traced
    }

    fn decided(&mut self, effect: EffectId, decided: Decided) {
        let known = self.decisions.entry(effect).or_default();
        if known.len() < MAX_DECISIONS {
            known.push(decided);
        }
    }

    fn make(&mut self, shape: Shape, parts: [TraceId; 3], event: Option<EventId>) -> TraceId {
        let canon = match self.tables.index.get(&shape) {
            Some(&canon) => canon,
            None => {
                let canon = self.tables.shapes.len() as u32;
                self.tables.shapes.push(shape.clone());
                self.tables.index.insert(shape, canon);
                canon
            }
        };
        let [first, second, leave] = parts;
        let entry = Entry { canon, first, second, leave, event };
        let id = TraceId(self.tables.entries.len() as u32);
        let known = *self.tables.nodes.entry(entry).or_insert(id);
        if known == id {
            self.tables.entries.push(entry);
            let own = match self.shape(id) {
                Shape::Choice(label, ..) => self.topic(*label),
                _ => Topics::default(),
            };
            let known = |part: TraceId| self.tables.topics.get(part.0 as usize).copied().unwrap_or_default();
            let topics = parts.into_iter().map(known).fold(own, Topics::with);
            self.tables.topics.push(topics);
        }
        known
    }

    /// What a question is about: the answer to one about the same thing may answer it too.
    fn topic(&self, question: u64) -> Topics {
        match self.compared.get(&question) {
            Some(compared) => Topics::of(label(&compared.subject)),
            None => Topics::of(question),
        }
    }

    fn entry(&self, id: TraceId) -> Entry {
        self.tables.entries[id.0 as usize]
    }

    fn shape(&self, id: TraceId) -> &Shape {
        &self.tables.shapes[self.entry(id).canon as usize]
    }

    fn same(&self, one: TraceId, other: TraceId) -> bool {
        self.entry(one).canon == self.entry(other).canon
    }

    fn event(&mut self, key: u64, event: EventId, next: TraceId) -> TraceId {
        self.make(Shape::Event(key, self.entry(next).canon), [next; 3], Some(event))
    }

    fn choice(&mut self, label: u64, then: TraceId, otherwise: TraceId) -> TraceId {
        if self.same(then, otherwise) {
            return then;
        }
        // A label and its complement name one answer: order the arms by the smaller of the two.
        let (label, then, otherwise) =
            if label > !label { (!label, otherwise, then) } else { (label, then, otherwise) };
        let shape = Shape::Choice(label, self.entry(then).canon, self.entry(otherwise).canon);
        self.make(shape, [then, otherwise, otherwise], None)
    }

    fn repeat(&mut self, turn: Turn, body: TraceId, after: TraceId, leave: TraceId) -> TraceId {
        let Turn { label, level, mute } = turn;
        if self.same(after, leave) && self.turns_silently(body, after, level, mute) {
            return after;
        }
        let parts = [body, after, leave];
        self.make(Shape::Loop(label, level, parts.map(|part| self.entry(part).canon)), parts, None)
    }

    /// Whether a loop body does nothing but go round or leave, to where the last turn leads as well; or `fails` there.
    fn turns_silently(&self, body: TraceId, after: TraceId, level: u16, fails: bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut pending = vec![body];
        while let Some(part) = pending.pop() {
            if !seen.insert(part) || self.same(part, after) {
                continue;
            }
            let entry = self.entry(part);
            match self.shape(part) {
                // Of a loop inside this one as well.
                Shape::Again(at) | Shape::Leave(at) if *at >= level => {}
                Shape::Abort if fails && part != body => {}
                Shape::Loop(..) => pending.extend([entry.first, entry.second, entry.leave]),
                Shape::Choice(..) => pending.extend([entry.first, entry.second]),
                _ => return false,
            }
        }
        true
    }
}

impl Default for World {
    fn default() -> Self {
        World { size: 4, extent: 4, axes: super::axes::Axes::ALL, single: super::axes::Axes::NONE }
    }
}
