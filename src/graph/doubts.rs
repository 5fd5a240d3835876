//! Evidence that is too thin to be shown unasked, by its kind: what lies between ranks and the answer in which they are
//! said to differ, and between the place where they part and the operation.
//!
//! Each kind was counted on findings that had been judged one by one (docs/precision.md): where fewer than two of three
//! were right, it makes the confidence low.

mod came;
mod data;
mod flags;
mod job;
pub(crate) mod list;
mod machine;
mod origin;
mod service;
mod single_turns;
mod things;
mod turns;
mod ways;

use rustc_hash::FxHashSet;

use crate::flow::{Effect, EffectId, GroupKey, Node, Value, parts};
use crate::model::CompareOp;

use super::by_rank::{asks_for_numbers, compares_rank};
use super::confidence::{DRAWN, Evidence};
use super::descent::{arm_without, preorder};
use super::evaluate::{BACKWARD, Engine, OF_TENSORS};
use super::races::serves_alone;
use super::seeds::seeds_by_rank;
use super::witness::SplitKind;

/// Parts of a question that are looked at.
const MAX_PARTS: usize = 400;

/// Steps down to what ranks have agreed on.
const MAX_DEPTH: usize = 8;

/// What makes a text of a time.
const WRITES_OUT: [&str; 4] = ["strftime", "isoformat", "ctime", "asctime"];

impl Evidence<'_, '_> {
    /// Whether a test parts ranks: it is run, on several ranks, and has shown that it gets through.
    pub(super) fn is_tested(&self) -> bool {
        self.engine.is_test(self.function)
    }

    /// Whether a group is made of the ranks of another one where the function has asked how many those are: who has fewer
    /// than all of them is turned away.
    pub(super) fn has_counted_the_members(&self) -> bool {
        let (engine, values) = (self.engine, &self.engine.values);
        let Some(ranks) = self.leaf.filter(|&leaf| values.part_of_the_job_in(leaf) == Some(leaf)) else { return false };
        let counts = |part: Value| matches!(values.node(part), Node::Length(of) if *of == ranks);
        preorder(engine, self.root).into_iter().any(|effect| match engine.effects.get(effect) {
            Effect::Choice { test, then, otherwise, .. } => {
                let turns_away = [*then, *otherwise].into_iter().any(|arm| engine.effects.summed(arm).raises);
                turns_away && values.any_part(*test, MAX_PARTS, counts)
            }
            _ => false,
        })
    }

    /// Whether only scripts come to the place where ranks are said to part that never join a job: what communicates is
    /// of a library, for who has peers, or a backward pass that does so because other scripts wrap their models. So it is
    /// with programs that serve requests and speak of no ranks.
    pub(super) fn is_run_by_scripts_alone(&self) -> bool {
        let engine = self.engine;
        let event = engine.effects.event(self.main);
        let parting = self.decision.map_or(event.site, |decision| decision.site);
        let is_of_library = parting.file != event.site.file;
        let is_supposed = event.implicit && event.op.as_str() == BACKWARD;
        (is_of_library || is_supposed)
            && (serves_alone(engine.program, parting.file)
                || engine.scripts.run_alone(engine.program, engine.taint, self.function))
    }

    /// Whether a rank has gone into an opaque answer by more than comparisons and sums: through what was kept in a
    /// variable behind a question for it, through elements, attributes, unknown functions. Which ranks answer what
    /// nobody has shown.
    pub(super) fn loses_the_rank(&self) -> bool {
        let by_rank = self.leaf.is_some_and(|leaf| matches!(self.engine.values.node(leaf), Node::Rank(_)));
        if !by_rank || !self.is_opaque() || self.decision.is_none() || self.asks_for_a_flag_of_the_first() {
            return false;
        }
        // The ranks of a group of unknown layout may be just those, unless the group itself is asked.
        let unknown = match self.found.group {
            GroupKey::Other(group) => !self.test.is_some_and(|test| mentions(self.engine, test, group)),
            GroupKey::NonMember => true,
            _ => false,
        };
        unknown || !self.test.is_some_and(|test| compares_rank(self.engine, test))
    }

