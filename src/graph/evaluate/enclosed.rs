//! Functions within functions: what they see of the variables around them when somebody else calls them, after their home
//! has returned: hooks, callbacks, steps that a factory makes.

use std::rc::Rc;

use super::rebound::rebound;
use super::substitute::Substitution;
use super::{Engine, Frame};
use crate::base::{FunctionId, Symbol};
use crate::flow::{EffectId, Node, Value};
use crate::model::{FunctionKind, LocalFunction};

/// Variables of a function, with what functions within it see in them.
pub(super) type Seen = Rc<[(Symbol, Value)]>;

impl<'p> Engine<'p> {
    /// Keeps what functions within this one see of its variables: of those that are bound once, since nobody knows when
    /// they are called.
    pub(super) fn keep_for_enclosed(&mut self, frame: &Frame<'p>) {
        let (program, model) = (self.program, frame.model);
        if model.function(frame.local).kind != FunctionKind::Def {
            return;
        }
        let all = (0..model.functions.len() as u32).map(LocalFunction).filter(|&local| {
            let inner = model.function(local);
            inner.parent == Some(frame.local) && inner.kind == FunctionKind::Def
        });
        let all: Vec<LocalFunction> = all.collect();
        let reaches = |local: &LocalFunction| self.reaches(program.function_id(frame.file, *local));
        let within: Vec<LocalFunction> = all.iter().copied().filter(reaches).collect();
        if within.is_empty() {
            return;
        }
        let is_used = |name: Symbol| within.iter().any(|&local| model.function(local).mentions.contains(&name));
        // Another one of them may have written it by then, whether it communicates or not.
        let is_written = |name: Symbol| {
            all.iter().any(|&local| rebound(model, model.function(local)).any(|written| written == name))
        };
        let is_bound_once = |name: Symbol, value: Value| match *self.values.node(value) {
            // What a parameter means by its name the function within it knows by that as well.
            Node::Parameter(function, _) if function == frame.function => self.values.meaning(value).is_none(),
            _ => program.single_assignment(frame.file, frame.local, name).is_some(),
        };
        let seen = frame.env.iter().map(|(&name, &value)| (name, value));
        let mut seen: Vec<(Symbol, Value)> =
            seen.filter(|&(name, value)| is_used(name) && !is_written(name) && is_bound_once(name, value)).collect();
        seen.sort_by_key(|(name, _)| name.as_str());
        if seen.iter().any(|&(_, value)| !self.values.vary(value).is_empty()) {
            self.memo.enclosed.insert(frame.function, seen.into());
        }
    }

    /// What a function within another one issues, with what it sees there.
    pub(in crate::graph) fn as_enclosed(&mut self, function: FunctionId, effects: EffectId) -> EffectId {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let home = model.function(local).parent.filter(|&home| model.function(home).kind == FunctionKind::Def);
        let Some(home) = home.map(|home| self.program.function_id(file, home)) else { return effects };
        if self.summary(home).is_none() {
            return effects;
        }
        let Some(seen) = self.memo.enclosed.get(&home).cloned() else { return effects };
        let mut substitution = Substitution::default();
        for &(name, value) in seen.iter() {
            substitution.capture(home, name, value);
        }
        self.replaced_effect(effects, &mut substitution)
    }
}
