//! Effects of callees in short: what matters to a caller, and no more.

use rustc_hash::FxHashMap;

use super::substitute::Substitution;
use super::{Engine, Frame, MAX_INLINE};
use crate::base::{FunctionId, Site, Span, Symbol};
use crate::finding::Confidence;
use crate::flow::{Effect, EffectId, Effects, HandlerEffect, LoopKind, Node, Summed, Value};

/// Effects up to this weight are not told any shorter.
const SHORT: u32 = 4;

impl<'p> Engine<'p> {
    /// A callee too large to copy: one event on each group it uses.
    pub(super) fn abbreviated(
        &mut self,
        effects: EffectId,
        function: FunctionId,
        frame: &mut Frame<'p>,
        span: Span,
    ) -> EffectId {
        self.abbreviated_at(effects, function, frame.site(span))
    }

    pub(super) fn abbreviated_at(&mut self, effects: EffectId, function: FunctionId, site: Site) -> EffectId {
        let body = self.gist(effects, function);
        match body {
            Effects::NOTHING => body,
            _ => self.effects.make(Effect::Call { function, site, body }, &self.values),
        }
    }

    /// What a function does, where that is too large to copy: what all ranks do alike told in short, the rest as it is.
    pub(super) fn condensed_summary(&mut self, function: FunctionId, effects: EffectId) -> EffectId {
        if self.effects.summed(effects).weight <= MAX_INLINE {
            return effects;
        }
        if let Some(&known) = self.condensed.get(&function) {
            return known;
        }
        let short = self.condensed(effects, function);
        self.condensed.insert(function, short);
        short
    }

    /// A large effect with what all ranks do alike told in short, whatever callers decide in it, for when it is too large
    /// to be compared as it is, even without its checks.
    pub(in crate::graph) fn in_short(&mut self, root: EffectId, function: FunctionId) -> EffectId {
        let short = self.without_checks(root);
        let is_alike = |summed: Summed| summed.answers.is_empty();
        let short = self.condensed_part(short, function, &is_alike, &mut FxHashMap::default());
        if short != root {
            self.shortened.insert(short);
        }
        short
    }

    /// The effect with all parts told in short that neither ranks nor callers decide.
    pub(super) fn condensed(&mut self, effect: EffectId, function: FunctionId) -> EffectId {
        let is_settled = |summed: Summed| summed.varies.is_empty() && !summed.open;
        self.condensed_part(effect, function, &is_settled, &mut FxHashMap::default())
    }

    fn condensed_part(
        &mut self,
        effect: EffectId,
        function: FunctionId,
        settled: &dyn Fn(Summed) -> bool,
        known: &mut FxHashMap<EffectId, EffectId>,
    ) -> EffectId {
        let summed = self.effects.summed(effect);
        if summed.weight <= SHORT {
            return effect;
        }
        if let Some(&short) = known.get(&effect) {
            return short;
        }
        let told = self.effects.get(effect).clone();
        let is_whole = !(summed.hole || summed.invokes || summed.pending);
        let stays = !summed.exits || matches!(told, Effect::Call { .. });
        let short = if is_whole && stays && settled(summed) {
            match told {
                Effect::Call { function, site, body } => self.abbreviated_at(body, function, site),
                _ => self.gist(effect, function),
            }
        } else {
            let below = match told {
                Effect::Call { function, .. } => function,
                _ => function,
            };
            let parts: Vec<EffectId> =
                self.below(effect).into_iter().map(|part| self.condensed_part(part, below, settled, known)).collect();
            self.with_parts(told, &parts).unwrap_or(effect)
        };
        known.insert(effect, short);
        short
    }

    /// The effect with other parts, in the order in which it has them; absent for one without parts.
    pub(super) fn with_parts(&mut self, effect: Effect, parts: &[EffectId]) -> Option<EffectId> {
        let made = match effect {
            Effect::Seq(_) => return Some(self.effects.seq(parts, &self.values)),
            Effect::Choice { test, site, form, .. } => {
                Effect::Choice { test, site, form, then: parts[0], otherwise: parts[1] }
            }
            Effect::Loop { kind, site, .. } => Effect::Loop { kind, site, body: parts[0], orelse: parts[1] },
            Effect::Try { handlers, .. } => {
                let handled = handlers.len();
                let handlers = handlers
                    .iter()
                    .zip(&parts[1..])
                    .map(|(handler, &body)| HandlerEffect { catches: handler.catches.clone(), body })
                    .collect();
                Effect::Try { body: parts[0], handlers, orelse: parts[handled + 1], finally: parts[handled + 2] }
            }
            Effect::Scope { .. } => Effect::Scope { manager: parts[0], body: parts[1] },
            Effect::Call { function, site, .. } => Effect::Call { function, site, body: parts[0] },
            Effect::Nothing
            | Effect::Event(_)
            | Effect::Exit(..)
            | Effect::Hole
            | Effect::Invoke { .. }
            | Effect::Pending { .. } => return None,
        };
        Some(self.effects.make(made, &self.values))
    }

