//! What a class of ranks issues on one group, as a regular tree of events, and where two such trees differ.
//!
//! Trees are built backwards, each effect in front of its continuation, and shared by hash-consing: equal remainders are
//! one node, so that comparing them is a comparison of numbers.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{Site, Symbol};
use crate::model::CompareOp;

use super::concrete::{Assignment, Concrete, Evaluator, GroupKey, Truth, World, label};
use super::effect::{Effect, EffectId, Effects, EventId, Exit, LoopKind};
use super::value::{Node, Value, Values};

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

#[derive(Clone, Copy)]
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

/// How a choice or loop that has been reported is decided from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heal {
    /// Alike on every rank, unknown how.
    Alike,
    /// So, on every rank.
    Always(bool),
}

/// Choices, loops and events that have been reported: their ranks count as in step, everywhere or below one call.
#[derive(Clone, Debug, Default)]
pub struct Healed {
    known: FxHashMap<(Site, Option<Site>), Heal>,
    calls: FxHashSet<Site>,
}

impl Healed {
    /// Heals what stands at `site`, everywhere or below the call at `call`. Says whether that is new.
    pub fn insert(&mut self, site: Site, call: Option<Site>, heal: Heal) -> bool {
        self.calls.extend(call);
        self.known.insert((site, call), heal).is_none()
    }

    /// Whether what stands at `site` is healed below the call at `call`.
    pub fn covers(&self, site: Site, call: Option<Site>) -> bool {
        self.get(site, call.as_slice()).is_some()
    }

    /// How many places are healed.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn get(&self, site: Site, calls: &[Site]) -> Option<Heal> {
        if self.known.is_empty() {
            return None;
        }
        let everywhere = self.known.get(&(site, None));
        everywhere.or_else(|| calls.iter().find_map(|&call| self.known.get(&(site, Some(call))))).copied()
    }
}

/// A loop that a comparison is inside of.
struct Frame {
    level: u16,
    /// The loop's node.
    whole: TraceId,
    /// Whether the other side is in the same turn of the same loop.
    paired: bool,
    outer: Frames,
}

type Frames = Option<Rc<Frame>>;

#[derive(Clone)]
struct RaiseChain {
    handlers: Vec<(Box<[Symbol]>, TraceId)>,
    outer: Option<Rc<RaiseChain>>,
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
    Run { body: EffectId, outer: Continuations, ret: TraceId, brk: TraceId, again: TraceId },
    /// Remember what follows the hole.
    Capture(Cell<Option<TraceId>>),
}

type MemoKey = (EffectId, TraceId, TraceId, TraceId, TraceId, u16, u64);

/// How a class decided, in the order in which its trace was built.
type Decisions = FxHashMap<EffectId, Vec<Decided>>;

/// Decisions kept for one choice that is met many times.
const MAX_DECISIONS: usize = 32;

