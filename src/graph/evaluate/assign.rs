//! Assignments: to names, attributes and elements.

use super::arguments::Arguments;
use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::flow::{Node, STORE, UPDATE, Value};
use crate::model::{Expr, ExprId, List};

impl<'p> Engine<'p> {
    /// Assigns to a name, an attribute path, parts of a tuple, or an element of a container.
    pub(super) fn assign(&mut self, frame: &mut Frame<'p>, target: ExprId, value: Value) {
        let model = frame.model;
        match model.expr(target) {
            Expr::Name(name) => {
                let value = self.named(frame, name, value, model.span(target));
                // `args = prepared(args)` may give back the same object, with all that was set on it.
                let is_same = frame.get(name) == Some(value) && frame.prepared.take() == Some(name);
                frame.set(name, value);
                if !is_same {
                    frame.forget_paths(name);
                }
            }
            Expr::Attribute { value: object, name } => {
                self.set_property(frame, object, name, value, model.span(target));
                if let Some(path) = self.path(frame, target) {
                    let value = self.named(frame, name, value, model.span(target));
                    self.set_path(frame, path, value);
                }
            }
            Expr::Tuple(parts) | Expr::ListDisplay(parts) => {
                for (part, element) in self.unpacked_into(frame, parts, value) {
                    self.assign(frame, part, element);
                }
            }
            Expr::Starred(inner) => self.assign(frame, inner, value),
            Expr::Subscript(container, index) => {
                let index = self.expression(frame, index);
                self.entry_set(frame, container, index, value);
                self.store_element(frame, container, index, value, model.span(target));
            }
            _ => {}
        }
    }

    /// Hands a value to the method that assigns to a property, where the object has one.
    fn set_property(&mut self, frame: &mut Frame<'p>, object: ExprId, name: Symbol, value: Value, span: Span) {
        let (class, receiver) = match frame.receiver {
            Some(own) if frame.model.expr(object) == Expr::Name(own) => (frame.class, frame.get(own)),
            _ => {
                let receiver = self.expression(frame, object);
                (self.class_of_known(receiver), Some(receiver))
            }
        };
        let Some(setter) = class.and_then(|class| self.program.setter(class, name)) else { return };
        let holder = self.path(frame, object);
        let arguments = Arguments { receiver, holder, positional: vec![(value, None)], ..Arguments::default() };
        self.call_function(frame, setter, arguments, span);
    }

    /// What each of several targets is given of a value that is unpacked.
    pub(super) fn unpacked_into(&mut self, frame: &Frame<'p>, targets: List, value: Value) -> Vec<(ExprId, Value)> {
        let model = frame.model;
        let element = |(index, &part): (usize, &ExprId)| {
            let index = self.values.make(Node::Int(index as i64));
            let element = match self.values.node(value) {
                // Who calls knows the parts of what it hands over.
                Node::Sequence(_) | Node::If(..) | Node::Index(..) | Node::Parameter(..) => Node::Index(value, index),
                _ => Node::Item(frame.site(model.span(part)), value),
            };
            (part, self.values.make(element))
        };
        model.list(targets).iter().enumerate().map(element).collect()
    }

    /// A name can say more than the value: `tp_rank = rank % tp_size` is a coordinate along `tp`.
    pub(super) fn named(&mut self, frame: &Frame<'p>, name: Symbol, value: Value, span: Span) -> Value {
        let convention = self.program.catalog.convention(name);
        let Some(convention) = convention.filter(|_| !self.is_of_a_matrix_here(frame, name)) else {
            return self.named_loader(frame, name, value, span);
        };
        let facts = self.values.facts(value);
        // How many ranks there are is the same on all of them, however it was found out.
        if convention.value.kind == crate::catalog::ValueKind::Size && !facts.vary.is_empty() {
            let meaning = convention.value.clone();
            return self.meaning(&meaning, frame, span).unwrap_or(value);
        }
        let says_nothing = match self.values.node(value) {
            // Which rank is meant was asked of the library: this rank's own is catalogued.
            Node::Apply(called, _) => !called.as_str().starts_with("torch.distributed."),
            Node::Index(whole, _) => matches!(self.values.node(*whole), Node::Parameter(..)),
            node => matches!(
                node,
                Node::Unknown(_) | Node::Attribute(..) | Node::Carried(..) | Node::Item(..) | Node::Local(..)
            ),
        } || (matches!(self.values.node(value), Node::Parameter(..))
            && self.values.meaning(value).is_none());
        // Arithmetic on the rank by sizes that are not known gives a coordinate of the axis that the name says.
        let opaque_arithmetic = facts.vary.is_all()
            && matches!(self.values.node(value), Node::Binary(..))
            && convention.value.axis.as_str() != "world"
            && !self.is_computable(value);
        if !says_nothing && !opaque_arithmetic {
            return value;
        }
        let meaning = convention.value.clone();
        match self.meaning(&meaning, frame, span) {
            Some(meaning) => {
                let reason = format!("`{name}` is this rank's own, by its name");
                self.born(meaning, frame, span, &reason, crate::finding::Confidence::Medium);
                meaning
            }
            None => value,
        }
    }

