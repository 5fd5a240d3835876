//! What others leave in an object: `trainer.is_main = rank == 0`, by the function that made it or was handed it.

use std::rc::Rc;

use super::super::context::each_in_context;
use super::super::program::Program;
use super::super::protocol::Types;
use super::super::resolve::Target;
use super::{Engine, Frame};
use crate::base::{ClassId, FunctionId, Symbol};
use crate::flow::{Node, Value};
use crate::model::{Expr, ExprId, Flow, LocalFunction};

/// Functions that assign to attributes of a name, looked into for one of them.
const MAX_WRITERS: usize = 24;

/// Which functions assign to an attribute of which name, of whatever object: by the index of the name. Methods mostly write to
/// their own object: they count where they mention one in front of it.
pub(super) struct Writers(Box<[(Symbol, FunctionId)]>);

impl Writers {
    fn of(&self, name: Symbol) -> &[(Symbol, FunctionId)] {
        let from = self.0.partition_point(|writer| writer.0.index() < name.index());
        let until = self.0.partition_point(|writer| writer.0.index() <= name.index());
        &self.0[from..until]
    }
}

impl<'p> Engine<'p> {
    /// What functions assign to an attribute of objects of a class, where it may differ between ranks.
    pub(super) fn left_from_outside(&mut self, class: ClassId, name: Symbol, begun: Value) -> Option<Value> {
        let writers = self.outside_writers();
        let functions = writers.of(name);
        if functions.len() > MAX_WRITERS {
            return None;
        }
        let types = Types::new(self.program);
        let mut given = None;
        for &(_, function) in functions {
            for Store { object, value, conditions } in stores(self.program, function, name) {
                let (file, local) = self.program.locate(function);
                let itself = match self.program.target(file, local, object) {
                    Some(Target::Class(itself)) => Some(itself),
                    _ => None,
                };
                let made = itself.or_else(|| types.class_of(file, local, object));
                if !made.is_some_and(|made| self.program.lineage(made).contains(&class)) {
                    continue;
                }
                // Several of them say different things, and nobody says which comes last.
                if given.is_some() {
                    return None;
                }
                let mut frame = self.entered(function);
                self.assign_what_is_named(&mut frame, value);
                let value = self.expression(&mut frame, value);
                given = Some(self.under(&mut frame, &conditions, value, begun));
            }
        }
        given.filter(|&given| !self.values.vary(given).is_empty() || self.values.facts(given).open)
    }

    /// What an attribute is that has been written under conditions, and held something before.
    fn under(&mut self, frame: &mut Frame<'p>, conditions: &[(ExprId, bool)], written: Value, begun: Value) -> Value {
        conditions.iter().rev().fold(written, |value, &(condition, answer)| {
            let test = self.expression(frame, condition);
            let (then, otherwise) = if answer { (value, begun) } else { (begun, value) };
            self.values.make(Node::If(test, then, otherwise))
        })
    }

    fn outside_writers(&mut self) -> Rc<Writers> {
        if let Some(known) = &self.memo.outside_writers {
            return known.clone();
        }
        let program = self.program;
        let mut found: Vec<(Symbol, FunctionId)> = Vec::new();
        for file in program.file_ids() {
            for (index, function) in program.file(file).model.functions.iter().enumerate() {
                let id = program.function_id(file, LocalFunction(index as u32));
                found.extend(function.flows.iter().filter_map(Flow::attribute).map(|name| (name, id)));
            }
        }
        found.sort_unstable_by_key(|writer| (writer.0.index(), writer.1));
        found.dedup();
        let found = Rc::new(Writers(found.into()));
        self.memo.outside_writers = Some(found.clone());
        found
    }
}

/// An assignment to an attribute.
struct Store {
    object: ExprId,
    value: ExprId,
    /// The conditions that it stands under, the outermost first, and how each comes out.
    conditions: Vec<(ExprId, bool)>,
}

/// A function's assignments to an attribute of that name, of other objects than its own.
fn stores(program: &Program, function: FunctionId, name: Symbol) -> Vec<Store> {
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let definition = model.function(local);
    let receiver = definition.parameters.first().filter(|_| definition.class.is_some()).map(|first| first.name);
    let is_own = |object: ExprId| receiver.is_some_and(|receiver| model.expr(object) == Expr::Name(receiver));
    let mut found = Vec::new();
    each_in_context(model, local, &mut |_, stmt, context| {
        let Some((targets, value)) = model.assigned(stmt) else { return };
        let conditions: Vec<_> = context.conditions.iter().copied().zip(context.answers.iter().copied()).collect();
        for &target in targets {
            if let Expr::Attribute { value: object, name: written } = model.expr(target)
                && written == name
                && !is_own(object)
            {
                found.push(Store { object, value, conditions: conditions.clone() });
            }
        }
    });
    found
}