/// Builds and compares traces of one effect tree on one group.
pub struct Tracer<'a> {
    values: &'a Values,
    effects: &'a Effects,
    world: World,
    group: GroupKey,
    entries: Vec<Entry>,
    shapes: Vec<Shape>,
    index: FxHashMap<Shape, u32>,
    fuel: u32,
    healed: &'a Healed,
    /// How choices and loops were decided for the class last traced.
    decisions: Decisions,
    /// Questions about what a peer sent: the sender need not have asked them in these words.
    received: FxHashSet<u64>,
    /// Questions whether something is this or that constant: what, which, and the answer that says so.
    equations: FxHashMap<u64, (Value, Value, bool)>,
    /// Classes traced before.
    classes: FxHashMap<Assignment, (TraceId, Rc<Decisions>)>,
}

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
            group,
            entries: Vec::new(),
            shapes: Vec::new(),
            index: FxHashMap::default(),
            fuel,
            healed,
            decisions: FxHashMap::default(),
            received: FxHashSet::default(),
            equations: FxHashMap::default(),
            classes: FxHashMap::default(),
        };
        tracer.make(Shape::End, END, END, None);
        tracer.make(Shape::Abort, END, END, None);
        tracer
    }

    /// Whether the bound on steps was hit: nothing may be concluded then.
    pub fn exhausted(&self) -> bool {
        self.fuel == 0
    }

    /// Traces two classes and compares them.
    pub fn compare(&mut self, root: EffectId, one: &Assignment, other: &Assignment) -> Option<Difference> {
        let (first, _) = self.trace(root, one);
        let (second, _) = self.trace(root, other);
        if self.exhausted() {
            return None;
        }
        let mut search = Search::default();
        let found = self.difference(first, second, &None, &None, &mut search)?;
        (found.events() != [None; 2] && !self.exhausted()).then_some(found)
    }

    /// The choices and loops that two classes decide differently, in no order.
    pub fn partings(&mut self, root: EffectId, one: &Assignment, other: &Assignment) -> Vec<Parting> {
        let (_, first) = self.trace(root, one);
        let (_, second) = self.trace(root, other);
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

    fn trace(&mut self, root: EffectId, class: &Assignment) -> (TraceId, Rc<Decisions>) {
        let continuations =
            Continuations { next: END, ret: END, brk: END, again: END, raise: None, hole: None, level: 0 };
        if let Some((known, decisions)) = self.classes.get(class) {
            return (*known, decisions.clone());
        }
        let evaluator = Evaluator::new(self.values, self.world, class);
        let mut run = Run { tracer: self, evaluator, memo: FxHashMap::default(), calls: Vec::new() };
        let made = run.effect(root, &continuations);
        let decisions = Rc::new(std::mem::take(&mut self.decisions));
        self.classes.insert(class.clone(), (made, decisions.clone()));
        (made, decisions)
    }

    fn decided(&mut self, effect: EffectId, decided: Decided) {
        let known = self.decisions.entry(effect).or_default();
        if known.len() < MAX_DECISIONS {
            known.push(decided);
        }
    }

    fn make(&mut self, shape: Shape, first: TraceId, second: TraceId, event: Option<EventId>) -> TraceId {
        let canon = match self.index.get(&shape) {
            Some(&canon) => canon,
            None => {
                let canon = self.shapes.len() as u32;
                self.shapes.push(shape.clone());
                self.index.insert(shape, canon);
                canon
            }
        };
        let id = TraceId(self.entries.len() as u32);
        self.entries.push(Entry { canon, first, second, leave: second, event });
        id
    }

    fn entry(&self, id: TraceId) -> Entry {
        self.entries[id.0 as usize]
    }

    fn shape(&self, id: TraceId) -> &Shape {
        &self.shapes[self.entry(id).canon as usize]
    }

    fn same(&self, one: TraceId, other: TraceId) -> bool {
        self.entry(one).canon == self.entry(other).canon
    }

    fn event(&mut self, key: u64, event: EventId, next: TraceId) -> TraceId {
        self.make(Shape::Event(key, self.entry(next).canon), next, next, Some(event))
    }

    fn choice(&mut self, label: u64, then: TraceId, otherwise: TraceId) -> TraceId {
        if self.same(then, otherwise) {
            return then;
        }
        // A label and its complement name one answer: order the arms by the smaller of the two.
        let (label, then, otherwise) =
            if label > !label { (!label, otherwise, then) } else { (label, then, otherwise) };
        self.make(Shape::Choice(label, self.entry(then).canon, self.entry(otherwise).canon), then, otherwise, None)
    }

    fn repeat(&mut self, label: u64, body: TraceId, after: TraceId, leave: TraceId, level: u16) -> TraceId {
        if self.same(after, leave) && self.turns_silently(body, level, &mut FxHashSet::default()) {
            return after;
        }
        let parts = [body, after, leave].map(|part| self.entry(part).canon);
        let made = self.make(Shape::Loop(label, level, parts), body, after, None);
        self.entries[made.0 as usize].leave = leave;
        made
    }

    /// Whether a loop body does nothing but go round or leave.
    fn turns_silently(&self, body: TraceId, level: u16, seen: &mut FxHashSet<TraceId>) -> bool {
        if !seen.insert(body) {
            return true;
        }
        match self.shape(body) {
            Shape::Again(at) | Shape::Leave(at) => *at == level,
            Shape::Choice(..) => {
                let entry = self.entry(body);
                self.turns_silently(entry.first, level, seen) && self.turns_silently(entry.second, level, seen)
            }
            _ => false,
        }
    }

    fn difference(
        &mut self,
        one: TraceId,
        other: TraceId,
        here: &Frames,
        there: &Frames,
        search: &mut Search,
    ) -> Option<Difference> {
        let (one, other) = self.remaining(one, other, search);
        if self.same(one, other) || !search.seen.insert((one, other, label(&search.told_apart))) {
            return None;
        }
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            return None;
        }
        // Who ends the job is in step with anybody: only the other answer counts.
        if let Some((answer, rest)) = self.survives(one) {
            return self.under(answer, true, (rest, other), here, there, search);
        }
        if let Some((answer, rest)) = self.survives(other) {
            return self.under(answer, true, (one, rest), here, there, search);
        }
        let (first, second) = (self.entry(one), self.entry(other));
        let length = search.before.len();
        let found = match (self.shape(one).clone(), self.shape(other).clone()) {
            (Shape::Abort, _) | (_, Shape::Abort) => None,
            (Shape::Event(key, _), Shape::Event(other_key, _)) if key == other_key => {
                search.before.extend(first.event);
                self.difference(first.first, second.first, here, there, search)
            }
            (Shape::Choice(label, ..), Shape::Choice(other_label, ..)) if label == other_label => self
                .under((label, true), false, (first.first, second.first), here, there, search)
                .or_else(|| self.under((label, false), false, (first.second, second.second), here, there, search)),
            (Shape::Choice(label, ..), _) if !self.received.contains(&label) => self
                .under((label, true), false, (first.first, other), here, there, search)
                .or_else(|| self.under((label, false), false, (first.second, other), here, there, search)),
            (_, Shape::Choice(label, ..)) if !self.received.contains(&label) => self
                .under((label, true), false, (one, second.first), here, there, search)
                .or_else(|| self.under((label, false), false, (one, second.second), here, there, search)),
            // The sender has decided what is in the message: one of the answers is what it does. The next message is
            // another, though the same line receives it.
            (Shape::Choice(..), _) => self
                .difference(first.first, other, here, there, search)
                .and_then(|_| self.difference(first.second, other, here, there, search)),
            (_, Shape::Choice(..)) => self
                .difference(one, second.first, here, there, search)
                .and_then(|_| self.difference(one, second.second, here, there, search)),
            (Shape::Loop(label, level, ..), Shape::Loop(other_label, other_level, ..)) if label == other_label => {
                let inside = entered(level, one, true, here);
                let other_inside = entered(other_level, other, true, there);
                self.difference(first.first, second.first, &inside, &other_inside, search)
                    .or_else(|| self.difference(first.second, second.second, here, there, search))
            }
            // As many turns as the sender takes.
            (Shape::Loop(label, level, ..), Shape::Loop(other_label, other_level, ..))
                if self.received.contains(&label) || self.received.contains(&other_label) =>
            {
                let inside = entered(level, one, true, here);
                let other_inside = entered(other_level, other, true, there);
                self.difference(first.first, second.first, &inside, &other_inside, search)
                    .or_else(|| self.difference(first.second, second.second, here, there, search))
            }
            (Shape::Loop(_, level, ..), _) => {
                let inside = entered(level, one, false, here);
                self.difference(first.first, other, &inside, there, search)
                    .or_else(|| self.difference(first.second, other, here, there, search))
            }
            (_, Shape::Loop(_, level, ..)) => {
                let inside = entered(level, other, false, there);
                self.difference(one, second.first, here, &inside, search)
                    .or_else(|| self.difference(one, second.second, here, there, search))
            }
            // The same turn has more events on one side than on the other.
            (Shape::Event(..), Shape::Again(level)) if is_paired(level, there) => {
                self.found(one, Reached::Again, true, search)
            }
            (Shape::Again(level), Shape::Event(..)) if is_paired(level, here) => {
                self.found(other, Reached::Again, false, search)
            }
            // Whoever leaves a loop, or goes round it, comes to what follows.
            (Shape::Leave(level), _) => {
                let frame = leaving(level, here)?;
                let next = self.entry(frame.whole).leave;
                let mut found = self.difference(next, other, &frame.outer.clone(), there, search);
                if let Some(Difference { one: end @ Reached::End, .. }) = &mut found {
                    *end = Reached::Leave;
                }
                found
            }
            (_, Shape::Leave(level)) => {
                let frame = leaving(level, there)?;
                let next = self.entry(frame.whole).leave;
                let mut found = self.difference(one, next, here, &frame.outer.clone(), search);
                if let Some(Difference { other: end @ Reached::End, .. }) = &mut found {
                    *end = Reached::Leave;
                }
                found
            }
            (Shape::Again(level), _) => {
                let frame = leaving(level, here)?;
                // Answers may be others in the next turn.
                let known = search.forget();
                let found = self.difference(frame.whole, other, &frame.outer.clone(), there, search);
                search.remember(known);
                found
            }
            (_, Shape::Again(level)) => {
                let frame = leaving(level, there)?;
                let known = search.forget();
                let found = self.difference(one, frame.whole, here, &frame.outer.clone(), search);
                search.remember(known);
                found
            }
            _ => Some(Difference { one: self.reached(one), other: self.reached(other), before: search.before.clone() }),
        };
        if found.is_none() {
            search.before.truncate(length);
        }
        found
    }

    fn under(
        &mut self,
        answer: (u64, bool),
        only: bool,
        (one, other): (TraceId, TraceId),
        here: &Frames,
        there: &Frames,
        search: &mut Search,
    ) -> Option<Difference> {
        // An answer that is forgotten could be given otherwise further on, where no rank can come to both.
        let tells = only || search.told_apart.len() < MAX_TOLD_APART;
        search.assumed.push(answer);
        if tells {
            search.told_apart.push(answer);
        }
        let found = self.difference(one, other, here, there, search);
        search.assumed.pop();
        if tells {
            search.told_apart.pop();
        }
        found
    }

    /// What remains of two traces under the answers assumed, past loops that issue nothing. A loop that both are at is
    /// no such loop for either: who ends the job in it is in step with whoever issues something there.
    fn remaining(&self, one: TraceId, other: TraceId, search: &Search) -> (TraceId, TraceId) {
        let (one, other) = (self.assuming(one, search), self.assuming(other, search));
        match (self.shape(one), self.shape(other)) {
            (Shape::Loop(label, ..), Shape::Loop(other_label, ..)) if label == other_label => (one, other),
            _ => (self.past_loops(one, search), self.past_loops(other, search)),
        }
    }

    fn past_loops(&self, mut trace: TraceId, search: &Search) -> TraceId {
        loop {
            let entry = self.entry(trace);
            match self.shape(trace) {
                Shape::Loop(_, level, _)
                    if self.same(entry.second, entry.leave)
                        && self.issues_nothing(entry.first, *level, &mut FxHashSet::default()) =>
                {
                    trace = self.assuming(entry.second, search);
                }
                _ => return trace,
            }
        }
    }

    /// What remains of a trace under the answers assumed.
    fn assuming(&self, mut trace: TraceId, search: &Search) -> TraceId {
        loop {
            let entry = self.entry(trace);
            trace = match self.shape(trace) {
                Shape::Choice(label, ..) => match self.answer(*label, search) {
                    Some(true) => entry.first,
                    Some(false) => entry.second,
                    None => return trace,
                },
                _ => return trace,
            };
        }
    }

    /// The answer to a question under the answers assumed.
    fn answer(&self, label: u64, search: &Search) -> Option<bool> {
        if let Some(&(_, known)) = search.assumed.iter().find(|(known, _)| *known == label) {
            return Some(known);
        }
        // What is one thing is no other.
        let &(subject, constant, says_so) = self.equations.get(&label)?;
        let other = search.assumed.iter().any(|(known, answer)| {
            self.equations
                .get(known)
                .is_some_and(|&(of, is, yes)| of == subject && *answer == yes && self.values.are_distinct(is, constant))
        });
        other.then_some(!says_so)
    }

    /// Whether a loop body goes round, leaves or ends the job, also by way of loops inside that do no more, and nothing else.
    fn issues_nothing(&self, body: TraceId, level: u16, seen: &mut FxHashSet<TraceId>) -> bool {
        if !seen.insert(body) {
            return true;
        }
        let entry = self.entry(body);
        match self.shape(body) {
            Shape::Again(at) | Shape::Leave(at) => *at >= level,
            Shape::Abort => true,
            Shape::Choice(..) => {
                self.issues_nothing(entry.first, level, seen) && self.issues_nothing(entry.second, level, seen)
            }
            Shape::Loop(..) => {
                [entry.first, entry.second, entry.leave].into_iter().all(|part| self.issues_nothing(part, level, seen))
            }
            _ => false,
        }
    }

    /// The answer with which a choice does not end the job, and what follows then.
    fn survives(&self, trace: TraceId) -> Option<((u64, bool), TraceId)> {
        let Shape::Choice(label, ..) = self.shape(trace) else { return None };
        let entry = self.entry(trace);
        match (self.shape(entry.first), self.shape(entry.second)) {
            (Shape::Abort, _) => Some(((*label, false), entry.second)),
            (_, Shape::Abort) => Some(((*label, true), entry.first)),
            _ => None,
        }
    }

    fn found(&self, event: TraceId, instead: Reached, first: bool, search: &Search) -> Option<Difference> {
        let event = self.reached(event);
        let (one, other) = if first { (event, instead) } else { (instead, event) };
        Some(Difference { one, other, before: search.before.clone() })
    }

    fn reached(&self, id: TraceId) -> Reached {
        match (self.shape(id), self.entry(id).event) {
            (Shape::Event(..), Some(event)) => Reached::Event(event),
            _ => Reached::End,
        }
    }
}

