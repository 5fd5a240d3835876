//! What a function leaves in what it is handed: more elements, what ranks have agreed on, a model that it has sharded.

use super::arguments::Arguments;
use super::substitute::Substitution;
use super::{Engine, Frame};
use crate::base::FunctionId;
use crate::flow::{Node, Value};
use crate::model::{Expr, ExprId, Stmt, each_statement};

impl<'p> Engine<'p> {
    /// Lists and dictionaries of this function's own object that a call was handed, as the function called has filled them.
    pub(super) fn after_growth(
        &mut self,
        frame: &mut Frame<'p>,
        arguments: &Arguments,
        grown: &[(usize, Value)],
        substitution: &mut Substitution,
    ) {
        let model = frame.model;
        let skipped = usize::from(arguments.receiver.is_some());
        for &(at, value) in grown {
            let given = at.checked_sub(skipped).and_then(|at| arguments.positional.get(at)).and_then(|arg| arg.1);
            let Some(expr) = given else { continue };
            let Expr::Attribute { value: object, .. } = model.expr(expr) else { continue };
            let is_own = frame.receiver.is_some_and(|receiver| model.expr(object) == Expr::Name(receiver));
            if is_own && let Some(path) = self.path(frame, expr) {
                let value = self.replaced(value, substitution);
                self.set_path(frame, path, value);
            }
        }
    }

    /// Parameters that a function puts something into, as they are in the end.
    pub(super) fn grown(&self, frame: &Frame<'p>) -> Vec<(usize, Value)> {
        let definition = frame.model.function(frame.local);
        let parameters = definition.parameters.iter().enumerate();
        let grows = |value: Value| {
            self.values.is_container(value) || matches!(self.values.node(value), Node::Carried(..) | Node::If(..))
        };
        parameters
            .filter_map(|(at, parameter)| Some((at, frame.get(parameter.name)?)))
            .filter(|&(at, value)| grows(value) && self.fills(frame.function, at))
            .collect()
    }

    /// What a function has had the ranks agree on, in what it was handed for that.
    pub(super) fn after_agreement(
        &mut self,
        frame: &mut Frame<'p>,
        function: FunctionId,
        arguments: &Arguments,
        filled: &[(usize, Value)],
        substitution: &mut Substitution,
    ) {
        let skipped = usize::from(arguments.receiver.is_some());
        for &(at, value) in filled {
            let name = self.program.function(function).parameters[at].name;
            let by_position = at.checked_sub(skipped).and_then(|at| arguments.positional.get(at)).and_then(|arg| arg.1);
            let by_name = || arguments.keywords.iter().find(|keyword| keyword.0 == name).and_then(|keyword| keyword.2);
            let Some(expr) = by_position.or_else(by_name) else { continue };
            let value = self.replaced(value, substitution);
            let value = match self.is_sharded_in_place(value) {
                true => {
                    let model = self.expression(frame, expr);
                    self.as_sharded(model)
                }
                false => value,
            };
            self.store(frame, expr, value);
        }
    }

    /// Whether a function puts something into what it is given at the position.
    pub(super) fn fills(&self, function: FunctionId, position: usize) -> bool {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let Some(parameter) = definition.parameters.get(position).map(|parameter| parameter.name) else { return false };
        let is_it = |expr: ExprId| model.expr(expr) == Expr::Name(parameter);
        let mut found = false;
        each_statement(model, definition.body, &mut |_, stmt| match stmt {
            Stmt::Assign { targets, .. } => {
                found |= model.list(*targets).iter().any(|&target| match model.expr(target) {
                    Expr::Subscript(container, _) => is_it(container),
                    _ => false,
                });
            }
            Stmt::Expr(expr) => {
                if let Expr::Call(call) = model.expr(*expr)
                    && let Expr::Attribute { value, name } = model.expr(model.call(call).callee)
                {
                    found |= is_it(value) && matches!(name.as_str(), "append" | "extend" | "update" | "add" | "insert");
                }
            }
            _ => {}
        });
        found
    }

    /// Parameters that hold something agreed on in the end, or a model that was sharded in place, and were not given another
    /// object on the way.
    pub(super) fn filled(&self, frame: &Frame<'p>) -> Vec<(usize, Value)> {
        let definition = frame.model.function(frame.local);
        let is_agreed =
            |value: Value| matches!(self.values.node(value), Node::Agreed(..)) || self.is_sharded_in_place(value);
        // Where there is one process, or none to agree with, it stays what it was.
        let agreed = |value: Value| match *self.values.node(value) {
            _ if is_agreed(value) => Some(value),
            Node::If(test, then, otherwise) if self.values.vary(test).is_empty() => {
                [then, otherwise].into_iter().find(|&arm| is_agreed(arm))
            }
            _ => None,
        };
        let parameters = definition.parameters.iter().enumerate();
        let found = parameters.filter_map(|(at, parameter)| Some((at, agreed(frame.get(parameter.name)?)?)));
        let mut found: Vec<(usize, Value)> = found.collect();
        if !found.is_empty() {
            each_statement(frame.model, definition.body, &mut |_, stmt| {
                if let Stmt::Assign { targets, .. } = stmt {
                    let targets = frame.model.list(*targets);
                    found.retain(|&(at, _)| {
                        let name = definition.parameters[at].name;
                        !targets.iter().any(|&target| frame.model.expr(target) == Expr::Name(name))
                    });
                }
            });
        }
        found
    }
}
