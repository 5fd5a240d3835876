//! Context managers: their halves make up for each other.

use super::Engine;
use crate::base::{FunctionId, Site, Symbol};
use crate::flow::{Effect, EffectId, Effects};

impl Engine<'_> {
    /// What is judged of a function's effects. The halves of a context manager make up for each other: the first is
    /// judged together with the second, and the second not at all.
    pub(in crate::graph) fn judged(&mut self, function: FunctionId, effects: EffectId) -> EffectId {
        let other = match self.program.function(function).name.as_str() {
            "__enter__" => "__exit__",
            "__exit__" => "__enter__",
            _ => return self.as_hook(function, effects),
        };
        let class = self.program.class_of(function);
        let Some(other) = class.and_then(|class| self.program.method(class, Symbol::new(other))) else {
            return effects;
        };
        let Some(rest) = self.summary(other).map(|summary| summary.effects) else { return effects };
        match (self.without_last_return(effects), self.without_last_return(rest)) {
            (Some(first), Some(second)) if self.program.function(function).name.as_str() == "__enter__" => {
                self.effects.seq(&[first, second], &self.values)
            }
            (Some(_), Some(_)) => Effects::NOTHING,
            // A half that returns early is still followed by the other.
            _ if self.program.function(function).name.as_str() == "__exit__" => Effects::NOTHING,
            _ => {
                let halves = [(function, effects), (other, rest)].map(|(function, body)| {
                    let (file, local) = self.program.locate(function);
                    let span = self.program.file(file).model.function(local).span;
                    self.effects.make(Effect::Call { function, site: Site { file, span }, body }, &self.values)
                });
                self.effects.seq(&halves, &self.values)
            }
        }
    }

    /// The effects of a function that returns at its end or nowhere.
    fn without_last_return(&mut self, effects: EffectId) -> Option<EffectId> {
        let is_return = |engine: &Self, effect: EffectId| {
            matches!(engine.effects.get(effect), Effect::Exit(crate::flow::Exit::Return, _))
        };
        let parts = match self.effects.get(effects) {
            Effect::Seq(parts) => parts.to_vec(),
            _ => vec![effects],
        };
        let kept = match parts.split_last() {
            Some((&last, rest)) if is_return(self, last) => rest.to_vec(),
            _ => parts,
        };
        let mut pending = kept.clone();
        while let Some(effect) = pending.pop() {
            if is_return(self, effect) {
                return None;
            }
            if !matches!(self.effects.get(effect), Effect::Call { .. }) {
                pending.extend(self.below(effect));
            }
        }
        Some(self.effects.seq(&kept, &self.values))
    }
}