/// What a comparison has come by.
#[derive(Default)]
struct Search {
    before: Vec<EventId>,
    seen: FxHashSet<(TraceId, TraceId, u64)>,
    /// Answers that every rank shares, as assumed on the way: a condition that is asked again has the same answer.
    assumed: Vec<(u64, bool)>,
    /// Those of them that make one visit of two traces another than the next.
    told_apart: Vec<(u64, bool)>,
}

impl Search {
    fn forget(&mut self) -> [Vec<(u64, bool)>; 2] {
        [std::mem::take(&mut self.assumed), std::mem::take(&mut self.told_apart)]
    }

    fn remember(&mut self, [assumed, told_apart]: [Vec<(u64, bool)>; 2]) {
        (self.assumed, self.told_apart) = (assumed, told_apart);
    }
}

/// Answers that two traces are visited under, time and again; more are kept in mind, but lead to no visit of their own.
const MAX_TOLD_APART: usize = 5;

fn entered(level: u16, whole: TraceId, paired: bool, outer: &Frames) -> Frames {
    Some(Rc::new(Frame { level, whole, paired, outer: outer.clone() }))
}

fn leaving(level: u16, frames: &Frames) -> Option<Rc<Frame>> {
    let mut at = frames.clone();
    while let Some(frame) = at {
        if frame.level == level {
            return Some(frame);
        }
        at = frame.outer.clone();
    }
    None
}