    /// Whether something that is called as a rank is, and nothing more is known of, decides through what is made of it, or
    /// by being there at all where a caller need not hand it over, or is itself a root: it may be any rank's number, that
    /// of whoever owns something.
    pub(super) fn is_named_and_lost(&self) -> bool {
        if !self.birth.is_some_and(|birth| birth.reason.as_str().ends_with("by its name")) {
            return false;
        }
        if self.kind == SplitKind::WrongRoot {
            return !self.is_handed_the_rank();
        }
        let (Some(leaf), Some(test)) = (self.leaf, self.test.filter(|_| self.decision.is_some())) else { return false };
        let &Node::Parameter(function, position) = self.engine.values.node(leaf) else { return false };
        let parameter = self.engine.program.function(function).parameters.get(usize::from(position));
        let need_not_be = parameter.is_some_and(|parameter| parameter.default.is_some());
        let is_bare = test == leaf || matches!(self.engine.values.node(test), Node::Not(inner) if *inner == leaf);
        need_not_be && is_bare
            || self.is_opaque() && !compares_rank(self.engine, test) && !self.is_asked_for_within(leaf, test)
    }

    /// Whether what is asked was changed where a rank was asked to be the first one: a counter of epochs without progress.
    fn is_asked_for_within(&self, leaf: Value, test: Value) -> bool {
        let values = &self.engine.values;
        let is_first = |part: Value| match *values.node(part) {
            Node::Compare(CompareOp::Eq | CompareOp::NotEq, left, right) => {
                left == leaf && *values.node(right) == Node::Int(0)
            }
            _ => false,
        };
        self.decision.is_some_and(|decision| !decision.is_loop) && values.any_part(test, MAX_PARTS, is_first)
    }

    /// Whether what is asked is a number that was made of a batch somewhere else, by a model or a metric: mostly the
    /// ranks have averaged it, in a way that is not seen here. Whether there is something in a batch is asked of the
    /// batch itself.
    pub(super) fn is_far_from_the_batch(&self) -> bool {
        let (Some(leaf), Some(test)) = (self.leaf, self.test) else { return false };
        let near = self.birth.is_some_and(|birth| self.is_near(birth.site));
        let far = self.engine.marks.shares.contains(&leaf) && self.decision.is_some() && !near;
        far && !self.goes_in_nearby(test) && !asks_the_batch(self.engine, test)
    }

    /// Whether another batch goes into the question, which was read where ranks part.
    fn goes_in_nearby(&self, test: Value) -> bool {
        let engine = self.engine;
        let parting = self.decision.map(|decision| decision.site);
        let is_read_here = |batch: Value| {
            let birth = engine.birth(batch, self.function, parting).filter(|_| engine.marks.shares.contains(&batch));
            birth.is_some_and(|birth| self.is_near(birth.site))
        };
        engine.values.any_part(test, MAX_PARTS, |part| match *engine.values.node(part) {
            Node::Item(_, from) => engine.values.yielded(from).is_some_and(is_read_here),
            _ => is_read_here(part),
        })
    }

    /// Whether the ranks agree on what is asked where a setting says so: with another one the function may never be
    /// called.
    pub(super) fn is_agreed_where_set(&self) -> bool {
        self.is_opaque() && self.test.is_some_and(|test| agrees_where_set(self.engine, test))
    }

    /// Whether settings say whether the operation communicates at all, and nobody speaks of the one with which it does: the
    /// forward pass of an engine gathers what is sharded to the last, the parameters.
    pub(super) fn is_settled_elsewhere(&self) -> bool {
        self.engine.effects.event(self.main).op.as_str() == "deepspeed_forward" && !self.speaks_of_the_last_stage()
    }

    /// Whether ranks part over a number that each draws: where they train one model they are seeded alike, unless the
    /// program says otherwise.
    pub(super) fn is_drawn(&self) -> bool {
        let drawn = self.birth.filter(|birth| self.is_opaque() && birth.reason.as_str() == DRAWN);
        drawn.is_some_and(|birth| !seeds_by_rank(self.engine.program, birth.site.file))
    }

