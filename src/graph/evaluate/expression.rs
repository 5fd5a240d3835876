//! Expressions: their symbolic value, and the effects of evaluating them, in order.

use crate::base::{Span, Symbol};
use crate::finding::Confidence;
use crate::flow::{ChoiceForm, Effect, Effects, Node, REPEAT, Value};
use crate::model::{BinaryOp, Expr, ExprId, UnaryOp};

use super::super::resolve::{Scope, Target};
use super::{Engine, Frame};

impl<'p> Engine<'p> {
    /// The value of an expression; what evaluating it issues is emitted into the frame.
    pub(super) fn expression(&mut self, frame: &mut Frame<'p>, id: ExprId) -> Value {
        let value = self.expressed(frame, id);
        match frame.pools && self.taint.pooled().asks(frame.function, id) {
            true => self.asked_of_pooled(frame, id, value),
            false => value,
        }
    }

    fn expressed(&mut self, frame: &mut Frame<'p>, id: ExprId) -> Value {
        let model = frame.model;
        let span = model.span(id);
        match model.expr(id) {
            Expr::Missing => self.unknown(frame, span),
            Expr::None => self.none,
            Expr::Bool(known) => self.values.make(Node::Bool(known)),
            Expr::Int(known) => self.values.make(Node::Int(i64::from(known))),
            Expr::Str(text) => self.values.make(Node::Str(text)),
            Expr::Name(name) => self.name(frame, name, span),
            Expr::Attribute { value, name } => self.attribute_of(frame, id, value, name),
            Expr::Call(call) => {
                let call = model.call(call);
                self.call(frame, id, call)
            }
            Expr::Unary(op, operand) => {
                let operand = match op {
                    UnaryOp::Not => self.asked(frame, operand),
                    _ => self.expression(frame, operand),
                };
                match op {
                    UnaryOp::Not => self.values.make(Node::Not(operand)),
                    UnaryOp::Plus => operand,
                    UnaryOp::Minus if let Node::Int(number) = *self.values.node(operand) => {
                        self.values.make(Node::Int(number.wrapping_neg()))
                    }
                    UnaryOp::Minus | UnaryOp::Invert => {
                        self.values.make(Node::Apply(Symbol::new("negative"), Box::from([operand])))
                    }
                }
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.expression(frame, left), self.expression(frame, right));
                self.binary(op, left, right)
            }
            Expr::Compare(op, left, right) => {
                let asked = left;
                let (left, right) = (self.expression(frame, left), self.expression(frame, right));
                if let Some(distributed) = self.asks_for_no_rank(frame, asked, (left, op, right)) {
                    return distributed;
                }
                let left = self.labels_of_a_batch(frame, asked, (left, op, right));
                let op = self.asks_for_batch(frame, asked, (left, op, right));
                if let Some(is_set) = self.asks_for_key(frame, (left, op, right), model.span(asked)) {
                    return is_set;
                }
                match op {
                    crate::model::CompareOp::Eq if self.asks_for_mpi(left, right) => {
                        self.values.make(Node::Bool(false))
                    }
                    _ => self.values.make(Node::Compare(op, left, right)),
                }
            }
            Expr::And(parts) => self.short_circuit(frame, model.list(parts).to_vec(), true),
            Expr::Or(parts) => self.short_circuit(frame, model.list(parts).to_vec(), false),
            Expr::IfElse(at) => {
                let [test, then, otherwise] = model.if_else(at);
                let at = model.span(test);
                let test = self.asked(frame, test);
                match self.values.node(test) {
                    Node::Bool(true) => return self.expression(frame, then),
                    Node::Bool(false) => return self.expression(frame, otherwise),
                    _ => {}
                }
                let (then, then_effect) = self.aside(frame, Some(test), then);
                let negated = self.values.make(Node::Not(test));
                let (otherwise, otherwise_effect) = self.aside(frame, Some(negated), otherwise);
                self.choose(frame, test, at, ChoiceForm::Expression, then_effect, otherwise_effect);
                let value = self.values.make(Node::If(test, then, otherwise));
                if self.may_part(test) && matches!(self.values.node(value), Node::If(..)) {
                    self.set_apart(value, frame, at, None);
                }
                value
            }
            Expr::Subscript(container, index) => {
                let value = self.expression(frame, container);
                let index = self.expression(frame, index);
                match self.entry_of_module(frame, container, value, index) {
                    Some(entry) => entry,
                    None => self.subscript(frame, value, index, span),
                }
            }
            Expr::Slice(parts) => {
                let parts: Vec<ExprId> = model.list(parts).to_vec();
                let parts: Vec<Value> = parts.into_iter().map(|part| self.expression(frame, part)).collect();
                self.values.make(Node::Range(parts.into()))
            }
            Expr::Tuple(parts) | Expr::ListDisplay(parts) | Expr::Set(parts) => {
                let parts: Vec<ExprId> = model.list(parts).to_vec();
                let starred = parts.iter().any(|&part| matches!(model.expr(part), Expr::Starred(_)));
                let values: Vec<Value> = parts.into_iter().map(|part| self.expression(frame, part)).collect();
                match starred || values.len() > 64 {
                    true => self.values.make(Node::Mapped(Symbol::new("display"), values.into())),
                    false => self.values.make(Node::Sequence(values.into())),
                }
            }
            Expr::Dict(parts) => self.dict_display(frame, model.list(parts)),
            Expr::Comprehension(index) => {
                let comprehension = model.comprehension(index);
                self.comprehension(frame, comprehension, span)
            }
            Expr::Lambda(function) => {
                let id = self.program.function_id(frame.file, function);
                self.values.make(Node::Function(id, None))
            }
            Expr::Await(value) => self.awaited(frame, value),
            Expr::Starred(value) => self.expression(frame, value),
            Expr::Yield(value) => {
                self.expression(frame, value);
                let hole = self.effects.make(Effect::Hole, &self.values);
                self.emit(frame, hole);
                self.unknown(frame, span)
            }
            Expr::YieldFrom(value) => {
                let value = self.expression(frame, value);
                let pulled = self.pulled(frame, value, span);
                self.emit(frame, pulled);
                if !matches!(self.values.node(value), Node::Generator(..)) {
                    self.yield_each(frame, value, span);
                }
                self.unknown(frame, span)
            }
            Expr::Format(parts) => {
                let parts: Vec<ExprId> = model.list(parts).to_vec();
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    let value = self.expression(frame, part);
                    self.shown(frame, part, value, model.span(part));
                    values.push(value);
                }
                self.values.make(Node::Apply(Symbol::new("format"), values.into()))
            }
            Expr::Walrus(name, value) => {
                let value = self.expression(frame, value);
                frame.set(name, value);
                value
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        if let (BinaryOp::Add, Node::Sequence(one), Node::Sequence(other)) =
            (op, self.values.node(left), self.values.node(right))
        {
            let whole: Vec<Value> = one.iter().chain(other.iter()).copied().collect();
            return self.values.make(Node::Sequence(whole.into()));
        }
        if let (BinaryOp::Mul, Node::Sequence(_)) = (op, self.values.node(left)) {
            let count = self.values.make(Node::Range(Box::from([right])));
            return self.values.make(Node::Mapped(Symbol::new(REPEAT), Box::from([count, left])));
        }
        self.values.make(Node::Binary(op, left, right))
    }

