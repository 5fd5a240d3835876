//! Datasets of the program that deal their items out to the ranks themselves: how many there are here.
//!
//! A loader is as long as what it loads. Who cuts the list of shards by rank, in the dataset's own class, gives each rank
//! as many as there are for it, and no sampler sees to it that they are as many everywhere.

use super::arguments::Arguments;
use super::substitute::{MAX_NESTING, Substitution};
use super::{Engine, Frame};
use crate::base::{ClassId, FunctionId, Symbol};
use crate::flow::{Effect, EffectId, Exit, LoopKind, Node, Value};
use crate::model::{ExprId, Function};

use super::data::is_loader;

/// What the number of items is kept under.
const DEALT: &str = "dealt";

/// Words of those who see to it that each rank has as many items: `total_size`, `num_samples`, `padding_size`.
const EVENING_OUT: [&str; 6] = ["total_size", "num_samples", "pad", "drop_last", "ceil", "even"];

/// The option of a sampler to leave items out, so that each rank has as many.
const OPTION: &str = "drop_last";

/// Words of what asks all peers.
const ASKING_PEERS: [&str; 4] = ["all_reduce", "allreduce", "all_gather", "allgather"];

/// Effects of an iterator that are looked at.
const MAX_EFFECTS: usize = 64;

impl<'p> Engine<'p> {
    /// The parts of a loader, with what decides the number of items of the dataset among them.
    pub(super) fn with_dealt(&mut self, loader: Symbol, parts: &[Value]) -> Option<Value> {
        let name = loader.last_part();
        if !name.as_str().starts_with(char::is_uppercase) || !is_loader(name) {
            return None;
        }
        let known = |part: &Value| matches!(self.values.node(*part), Node::Mapped(name, _) if name.as_str() == DEALT);
        if parts.iter().any(known) {
            return None;
        }
        // Who is handed a sampler goes by that, whatever it samples from.
        let mut parts = parts.iter().copied();
        match parts.clone().find(|&part| self.is_sampler(part)) {
            Some(sampler) => self.dealt_by_sampler(sampler),
            None => self.dealt(parts.find(|&part| matches!(self.values.node(part), Node::Instance(..)))?),
        }
    }

    /// Whether a value is an object of a class that is a sampler, or is called one.
    fn is_sampler(&self, value: Value) -> bool {
        let Node::Instance(class, _) = *self.values.node(value) else { return false };
        let is_called = |name: Symbol| name.as_str().ends_with("Sampler");
        is_called(self.program.class(class).name)
            || self.program.external_bases(class).into_iter().any(|base| is_called(base.last_part()))
    }

    /// What decides how many items an object of the program yields that a loop goes through, where that differs between
    /// ranks: what its own iterator goes through, or, in a loader, what it was made with.
    pub(super) fn turns_of_object(&mut self, object: Value) -> Option<Value> {
        let Node::Instance(class, args) = self.values.node(object).clone() else { return None };
        // A loader that is made with the same everywhere sees to it that its ranks come out even.
        let is_even = args.iter().all(|&arg| self.values.shape(arg).is_empty());
        let loads = |&class: &ClassId| {
            let (file, local) = self.program.locate_class(class);
            self.program.file(file).model.class(local).name.as_str().contains("Loader")
        };
        if is_even && self.program.lineage(class).iter().any(loads) {
            return None;
        }
        if let Some(dealt) = self.dealt(object) {
            return Some(dealt);
        }
        if is_even {
            return None;
        }
        let loader =
            self.program.external_bases(class).into_iter().find(|base| {
                is_loader(base.last_part()) && base.last_part().as_str().starts_with(char::is_uppercase)
            })?;
        let samples = self.program.method(class, Symbol::new("__init__")).is_some_and(|constructor| {
            let (file, local) = self.program.locate(constructor);
            let mentions = &self.program.file(file).model.function(local).mentions;
            mentions.iter().any(|name| name.as_str().ends_with("Sampler"))
        });
        (!samples).then(|| self.values.make(Node::Apply(loader, args)))
    }

    /// What a loop goes through that is handed an object only now: what decides how many items that has, where it deals them
    /// out to ranks.
    pub(super) fn gone_through(&mut self, iterated: Value) -> Value {
        let object = match *self.values.node(iterated) {
            Node::Loader(object, _) => object,
            _ => iterated,
        };
        if self.led >= MAX_NESTING || !matches!(self.values.node(object), Node::Instance(..)) {
            return iterated;
        }
        self.led += 1;
        let turns = self.turns_of_object(object);
        self.led -= 1;
        turns.unwrap_or(iterated)
    }