fn is_paired(level: u16, frames: &Frames) -> bool {
    leaving(level, frames).is_some_and(|frame| frame.paired)
}

struct Run<'t, 'a> {
    tracer: &'t mut Tracer<'a>,
    evaluator: Evaluator<'t>,
    memo: FxHashMap<MemoKey, TraceId>,
    /// Calls on the way that something is healed below.
    calls: Vec<Site>,
}

impl Run<'_, '_> {
    fn effect(&mut self, id: EffectId, to: &Continuations) -> TraceId {
        let simple = self.evaluator.is_plain() && to.hole.is_none() && to.raise.is_none();
        let scope = if self.calls.is_empty() { 0 } else { label(&self.calls) };
        let key = (id, to.next, to.ret, to.brk, to.again, to.level, scope);
        if simple && let Some(&known) = self.memo.get(&key) {
            return known;
        }
        if self.tracer.fuel == 0 {
            return ABORT;
        }
        self.tracer.fuel -= 1;
        let made = self.build(id, to);
        if simple {
            self.memo.insert(key, made);
        }
        made
    }

    fn build(&mut self, id: EffectId, to: &Continuations) -> TraceId {
        let effects = self.tracer.effects;
        match effects.get(id) {
            Effect::Nothing | Effect::Invoke { .. } | Effect::Pending { .. } => to.next,
            Effect::Seq(parts) => {
                let mut to = to.clone();
                for &part in parts.iter().rev() {
                    to.next = self.effect(part, &to);
                }
                to.next
            }
            Effect::Event(event) => self.event(*event, to.next),
            Effect::Choice { test, site, then, otherwise, .. } => match self.decide(id, *test, *site) {
                Truth::Known(true) => self.effect(*then, to),
                Truth::Known(false) => self.effect(*otherwise, to),
                Truth::Same(label) => {
                    let healed = self.tracer.healed.get(*site, &self.calls).is_some();
                    let then = self.effect(*then, to);
                    let otherwise = self.effect(*otherwise, to);
                    match healed {
                        true => self.tracer.choice(label, then, otherwise),
                        false => self.asked(*test, then, otherwise),
                    }
                }
            },
            Effect::Loop { kind, site, body, orelse } => {
                if self.tracer.healed.get(*site, &self.calls).is_some() {
                    let after = self.effect(*orelse, to);
                    let inside = self.looping(to, to.level + 1);
                    let body = self.effect(*body, &inside);
                    let healed = label(&(site, kind_label(*kind)));
                    return self.tracer.repeat(healed, body, after, to.next, to.level + 1);
                }
                self.repeat(id, *kind, *body, *orelse, to)
            }
            Effect::Exit(exit, _) => match exit {
                Exit::Return => to.ret,
                Exit::Break => to.brk,
                Exit::Continue => to.again,
                Exit::Abort => ABORT,
                Exit::Raise(names) => raised(names, to.raise.as_deref()),
            },
            Effect::Try { body, handlers, orelse, finally } => {
                let finally = *finally;
                let mut outer = to.clone();
                if finally != Effects::NOTHING {
                    outer = Continuations {
                        next: self.effect(finally, to),
                        ret: self.before(finally, to, to.ret),
                        brk: self.before(finally, to, to.brk),
                        again: self.before(finally, to, to.again),
                        ..outer
                    };
                    outer.raise = self.finally_chain(finally, to);
                }
                let handled: Vec<(Box<[Symbol]>, TraceId)> = handlers
                    .iter()
                    .map(|handler| (handler.catches.clone(), self.effect(handler.body, &outer)))
                    .collect();
                let mut inner = outer.clone();
                inner.next = self.effect(*orelse, &outer);
                if !handled.is_empty() {
                    inner.raise = Some(Rc::new(RaiseChain { handlers: handled, outer: outer.raise.clone() }));
                }
                self.effect(*body, &inner)
            }
            Effect::Scope { manager, body } => self.scope(*manager, *body, to),
            Effect::Hole => match to.hole.clone().as_deref() {
                Some(Hole::Run { body, outer, ret, brk, again }) => {
                    let inside = Continuations {
                        next: to.next,
                        ret: *ret,
                        brk: *brk,
                        again: *again,
                        raise: to.raise.clone(),
                        hole: outer.hole.clone(),
                        level: outer.level,
                    };
                    self.effect(*body, &inside)
                }
                Some(Hole::Capture(cell)) => {
                    cell.set(Some(to.next));
                    to.next
                }
                None => to.next,
            },
            Effect::Call { body, site, .. } => {
                let inside = Continuations { ret: to.next, brk: to.next, again: to.next, ..to.clone() };
                let scoped = self.tracer.healed.calls.contains(site);
                if scoped {
                    self.calls.push(*site);
                }
                let made = self.effect(*body, &inside);
                if scoped {
                    self.calls.pop();
                }
                made
            }
        }
    }