    /// Whether what differs is a time that was written out: it names a run or a folder, and what lies there decides. A folder
    /// that has just been named holds nothing.
    pub(super) fn is_only_a_stamp(&self) -> bool {
        let (Some(leaf), Some(test)) = (self.leaf, self.test) else { return false };
        let engine = self.engine;
        let writes_out = |part: Value| match engine.values.node(part) {
            Node::Apply(name, _) | Node::Mapped(name, _) => WRITES_OUT.contains(&name.last_part().as_str()),
            _ => false,
        };
        engine.marks.clocks.contains(&leaf) && engine.values.any_part(test, MAX_PARTS, writes_out)
    }

    /// Whether it is only asked whether something is there that is sharded, or whether a state dict is empty that holds this
    /// rank's shards: all ranks have the same keys. A whole one is left empty on all ranks but the first.
    pub(super) fn asks_for_shards(&self) -> bool {
        let (Some(leaf), Some(test), Some(birth)) = (self.leaf, self.test, self.birth) else { return false };
        let engine = self.engine;
        let is_shards = matches!(engine.values.node(leaf), Node::Spread(..));
        let mentions = &engine.program.function(birth.function).mentions;
        let says = |words: &[&str]| mentions.iter().any(|name| words.contains(&name.as_str()));
        // What is sharded is there on all of them.
        let asks_for_none = |test: Value| match engine.values.node(test) {
            Node::Compare(CompareOp::Is | CompareOp::IsNot, _, none) => *engine.values.node(*none) == Node::None,
            _ => false,
        };
        if is_shards && asks_for_none(test) {
            return true;
        }
        is_shards
            && says(&["SHARDED_STATE_DICT", "LOCAL_STATE_DICT"])
            && !says(&["FULL_STATE_DICT", "FullStateDictConfig"])
            && asks_for_truth(engine, test, leaf)
    }

    pub(in crate::graph) fn is_by_rank(&self) -> bool {
        self.leaf.is_some_and(|leaf| matches!(self.engine.values.node(leaf), Node::Rank(_)))
    }

    /// Whether whoever names itself as the root does so where it has something, and names another where it has not: only
    /// one rank has it.
    pub(super) fn sends_what_it_has(&self) -> bool {
        let engine = self.engine;
        let main = engine.effects.event(self.main);
        let receives = |arm: EffectId| {
            preorder(engine, arm).into_iter().any(|effect| match engine.effects.get(effect) {
                Effect::Event(event) => {
                    let event = engine.effects.event(*event);
                    event.op == main.op && event.group == main.group && event.root != main.root
                }
                _ => false,
            })
        };
        self.kind == SplitKind::WrongRoot
            && preorder(engine, self.root)
                .into_iter()
                .any(|effect| arm_without(engine, engine.effects.get(effect), self.main).is_some_and(receives))
    }
}

/// Whether a value goes into another.
fn mentions(engine: &Engine<'_>, value: Value, wanted: Value) -> bool {
    engine.values.any_part(value, MAX_PARTS, |part| part == wanted)
}

/// Whether a question is one of what there is in a batch: whether it is empty or absent, or of its entries as they are.
fn asks_the_batch(engine: &Engine<'_>, test: Value) -> bool {
    // Values, and whether it is only asked whether they are there.
    let mut pending = vec![(test, false)];
    // What is worked out of a loss, or of what that was made of, is as much this rank's own as they are.
    let mut worked_out: Vec<Value> = Vec::new();
    let mut seen = FxHashSet::default();
    while let Some((value, absent)) = pending.pop() {
        if !seen.insert((value, absent)) || seen.len() > MAX_PARTS || engine.values.vary(value).is_empty() {
            continue;
        }
        if engine.marks.shares.contains(&value) {
            return true;
        }
        if let Node::Binary(..) | Node::Carried(..) | Node::Apply(..) = engine.values.node(value) {
            worked_out.push(value);
        }
        let mut push = |parts: &[Value], absent: bool| pending.extend(parts.iter().map(|&part| (part, absent)));
        match engine.values.node(value) {
            Node::Parameter(..) | Node::Local(..) | Node::Rank(_) => return true,
            Node::Compare(CompareOp::Is | CompareOp::IsNot, subject, _) => push(&[*subject], true),
            Node::Length(inner) => push(&[*inner], true),
            Node::Compare(_, left, right) | Node::And(left, right) | Node::Or(left, right) => {
                push(&[*left, *right], absent);
            }
            // A loader is the same everywhere, the batch that it yields is not.
            Node::Item(_, inner) if let Some(batch) = engine.values.yielded(*inner) => push(&[batch], absent),
            Node::Not(inner) | Node::Attribute(inner, _) | Node::Item(_, inner) | Node::Loader(inner, _) => {
                push(&[*inner], absent);
            }
            Node::Index(whole, _) => push(&[*whole], absent),
            Node::If(test, then, otherwise) => push(&[*test, *then, *otherwise], absent),
            Node::Apply(name, parts) if asks_for_numbers(name.last_part().as_str()) => push(parts, true),
            Node::Apply(name, parts) if name.as_str().starts_with("torch.") => push(parts, absent),
            Node::Apply(name, parts) if matches!(name.as_str(), "all" | "any" | "item" | "bool" | "numel") => {
                push(parts, absent);
            }
            Node::Range(parts) | Node::Mapped(_, parts) | Node::Changed(_, parts) => push(parts, true),
            // What was put into a container, turn by turn.
            Node::Carried(_, _, parts) if parts.iter().any(|&part| engine.values.is_container(part)) => {
                push(parts, true);
            }
            node if absent => push(&parts(node), true),
            _ => {}
        }
    }
    worked_out.into_iter().any(|value| is_of_a_loss(engine, value))
}