    /// Evaluates an expression whose effects are not always reached; returns them apart.
    pub(super) fn aside(
        &mut self,
        frame: &mut Frame<'p>,
        guard: Option<Value>,
        expr: ExprId,
    ) -> (Value, crate::flow::EffectId) {
        let outer = std::mem::take(&mut frame.sequence);
        frame.guards.extend(guard);
        let value = self.expression(frame, expr);
        if guard.is_some() {
            frame.guards.pop();
        }
        let effect = self.take_sequence(frame);
        frame.sequence = outer;
        (value, effect)
    }

    fn short_circuit(&mut self, frame: &mut Frame<'p>, parts: Vec<ExprId>, conjunction: bool) -> Value {
        let Some((&first, rest)) = parts.split_first() else { return self.none };
        let at = frame.model.span(first);
        let left = self.expression(frame, first);
        if rest.is_empty() {
            return left;
        }
        let negated = self.values.make(Node::Not(left));
        let guard = if conjunction { left } else { negated };
        let outer = std::mem::take(&mut frame.sequence);
        frame.guards.push(guard);
        let right = self.short_circuit(frame, rest.to_vec(), conjunction);
        frame.guards.pop();
        let effect = self.take_sequence(frame);
        frame.sequence = outer;
        let (then, otherwise) = if conjunction { (effect, Effects::NOTHING) } else { (Effects::NOTHING, effect) };
        self.choose(frame, left, at, ChoiceForm::Expression, then, otherwise);
        self.values.make(if conjunction { Node::And(left, right) } else { Node::Or(left, right) })
    }

