//! Loops: how often they turn, what they go through, and what each turn finds.

use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::catalog::ValueKind;
use crate::flow::{ChoiceForm, Effect, Effects, Exit, LoopKind, Node, Value};
use crate::model::{Block, Expr, ExprId};

impl<'p> Engine<'p> {
    pub(super) fn while_loop(&mut self, frame: &mut Frame<'p>, test: ExprId, body: Block, orelse: Block) {
        let span = frame.model.span(test);
        let mut before_test = Effects::NOTHING;
        let (effect, decided) = self.settle(frame, span, body, None, &mut |engine, frame| {
            let value = engine.asked(frame, test);
            before_test = engine.take_sequence(frame);
            Some(value)
        });
        let test = decided.unwrap_or(self.none);
        let body = self.effects.seq(&[effect], &self.values);
        let orelse = self.detached(frame, orelse);
        // What the condition issues is issued before each turn, and once more before the loop ends.
        let kind = LoopKind::While { test };
        let whole = if before_test == Effects::NOTHING {
            self.effects.make(Effect::Loop { kind, site: frame.site(span), body, orelse }, &self.values)
        } else {
            let stop = self.effects.make(Effect::Exit(Exit::Break, frame.site(span)), &self.values);
            let choice = Effect::Choice {
                test,
                site: frame.site(span),
                form: ChoiceForm::Statement,
                then: body,
                otherwise: stop,
            };
            let choice = self.effects.make(choice, &self.values);
            let turn = self.effects.seq(&[before_test, choice], &self.values);
            let always = self.values.make(Node::Bool(true));
            let kind = LoopKind::While { test: always };
            self.effects.make(Effect::Loop { kind, site: frame.site(span), body: turn, orelse }, &self.values)
        };
        self.emit(frame, whole);
    }

    pub(super) fn for_loop(&mut self, frame: &mut Frame<'p>, target: ExprId, iter: ExprId, body: Block, orelse: Block) {
        let span = frame.model.span(iter);
        let iter_value = self.expression(frame, iter);
        let iter_value = self.iterated(frame, iter, iter_value);
        let item = self.item_of(frame, iter_value, span);
        let length = self.values.make(Node::Length(iter_value));
        let pulled = self.pulled(frame, iter_value, span);
        self.elements.push(item);
        let (effect, _) = self.settle(frame, span, body, Some(length), &mut |engine, frame| {
            engine.bind_item(frame, target, iter_value, item);
            None
        });
        self.elements.pop();
        let effect = self.effects.seq(&[pulled, effect], &self.values);
        let orelse = self.detached(frame, orelse);
        let iter = self.counted(frame, iter_value);
        let (kind, effect) = self.loop_over((iter, item), effect);
        let whole = Effect::Loop { kind, site: frame.site(span), body: effect, orelse };
        let whole = self.effects.make(whole, &self.values);
        self.emit(frame, whole);
    }

    /// `yield from values`: each of them is yielded.
    pub(super) fn yield_each(&mut self, frame: &mut Frame<'p>, iter: Value, span: Span) {
        let item = self.item_of(frame, iter, span);
        let iter = self.counted(frame, iter);
        let body = self.effects.make(Effect::Hole, &self.values);
        let kind = LoopKind::For { iter, item };
        let whole = Effect::Loop { kind, site: frame.site(span), body, orelse: Effects::NOTHING };
        let whole = self.effects.make(whole, &self.values);
        self.emit(frame, whole);
    }

    /// An element of what a loop goes through: a generator that is given a batch yields parts of it.
    fn item_of(&mut self, frame: &Frame<'p>, iter: Value, span: Span) -> Value {
        let shares: Vec<Value> = match self.values.node(iter) {
            Node::Generator(_, args) => args.iter().copied().filter(|&arg| self.is_share(arg)).collect(),
            _ => Vec::new(),
        };
        match shares.is_empty() {
            true => self.values.make(Node::Item(frame.site(span), iter)),
            false => self.values.make(Node::Apply(Symbol::new("yielded"), shares.into())),
        }
    }