    fn before(&mut self, finally: EffectId, to: &Continuations, next: TraceId) -> TraceId {
        self.effect(finally, &Continuations { next, ..to.clone() })
    }

    /// An exception passes through `finally` on its way out.
    fn finally_chain(&mut self, finally: EffectId, to: &Continuations) -> Option<Rc<RaiseChain>> {
        let mut chain = to.raise.clone();
        let mut rebuilt = Vec::new();
        while let Some(level) = chain {
            for (names, handler) in &level.handlers {
                rebuilt.push((names.clone(), self.before(finally, to, *handler)));
            }
            chain = level.outer.clone();
        }
        // Uncaught, it ends the job. What `finally` issues on the way is another question: that of collectives in handlers.
        Some(Rc::new(RaiseChain { handlers: rebuilt, outer: None }))
    }

    fn scope(&mut self, manager: EffectId, body: EffectId, to: &Continuations) -> TraceId {
        let leaves = self.tracer.effects.summed(body).exits;
        let after = |run: &mut Self, target: TraceId| {
            if !leaves {
                return target;
            }
            let hole = Rc::new(Hole::Capture(Cell::new(None)));
            let around = Continuations {
                next: target,
                ret: target,
                brk: target,
                again: target,
                hole: Some(hole.clone()),
                ..to.clone()
            };
            run.effect(manager, &around);
            match &*hole {
                Hole::Capture(cell) => cell.get().unwrap_or(target),
                Hole::Run { .. } => target,
            }
        };
        let (ret, brk, again) = (after(self, to.ret), after(self, to.brk), after(self, to.again));
        let hole = Rc::new(Hole::Run { body, outer: to.clone(), ret, brk, again });
        let around = Continuations { ret: to.next, brk: to.next, again: to.next, hole: Some(hole), ..to.clone() };
        self.effect(manager, &around)
    }