    fn name(&mut self, frame: &mut Frame<'p>, name: Symbol, span: Span) -> Value {
        if let Some(value) = frame.get(name) {
            return value;
        }
        match self.program.scope_of(frame.file, frame.local, name) {
            Scope::Local(owner) if owner == frame.local => self.unbound(frame, name, span),
            Scope::Local(owner) => {
                let owner_id = self.program.function_id(frame.file, owner);
                let target = self.nested_definition(frame, owner, name);
                target.unwrap_or_else(|| self.values.make(Node::Capture(owner_id, name)))
            }
            Scope::Global => match self.program.global(frame.file, name) {
                Some(Target::Function(function)) => self.decorated(frame, function),
                Some(target) => self.target_value(target),
                None => self.unbound(frame, name, span),
            },
        }
    }

    /// A function that an enclosing function defines and never rebinds.
    fn nested_definition(
        &mut self,
        frame: &mut Frame<'p>,
        owner: crate::model::LocalFunction,
        name: Symbol,
    ) -> Option<Value> {
        let model = frame.model;
        let mut found = None;
        crate::model::each_statement(model, model.function(owner).body, &mut |_, stmt| match stmt {
            crate::model::Stmt::Function(function) if model.function(*function).name == name => found = Some(*function),
            _ => {}
        });
        let id = self.program.function_id(frame.file, found?);
        Some(self.decorated(frame, id))
    }

    /// A name about which nothing but its spelling is known.
    fn unbound(&mut self, frame: &mut Frame<'p>, name: Symbol, span: Span) -> Value {
        if let Some(convention) = self.program.catalog.convention(name) {
            let meaning = convention.value.clone();
            if let Some(value) = self.meaning(&meaning, frame, span) {
                let reason = format!("`{name}` is this rank's own, by its name");
                self.born(value, frame, span, &reason, Confidence::Medium);
                return value;
            }
        }
        self.values.make(Node::External(name))
    }

    pub(super) fn subscript(&mut self, frame: &mut Frame<'p>, value: Value, index: Value, span: Span) -> Value {
        match self.values.node(value) {
            Node::External(dotted) if matches!(dotted.as_str(), "os.environ" | "os.environb") => {
                let arguments = super::arguments::Arguments { positional: vec![(index, None)], ..Default::default() };
                return self.environment(frame, &arguments, span);
            }
            _ => {}
        }
        let there = self.where_there(value);
        if matches!(self.values.node(there), Node::Typed(_) | Node::Mesh(_) | Node::AxisGroup(_))
            && let Some(axes) = self.axes_of_index(there, index)
        {
            return self.values.make(Node::AxisGroup(axes));
        }
        self.values.make(Node::Index(value, index))
    }
}
