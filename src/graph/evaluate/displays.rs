//! Displays of mappings, and comprehensions.

use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::flow::{COLLECTED, COMPREHENSION, ChoiceForm, Effect, Effects, LoopKind, MERGED, Node, SPREAD, Value};
use crate::model::{Comprehension, ComprehensionKind, Expr, ExprId};

/// Entries of one display whose values are kept apart.
const MAX_PAIRS: usize = 64;

impl<'p> Engine<'p> {
    /// A mapping of what is written there, or of what else is spread into it.
    pub(super) fn dict_display(&mut self, frame: &mut Frame<'p>, parts: &[ExprId]) -> Value {
        let mut pairs: Vec<(Value, Value)> = Vec::with_capacity(parts.len() / 2);
        let mut is_merged = false;
        for pair in parts.chunks_exact(2) {
            let key = match frame.model.expr(pair[0]) {
                Expr::Missing => {
                    is_merged = true;
                    self.values.make(Node::Apply(Symbol::new(SPREAD), Box::default()))
                }
                _ => self.expression(frame, pair[0]),
            };
            pairs.push((key, self.expression(frame, pair[1])));
        }
        match is_merged || pairs.len() > MAX_PAIRS {
            true => {
                let parts = pairs.into_iter().flat_map(|(key, value)| [key, value]).collect();
                self.values.make(Node::Mapped(Symbol::new(MERGED), parts))
            }
            false => self.values.make(Node::Mapping(pairs.into())),
        }
    }

    pub(super) fn comprehension(
        &mut self,
        frame: &mut Frame<'p>,
        comprehension: &'p Comprehension,
        span: Span,
    ) -> Value {
        let mark = frame.log.len();
        let outer = std::mem::take(&mut frame.sequence);
        let value = self.clauses(frame, comprehension, 0, span);
        let effect = self.take_sequence(frame);
        frame.sequence = outer;
        let changes = frame.rollback(mark);
        // Only what `:=` binds outlives the comprehension; its own targets do not.
        drop(changes);
        match comprehension.kind {
            // A generator issues when it is pulled; most are pulled where they stand, as an argument.
            ComprehensionKind::Generator if effect != Effects::NOTHING => {
                self.emit(frame, effect);
            }
            _ => self.emit(frame, effect),
        }
        value
    }

    fn clauses(&mut self, frame: &mut Frame<'p>, comprehension: &'p Comprehension, at: usize, span: Span) -> Value {
        let model = frame.model;
        let Some(clause) = comprehension.clauses.get(at) else {
            if let Some(key) = comprehension.key {
                self.expression(frame, key);
            }
            return self.expression(frame, comprehension.element);
        };
        let iter_span = model.span(clause.iter);
        let iter = self.expression(frame, clause.iter);
        let iter = self.iterated(frame, clause.iter, iter);
        let item = self.values.make(Node::Item(frame.site(iter_span), iter));
        let pulled = self.pulled(frame, iter, iter_span);
        let outer = std::mem::take(&mut frame.sequence);
        self.bind_item(frame, clause.target, iter, item);
        let mut tests = Vec::new();
        for &condition in model.list(clause.conditions) {
            tests.push((self.expression(frame, condition), model.span(condition)));
        }
        let before = self.take_sequence(frame);
        frame.guards.extend(tests.iter().map(|test| test.0));
        let inner = self.clauses(frame, comprehension, at + 1, span);
        frame.guards.truncate(frame.guards.len() - tests.len());
        let mut effect = self.take_sequence(frame);
        for &(test, at) in tests.iter().rev() {
            let choice = Effect::Choice {
                test,
                site: frame.site(at),
                form: ChoiceForm::Expression,
                then: effect,
                otherwise: Effects::NOTHING,
            };
            effect = self.effects.make(choice, &self.values);
        }
        let body = self.effects.seq(&[pulled, before, effect], &self.values);
        frame.sequence = outer;
        let kind = LoopKind::For { iter, item };
        let whole = Effect::Loop { kind, site: frame.site(iter_span), body, orelse: Effects::NOTHING };
        let whole = self.effects.make(whole, &self.values);
        self.emit(frame, whole);
        let content = self.values.make(Node::Sequence(Box::from([inner])));
        let mut parts = vec![iter, content];
        if at + 1 < comprehension.clauses.len() {
            parts.push(inner);
        }
        if tests.is_empty() {
            let element_of_item = inner == item && comprehension.clauses.len() == 1;
            return match element_of_item {
                true => self.values.make(Node::Mapped(Symbol::new("list"), Box::from([iter]))),
                false => {
                    let collects = matches!(comprehension.kind, ComprehensionKind::Set | ComprehensionKind::Dict);
                    let made = if collects { COLLECTED } else { COMPREHENSION };
                    self.values.make(Node::Mapped(Symbol::new(made), parts.into()))
                }
            };
        }
        let tests: Vec<Value> = tests.into_iter().map(|test| test.0).collect();
        parts.push(self.values.make(Node::Range(tests.into())));
        self.values.make(Node::Changed(frame.site(span), parts.into()))
    }
}
