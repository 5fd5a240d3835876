//! What a class of ranks issues on one group, as a regular tree of events, and where two such trees differ.
//!
//! Trees are built backwards, each effect in front of its continuation, and shared by hash-consing: equal remainders are
//! one node, so that comparing them is a comparison of numbers.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{Site, Symbol};

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
    /// A loop of equally many turns on every rank.
    Loop(u64, u32, u32),
}

#[derive(Clone, Copy)]
struct Entry {
    /// Identity without regard to where events stand.
    canon: u32,
    first: TraceId,
    second: TraceId,
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

/// Where two classes first issue something else.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What the first class does.
    pub one: Reached,
    /// What the second class does.
    pub other: Reached,
    /// Events that both issue before.
    pub before: Vec<EventId>,
}

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

type MemoKey = (EffectId, TraceId, TraceId, TraceId, TraceId, u16);

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
    healed: &'a FxHashSet<Site>,
    /// How choices and loops were decided for the class last traced.
    decisions: FxHashMap<EffectId, bool>,
    /// Classes traced before.
    classes: FxHashMap<Assignment, (TraceId, FxHashMap<EffectId, bool>)>,
}

const END: TraceId = TraceId(0);
const ABORT: TraceId = TraceId(1);

/// Loops of at most this many turns are unrolled when their number of turns is known.
const MAX_UNROLLED: usize = 8;

