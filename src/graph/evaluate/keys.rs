//! Environment variables: a rank, something that every rank shares, or nobody knows; also where only a caller knows the key.

use super::arguments::Arguments;
use super::births::Birth;
use super::{Engine, Frame};
use crate::base::{FunctionId, Site, Span, Symbol};
use crate::catalog::ValueKind;
use crate::finding::Confidence;
use crate::flow::{Node, Value};
use crate::graph::program::Program;
use crate::model::{CompareOp, Expr, each_expression, each_statement, expressions_of};

/// What is read under a key that a caller hands over: the key, where it is read, and the function that reads it.
const READ: &str = "environment";

impl<'p> Engine<'p> {
    /// The value of the variable whose key is the first argument.
    pub(super) fn environment(&mut self, frame: &mut Frame<'p>, arguments: &Arguments, span: Span) -> Value {
        let Some(key) = arguments.at(0) else { return self.unknown(frame, span) };
        match self.known_key(key).filter(|_| self.is_read_as_a_number(frame, key)) {
            Some(text) => {
                let (value, reason) = self.environment_variable(text, frame.site(span));
                if let Some(reason) = reason {
                    self.born(value, frame, span, &reason, Confidence::High);
                }
                value
            }
            None if self.values.facts(key).open => {
                let place = self.unknown(frame, span);
                let reader = self.values.make(Node::Function(frame.function, None));
                self.values.make(Node::Apply(Symbol::new(READ), Box::from([key, place, reader])))
            }
            None => self.unknown(frame, span),
        }
    }

    /// Whether a function that tries several keys in turn takes what it finds for a number, and does not only ask whether any
    /// is there.
    fn is_read_as_a_number(&self, frame: &Frame<'p>, key: Value) -> bool {
        matches!(self.values.node(key), Node::Str(_)) || speaks_of_numbers(self.program, frame.function)
    }

    /// The key that is read: the one that is written, or the first of those in a list that are tried in turn, where each of
    /// them is a launcher's word for the rank.
    fn known_key(&self, key: Value) -> Option<Symbol> {
        match *self.values.node(key) {
            Node::Str(text) => Some(text),
            Node::Item(_, tried) => {
                let Node::Sequence(tried) = self.values.node(tried) else { return None };
                let rank = |&key: &Value| match *self.values.node(key) {
                    Node::Str(text) => {
                        let known = self.program.catalog.environment_key(text.as_str());
                        known.is_some_and(|known| known.kind == ValueKind::Rank).then_some(text)
                    }
                    _ => None,
                };
                let ranks: Option<Vec<Symbol>> = tried.iter().map(rank).collect();
                ranks?.first().copied()
            }
            _ => None,
        }
    }

    /// `"KEY" in os.environ`: whether there is anything under the key, where that is no word of the launcher's.
    pub(super) fn asks_for_key(
        &mut self,
        frame: &Frame<'p>,
        (key, op, within): (Value, CompareOp, Value),
        span: Span,
    ) -> Option<Value> {
        let &Node::Str(key) = self.values.node(key) else { return None };
        if op != CompareOp::In
            || !matches!(self.values.node(within), Node::External(name) if name.as_str() == "os.environ")
        {
            return None;
        }
        let (value, _) = self.environment_variable(key, frame.site(span));
        if !matches!(self.values.node(value), Node::Environment(_)) {
            return None;
        }
        let is_absent = self.values.make(Node::Compare(CompareOp::Is, value, self.none));
        Some(self.values.make(Node::Not(is_absent)))
    }

    /// What was read under a key that a caller has handed over by now.
    pub(super) fn read_by_caller(&mut self, question: Symbol, parts: &[Value]) -> Option<Value> {
        let &[key, place, reader] = parts else { return None };
        if question.as_str() != READ {
            return None;
        }
        let of_one = matches!(self.values.node(key), Node::Str(_));
        let key = self.known_key(key)?;
        let &Node::Unknown(site) = self.values.node(place) else { return None };
        let &Node::Function(reader, _) = self.values.node(reader) else { return None };
        if !of_one && !speaks_of_numbers(self.program, reader) {
            return None;
        }
        let (value, reason) = self.environment_variable(key, site);
        if let Some(reason) = reason {
            let birth = Birth { function: reader, site, reason: Symbol::new(&reason), confidence: Confidence::High };
            self.born_for_caller(value, birth);
        }
        Some(value)
    }

    /// The value of a variable that is read somewhere, and why it is each rank's own where it is.
    fn environment_variable(&mut self, key: Symbol, site: Site) -> (Value, Option<String>) {
        let Some(known) = self.program.catalog.environment_key(key.as_str()).cloned() else {
            return (self.values.make(Node::Environment(key)), None);
        };
        match self.meaning_at(&known, site) {
            Some(value) => (value, Some(format!("`{key}` is set by the launcher, for each rank its own"))),
            None => (self.values.make(Node::Unknown(site)), None),
        }
    }
}

/// Whether a function makes numbers of texts, or compares with one that is a number.
fn speaks_of_numbers(program: &Program, function: FunctionId) -> bool {
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let definition = model.function(local);
    let mut found = definition.mentions.iter().any(|name| name.as_str() == "int");
    each_statement(model, definition.body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| {
                let is_number = |part| matches!(model.expr(part), Expr::Str(text) if text.as_str() == "0");
                found |= matches!(expr, Expr::Compare(_, left, right) if is_number(left) || is_number(right));
            });
        }
    });
    found
}
