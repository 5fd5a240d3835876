//! Where two traces differ first.

use super::relations::settled;
use super::*;

/// Answers under which two traces are visited again, in one search after another.
const WIDTHS: [usize; 3] = [0, 5, usize::MAX];

impl Tracer<'_> {
    /// Traces two classes of members of the group and compares them.
    pub fn compare(&mut self, root: EffectId, one: &Assignment, other: &Assignment) -> Option<Difference> {
        let (first, _, heard) = self.trace(root, one);
        let (second, _, other_heard) = self.trace(root, other);
        self.both_heard = [heard, other_heard];
        if self.exhausted() {
            return None;
        }
        // The shorter the memory for answers, the quicker the search: what it finds is there, though it misses more.
        for limit in WIDTHS {
            let mut search = Search { limit, ..Search::default() };
            let found = self.difference(first, second, &None, &None, &mut search);
            if self.exhausted() {
                break;
            }
            let found = found.filter(|found| found.events() != [None; 2]);
            if found.is_some() || !search.cut {
                return found;
            }
        }
        None
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
        if self.same(one, other) || !search.seen.insert((one, other, self.told(one, other, here, there, search))) {
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
            (Shape::Choice(label, ..), _) if !self.is_told(label, 1) => self
                .under((label, true), false, (first.first, other), here, there, search)
                .or_else(|| self.under((label, false), false, (first.second, other), here, there, search)),
            (_, Shape::Choice(label, ..)) if !self.is_told(label, 0) => self
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
                let inside = self.entered(level, one, search.known(), true, here);
                let other_inside = self.entered(other_level, other, search.known(), true, there);
                self.difference(first.first, second.first, &inside, &other_inside, search)
                    .or_else(|| self.difference(first.second, second.second, here, there, search))
            }
            // As many turns as the sender takes.
            (Shape::Loop(label, level, ..), Shape::Loop(other_label, other_level, ..))
                if self.received.contains_key(&label) || self.received.contains_key(&other_label) =>
            {
                let inside = self.entered(level, one, search.known(), true, here);
                let other_inside = self.entered(other_level, other, search.known(), true, there);
                self.difference(first.first, second.first, &inside, &other_inside, search)
                    .or_else(|| self.difference(first.second, second.second, here, there, search))
            }
            // Who goes round without a word, or fails, comes to what follows.
            (Shape::Loop(_, level, ..), _) if self.turns_silently(first.first, first.second, level, true) => {
                self.difference(first.second, other, here, there, search)
            }
            (_, Shape::Loop(_, level, ..)) if self.turns_silently(second.first, second.second, level, true) => {
                self.difference(one, second.second, here, there, search)
            }
            (Shape::Loop(_, level, ..), _) => {
                let inside = self.entered(level, one, search.known(), false, here);
                self.difference(first.first, other, &inside, there, search)
                    .or_else(|| self.difference(first.second, other, here, there, search))
            }
            (_, Shape::Loop(_, level, ..)) => {
                let inside = self.entered(level, other, search.known(), false, there);
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
                // Answers may be others in the next turn, but for those that last.
                let known = search.forget(frame.known, &self.lasting);
                let found = self.difference(frame.whole, other, &frame.outer.clone(), there, search);
                search.remember(known);
                found
            }
            (_, Shape::Again(level)) => {
                let frame = leaving(level, there)?;
                let known = search.forget(frame.known, &self.lasting);
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

    /// The answers that make a visit of two traces another than one before: those to questions that are asked further on.
    fn told(&self, one: TraceId, other: TraceId, here: &Frames, there: &Frames, search: &Search) -> u64 {
        let inside = [one, other].map(|trace| self.tables.topics[trace.0 as usize]);
        let around = [here, there].map(|frames| frames.as_ref().map_or_else(Topics::default, |frame| frame.topics));
        let asked = inside.into_iter().chain(around).fold(Topics::default(), Topics::with);
        let told = search.told_apart.iter().filter(|told| asked.meets(told.about));
        // In whatever order they were given.
        told.fold(0, |sum, told| sum.wrapping_add(told.label))
    }

    fn entered(&self, level: u16, whole: TraceId, known: [usize; 2], paired: bool, outer: &Frames) -> Frames {
        let behind = outer.as_ref().map_or_else(Topics::default, |frame| frame.topics);
        let topics = self.tables.topics[whole.0 as usize].with(behind);
        Some(Rc::new(Frame { level, whole, paired, known, topics, outer: outer.clone() }))
    }

    /// Whether a question is about what one class was sent, and the other, by its side, knows that in its own words: it
    /// has not come to the same question by something else.
    fn is_told(&self, label: u64, other: usize) -> bool {
        let heard = &self.both_heard[other];
        self.received.get(&label).is_some_and(|choices| !choices.iter().any(|choice| heard.contains(choice)))
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
        let tells = only || search.told_apart.len() < search.limit;
        search.cut |= !tells;
        search.assume(answer);
        if tells {
            search.told_apart.push(Told { question: answer.0, about: self.topic(answer.0), label: label(&answer) });
        }
        let found = self.difference(one, other, here, there, search);
        search.retract();
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
        if let Some(&known) = search.answers.get(&label) {
            return Some(known);
        }
        let asked = self.compared.get(&label)?;
        let about_the_same = |(known, answer): &(u64, bool)| {
            let known = self.compared.get(known).filter(|known| known.subject == asked.subject)?;
            Some((known.relation, *answer == known.yes))
        };
        let holds =
            settled(self.values, (asked.subject, asked.relation), search.assumed.iter().filter_map(about_the_same))?;
        Some(holds == asked.yes)
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
    /// The same, by question.
    answers: FxHashMap<u64, bool>,
    /// Those of them that make one visit of two traces another than the next.
    told_apart: Vec<Told>,
    /// How many they may be; more are kept in mind, but lead to no visit of their own.
    limit: usize,
    /// Whether there were more.
    cut: bool,
}

/// An answer that makes visits differ.
#[derive(Clone, Copy)]
struct Told {
    question: u64,
    /// What the question is about.
    about: Topics,
    /// Says which question and which answer.
    label: u64,
}

/// What is assumed, and of that what makes visits differ.
type Kept = (Vec<(u64, bool)>, Vec<Told>);

impl Search {
    /// Assumes an answer to a question that has none yet.
    fn assume(&mut self, answer: (u64, bool)) {
        self.assumed.push(answer);
        self.answers.insert(answer.0, answer.1);
    }

    /// Takes back what was assumed last.
    fn retract(&mut self) {
        if let Some((label, _)) = self.assumed.pop() {
            self.answers.remove(&label);
        }
    }

    /// Forgets the answers that were given inside a loop and do not last.
    fn forget(&mut self, [assumed, told_apart]: [usize; 2], lasting: &FxHashSet<u64>) -> Kept {
        let before = (self.assumed.clone(), self.told_apart.clone());
        let mut at = 0..;
        self.assumed.retain(|(question, _)| at.next() < Some(assumed) || lasting.contains(question));
        let mut at = 0..;
        self.told_apart.retain(|told| at.next() < Some(told_apart) || lasting.contains(&told.question));
        self.answers = self.assumed.iter().copied().collect();
        before
    }

    /// How many answers are known.
    fn known(&self) -> [usize; 2] {
        [self.assumed.len(), self.told_apart.len()]
    }

    fn remember(&mut self, (assumed, told_apart): Kept) {
        (self.assumed, self.told_apart) = (assumed, told_apart);
        self.answers = self.assumed.iter().copied().collect();
    }
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
