//! Recursion: summaries of functions that call each other in a cycle, iterated until they say the same.
//!
//! A call that closes a cycle gives what was assumed of its callee: at first nothing, then what the round before has
//! found. Only the outermost function of a cycle goes round, so that each cycle costs a few rounds however cycles lie
//! in one another.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::FunctionId;
use crate::flow::Axes;

use super::{Engine, Summary};

/// Rounds after which a cycle is left as it is; what is found in it then is a guess.
const MAX_ROUNDS: usize = 4;

/// The cycles of calls that an evaluation is in.
#[derive(Default)]
pub(super) struct Cycles {
    /// Functions under evaluation, outermost first, each with the outermost that it depends on.
    active: Vec<(FunctionId, usize)>,
    /// Functions that were evaluated and depend on one of those.
    open: FxHashMap<FunctionId, usize>,
    /// What was found of functions of a cycle in the round before.
    assumed: FxHashMap<FunctionId, Rc<Summary>>,
    /// Functions of cycles that did not come to rest.
    unsettled: FxHashSet<FunctionId>,
}

/// What a caller can tell of a summary without looking into what is issued.
type Gist = ([bool; 5], [Axes; 3], usize);

impl Cycles {
    /// Whether the function is under evaluation.
    pub(super) fn is_active(&self, function: FunctionId) -> bool {
        self.active.iter().any(|(active, _)| *active == function)
    }

    /// How deep the evaluation is.
    pub(super) fn depth(&self) -> usize {
        self.active.len()
    }

    /// Notes that what is evaluated depends on the function, if that belongs to a cycle that is open; gives what is
    /// assumed of one that is under evaluation itself.
    pub(super) fn asked(&mut self, function: FunctionId) -> Option<Option<Rc<Summary>>> {
        let under_way = self.active.iter().position(|(active, _)| *active == function);
        if let Some(at) = under_way.or_else(|| self.open.get(&function).copied())
            && let Some((_, lowest)) = self.active.last_mut()
        {
            *lowest = (*lowest).min(at);
        }
        // Whoever calls itself depends on itself: its own place is marked as such.
        under_way.map(|_| self.assumed.get(&function).cloned())
    }
}

impl Engine<'_> {
    /// Whether the function belongs to a cycle of calls that did not come to rest.
    pub(in crate::graph) fn is_unsettled(&self, function: FunctionId) -> bool {
        self.cycles.unsettled.contains(&function)
    }

    /// Evaluates a function, and again while it belongs to a cycle of calls that it is the outermost of.
    pub(super) fn evaluated(&mut self, function: FunctionId) -> Rc<Summary> {
        let (depth, before) = (self.cycles.active.len(), self.completed.len());
        let mut round = 0;
        let mut known: Option<Gist> = None;
        loop {
            round += 1;
            self.cycles.active.push((function, usize::MAX));
            let summary = Rc::new(self.on_behalf_of(function, |engine| engine.evaluate(function)));
            let (_, lowest) = self.cycles.active.pop().expect("it was pushed");
            if lowest == usize::MAX {
                return summary;
            }
            if lowest < depth {
                // Of a larger cycle: its outermost function goes on.
                if let Some((_, outer)) = self.cycles.active.last_mut() {
                    *outer = (*outer).min(lowest);
                }
                self.cycles.open.insert(function, lowest);
                // Who depends on it depends on that one too.
                self.cycles.open.values_mut().filter(|known| **known >= depth).for_each(|known| *known = lowest);
                return summary;
            }
            let mut members: Vec<FunctionId> =
                self.cycles.open.iter().filter(|(_, lowest)| **lowest >= depth).map(|(member, _)| *member).collect();
            members.sort_unstable();
            self.cycles.open.retain(|_, lowest| *lowest < depth);
            let gist = self.gist_of(&summary);
            let settled = known == Some(gist) || !self.issues(&summary, &members);
            known = Some(gist);
            if settled || round == MAX_ROUNDS {
                members.push(function);
                members.iter().for_each(|member| drop(self.cycles.assumed.remove(member)));
                if !settled {
                    self.cycles.unsettled.extend(members);
                }
                return summary;
            }
            let rest = self.completed.split_off(before);
            self.completed.extend(rest.into_iter().filter(|done| members.binary_search(done).is_err()));
            for member in members {
                if let Some(found) = self.summaries.remove(&member) {
                    self.cycles.assumed.insert(member, found);
                }
            }
            self.cycles.assumed.insert(function, summary);
        }
    }

    fn gist_of(&self, summary: &Summary) -> Gist {
        let summed = self.effects.summed(summary.effects);
        let told = [summed.events, summed.exits, summed.raises, summed.hole, summed.open];
        // Not the result itself: one that holds results of the round before grows with every round.
        let differs = [summed.varies, self.values.vary(summary.result), self.values.shape(summary.result)];
        (told, differs, summary.attributes.len())
    }

    /// Whether a cycle of calls issues anything: what decides about a call that closes it shows in the next round only.
    fn issues(&self, outermost: &Summary, members: &[FunctionId]) -> bool {
        let others = members.iter().filter_map(|member| self.summaries.get(member).map(|summary| summary.effects));
        others.chain([outermost.effects]).any(|effects| self.effects.summed(effects).events)
    }
}