    /// Whether arithmetic can be carried out once the rank is known.
    fn is_computable(&self, value: Value) -> bool {
        match self.values.node(value) {
            Node::Binary(_, left, right) => self.is_computable(*left) && self.is_computable(*right),
            Node::Int(_) | Node::Rank(_) | Node::Size(_) | Node::Bool(_) => true,
            Node::Parameter(..) => self.values.meaning(value).is_some(),
            _ => false,
        }
    }

    /// `container[index] += …`: the element is there already, but in what makes the entries that it is asked for.
    pub(super) fn update_element(
        &mut self,
        frame: &mut Frame<'p>,
        container: ExprId,
        index: Value,
        value: Value,
        span: Span,
    ) {
        let Some(path) = self.path(frame, container) else { return };
        let old = self.expression(frame, container);
        if matches!(self.values.node(old), Node::Mapping(_)) || self.values.makes_entries(old) {
            return self.store_element(frame, container, index, value, span);
        }
        let content = self.values.make(Node::Sequence(Box::from([value, index])));
        let new = self.values.make(Node::Mapped(Symbol::new(UPDATE), Box::from([old, content])));
        self.set_path(frame, path, new);
    }

    fn store_element(&mut self, frame: &mut Frame<'p>, container: ExprId, index: Value, value: Value, span: Span) {
        let Some(path) = self.path(frame, container) else { return };
        let old = self.expression(frame, container);
        let new = match (self.values.node(old).clone(), self.values.node(index).clone()) {
            (Node::Mapping(parts), Node::Str(_) | Node::Int(_)) => {
                let mut parts = parts.to_vec();
                match parts.iter_mut().find(|part| part.0 == index) {
                    Some(known) => known.1 = value,
                    None => parts.push((index, value)),
                }
                self.values.make(Node::Mapping(parts.into()))
            }
            (_, Node::Str(_)) if self.values.has_entry(old, index) => {
                let content = self.values.make(Node::Sequence(Box::from([value, index])));
                self.values.make(Node::Mapped(Symbol::new(UPDATE), Box::from([old, content])))
            }
            (_, Node::Str(_)) => {
                let entry = self.values.make(Node::Mapping(Box::from([(index, value)])));
                self.changed(frame, old, &[entry], span)
            }
            _ => {
                let content = self.values.make(Node::Sequence(Box::from([value, index])));
                self.values.make(Node::Mapped(Symbol::new(STORE), Box::from([old, content])))
            }
        };
        self.set_path(frame, path, new);
    }

    /// A container into which all of another one was put, under the conditions in force.
    pub(super) fn extended(&mut self, frame: &Frame<'p>, old: Value, more: Value, span: Span) -> Value {
        let new = self.changed(frame, old, &[], span);
        self.values.make(Node::Mapped(Symbol::new("extend"), Box::from([new, more])))
    }

    /// A container to which something was added, under the conditions in force.
    pub(super) fn changed(&mut self, frame: &Frame<'p>, old: Value, added: &[Value], span: Span) -> Value {
        let mut parts = vec![old];
        let content = self.values.make(Node::Sequence(added.into()));
        parts.push(content);
        let guards: Vec<Value> = frame
            .guards
            .iter()
            .copied()
            .filter(|&guard| !self.values.vary(guard).is_empty() || self.values.facts(guard).open)
            .collect();
        if !guards.is_empty() {
            parts.push(self.values.make(Node::Range(guards.into())));
        }
        self.values.make(Node::Changed(frame.site(span), parts.into()))
    }
}
