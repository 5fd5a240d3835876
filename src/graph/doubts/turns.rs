//! Doubts about how often something is done: how many turns a loop takes, and what was counted in it.

use crate::base::Site;
use crate::flow::{COMPREHENSION, Effect, LoopKind, Node, Value, parts};
use crate::model::BinaryOp;

use super::super::by_rank::compares_rank;
use super::super::confidence::Evidence;
use super::super::descent::preorder;
use super::super::evaluate::Engine;
use super::super::evaluate::data::is_loader;
use super::super::origin::variable_set_apart;
use super::super::witness::SplitKind;
use super::{MAX_PARTS, asks_the_batch};

/// What a loop's iterator is wrapped in, at most.
const MAX_WRAPPED: u8 = 4;

/// Arms in arms that a list may be one of.
const MAX_ARMS: u32 = 3;

/// Functions that copy a list.
const COPIES: [&str; 5] = ["deepcopy", "copy", "list", "tuple", "sorted"];

impl Evidence<'_, '_> {
    /// Whether the number of turns is a guess: what a batch holds, or what is made of something that only its name calls
    /// this rank's own. Two of some thirty such loops were right (docs/precision.md); they mostly count alike, by
    /// padding, by keys, by what is in every batch.
    pub(in crate::graph) fn counts_what_is_guessed(&self) -> bool {
        let guessed = |leaf: Value| {
            let is_handed = matches!(self.engine.values.node(leaf), Node::Parameter(..));
            let named = self.birth.is_some_and(|birth| birth.reason.as_str().ends_with("by its name"));
            let of_data = self.engine.marks.shares.contains(&leaf) && !self.engine.marks.losses.contains(&leaf);
            of_data || named && !is_handed && !self.goes_over_objects()
        };
        // A dictionary whose keys come with the data has those that came.
        let keyed = |test: Value| {
            self.engine.values.any_part(test, MAX_PARTS, |part| self.engine.values.is_keyed_by_data(part))
        };
        self.kind == SplitKind::Loop
            && self.is_opaque()
            && self.leaf.is_some_and(guessed)
            && !self.test.is_some_and(keyed)
    }

    /// Whether something that is computed, of what may have to do with a batch, decides which of two values a variable has
    /// that is asked further on: mostly it is a count of steps, that of a loop which a flag ends, of which all ranks have
    /// as many. Exits upon a count are patience with what a rank has measured itself; what is collected is another matter.
    pub(in crate::graph) fn is_counted_by_batches(&self) -> bool {
        let (Some(leaf), Some(test)) = (self.leaf, self.test) else { return false };
        if self.kind != SplitKind::Conditional || !self.engine.marks.shares.contains(&leaf) {
            return false;
        }
        let differing = (leaf, self.found.world.axes);
        variable_set_apart(self.engine, test, differing, self.function, self.decision).is_some_and(|variable| {
            let Node::If(asked, then, otherwise) = *self.engine.values.node(variable) else { return false };
            let collects = [then, otherwise].into_iter().any(|arm| self.engine.values.is_container(arm));
            !collects && !asks_the_batch(self.engine, asked)
        })
    }

    /// Whether what is asked is whether a loop over batches has counted or collected anything, where a statistic of it is
    /// pooled further on: who has had no batch at all is another matter than who has had fewer, and samplers give each rank
    /// one at least.
    pub(in crate::graph) fn asks_whether_any_came(&self) -> bool {
        let engine = self.engine;
        let is_loader = |part: Value| match *engine.values.node(part) {
            Node::Loader(..) => true,
            Node::Parameter(function, at) => {
                let parameters = &engine.program.function(function).parameters;
                parameters.get(usize::from(at)).is_some_and(|parameter| is_loader(parameter.name))
            }
            _ => false,
        };
        let counted = |value: Value| {
            matches!(engine.values.node(value), Node::Carried(..))
                && engine.values.any_part(value, MAX_PARTS, is_loader)
        };
        let any_of = |value: Value| match *engine.values.node(value) {
            Node::Compare(_, left, right) => [left, right]
                .into_iter()
                .any(|side| matches!(*engine.values.node(side), Node::Length(of) if counted(of))),
            _ => counted(value),
        };
        self.leaf.is_some_and(|leaf| engine.questions_pooled(leaf).any(any_of))
    }

    /// Whether the turns of a loop are dealt out so that each rank has as many: what is dealt out was cut or filled up to a
    /// multiple of the number of ranks, a rank takes so many whole ones, or the function refuses what does not come out even.
    pub(in crate::graph) fn comes_out_even(&self) -> bool {
        let engine = self.engine;
        if self.kind != SplitKind::Loop {
            return false;
        }
        let refuses = |effect| match *engine.effects.get(effect) {
            Effect::Choice { test, then, otherwise, .. } => {
                let raises = [then, otherwise].into_iter().any(|arm| engine.effects.summed(arm).raises);
                raises && engine.values.any_part(test, MAX_PARTS, |part| is_remainder(engine, part))
            }
            _ => false,
        };
        self.test.is_some_and(|over| {
            engine.values.any_part(over, MAX_PARTS, |part| is_multiple(engine, part))
                || takes_whole_ones(engine, over, MAX_WRAPPED)
        }) || preorder(engine, self.root).into_iter().any(refuses)
    }