    /// A choice by a condition, its parts asked one after the other, so that a part that is asked again elsewhere is known.
    fn asked(&mut self, test: Value, then: TraceId, otherwise: TraceId) -> TraceId {
        if self.tracer.same(then, otherwise) {
            return then;
        }
        match (self.evaluator.truth(test), self.tracer.values.node(test)) {
            (Truth::Known(known), _) => {
                if known {
                    then
                } else {
                    otherwise
                }
            }
            (_, Node::Not(inner)) => self.asked(*inner, otherwise, then),
            (_, Node::And(left, right)) => {
                let then = self.asked(*right, then, otherwise);
                self.asked(*left, then, otherwise)
            }
            (_, Node::Or(left, right)) => {
                let otherwise = self.asked(*right, then, otherwise);
                self.asked(*left, then, otherwise)
            }
            // One answer or another, whichever a question that ranks share chooses: that question may be asked elsewhere.
            (_, Node::If(first, one, other)) if self.settles(*one) || self.settles(*other) => {
                let one = self.asked(*one, then, otherwise);
                let other = self.asked(*other, then, otherwise);
                self.asked(*first, one, other)
            }
            (Truth::Same(label), node) => {
                if let Node::Compare(CompareOp::Eq | CompareOp::Is, subject, constant) = *node {
                    self.tracer.equations.insert(label.min(!label), (subject, constant, label < !label));
                }
                if self.received(test) {
                    self.tracer.received.insert(label.min(!label));
                }
                self.tracer.choice(label, then, otherwise)
            }
        }
    }

    /// Whether what this class was sent decides the value.
    fn received(&self, value: Value) -> bool {
        let chosen = |test: Value| match self.evaluator.truth(test) {
            Truth::Known(known) => Some(known),
            Truth::Same(_) => None,
        };
        self.tracer.values.is_received(value, &chosen)
    }

    fn settles(&self, test: Value) -> bool {
        matches!(self.evaluator.truth(test), Truth::Known(_))
    }

    fn decide(&mut self, id: EffectId, test: Value, site: Site) -> Truth {
        match self.tracer.healed.get(site, &self.calls) {
            Some(Heal::Alike) => return Truth::Same(label(&site)),
            Some(Heal::Always(known)) => return Truth::Known(known),
            None => {}
        }
        let truth = self.evaluator.truth(test);
        self.tracer.decided(id, Decided::Truth(truth));
        truth
    }

    fn repeat(
        &mut self,
        id: EffectId,
        kind: LoopKind,
        body: EffectId,
        orelse: EffectId,
        to: &Continuations,
    ) -> TraceId {
        let after = self.effect(orelse, to);
        let level = to.level + 1;
        match kind {
            LoopKind::For { iter, item } => {
                let whole = iter;
                let iter = self.evaluator.counted(iter);
                if let Concrete::Tuple(parts) = self.evaluator.value(whole)
                    && parts.len() <= MAX_UNROLLED
                    && (self.tracer.effects.summed(body).weight < 200 || parts.len() < 2)
                {
                    self.tracer.decided(id, Decided::Turns(label(&format!("{parts:?}"))));
                    let mut next = after;
                    for part in parts.into_iter().rev() {
                        self.evaluator.bind(item, part);
                        next = self.effect(body, &Continuations { next, brk: to.next, again: next, ..to.clone() });
                        self.evaluator.unbind();
                    }
                    return next;
                }
                match self.turns(id, iter) {
                    Some(true) => {
                        self.effect(body, &Continuations { next: after, brk: to.next, again: after, ..to.clone() })
                    }
                    Some(false) => after,
                    None => {
                        let inside = self.looping(to, level);
                        let turn = self.effect(body, &inside);
                        let counts = matches!(self.tracer.values.node(iter), Node::Range(_));
                        if counts && self.tries_again(body, turn, level) {
                            return ABORT;
                        }
                        let body = turn;
                        let label = match self.evaluator.value(iter) {
                            Concrete::Tuple(parts) | Concrete::Keys(parts) => label(&parts.len()),
                            _ => label(&iter),
                        };
                        if self.received(iter) {
                            self.tracer.received.insert(label);
                        }
                        self.tracer.decided(id, Decided::Turns(label));
                        self.tracer.repeat(label, body, after, to.next, level)
                    }
                }
            }
            LoopKind::While { test } => match self.evaluator.truth(test) {
                Truth::Known(known) if self.tracer.values.node(test) != &Node::Bool(true) => {
                    self.tracer.decided(id, Decided::Truth(Truth::Known(known)));
                    match known {
                        true => {
                            self.effect(body, &Continuations { next: after, brk: to.next, again: after, ..to.clone() })
                        }
                        false => after,
                    }
                }
                truth => {
                    self.tracer.decided(id, Decided::Truth(truth));
                    let inside = self.looping(to, level);
                    let turn = self.effect(body, &inside);
                    if self.tries_again(body, turn, level) {
                        return ABORT;
                    }
                    let body = turn;
                    self.tracer.repeat(label(&truth), body, after, to.next, level)
                }
            },
        }
    }