/// Whether a number was worked out of a loss behind its backward pass by what tensors are asked for.
fn is_of_a_loss(engine: &Engine<'_>, value: Value) -> bool {
    let mut pending = vec![value];
    for _ in 0..MAX_PARTS {
        let Some(value) = pending.pop().filter(|_| !engine.marks.losses.is_empty()) else { break };
        match engine.values.node(value) {
            _ if engine.values.vary(value).is_empty() => {}
            Node::Local(..) if engine.marks.losses.contains(&value) => return true,
            Node::Apply(name, parts) if OF_TENSORS.contains(&name.last_part().as_str()) => pending.extend(parts.iter()),
            Node::Carried(_, _, parts) => pending.extend(parts.iter()),
            Node::Binary(_, left, right) => pending.extend([*left, *right]),
            _ => {}
        }
    }
    false
}

/// Whether part of a question is agreed on under one setting and not under another.
fn agrees_where_set(engine: &Engine<'_>, test: Value) -> bool {
    let values = &engine.values;
    let is_agreed = |mut value: Value| {
        for _ in 0..MAX_DEPTH {
            value = match values.node(value) {
                Node::Agreed(..) => return true,
                Node::Binary(_, left, _) => *left,
                Node::If(_, then, _) => *then,
                _ => return false,
            };
        }
        false
    };
    let parted = |value: Value| match values.node(value) {
        Node::If(test, then, otherwise) => values.vary(*test).is_empty() && is_agreed(*then) != is_agreed(*otherwise),
        _ => false,
    };
    let look = |value: Value, further: &mut Vec<Value>| {
        let varies = !values.vary(value).is_empty();
        if varies {
            further.extend(parts(values.node(value)));
        }
        varies && parted(value)
    };
    values.search(test, MAX_PARTS, look) == Some(true)
}

/// Whether the leaf goes into the value only as the place at which something is looked up.
fn is_only_key(engine: &Engine<'_>, value: Value, leaf: Value) -> bool {
    let mut key = false;
    let goes_in_itself = engine.values.search(value, MAX_PARTS, |value, further| {
        match engine.values.node(value) {
            _ if engine.values.vary(value).is_empty() => {}
            Node::Index(whole, place) if *place == leaf => {
                key = true;
                further.push(*whole);
            }
            node => further.extend(parts(node)),
        }
        value == leaf
    });
    key && goes_in_itself == Some(false)
}

/// Whether all that a question asks of a value is whether there is something in it.
fn asks_for_truth(engine: &Engine<'_>, test: Value, leaf: Value) -> bool {
    match *engine.values.node(test) {
        _ if test == leaf || engine.values.vary(test).is_empty() => true,
        Node::Not(inner) => asks_for_truth(engine, inner, leaf),
        Node::And(left, right) | Node::Or(left, right) => {
            asks_for_truth(engine, left, leaf) && asks_for_truth(engine, right, leaf)
        }
        _ => false,
    }
}