    /// What decides how many items a sampler of the program gives to this rank: it sees to it itself that they are as many
    /// everywhere, or does not.
    pub(super) fn dealt_by_sampler(&mut self, sampler: Value) -> Option<Value> {
        let Node::Instance(class, _) = *self.values.node(sampler) else { return None };
        if self.evens_out(class) {
            return None;
        }
        self.dealt(sampler)
    }

    /// Whether a method of the class speaks of giving each rank as many items. A constructor that hands on an option to leave
    /// some out, and does not ask for it, says nothing.
    fn evens_out(&self, class: ClassId) -> bool {
        let constructor = Symbol::new("__init__");
        self.own_methods(class).any(|(name, method)| {
            let evens_out = |name: &&Symbol| EVENING_OUT.iter().any(|word| name.as_str().contains(word));
            let told: Vec<&Symbol> = method.mentions.iter().filter(evens_out).collect();
            match told[..] {
                [option] if name == constructor => option.as_str() != OPTION,
                _ => !told.is_empty(),
            }
        })
    }

    /// Whether a method of the class asks its peers.
    fn asks_peers(&self, class: ClassId) -> bool {
        let asks = |name: &Symbol| ASKING_PEERS.iter().any(|word| name.as_str().contains(word));
        self.own_methods(class).any(|(_, method)| method.mentions.iter().any(asks))
    }