    /// One event on each group that the effect uses.
    pub(super) fn gist(&mut self, effects: EffectId, function: FunctionId) -> EffectId {
        let mut groups: Vec<Value> = Vec::new();
        let mut pending = vec![effects];
        let mut steps = 0;
        let mut template = None;
        while let Some(effect) = pending.pop() {
            steps += 1;
            if steps > 5_000 || groups.len() >= 4 {
                break;
            }
            match self.effects.get(effect) {
                Effect::Seq(parts) => pending.extend(parts.iter().copied()),
                Effect::Event(event) => {
                    let event = self.effects.event(*event);
                    if !groups.contains(&event.group) && !self.values.facts(event.group).open {
                        groups.push(event.group);
                    }
                    template = template.or(Some(event.clone()));
                }
                Effect::Choice { then, otherwise, .. } => pending.extend([*then, *otherwise]),
                Effect::Loop { body, orelse, .. } => pending.extend([*body, *orelse]),
                Effect::Try { body, handlers, orelse, finally } => {
                    pending.extend([*body, *orelse, *finally]);
                    pending.extend(handlers.iter().map(|handler| handler.body));
                }
                Effect::Scope { manager, body } => pending.extend([*manager, *body]),
                Effect::Call { body, .. } => pending.push(*body),
                Effect::Nothing | Effect::Exit(..) | Effect::Hole | Effect::Invoke { .. } | Effect::Pending { .. } => {}
            }
        }
        let Some(template) = template else { return Effects::NOTHING };
        groups.sort();
        let name = self.program.function(function).name;
        let mut parts = Vec::new();
        for group in groups {
            let event = crate::flow::Event {
                op: Symbol::new(&format!("{name}()")),
                creates: false,
                implicit: true,
                sharded: false,
                group,
                root: None,
                root_parameter: None,
                operator: None,
                members: None,
                shaped: None,
                place: None,
                site: template.site,
                // What decides inside is left out, so that little can be said about who issues it.
                confidence: Confidence::Low,
            };
            parts.push(self.effects.issue(event, &self.values));
        }
        self.effects.seq(&parts, &self.values)
    }

    /// What pulling elements out of an iterated value issues on each turn: generators run when they are pulled.
    pub(super) fn pulled(&mut self, frame: &mut Frame<'p>, iter: Value, span: Span) -> EffectId {
        match self.values.node(iter).clone() {
            Node::Generator(function, args) => {
                let Some(body) = self.run_of_generator(frame, function, &args) else { return Effects::NOTHING };
                // The body of the generator's own loop is what one pull runs.
                let body = self.one_turn(body);
                self.effects.make(Effect::Call { function, site: frame.site(span), body }, &self.values)
            }
            Node::Mapped(_, parts) => {
                let parts: Vec<EffectId> = parts.iter().map(|&part| self.pulled(frame, part, span)).collect();
                self.effects.seq(&parts, &self.values)
            }
            _ => Effects::NOTHING,
        }
    }

    /// What a generator issues from its beginning to its end.
    fn run_of_generator(&mut self, frame: &Frame<'p>, function: FunctionId, args: &[Value]) -> Option<EffectId> {
        if !self.reaches(function) {
            return None;
        }
        let mut substitution = Substitution::default();
        substitution.parameters(function, args);
        self.capture_environment(frame, function, &mut substitution);
        let effects = self.summary(function)?.effects;
        Some(self.replaced_effect(effects, &mut substitution))
    }

    /// What a generator yields once for each of: it does nothing else but go through that.
    pub(super) fn turns_of_generator(
        &mut self,
        frame: &Frame<'p>,
        function: FunctionId,
        args: &[Value],
    ) -> Option<Value> {
        let whole = self.run_of_generator(frame, function, args)?;
        let parts = |effect: EffectId| match self.effects.get(effect) {
            Effect::Seq(parts) => parts.to_vec(),
            _ => vec![effect],
        };
        // The only part that yields, if there is one.
        let yielding = |effect: EffectId| -> Option<EffectId> {
            let parts = parts(effect);
            let mut yields = parts.iter().copied().filter(|&part| self.effects.summed(part).hole);
            let first = yields.next()?;
            (yields.next().is_none() && !parts.iter().any(|&part| self.effects.summed(part).exits)).then_some(first)
        };
        let Effect::Loop { kind: LoopKind::For { iter, .. }, body, .. } = *self.effects.get(yielding(whole)?) else {
            return None;
        };
        matches!(self.effects.get(yielding(body)?), Effect::Hole).then_some(iter)
    }

    fn one_turn(&mut self, effect: EffectId) -> EffectId {
        match self.effects.get(effect).clone() {
            Effect::Loop { body, .. } if self.effects.summed(body).hole => body,
            Effect::Seq(parts) => {
                let parts: Vec<EffectId> = parts.iter().map(|&part| self.one_turn(part)).collect();
                self.effects.seq(&parts, &self.values)
            }
            _ => effect,
        }
    }
}