    /// What decides the number of turns: the same with a progress bar around it, or as a list.
    pub(super) fn counted(&mut self, frame: &Frame<'p>, iter: Value) -> Value {
        match self.values.node(iter).clone() {
            Node::Mapped(name, parts)
                if parts.len() == 1 && matches!(name.as_str(), "tqdm" | "iter" | "enumerate" | "list" | "tuple") =>
            {
                self.counted(frame, parts[0])
            }
            Node::If(test, then, otherwise) => {
                let then = self.counted(frame, then);
                let otherwise = self.counted(frame, otherwise);
                self.values.make(Node::If(test, then, otherwise))
            }
            Node::Mapped(name, parts)
                if matches!(name.as_str(), "items" | "keys" | "values") && self.has_fields(parts[0]) =>
            {
                self.values.make(Node::Kind(parts[0]))
            }
            Node::Instance(..) => self.turns_of_object(iter).unwrap_or(iter),
            Node::Generator(function, args) => {
                let turns = self.turns_of_generator(frame, function, &args);
                turns.or_else(|| self.dealt_by_generator(frame, function, &args)).unwrap_or(iter)
            }
            Node::Loader(object, _) => self.turns_of_object(object).unwrap_or(iter),
            _ => iter,
        }
    }

    /// Binds the target of a loop to an element of what is iterated.
    pub(super) fn bind_item(&mut self, frame: &mut Frame<'p>, target: ExprId, iter: Value, item: Value) {
        let model = frame.model;
        if let Expr::Tuple(parts) = model.expr(target)
            && let Node::Mapped(name, sources) = self.values.node(self.values.without_bar(iter)).clone()
        {
            let parts: Vec<ExprId> = model.list(parts).to_vec();
            match (name.as_str(), &parts[..], &sources[..]) {
                ("enumerate", &[index, element], &[source]) => {
                    let site = frame.site(model.span(index));
                    let length = self.values.make(Node::Length(source));
                    let range = self.values.make(Node::Range(Box::from([length])));
                    let counter = self.values.make(Node::Item(site, range));
                    self.assign_one_of(frame, index, counter);
                    let item = self.values.make(Node::Item(frame.site(model.span(element)), source));
                    return self.bind_item(frame, element, source, item);
                }
                ("items", &[key, element], &[source]) => {
                    let keys = self.values.make(Node::Length(source));
                    let key_value = self.values.make(Node::Item(frame.site(model.span(key)), keys));
                    self.assign_one_of(frame, key, key_value);
                    let item = self.values.make(Node::Item(frame.site(model.span(element)), source));
                    return self.assign_one_of(frame, element, item);
                }
                ("zip", parts, sources) if parts.len() == sources.len() => {
                    for (&part, &source) in parts.iter().zip(sources) {
                        let item = self.values.make(Node::Item(frame.site(model.span(part)), source));
                        self.bind_item(frame, part, source, item);
                    }
                    return;
                }
                _ => {}
            }
        }
        self.assign_one_of(frame, target, item);
    }

    /// Binds a variable to one of many: `for rank in ranks` goes through the ranks, whatever the name says of this one.
    fn assign_one_of(&mut self, frame: &mut Frame<'p>, target: ExprId, value: Value) {
        let model = frame.model;
        let of_this_rank = |name: Symbol| {
            let convention = self.program.catalog.convention(name);
            convention
                .is_some_and(|known| matches!(known.value.kind, ValueKind::Rank | ValueKind::First | ValueKind::Last))
        };
        match model.expr(target) {
            Expr::Name(name) if of_this_rank(name) => {
                frame.set(name, value);
                frame.forget_paths(name);
            }
            Expr::Tuple(parts) | Expr::ListDisplay(parts) => {
                for (part, element) in self.unpacked_into(frame, parts, value) {
                    self.assign_one_of(frame, part, element);
                }
            }
            _ => self.assign(frame, target, value),
        }
    }
}