    fn looping(&mut self, to: &Continuations, level: u16) -> Continuations {
        let again = self.tracer.make(Shape::Again(level), END, END, None);
        let leave = self.tracer.make(Shape::Leave(level), END, END, None);
        Continuations { next: again, brk: leave, again, level, ..to.clone() }
    }

    /// Whether this class goes round having issued nothing in a loop that ranks leave once they have issued what they
    /// owe: it tries again, and in the end issues as much as the others.
    fn tries_again(&self, body: EffectId, turn: TraceId, level: u16) -> bool {
        if !matches!(self.tracer.shape(turn), Shape::Again(at) if *at == level) {
            return false;
        }
        let ends = Ends::of(self.tracer.effects, body);
        if !ends.has(true, Exit::Break) && !ends.has(true, Exit::Return) || ends.goes_round_with_events() {
            return false;
        }
        // Somebody who goes round for what it is, not for what happened to it, goes round for ever.
        let anybody = Assignment { atoms: std::collections::BTreeMap::new(), ..self.evaluator.class.clone() };
        let plain = Evaluator::new(self.tracer.values, self.tracer.world, &anybody);
        let mut pending = vec![body];
        let mut seen = FxHashSet::default();
        while let Some(effect) = pending.pop() {
            if !seen.insert(effect) {
                continue;
            }
            if let Effect::Choice { test, .. } = self.tracer.effects.get(effect)
                && matches!(self.evaluator.truth(*test), Truth::Known(_))
                && matches!(plain.truth(*test), Truth::Same(_))
            {
                return true;
            }
            each_part(self.tracer.effects.get(effect), |part| pending.push(part));
        }
        false
    }

    /// Whether this class finds something to iterate, when ranks may differ in that.
    fn turns(&mut self, id: EffectId, iter: Value) -> Option<bool> {
        let known = match self.evaluator.value(iter) {
            // So many keys are so many turns; what was sent is as long as the sender made it.
            Concrete::Keys(_) => return None,
            Concrete::Opaque(_) if self.received(iter) => return None,
            Concrete::Tuple(parts) => {
                if !self.tracer.values.shape(iter).meets(self.tracer.world.axes) {
                    return None;
                }
                // Ranks take different numbers of turns: the longer against the shorter.
                parts.len() as i64 > self.tracer.world.extent / 2
            }
            _ => *self.evaluator.class.atoms.get(&iter)?,
        };
        self.tracer.decided(id, Decided::Truth(Truth::Known(known)));
        Some(known)
    }

    fn event(&mut self, id: EventId, next: TraceId) -> TraceId {
        let event = self.tracer.effects.event(id);
        if self.tracer.healed.get(event.site, &self.calls).is_some() {
            return next;
        }
        self.event_on(id, event.group, next)
    }

    /// An event on one group or another, whichever a condition that ranks share chooses.
    fn event_on(&mut self, id: EventId, group: Value, next: TraceId) -> TraceId {
        if let Node::If(test, then, otherwise) = *self.tracer.values.node(group) {
            match self.evaluator.truth(test) {
                Truth::Known(true) => return self.event_on(id, then, next),
                Truth::Known(false) => return self.event_on(id, otherwise, next),
                Truth::Same(_) if self.evaluator.group(group) == GroupKey::Other(group) => {
                    let then = self.event_on(id, then, next);
                    let otherwise = self.event_on(id, otherwise, next);
                    return self.asked(test, then, otherwise);
                }
                Truth::Same(_) => {}
            }
        }
        let event = self.tracer.effects.event(id);
        let group = self.evaluator.group(group);
        if group != self.tracer.group {
            return next;
        }
        if let GroupKey::Made(_, ranks) = &group
            && !ranks.contains(&self.evaluator.class.rank)
        {
            return next;
        }
        let part = |value: Option<Value>| self.evaluator.wire(value);
        let root = self.evaluator.root_wire(event.root, &group);
        // A group of this rank alone is made without a word to anybody.
        let alone = Concrete::Tuple(vec![Concrete::Int(self.evaluator.class.rank)]);
        let members = match event.members.filter(|_| event.creates).map(|members| self.evaluator.value(members)) {
            Some(members) if members == alone => 2,
            _ => part(event.members),
        };
        let key = label(&(event.op, root, part(event.operator), members));
        self.tracer.event(key, id, next)
    }
}

/// How an effect can end, with an event issued before and without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ends {
    silent: u8,
    issued: u8,
}

impl Ends {
    const FALLS: u8 = 1;
    const BREAKS: u8 = 2;
    const CONTINUES: u8 = 4;
    const RETURNS: u8 = 8;
    const RAISES: u8 = 16;

