//! What a call leaves behind: changed arguments, captured names, what it may have waited for.

use super::super::resolve::Target;
use super::arguments::Arguments;
use super::substitute::Substitution;
use super::{Engine, Frame};
use crate::base::{FunctionId, Site, Span, Symbol};
use crate::catalog::{Entry, Wrapper};
use crate::finding::Confidence;
use crate::flow::{Effect, EffectId, Node, Value};
use crate::model::Expr;

impl<'p> Engine<'p> {
    /// The result of a function that gathers from all, whatever it unpacks that from: what the members of its group agree on.
    pub(super) fn agreed_by(
        &mut self,
        effects: EffectId,
        result: Value,
        substitution: &mut Substitution,
        site: Site,
    ) -> Value {
        let group = self.first_group(effects).or_else(|| {
            // What it calls has not been looked into yet.
            let budget = self.budget;
            let looked = self.looked_through(effects, MAX_LOOKS, true);
            self.budget = budget;
            self.first_group(looked)
        });
        let Some(group) = group else { return result };
        let group = self.replaced(group, substitution);
        self.values.make(Node::Agreed(site, result, group))
    }

    /// The group of the first operation in an effect.
    fn first_group(&self, effects: EffectId) -> Option<Value> {
        let mut pending = vec![effects];
        let mut steps = 0;
        while let Some(effect) = pending.pop() {
            steps += 1;
            if let Effect::Event(event) = self.effects.get(effect) {
                return Some(self.effects.event(*event).group);
            }
            if steps < 200 {
                pending.extend(self.below(effect).into_iter().rev());
            }
        }
        None
    }

    /// Whether the result of a function that keeps its results is not there yet, where its arguments differ between
    /// ranks: a call with arguments that were seen before does nothing.
    pub(super) fn missed(&mut self, function: FunctionId, bound: &[Value]) -> Option<Value> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let differs = bound.iter().any(|&arg| !self.values.vary(arg).is_empty());
        if !differs || model.list(definition.decorators).is_empty() {
            return None;
        }
        if !self.is_cached(function) {
            return None;
        }
        // The first call finds nothing on any rank.
        let name = definition.name;
        let calls = model.functions.iter().flat_map(|function| &function.mentions).filter(|&&known| known == name);
        (calls.count() > 1).then(|| self.values.make(Node::Apply(Symbol::new("missed"), bound.into())))
    }

    /// Whether a decorator keeps the function's results.
    pub(in crate::graph) fn is_cached(&self, function: FunctionId) -> bool {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let scope = definition.parent.unwrap_or(local);
        model.list(definition.decorators).iter().any(|&decorator| {
            let callee = match model.expr(decorator) {
                Expr::Call(call) => model.call(call).callee,
                _ => decorator,
            };
            match self.program.target(file, scope, callee) {
                Some(Target::External(dotted)) => {
                    matches!(self.program.catalog.entry(dotted), Some(Entry::Wrapper(Wrapper::Cache)))
                }
                _ => false,
            }
        })
    }

    /// Whether the function that a place stands in keeps its results.
    pub(in crate::graph) fn keeps_results(&self, place: Site) -> bool {
        let around = self.function_at(place).map(|local| self.program.function_id(place.file, local));
        around.is_some_and(|function| self.is_cached(function))
    }

    /// What the function's name says it returns: `get_tensor_parallel_rank`.
    pub(super) fn conventional_result(
        &mut self,
        frame: &mut Frame<'p>,
        function: FunctionId,
        span: Span,
    ) -> Option<Value> {
        let name = self.program.function(function).name;
        let convention = self.program.catalog.convention(name).filter(|convention| !convention.variables_only)?;
        let meaning = convention.value.clone();
        let value = self.meaning(&meaning, frame, span)?;
        let reason = format!("`{name}()` is this rank's own, by its name");
        self.born(value, frame, span, &reason, Confidence::Medium);
        Some(value)
    }

    /// A nested function sees its home's variables as they are when it is called.
    pub(super) fn capture_environment(
        &mut self,
        frame: &Frame<'p>,
        function: FunctionId,
        substitution: &mut Substitution,
    ) {
        let (file, local) = self.program.locate(function);
        if file != frame.file {
            return;
        }
        let mut home = frame.model.function(local).parent;
        while let Some(at) = home {
            if at == frame.local {
                for (&name, &value) in &frame.env {
                    substitution.capture(frame.function, name, value);
                }
                return;
            }
            home = frame.model.function(at).parent;
        }
    }

    /// What a method left on its object, when the object is this function's own.
    pub(super) fn after_method(
        &mut self,
        frame: &mut Frame<'p>,
        function: FunctionId,
        arguments: &Arguments,
        written: &[(Symbol, Value)],
        substitution: &mut Substitution,
    ) {
        let own = frame.receiver.filter(|&own| arguments.receiver.is_some() && arguments.receiver == frame.get(own));
        let Some(holder) = own.or(arguments.holder) else { return };
        // What a decorator lets some ranks run it has not left on all of them: the class says what it has.
        if !written.is_empty() && self.let_in_by(function).is_some() {
            return;
        }
        let apart = frame.guards.iter().any(|&guard| !self.values.vary(guard).is_empty());
        for &(name, value) in written {
            let value = self.replaced(value, substitution);
            let Some(path) = self.path_of(holder, name) else { continue };
            // How much is put into a container may be a matter of how often the loop around turns.
            let counted = frame.turning && self.is_filled(value);
            // What all ranks do to another object alike is what its class says, unless it had something else.
            let differs = own.is_some() || apart || counted || !self.values.vary(value).is_empty();
            if differs || frame.get(path).is_some() {
                self.set_path(frame, path, value);
            }
        }
    }

    /// An empty container of this function's own that a call is handed to fill: what else the call is handed goes into it.
    pub(super) fn after_filling(
        &mut self,
        frame: &mut Frame<'p>,
        function: FunctionId,
        arguments: &Arguments,
        span: Span,
    ) {
        let model = frame.model;
        let skipped = usize::from(arguments.receiver.is_some());
        for (at, &(value, expr)) in arguments.positional.iter().enumerate() {
            let Some(Expr::Name(name)) = expr.map(|expr| model.expr(expr)) else { continue };
            let empty = match self.values.node(value) {
                Node::Mapping(parts) => parts.is_empty(),
                Node::Sequence(parts) => parts.is_empty(),
                _ => false,
            };
            if !empty || frame.get(name) != Some(value) || !self.fills(function, at + skipped) {
                continue;
            }
            let rest: Vec<Value> = arguments.values().into_iter().filter(|&other| other != value).collect();
            if !rest.is_empty() {
                let filled = self.changed(frame, value, &rest, span);
                frame.set(name, filled);
            }
        }
    }
}

/// Whether a function's name says that every rank leaves with the same.
pub(super) fn agrees_by_name(name: Symbol) -> bool {
    let name = name.as_str().trim_start_matches('_');
    ["all_gather", "allgather", "all_reduce", "allreduce", "broadcast_object", "sync_object"]
        .iter()
        .any(|start| name.starts_with(start))
        || name.ends_with("_all_reduce")
}

/// Calls that are looked into for the group in which a function agrees.
const MAX_LOOKS: u32 = 16;
