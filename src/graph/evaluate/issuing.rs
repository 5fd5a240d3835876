//! Whether a function has something to issue, for whoever would follow a call of it by its name alone.

use rustc_hash::FxHashSet;

use super::Engine;
use crate::base::{FileId, FunctionId};
use crate::flow::Effect;

/// Calls in calls that are looked into for something that is issued.
const MAX_DEPTH: u8 = 3;

impl Engine<'_> {
    /// Whether a call of the only method of its name is worth being taken for one of it: in its own tree, and from outside
    /// where it surely issues something.
    pub(super) fn may_mean(&mut self, from: FileId, method: FunctionId) -> bool {
        let home = self.program.locate(method).0;
        self.program.same_tree(from, home) || self.issues_something(method, MAX_DEPTH)
    }

    /// Whether a function certainly has something to issue, itself or in what it calls: not only in what it may be handed.
    fn issues_something(&mut self, function: FunctionId, depth: u8) -> bool {
        let Some(summary) = self.summary(function) else { return false };
        let mut seen = FxHashSet::default();
        let mut pending = vec![summary.effects];
        while let Some(effect) = pending.pop() {
            if !self.effects.summed(effect).events || !seen.insert(effect) {
                continue;
            }
            let waiting = match *self.effects.get(effect) {
                Effect::Event(_) => return true,
                Effect::Pending { function, .. } => Some(function),
                _ => None,
            };
            match waiting {
                Some(function) if depth > 0 && self.issues_something(function, depth - 1) => return true,
                Some(_) => {}
                None => pending.extend(self.below(effect)),
            }
        }
        false
    }
}
