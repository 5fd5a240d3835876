//! Context managers, and functions in pairs: their halves make up for each other.

use super::Engine;
use crate::base::{FunctionId, Site, Symbol};
use crate::flow::{Effect, EffectId, Effects, EventId, Node, Value};
use crate::model::{FunctionKind, LocalFunction};

impl Engine<'_> {
    /// What is judged of a function's effects. The halves of a context manager make up for each other: the first is
    /// judged together with the second, and the second not at all.
    pub(in crate::graph) fn judged(&mut self, function: FunctionId, effects: EffectId) -> EffectId {
        let other = match self.program.function(function).name.as_str() {
            "__enter__" => "__exit__",
            "__exit__" => "__enter__",
            _ if self.has_other_half(function, effects) => return Effects::NOTHING,
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

    /// Whether a function beside this one issues on the other ranks what this one issues on some, and neither does anything
    /// else, and whoever calls one calls the other: `others_wait()` and `first_has_come()`.
    fn has_other_half(&mut self, function: FunctionId, effects: EffectId) -> bool {
        let Some(half) = self.half(effects) else { return false };
        let program = self.program;
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let definition = model.function(local);
        let others = (0..model.functions.len() as u32).map(LocalFunction).filter(|&other| {
            let beside = model.function(other);
            other != local
                && beside.kind == FunctionKind::Def
                && (beside.parent, beside.class) == (definition.parent, definition.class)
        });
        let others: Vec<FunctionId> = others.map(|other| program.function_id(file, other)).collect();
        others.into_iter().any(|other| {
            if !self.reaches(other) {
                return false;
            }
            let rest = self.summary(other).and_then(|summary| self.half(summary.effects));
            rest.is_some_and(|rest| {
                let (one, two) = (self.effects.event(half.event), self.effects.event(rest.event));
                let alike = one.op == two.op && one.group == two.group && one.root.is_none() && two.root.is_none();
                alike && self.excludes(half, rest) && self.are_called_together(function, other)
            })
        })
    }

    /// Whether whoever names one of two functions, in this tree, names the other one as well.
    fn are_called_together(&self, function: FunctionId, other: FunctionId) -> bool {
        let program = self.program;
        let [one, two] = [function, other].map(|function| program.function(function).name);
        let home = program.locate(function).0;
        let mut users = program.file_ids().filter(|&file| program.same_tree(file, home)).flat_map(|file| {
            let functions = program.file(file).model.functions.iter();
            functions.map(|user| (user.mentions.contains(&one), user.mentions.contains(&two)))
        });
        users.all(|(one, two)| one == two)
    }

    /// Whether one half is issued just where the other is not.
    fn excludes(&mut self, one: Half, other: Half) -> bool {
        let negated = self.values.make(Node::Not(other.test));
        one.test == other.test && one.holds != other.holds || one.test == negated && one.holds == other.holds
    }

    /// A function that asks for the rank and issues one thing where it is right, and nothing else.
    fn half(&self, effects: EffectId) -> Option<Half> {
        let Effect::Choice { test, then, otherwise, .. } = *self.effects.get(effects) else { return None };
        let (arm, holds) = match (then == Effects::NOTHING, otherwise == Effects::NOTHING) {
            (false, true) => (then, true),
            (true, false) => (otherwise, false),
            _ => return None,
        };
        let Effect::Event(event) = *self.effects.get(arm) else { return None };
        self.is_about_rank(test).then_some(Half { test, holds, event })
    }

    /// Whether a question compares the rank, and no more.
    fn is_about_rank(&self, test: Value) -> bool {
        match *self.values.node(test) {
            Node::Not(inner) => self.is_about_rank(inner),
            Node::Compare(_, left, right) => [left, right].iter().any(|&side| self.is_place(side)),
            _ => false,
        }
    }

    fn is_place(&self, value: Value) -> bool {
        let meant = self.values.meaning(value).unwrap_or(value);
        matches!(self.values.node(meant), Node::Rank(_))
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

/// What a function issues on some ranks.
#[derive(Clone, Copy)]
struct Half {
    /// What it asks.
    test: Value,
    /// The answer with which it issues something.
    holds: bool,
    event: EventId,
}