    fn bit(exit: &Exit) -> u8 {
        match exit {
            Exit::Return => Ends::RETURNS,
            Exit::Break => Ends::BREAKS,
            Exit::Continue => Ends::CONTINUES,
            Exit::Raise(_) => Ends::RAISES,
            Exit::Abort => 0,
        }
    }

    fn of(effects: &Effects, effect: EffectId) -> Ends {
        let summed = effects.summed(effect);
        let falls = Ends { silent: Ends::FALLS, issued: 0 };
        if summed.silent() && !summed.exits {
            return falls;
        }
        match effects.get(effect) {
            Effect::Nothing | Effect::Hole | Effect::Invoke { .. } | Effect::Pending { .. } => falls,
            Effect::Event(_) => Ends { silent: 0, issued: Ends::FALLS },
            Effect::Seq(parts) => parts.iter().fold(falls, |before, &part| before.then(Ends::of(effects, part))),
            Effect::Choice { then, otherwise, .. } => Ends::of(effects, *then) | Ends::of(effects, *otherwise),
            Effect::Loop { body, orelse, .. } => {
                let turn = Ends::of(effects, *body).caught(Ends::BREAKS | Ends::CONTINUES, falls);
                (falls | turn).then(Ends::of(effects, *orelse))
            }
            Effect::Exit(exit, _) => Ends { silent: Ends::bit(exit), issued: 0 },
            Effect::Try { body, handlers, orelse, finally } => {
                let body = Ends::of(effects, *body);
                let handled = handlers
                    .iter()
                    .map(|handler| Ends::of(effects, handler.body))
                    .fold(Ends::default(), |sum, handler| sum | handler);
                let rest = body.then(Ends::of(effects, *orelse));
                let whole = if handlers.is_empty() { rest } else { rest.caught(Ends::RAISES, handled) };
                match *finally {
                    Effects::NOTHING => whole,
                    finally => {
                        let last = Ends::of(effects, finally);
                        Ends { silent: if last.silent == 0 { 0 } else { whole.silent }, issued: whole.issued }
                            | Ends { silent: 0, issued: if last.issued == 0 { 0 } else { whole.silent } }
                    }
                }
            }
            Effect::Scope { manager, body } => Ends::of(effects, *manager).then(Ends::of(effects, *body)),
            Effect::Call { body, .. } => {
                Ends::of(effects, *body).caught(Ends::BREAKS | Ends::CONTINUES | Ends::RETURNS, falls)
            }
        }
    }

    /// One after the other.
    fn then(self, next: Ends) -> Ends {
        self.caught(Ends::FALLS, next)
    }

    /// What ends in one of these ways goes on so.
    fn caught(self, ways: u8, next: Ends) -> Ends {
        let mut out = Ends { silent: self.silent & !ways, issued: self.issued & !ways };
        if self.silent & ways != 0 {
            out = out | next;
        }
        if self.issued & ways != 0 {
            out.issued |= next.silent | next.issued;
        }
        out
    }

    fn has(self, issued: bool, exit: Exit) -> bool {
        (if issued { self.issued } else { self.silent }) & Ends::bit(&exit) != 0
    }

    fn goes_round_with_events(self) -> bool {
        self.issued & (Ends::FALLS | Ends::CONTINUES) != 0
    }
}

impl std::ops::BitOr for Ends {
    type Output = Ends;

    fn bitor(self, other: Ends) -> Ends {
        Ends { silent: self.silent | other.silent, issued: self.issued | other.issued }
    }
}

/// Calls `visit` for every part of an effect, in order.
fn each_part(effect: &Effect, mut visit: impl FnMut(EffectId)) {
    match effect {
        Effect::Seq(parts) => parts.iter().copied().for_each(visit),
        Effect::Choice { then, otherwise, .. } => [*then, *otherwise].into_iter().for_each(visit),
        Effect::Loop { body, orelse, .. } => [*body, *orelse].into_iter().for_each(visit),
        Effect::Try { body, handlers, orelse, finally } => {
            visit(*body);
            handlers.iter().for_each(|handler| visit(handler.body));
            visit(*orelse);
            visit(*finally);
        }
        Effect::Scope { manager, body } => [*manager, *body].into_iter().for_each(visit),
        Effect::Call { body, .. } => visit(*body),
        Effect::Nothing
        | Effect::Event(_)
        | Effect::Exit(..)
        | Effect::Hole
        | Effect::Invoke { .. }
        | Effect::Pending { .. } => {}
    }
}

fn kind_label(kind: LoopKind) -> Value {
    match kind {
        LoopKind::For { iter, .. } => iter,
        LoopKind::While { test } => test,
    }
}

fn raised(names: &[Symbol], chain: Option<&RaiseChain>) -> TraceId {
    let mut chain = chain;
    while let Some(level) = chain {
        for (catches, handler) in &level.handlers {
            if catches.is_empty() || names.is_empty() || catches.iter().any(|caught| names.contains(caught)) {
                return *handler;
            }
        }
        chain = level.outer.as_deref();
    }
    ABORT
}

impl Default for World {
    fn default() -> Self {
        World { size: 4, extent: 4, axes: super::axes::Axes::ALL, single: super::axes::Axes::NONE }
    }
}