    /// Whether one rank counts the turns of a loop in one way and its peers in another, `range(len(x) if rank == 0 else
    /// count())`: who writes that has two ways to one number. A number that is written out is none.
    pub(in crate::graph) fn counts_in_two_ways(&self) -> bool {
        let values = &self.engine.values;
        let Some(Node::Range(bounds)) =
            self.test.filter(|_| self.kind == SplitKind::Loop).map(|over| values.node(over))
        else {
            return false;
        };
        let to = match **bounds {
            [to] => to,
            // Bounds of this rank's share are another matter.
            [from, to] if values.vary(from).is_empty() => to,
            _ => return false,
        };
        let is_written = |arm: Value| matches!(values.node(arm), Node::Int(_) | Node::None);
        match *values.node(to) {
            Node::If(test, then, otherwise) => {
                compares_rank(self.engine, test) && !is_written(then) && !is_written(otherwise)
            }
            _ => false,
        }
    }

    /// Whether a loop takes as many turns as a number says that is the same on all ranks, `zip(range(steps), loader)`: who
    /// writes that has a loader that does not end before.
    pub(in crate::graph) fn ends_with_a_number(&self) -> bool {
        let values = &self.engine.values;
        let Some(mut over) = self.test.filter(|_| self.kind == SplitKind::Loop) else { return false };
        let is_number = |&part: &Value| matches!(values.node(part), Node::Range(_)) && values.shape(part).is_empty();
        for _ in 0..MAX_WRAPPED {
            match values.node(over) {
                Node::Mapped(name, parts) if name.as_str() == "zip" => return parts.iter().any(is_number),
                Node::Mapped(_, parts) | Node::Apply(_, parts) if !parts.is_empty() => over = parts[0],
                _ => return false,
            }
        }
        false
    }

    /// Whether a loop goes over objects that the program makes itself: how many is not a matter of data.
    pub(in crate::graph) fn goes_over_objects(&self) -> bool {
        self.test.is_some_and(|over| self.engine.holds_objects(over))
    }

