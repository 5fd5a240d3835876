//! Models that are wrapped for data parallelism, here, elsewhere, or under a setting: what a backward pass through one
//! issues.
//!
//! The forward pass of a model that is wrapped under a setting counts for nothing: it broadcasts buffers, if the model has
//! any, and who validates on one rank knows that it has none. Gradients are reduced whatever the model is.

use crate::base::{FileId, Site, Span, Symbol};
use crate::catalog::Operation;
use crate::finding::Confidence;
use crate::flow::{ChoiceForm, Effect, EffectId, Effects, Event, Node, Value};

use super::super::steps::may_skip_backward;
use super::arguments::Arguments;
use super::{Engine, Frame};

/// The method that runs the backward pass.
pub(in crate::graph) const BACKWARD: &str = "backward";

/// Names of what wraps a model so that its gradients are reduced.
pub(in crate::graph) const WRAPPERS: [&str; 4] =
    ["DistributedDataParallel", "FullyShardedDataParallel", FULLY_SHARD, "DeepSpeedEngine"];

/// What wraps a model in place, by a function.
pub(in crate::graph) const FULLY_SHARD: &str = "fully_shard";

/// What it makes of the model.
const SHARDED: &str = "torch.distributed.fsdp.FSDPModule";

/// What an object of the program is made with besides, once it has been sharded in place.
const IN_PLACE: &str = "sharded in place";

/// Choices that are followed to a wrapped model.
const MAX_CHOICES: usize = 16;

impl<'p> Engine<'p> {
    /// Whether the value is a wrapped model, under some settings at least.
    pub(super) fn may_be_wrapped(&self, value: Value) -> bool {
        let mut pending = vec![value];
        for _ in 0..MAX_CHOICES {
            let Some(value) = pending.pop() else { return false };
            match self.values.node(value) {
                Node::If(_, then, otherwise) => pending.extend([*then, *otherwise]),
                Node::Typed(kind) if self.program.catalog.reduces_gradients(*kind) => return true,
                Node::Instance(..) if self.is_sharded_in_place(value) => return true,
                _ => {}
            }
        }
        false
    }

    /// A model that is sharded in place: what has been handed over is wrapped from here on. An object of the program is still
    /// one, whose methods are known.
    pub(super) fn sharded_in_place(&mut self, frame: &mut Frame<'p>, arguments: &Arguments, span: Span) -> Value {
        let Some(&(model, expr)) = arguments.positional.first() else { return self.unknown(frame, span) };
        let sharded = self.as_sharded(model);
        if let Some(expr) = expr {
            self.store(frame, expr, sharded);
        }
        sharded
    }

    /// What a model is once it has been sharded in place.
    pub(super) fn as_sharded(&mut self, model: Value) -> Value {
        let model = self.where_there(model);
        match self.values.node(model).clone() {
            Node::Instance(..) if self.is_sharded_in_place(model) => model,
            Node::Instance(class, given) => {
                let mark = self.values.make(Node::Apply(Symbol::new(IN_PLACE), Box::from([])));
                self.values.make(Node::Instance(class, given.iter().copied().chain([mark]).collect()))
            }
            _ => self.sharded(),
        }
    }

    /// A model of which it is known that it was sharded in place, and no more.
    pub(super) fn sharded(&mut self) -> Value {
        self.values.make(Node::Typed(Symbol::new(SHARDED)))
    }

    /// What a model that was sharded in place gives when it is called, as one of a library: what its own class does comes on
    /// top.
    pub(super) fn passed_through(&mut self, frame: &mut Frame<'p>, model: Value, arguments: &Arguments, span: Span) {
        if self.is_sharded_in_place(model) {
            let sharded = self.sharded();
            self.call_value(frame, sharded, arguments.clone(), span);
        }
    }

    /// What a call returns that prepares a model for a strategy, where the file at hand has one that shards it: the model,
    /// and what else it was handed.
    pub(super) fn sharded_on_the_way(
        &mut self,
        frame: &Frame<'p>,
        operation: &Operation,
        arguments: &Arguments,
        span: Span,
    ) -> Option<Value> {
        if !operation.shards_beside.iter().any(|&name| frame.model.uses(name)) {
            return None;
        }
        let model = self.sharded();
        let rest = self.unknown(frame, span);
        match arguments.positional.len() {
            0 => None,
            1 => Some(model),
            count => {
                let mut parts = vec![rest; count];
                parts[0] = model;
                Some(self.values.make(Node::Sequence(parts.into())))
            }
        }
    }

