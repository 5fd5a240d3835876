//! Functions in lists and tables: `for hook in HOOKS: hook(t)`, `OPS[kind](t)`.

use super::arguments::Arguments;
use super::{Engine, Frame};
use crate::base::{ClassId, Span, Symbol};
use crate::flow::{ChoiceForm, Effects, Node, Value};

/// Functions of one list that are looked into.
const MAX_LISTED: usize = 8;

/// Which of several functions is called: the same for all ranks that ask for the same one.
const LISTED: &str = "listed";

impl<'p> Engine<'p> {
    /// The functions that a list or a table of known contents holds, if it holds nothing else and one of them communicates.
    pub(super) fn callables_in(&mut self, list: Value) -> Option<Box<[Value]>> {
        let listed: Box<[Value]> = match self.values.node(list) {
            Node::Sequence(parts) => parts.clone(),
            Node::Mapping(entries) => entries.iter().map(|&(_, value)| value).collect(),
            _ => return None,
        };
        if listed.len() > MAX_LISTED {
            return Some([self.common_base(&listed)?].into());
        }
        let known = !listed.is_empty() && listed.iter().all(|&one| self.is_callable(one));
        let issues = |&one: &Value| match *self.values.node(one) {
            Node::Function(function, _) | Node::Closure(function, _) => self.reaches(function),
            _ => true,
        };
        (known && listed.iter().any(issues)).then_some(listed)
    }

    /// The class that all of many classes descend from, the nearest one: what they define instead is looked for below it.
    fn common_base(&mut self, listed: &[Value]) -> Option<Value> {
        let mut lineages = listed.iter().map(|&one| match *self.values.node(one) {
            Node::Class(class) => Some(self.program.lineage(class)),
            _ => None,
        });
        let first = lineages.next()??;
        let others: Vec<&[ClassId]> = lineages.collect::<Option<_>>()?;
        let base = first.iter().find(|&base| others.iter().all(|other| other.contains(base)))?;
        Some(self.values.make(Node::Class(*base)))
    }

    /// Calls one of several functions; which of them it is says `callee`.
    pub(super) fn call_one_listed(
        &mut self,
        frame: &mut Frame<'p>,
        (callee, listed): (Value, &[Value]),
        arguments: Arguments,
        span: Span,
    ) -> Value {
        let Some((&one, others)) = listed.split_first() else { return self.unknown(frame, span) };
        if others.is_empty() {
            return self.call_value(frame, one, arguments, span);
        }
        let test = self.values.make(Node::Apply(Symbol::new(LISTED), Box::from([callee, one])));
        let outer = std::mem::take(&mut frame.sequence);
        let result = self.call_value(frame, one, arguments.clone(), span);
        let effect = self.take_sequence(frame);
        let rest = self.call_one_listed(frame, (callee, others), arguments, span);
        let otherwise = self.take_sequence(frame);
        frame.sequence = outer;
        if effect != Effects::NOTHING || otherwise != Effects::NOTHING {
            self.choose(frame, test, span, ChoiceForm::Expression, effect, otherwise);
        }
        self.values.make(Node::If(test, result, rest))
    }
}
