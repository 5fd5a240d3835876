//! State that a module keeps in a mapping: `_STATE["rank"] = dist.get_rank()`, and `_STATE["rank"]` wherever it is asked for.

use super::super::context::each_in_context;
use super::super::resolve::{Scope, Target};
use super::births::Asked;
use super::{Engine, Frame};
use crate::base::{FileId, FunctionId, Symbol};
use crate::flow::{Node, Value};
use crate::model::{Expr, ExprId, LocalFunction};

/// Functions that write one entry.
const MAX_WRITERS: usize = 6;

impl<'p> Engine<'p> {
    /// What functions leave under a key in a mapping of a module that begins without it, where that differs between ranks in all
    /// of them.
    pub(super) fn entry_of_module(
        &mut self,
        frame: &Frame<'p>,
        container: ExprId,
        held: Value,
        key: Value,
    ) -> Option<Value> {
        let (Node::Mapping(entries), &Node::Str(key)) = (self.values.node(held), self.values.node(key)) else {
            return None;
        };
        let begins = |&(_, value): &(Value, Value)| self.is_constant(value);
        let known = entries.iter().find(|(entry, _)| *self.values.node(*entry) == Node::Str(key));
        if known.is_some_and(|known| !begins(known)) {
            return None;
        }
        match self.program.target(frame.file, frame.local, container) {
            Some(Target::Variable(file, name)) if self.taint.holds(name) => self.left_under(file, name, key),
            _ => None,
        }
    }

    fn left_under(&mut self, file: FileId, name: Symbol, key: Symbol) -> Option<Value> {
        let entry = Symbol::new(&format!("{name}[{key}]"));
        self.births.asks(Asked::Global(file, entry));
        if let Some(&known) = self.memo.entries.get(&(file, entry)) {
            return known;
        }
        self.memo.entries.insert((file, entry), None);
        self.births.begin(Asked::Global(file, entry));
        let left = self.all_left_under(file, name, key);
        self.births.end();
        self.memo.entries.insert((file, entry), left);
        left
    }

    fn all_left_under(&mut self, file: FileId, name: Symbol, key: Symbol) -> Option<Value> {
        let mut first = None;
        for (function, value, conditions) in self.writers_under(file, name, key) {
            let mut frame = self.entered(function);
            self.assign_what_is_named(&mut frame, value);
            let value = self.expression(&mut frame, value);
            let apart = conditions.into_iter().any(|condition| {
                let test = self.expression(&mut frame, condition);
                !self.values.vary(test).is_empty()
            });
            if self.values.vary(value).is_empty() || apart {
                return None;
            }
            first = first.or(Some(value));
        }
        first
    }

    /// Where functions of the file write the entry, with what, and under which conditions.
    fn writers_under(&self, file: FileId, name: Symbol, key: Symbol) -> Vec<(FunctionId, ExprId, Vec<ExprId>)> {
        let program = self.program;
        let model = &program.file(file).model;
        let mut found = Vec::new();
        for (index, function) in model.functions.iter().enumerate() {
            let local = LocalFunction(index as u32);
            if !function.mentions.contains(&name) || program.scope_of(file, local, name) != Scope::Global {
                continue;
            }
            each_in_context(model, local, &mut |_, stmt, context| {
                let Some((targets, value)) = model.assigned(stmt) else { return };
                let writes = |&target: &ExprId| match model.expr(target) {
                    Expr::Subscript(container, index) => {
                        model.expr(container) == Expr::Name(name) && model.expr(index) == Expr::Str(key)
                    }
                    _ => false,
                };
                if targets.iter().any(writes) && found.len() < MAX_WRITERS {
                    found.push((program.function_id(file, local), value, context.conditions.to_vec()));
                }
            });
        }
        found
    }
}