impl<'a> Tracer<'a> {
    /// A tracer for the events on `group`. `fuel` bounds the steps over all classes.
    /// Choices at the `healed` sites count as decided alike on every rank: they have been reported.
    pub fn new(
        values: &'a Values,
        effects: &'a Effects,
        world: World,
        group: GroupKey,
        healed: &'a FxHashSet<Site>,
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

    /// Traces two classes and compares them. Also says which choices and loops they decided differently, in order.
    pub fn compare(
        &mut self,
        root: EffectId,
        one: &Assignment,
        other: &Assignment,
    ) -> Option<(Difference, Vec<(EffectId, bool)>)> {
        let first = self.trace(root, one);
        let first_decisions = std::mem::take(&mut self.decisions);
        let second = self.trace(root, other);
        let second_decisions = std::mem::take(&mut self.decisions);
        if self.exhausted() {
            return None;
        }
        let mut before = Vec::new();
        let mut seen = FxHashSet::default();
        let difference = self.difference(first, second, &mut before, &mut seen)?;
        let mut split: Vec<(EffectId, bool)> = first_decisions
            .into_iter()
            .filter(|(effect, decision)| second_decisions.get(effect).is_some_and(|other| other != decision))
            .collect();
        split.sort_by_key(|decision| decision.0);
        Some((difference, split))
    }

    fn trace(&mut self, root: EffectId, class: &Assignment) -> TraceId {
        let continuations =
            Continuations { next: END, ret: END, brk: END, again: END, raise: None, hole: None, level: 0 };
        if let Some((known, decisions)) = self.classes.get(class) {
            self.decisions = decisions.clone();
            return *known;
        }
        let evaluator = Evaluator::new(self.values, self.world, class);
        let mut run = Run { tracer: self, evaluator, memo: FxHashMap::default() };
        let made = run.effect(root, &continuations);
        self.classes.insert(class.clone(), (made, self.decisions.clone()));
        made
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
        self.entries.push(Entry { canon, first, second, event });
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

    fn repeat(&mut self, label: u64, body: TraceId, next: TraceId, level: u16) -> TraceId {
        if self.turns_silently(body, level, &mut FxHashSet::default()) {
            return next;
        }
        self.make(Shape::Loop(label, self.entry(body).canon, self.entry(next).canon), body, next, None)
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
        before: &mut Vec<EventId>,
        seen: &mut FxHashSet<(TraceId, TraceId)>,
    ) -> Option<Difference> {
        if self.same(one, other) || !seen.insert((one, other)) {
            return None;
        }
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            return None;
        }
        let (first, second) = (self.entry(one), self.entry(other));
        let length = before.len();
        let found = match (self.shape(one).clone(), self.shape(other).clone()) {
            (Shape::Abort, _) | (_, Shape::Abort) => None,
            (Shape::Event(key, _), Shape::Event(other_key, _)) if key == other_key => {
                before.extend(first.event);
                self.difference(first.first, second.first, before, seen)
            }
            (Shape::Choice(label, ..), Shape::Choice(other_label, ..)) if label == other_label => self
                .difference(first.first, second.first, before, seen)
                .or_else(|| self.difference(first.second, second.second, before, seen)),
            (Shape::Choice(..), _) => self
                .difference(first.first, other, before, seen)
                .or_else(|| self.difference(first.second, other, before, seen)),
            (_, Shape::Choice(..)) => self
                .difference(one, second.first, before, seen)
                .or_else(|| self.difference(one, second.second, before, seen)),
            (Shape::Loop(label, ..), Shape::Loop(other_label, ..)) if label == other_label => self
                .difference(first.first, second.first, before, seen)
                .or_else(|| self.difference(first.second, second.second, before, seen)),
            (Shape::Loop(..), _) => self
                .difference(first.first, other, before, seen)
                .or_else(|| self.difference(first.second, other, before, seen)),
            (_, Shape::Loop(..)) => self
                .difference(one, second.first, before, seen)
                .or_else(|| self.difference(one, second.second, before, seen)),
            _ => Some(Difference { one: self.reached(one), other: self.reached(other), before: before.clone() }),
        };
        if found.is_none() {
            before.truncate(length);
        }
        found
    }

    fn reached(&self, id: TraceId) -> Reached {
        match (self.shape(id), self.entry(id).event) {
            (Shape::Event(..), Some(event)) => Reached::Event(event),
            (Shape::Again(_), _) => Reached::Again,
            (Shape::Leave(_), _) => Reached::Leave,
            _ => Reached::End,
        }
    }
}

struct Run<'t, 'a> {
    tracer: &'t mut Tracer<'a>,
    evaluator: Evaluator<'t>,
    memo: FxHashMap<MemoKey, TraceId>,
}

impl Run<'_, '_> {
    fn effect(&mut self, id: EffectId, to: &Continuations) -> TraceId {
        let simple = self.evaluator.is_plain() && to.hole.is_none() && to.raise.is_none();
        let key = (id, to.next, to.ret, to.brk, to.again, to.level);
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
                    let then = self.effect(*then, to);
                    let otherwise = self.effect(*otherwise, to);
                    self.tracer.choice(label, then, otherwise)
                }
            },
            Effect::Loop { kind, site, body, orelse } if self.tracer.healed.contains(site) => {
                let after = self.effect(*orelse, to);
                let inside = self.looping(to, to.level + 1);
                let body = self.effect(*body, &inside);
                let healed = label(&(site, kind_label(*kind)));
                self.tracer.repeat(healed, body, after, to.level + 1)
            }
            Effect::Loop { kind, body, orelse, .. } => self.repeat(id, *kind, *body, *orelse, to),
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
            Effect::Call { body, .. } => {
                let inside = Continuations { ret: to.next, brk: to.next, again: to.next, ..to.clone() };
                self.effect(*body, &inside)
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
        // Uncaught: `finally` still runs before the job ends.
        let last = self.before(finally, to, ABORT);
        rebuilt.push((Box::from([]), last));
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

    fn decide(&mut self, id: EffectId, test: Value, site: Site) -> Truth {
        if self.tracer.healed.contains(&site) {
            return Truth::Same(label(&site));
        }
        let truth = self.evaluator.truth(test);
        if let Truth::Known(known) = truth {
            self.tracer.decisions.entry(id).or_insert(known);
        }
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
                if let Concrete::Tuple(parts) = self.evaluator.value(iter)
                    && parts.len() <= MAX_UNROLLED
                    && (self.tracer.effects.summed(body).weight < 200 || parts.len() < 2)
                {
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
                        let body = self.effect(body, &inside);
                        let label = match self.evaluator.value(iter) {
                            Concrete::Tuple(parts) => label(&parts.len()),
                            _ => label(&iter),
                        };
                        self.tracer.repeat(label, body, after, level)
                    }
                }
            }
            LoopKind::While { test } => match self.evaluator.truth(test) {
                Truth::Known(known) if self.tracer.values.node(test) != &Node::Bool(true) => {
                    self.tracer.decisions.entry(id).or_insert(known);
                    match known {
                        true => {
                            self.effect(body, &Continuations { next: after, brk: to.next, again: after, ..to.clone() })
                        }
                        false => after,
                    }
                }
                truth => {
                    let inside = self.looping(to, level);
                    let body = self.effect(body, &inside);
                    self.tracer.repeat(label(&truth), body, after, level)
                }
            },
        }
    }

    fn looping(&mut self, to: &Continuations, level: u16) -> Continuations {
        let again = self.tracer.make(Shape::Again(level), END, END, None);
        let leave = self.tracer.make(Shape::Leave(level), END, END, None);
        Continuations { next: again, brk: leave, again, level, ..to.clone() }
    }

    /// Whether this class finds something to iterate, when ranks may differ in that.
    fn turns(&mut self, id: EffectId, iter: Value) -> Option<bool> {
        let known = match self.evaluator.value(iter) {
            Concrete::Tuple(parts) | Concrete::Keys(parts) => {
                if !self.tracer.values.shape(iter).meets(self.tracer.world.axes) {
                    return None;
                }
                // Ranks take different numbers of turns: the longer against the shorter.
                parts.len() as i64 > self.tracer.world.extent / 2
            }
            _ => *self.evaluator.class.atoms.get(&iter)?,
        };
        self.tracer.decisions.entry(id).or_insert(known);
        Some(known)
    }

    fn event(&mut self, id: EventId, next: TraceId) -> TraceId {
        let event = self.tracer.effects.event(id);
        if self.tracer.healed.contains(&event.site) {
            return next;
        }
        let group = self.evaluator.group(event.group);
        if group != self.tracer.group {
            return next;
        }
        if let GroupKey::Made(_, ranks) = &group
            && !ranks.contains(&self.evaluator.class.rank)
        {
            return next;
        }
        let part = |value: Option<Value>| match value.map(|value| (value, self.evaluator.value(value))) {
            None => 0,
            Some((_, Concrete::Opaque(value))) if self.tracer.values.vary(value).meets(self.tracer.world.axes) => 1,
            Some((_, Concrete::Opaque(value))) => label(&value),
            Some((_, known)) => label(&format!("{known:?}")),
        };
        let key = label(&(event.op, part(event.root), part(event.operator), part(event.members)));
        self.tracer.event(key, id, next)
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
        World { size: 4, extent: 4, axes: super::axes::Axes::ALL }
    }
}
