//! Parts of a data set that are a rank's own: those that are dealt out to it, and those that it picks.

use super::arguments::Arguments;
use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::flow::{Node, Value};

impl<'p> Engine<'p> {
    /// What a method of a data set takes out of it, where that is this rank's own. `dataset.shard(world_size, rank)`: one of that
    /// many pieces, the first of which have one item more than the others where they do not come out even
    /// (`datasets.Dataset.shard`, `tf.data.Dataset.shard`). `dataset.filter(function)`: the items that a function of the program
    /// picks (`datasets.Dataset.filter`).
    pub(super) fn taken_out(
        &mut self,
        frame: &mut Frame<'p>,
        method: Symbol,
        dataset: Value,
        arguments: &Arguments,
        span: Span,
    ) -> Option<Value> {
        match method.as_str() {
            "shard" => {
                let dealt = (given(arguments, 0, "num_shards")?, given(arguments, 1, "index")?);
                self.dealt_out(frame, dataset, dealt, span)
            }
            "filter" => {
                let picks = given(arguments, 0, "function")?;
                if !matches!(self.values.node(picks), Node::Function(..) | Node::Closure(..) | Node::Partial(..)) {
                    return None;
                }
                // What it issues is issued by who calls it.
                let outer = std::mem::take(&mut frame.sequence);
                let picked = self.mapping_call(frame, method, picks, &[dataset], span);
                frame.sequence = outer;
                (!self.values.vary(picked).is_empty()).then_some(picked)
            }
            _ => None,
        }
    }

    /// What is dealt out by turns, to the one at a place among so many: as many items as there are for it.
    pub(super) fn dealt_out(
        &mut self,
        frame: &mut Frame<'p>,
        whole: Value,
        (count, index): (Value, Value),
        span: Span,
    ) -> Option<Value> {
        if self.values.vary(index).is_empty() && !self.values.facts(index).open {
            return None;
        }
        let turns = self.values.make(Node::Range(Box::from([index, self.none, count])));
        Some(self.subscript(frame, whole, turns, span))
    }
}

/// An argument by its place or its name.
pub(super) fn given(arguments: &Arguments, position: usize, name: &str) -> Option<Value> {
    let named = arguments.keywords.iter().find(|keyword| keyword.0.as_str() == name);
    named.map(|keyword| keyword.1).or_else(|| arguments.positional.get(position).map(|given| given.0))
}