    /// The methods that a class has of its own.
    fn own_methods(&self, class: ClassId) -> impl Iterator<Item = (Symbol, &'p Function)> + use<'p> {
        let (file, local) = self.program.locate_class(class);
        let model = &self.program.file(file).model;
        model.class(local).methods.iter().map(|&(name, method)| (name, model.function(method)))
    }

    /// What decides how many items an object yields, where that differs between ranks.
    fn dealt(&mut self, dataset: Value) -> Option<Value> {
        let Node::Instance(class, _) = *self.values.node(dataset) else { return None };
        // Who asks its peers in its own methods deals out as many to each of them.
        if self.asks_peers(class) {
            return None;
        }
        let program = self.program;
        let own = |name: &str| program.method(class, Symbol::new(name));
        let (method, iterates) = match (own("__iter__"), own("__len__")) {
            (Some(iterator), _) => (iterator, true),
            (None, Some(length)) => (length, false),
            (None, None) => return None,
        };
        let mut substitution = self.of_object(method, dataset);
        self.dealt_in(method, iterates, &mut substitution)
    }

    /// What a method of an object speaks of, in terms of what the object was made with.
    fn of_object(&mut self, method: FunctionId, object: Value) -> Substitution {
        let mut substitution = Substitution::default();
        substitution.parameters(method, &[object]);
        substitution.given(self.constructed(object));
        substitution
    }

    /// What decides how often a generator yields, where that differs between ranks. One that communicates may do so in turns
    /// in which it yields nothing.
    pub(super) fn dealt_by_generator(
        &mut self,
        frame: &Frame<'p>,
        function: FunctionId,
        args: &[Value],
    ) -> Option<Value> {
        let effects = self.summary(function)?.effects;
        if self.effects.summed(effects).events {
            return None;
        }
        let mut substitution = Substitution::default();
        substitution.parameters(function, args);
        self.capture_environment(frame, function, &mut substitution);
        self.dealt_in(function, true, &mut substitution)
    }

    /// How many there are in an object of the program, as it says itself, where that differs between ranks.
    pub(super) fn length_of_object(&mut self, object: Value) -> Option<Value> {
        let Node::Instance(class, _) = *self.values.node(object) else { return None };
        let method = self.program.method(class, Symbol::new("__len__"))?;
        let result = self.summary(method)?.result;
        let mut substitution = self.of_object(method, object);
        let length = self.replaced(result, &mut substitution);
        (!self.values.vary(length).is_empty()).then_some(length)
    }

    /// Whether an iterator runs a generator of the program, or goes through an object of it.
    pub(super) fn is_made_by_the_program(&self, iterator: Value) -> bool {
        match self.values.node(iterator) {
            Node::Generator(..) | Node::Instance(..) => true,
            Node::Mapped(name, parts) if name.as_str() == "iter" => {
                parts.first().is_some_and(|&part| self.is_made_by_the_program(part))
            }
            _ => false,
        }
    }

    /// What a condition asks. An object answers by its `__bool__`, or by its length.
    pub(super) fn asked(&mut self, frame: &mut Frame<'p>, condition: ExprId) -> Value {
        let value = self.expression(frame, condition);
        let Node::Instance(class, _) = *self.values.node(value) else { return value };
        if let Some(method) = self.program.method(class, Symbol::new("__bool__")) {
            let arguments = Arguments { receiver: Some(value), ..Arguments::default() };
            return self.call_function(frame, method, arguments, frame.model.span(condition));
        }
        self.length_of_object(value).unwrap_or(value)
    }

    /// What decides the number of items, in terms of whoever asks; nothing where it is the same on all ranks.
    fn dealt_in(&mut self, method: FunctionId, iterates: bool, substitution: &mut Substitution) -> Option<Value> {
        let turns = self.turns_of(method, iterates, substitution)?;
        let turns: Vec<Value> = turns.into_iter().filter(|&turn| !self.values.vary(turn).is_empty()).collect();
        if turns.is_empty() {
            return None;
        }
        let range = self.values.make(Node::Range(turns.into()));
        Some(self.values.make(Node::Mapped(Symbol::new(DEALT), Box::from([range]))))
    }

    /// What decides the number of items: the lengths of what an iterator's loops go through, and the conditions under
    /// which it yields; or the length that the object says it has.
    fn turns_of(&mut self, method: FunctionId, iterates: bool, substitution: &mut Substitution) -> Option<Vec<Value>> {
        let summary = self.summary(method)?;
        if !iterates {
            return Some(vec![self.replaced(summary.result, substitution)]);
        }
        if !self.program.function(method).is_generator {
            let length = self.values.make(Node::Length(summary.result));
            return Some(vec![self.replaced(length, substitution)]);
        }
        // What it was made with may say that it never ends: `if not self.infinite: break`.
        let effects = self.replaced_effect(summary.effects, substitution);
        let mut turns = Vec::new();
        let mut pending = vec![effects];
        for _ in 0..MAX_EFFECTS {
            let Some(effect) = pending.pop() else { break };
            if !self.effects.summed(effect).hole {
                continue;
            }
            match self.effects.get(effect).clone() {
                Effect::Loop { kind: LoopKind::For { iter, .. }, .. } => {
                    turns.push(self.values.make(Node::Length(iter)));
                }
                Effect::Loop { kind: LoopKind::While { test }, body, .. } => {
                    // What never ends is never short.
                    if *self.values.node(test) == Node::Bool(true) && !self.is_left(body) {
                        return None;
                    }
                    turns.push(test);
                }
                Effect::Choice { test, then, otherwise, .. } => {
                    let yields = |arm: EffectId| self.effects.summed(arm).hole;
                    if yields(then) != yields(otherwise) {
                        turns.push(test);
                    }
                }
                Effect::Seq(parts) => {
                    // `if index % world != rank: continue`
                    for &part in &parts {
                        if let Effect::Choice { test, then, otherwise, .. } = *self.effects.get(part)
                            && self.breaks(then) != self.breaks(otherwise)
                        {
                            turns.push(test);
                        }
                    }
                }
                _ => {}
            }
            pending.extend(self.below(effect));
        }
        Some(turns)
    }

    /// Whether a loop is left in its body.
    fn is_left(&self, body: EffectId) -> bool {
        // Effects, and whether they are in a loop of their own.
        let mut pending = vec![(body, false)];
        for _ in 0..MAX_EFFECTS {
            let Some((effect, within)) = pending.pop() else { return false };
            let within = match self.effects.get(effect) {
                Effect::Exit(Exit::Return, _) => return true,
                Effect::Exit(Exit::Break, _) if !within => return true,
                Effect::Loop { .. } => true,
                _ => within,
            };
            pending.extend(self.below(effect).into_iter().map(|below| (below, within)));
        }
        true
    }

    /// Whether a block is left in it.
    fn breaks(&self, effect: EffectId) -> bool {
        let mut pending = vec![effect];
        for _ in 0..MAX_EFFECTS {
            let Some(effect) = pending.pop() else { return false };
            if let Effect::Exit(Exit::Break | Exit::Continue | Exit::Return, _) = self.effects.get(effect) {
                return true;
            }
            pending.extend(self.below(effect));
        }
        false
    }
}