    /// Whether a value is a model that was sharded in place.
    pub(super) fn is_sharded_in_place(&self, value: Value) -> bool {
        match self.values.node(value) {
            Node::Typed(kind) => kind.as_str() == SHARDED,
            Node::Instance(_, given) => given.last().is_some_and(
                |&last| matches!(self.values.node(last), Node::Apply(name, _) if name.as_str() == IN_PLACE),
            ),
            _ => false,
        }
    }

    /// What calling `callee` gives: gradients are reduced on the way back through a wrapped model.
    pub(super) fn forward_result(&mut self, callee: Value, result: Value) -> Value {
        match self.may_be_wrapped(callee) && !self.values.facts(result).wrapped {
            true => self.values.make(Node::Forward(result)),
            false => result,
        }
    }

    /// The backward pass from a loss: an event if the loss came out of a wrapped model, left to the caller if that knows
    /// the model. Whether the loss is known to have come out of one.
    pub(super) fn backward_pass(&mut self, frame: &mut Frame<'p>, loss: Value, span: Span) -> bool {
        let facts = self.values.facts(loss);
        let (wrapped, open) = (facts.wrapped, facts.open);
        // Who asks whether a loss is a number before it goes back, in a program that wraps models, trains one of them.
        let supposed = !wrapped && frame.pools && self.wraps_models(frame.file);
        if frame.quiet == 0 && (wrapped || open || supposed) {
            let site = frame.site(span);
            if supposed {
                self.marks.supposed.insert(site);
            }
            let mut effect = match wrapped || supposed {
                true => self.implicit_event(BACKWARD, site),
                false => {
                    let callee = self.values.make(Node::Attribute(loss, Symbol::new(BACKWARD)));
                    self.invoke_effect(callee, Box::from([]), site)
                }
            };
            for &(span, test) in frame.quiet_on_some.iter().rev() {
                let (site, form) = (frame.site(span), ChoiceForm::Expression);
                let skips = Effect::Choice { test, site, form, then: Effects::NOTHING, otherwise: effect };
                effect = self.effects.make(skips, &self.values);
            }
            self.emit(frame, effect);
        }
        wrapped
    }

    /// The loss that a training step returns goes back through the model, once its framework has it.
    pub(super) fn goes_back(&mut self, frame: &mut Frame<'p>, loss: Value, span: Span) {
        let is_loss = frame.quiet == 0 && *self.values.node(loss) != Node::None;
        if is_loss && may_skip_backward(self.program, frame.function) && self.reaches(frame.function) {
            let effect = self.implicit_event(BACKWARD, frame.site(span));
            self.emit(frame, effect);
        }
    }

    /// Whether a program wraps models, so that their backward passes communicate.
    fn wraps_models(&mut self, file: FileId) -> bool {
        let tree = self.program.tree_of(file);
        if let Some(&known) = self.memo.wrapping.get(&tree) {
            return known;
        }
        let of_tree = self.program.file_ids().filter(|&file| self.program.tree_of(file) == tree);
        let wraps = of_tree
            .flat_map(|file| &self.program.file(file).model.functions)
            .any(|function| function.mentions.iter().any(|name| WRAPPERS.contains(&name.as_str())));
        self.memo.wrapping.insert(tree, wraps);
        wraps
    }

    /// What calling a value issues that is the backward pass from a loss, once that is known to come out of a wrapped
    /// model.
    pub(super) fn known_backward(&mut self, callee: Value, site: Site) -> Option<EffectId> {
        match *self.values.node(callee) {
            Node::Attribute(loss, name) if name.as_str() == BACKWARD && self.values.facts(loss).wrapped => {
                Some(self.implicit_event(BACKWARD, site))
            }
            _ => None,
        }
    }

    /// An event that hides behind a call on a wrapped module.
    fn implicit_event(&mut self, op: &str, site: Site) -> EffectId {
        let world = self.values.make(Node::World);
        let event = Event {
            op: Symbol::new(op),
            creates: false,
            implicit: true,
            sharded: false,
            group: world,
            root: None,
            root_parameter: None,
            operator: None,
            members: None,
            shaped: None,
            place: None,
            site,
            confidence: Confidence::Medium,
        };
        self.effects.issue(event, &self.values)
    }
}