    /// Whether a loop goes over one list here and another one there, of neither of which it is known how long it is: they
    /// are built side by side for one loop, as a rule to be as long as each other.
    pub(in crate::graph) fn goes_over_either_list(&self) -> bool {
        let engine = self.engine;
        let Some(mut over) = self.test.filter(|_| self.kind == SplitKind::Loop) else { return false };
        for _ in 0..MAX_PARTS {
            match engine.values.node(over) {
                Node::Range(bounds) if !bounds.is_empty() => over = bounds[bounds.len().min(2) - 1],
                Node::Length(inner) => over = *inner,
                Node::Mapped(_, parts) | Node::Changed(_, parts) if !parts.is_empty() => over = parts[0],
                Node::If(test, then, otherwise) if engine.values.truth_axes(*test).is_empty() => {
                    let differs = |arm: Value| !engine.values.shape(arm).is_empty();
                    over = match (differs(*then), differs(*otherwise)) {
                        (true, false) => *then,
                        (false, true) => *otherwise,
                        _ => return false,
                    };
                }
                Node::If(_, then, otherwise) => {
                    // The one with more or less in it than the other.
                    let grown = before_changes(engine, *then) == before_changes(engine, *otherwise);
                    let is_open = |arm: Value| is_of_unknown_length(engine, arm, MAX_ARMS);
                    return !grown && is_open(*then) && is_open(*otherwise);
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether a loop goes over what a listing of the disk holds: two listings of one folder are as long as each other, unless
    /// each rank lists a folder of its own.
    pub(in crate::graph) fn goes_over_a_listing(&self) -> bool {
        let over = self.cause.is_none_or(|cause| {
            matches!(self.engine.effects.get(cause.effect), Effect::Loop { kind: LoopKind::For { .. }, .. })
        });
        let lists = self.leaf.is_some_and(|leaf| self.engine.marks.disks.contains(&leaf));
        self.kind == SplitKind::Loop && over && lists && !self.asks_for_its_own()
    }

    /// Whether ranks part by how many turns they have taken in a loop that they are still in: in the same turn all have
    /// taken as many. Where some take fewer, that is another question, and the loop's own.
    pub(in crate::graph) fn counts_turns_so_far(&self) -> bool {
        let (Some(cause), Some(test)) = (self.cause, self.test) else { return false };
        let engine = self.engine;
        let around: Vec<Site> = preorder(engine, self.root)
            .into_iter()
            .filter_map(|effect| match *engine.effects.get(effect) {
                Effect::Loop { site, body, .. } if preorder(engine, body).contains(&cause.effect) => Some(site),
                _ => None,
            })
            .collect();
        let differs = |part: Value| !(engine.values.vary(part) | engine.values.shape(part)).is_empty();
        let (mut is_turned, mut differs_otherwise) = (false, false);
        let look = |part: Value, further: &mut Vec<Value>| {
            // What ranks have agreed on is one thing, whatever it was made of.
            if !differs(part) {
                return false;
            }
            let mut below = parts(engine.values.node(part));
            if let Node::Carried(at, _, carried) = engine.values.node(part)
                && carried.len() > 1
                && around.contains(at)
            {
                is_turned |= below.pop().is_some_and(differs);
            }
            differs_otherwise |= below.is_empty() && differs(part);
            further.extend(below);
            differs_otherwise
        };
        engine.values.search(test, MAX_PARTS, look) == Some(false) && is_turned
    }
}

/// Whether a number is what is left over when so many are divided among the ranks.
fn is_remainder(engine: &Engine<'_>, number: Value) -> bool {
    match *engine.values.node(number) {
        Node::Binary(BinaryOp::Mod, of, by) => is_size(engine, by) && counts_something(engine, of),
        _ => false,
    }
}

/// Whether a number is a multiple of the number of ranks: `n - n % world`, `n // world * world`, `ceil(n / world) * world`.
fn is_multiple(engine: &Engine<'_>, number: Value) -> bool {
    match *engine.values.node(number) {
        Node::Binary(BinaryOp::Sub, _, rest) => is_remainder(engine, rest),
        Node::Binary(BinaryOp::Mul, share, by) => {
            is_size(engine, by) && engine.values.any_part(share, MAX_PARTS, |part| is_share(engine, part))
        }
        _ => false,
    }
}

/// Whether a number is divided by that of the ranks.
fn is_share(engine: &Engine<'_>, number: Value) -> bool {
    matches!(*engine.values.node(number), Node::Binary(BinaryOp::Div | BinaryOp::FloorDiv, _, by) if is_size(engine, by))
}

fn is_size(engine: &Engine<'_>, number: Value) -> bool {
    matches!(engine.values.node(number), Node::Size(_))
}

/// Whether a loop goes over as many as there are for each rank in whole numbers, and none gets what is left over.
fn takes_whole_ones(engine: &Engine<'_>, over: Value, fuel: u8) -> bool {
    let Some(fuel) = fuel.checked_sub(1) else { return false };
    let in_whole = |bounds: &[Value]| {
        let any = |is: &dyn Fn(Value) -> bool| bounds.iter().any(|&bound| engine.values.any_part(bound, MAX_PARTS, is));
        let chosen = |part: Value| matches!(engine.values.node(part), Node::If(..));
        bounds.len() < 3 && any(&|part| is_share(engine, part)) && !any(&chosen)
    };
    match engine.values.node(over) {
        Node::Range(bounds) => in_whole(bounds),
        Node::Index(_, slice) => matches!(engine.values.node(*slice), Node::Range(bounds) if in_whole(bounds)),
        Node::Mapped(_, parts) => parts.iter().any(|&part| takes_whole_ones(engine, part, fuel)),
        _ => false,
    }
}

/// Whether a number is made of how many there are of something.
fn counts_something(engine: &Engine<'_>, number: Value) -> bool {
    match *engine.values.node(number) {
        Node::Length(_) => true,
        Node::Binary(_, left, right) => counts_something(engine, left) || counts_something(engine, right),
        _ => false,
    }
}

/// Whether it is a list of which nobody knows how long it is: one that a loop has filled, a function has made, or that has an
/// element for each of something. In other cases it may be written out, though not be empty.
fn is_of_unknown_length(engine: &Engine<'_>, value: Value, arms: u32) -> bool {
    let node = |value: Value| engine.values.node(value);
    match node(value) {
        Node::Index(whole, _) | Node::Item(_, whole) => matches!(node(*whole), Node::Invoked(..) | Node::Apply(..)),
        Node::Carried(..) | Node::Changed(..) | Node::Invoked(..) | Node::Attribute(..) => true,
        Node::Mapped(word, _) => word.as_str() == COMPREHENSION || COPIES.contains(&word.as_str()),
        Node::Apply(name, _) => COPIES.contains(&name.last_part().as_str()),
        Node::If(_, then, otherwise) if arms > 0 => {
            let is_open = |arm: Value| is_of_unknown_length(engine, arm, arms - 1);
            let is_empty = |arm: Value| matches!(node(arm), Node::Sequence(items) if items.is_empty());
            (is_open(*then) || is_open(*otherwise)) && !is_empty(*then) && !is_empty(*otherwise)
        }
        _ => false,
    }
}

/// A list before it was copied, and before something was put into it or taken out.
fn before_changes(engine: &Engine<'_>, mut list: Value) -> Value {
    for _ in 0..MAX_PARTS {
        list = match engine.values.node(list) {
            Node::Changed(_, parts) | Node::Carried(_, _, parts) if !parts.is_empty() => parts[0],
            Node::Mapped(word, parts) if word.as_str() != COMPREHENSION && !parts.is_empty() => parts[0],
            Node::Apply(name, parts) if COPIES.contains(&name.last_part().as_str()) && !parts.is_empty() => parts[0],
            _ => break,
        };
    }
    list
}
