//! Containers that are filled after they were made, and attributes that hold one.

use super::super::super::protocol::Types;
use super::elements::plural;
use super::{Elements, Place, Unordered};
use crate::base::Symbol;
use crate::finding::Confidence;
use crate::model::{Expr, ExprId, File, FunctionKind, LocalClass, LocalFunction, Stmt, each_call, each_statement};

impl Place<'_> {
    /// An empty set that is filled with `add`, and an empty list or dictionary that a loop over a set fills.
    pub(super) fn grown(&self, value: ExprId, name: Symbol, fuel: u32) -> Option<Unordered> {
        let model = &self.program.file(self.file).model;
        if is_empty_call(model, value, &["set"]) {
            let elements = self.put_in(name, &|container| model.expr(container) == Expr::Name(name))?;
            return self.set(value, if elements == Elements::Unknown { plural(name) } else { elements });
        }
        let empty = is_empty_call(model, value, &["list", "dict", "OrderedDict"])
            || matches!(model.expr(value), Expr::ListDisplay(list) | Expr::Dict(list) if model.list(list).is_empty());
        if !empty {
            return None;
        }
        let mut found = None;
        each_statement(model, model.function(self.function).body, &mut |_, stmt| {
            let Stmt::For { iter, body, .. } = stmt else { return };
            let mut fills = false;
            each_statement(model, *body, &mut |_, inner| match inner {
                Stmt::Assign { targets, .. } => {
                    fills |= model.list(*targets).iter().any(|&target| match model.expr(target) {
                        Expr::Subscript(container, _) => model.expr(container) == Expr::Name(name),
                        _ => false,
                    });
                }
                Stmt::Expr(expr) => {
                    if let Expr::Call(call) = model.expr(*expr)
                        && let Expr::Attribute { value, name: method } = model.expr(model.call(call).callee)
                    {
                        fills |= method.as_str() == "append" && model.expr(value) == Expr::Name(name);
                    }
                }
                _ => {}
            });
            if fills && found.is_none() {
                found = self.within(*iter, fuel);
            }
        });
        found
    }

    /// What the function puts into a set, if it does.
    fn put_in(&self, name: Symbol, is_it: &dyn Fn(ExprId) -> bool) -> Option<Elements> {
        let model = &self.program.file(self.file).model;
        let mut elements = None;
        each_call(model, self.function, &mut |_, call| {
            if let Expr::Attribute { value, name: method } = model.expr(call.callee)
                && is_it(value)
                && let Some(&arg) = model.list(call.args).first()
            {
                let kind = match method.as_str() {
                    // What is called `n` for short may be a number or a name: what all are called says which.
                    "add" if matches!(model.expr(arg), Expr::Name(short) if short.as_str().len() == 1) => {
                        plural(name).max(self.elements_of(arg))
                    }
                    "add" => self.elements_of(arg),
                    "update" => self.elements_in(arg),
                    _ => return,
                };
                elements = elements.max(Some(kind));
            }
        });
        elements
    }

    /// An attribute that the methods of its class give one value, beside none at all: of `self`, in functions within methods too,
    /// or of an object of known class.
    pub(super) fn attribute(&self, object: ExprId, name: Symbol, fuel: u32) -> Option<Unordered> {
        let (file, class) = match self.own_class(object) {
            Some(class) => (self.file, class),
            None => {
                let class = Types::new(self.program).class_of(self.file, self.function, object)?;
                self.program.locate_class(class)
            }
        };
        let model = &self.program.file(file).model;
        let methods = &model.class(class).methods;
        let is_it =
            |target: ExprId| matches!(model.expr(target), Expr::Attribute { name: written, .. } if written == name);
        let mut values: Vec<(LocalFunction, ExprId)> = Vec::new();
        for &(_, method) in methods {
            each_statement(model, model.function(method).body, &mut |_, stmt| {
                let Some((targets, value)) = model.assigned(stmt) else { return };
                if targets.iter().any(|&target| is_it(target)) {
                    values.push((method, value));
                }
            });
        }
        values.retain(|&(_, value)| !is_nothing(model, value));
        let [(method, value)] = values[..] else { return None };
        let at = |method: LocalFunction| Place { file, function: method, given: &[], ..*self };
        let found = match is_empty_call(model, value, &["set"]) {
            true => {
                let elements = methods.iter().filter_map(|&(_, method)| at(method).put_in(name, &is_it)).max()?;
                at(method).set(value, if elements == Elements::Unknown { plural(name) } else { elements })?
            }
            false => at(method).within(value, fuel)?,
        };
        Some(Unordered { confidence: found.confidence.min(Confidence::Medium), ..found })
    }

    /// The class whose object an expression is, where it is what the method at hand or around calls `self`.
    fn own_class(&self, object: ExprId) -> Option<LocalClass> {
        let model = &self.program.file(self.file).model;
        let mut definition = model.function(self.function);
        while definition.class.is_none() {
            definition = model.function(definition.parent?);
        }
        let receiver = definition.parameters.first()?.name;
        let is_own = definition.kind == FunctionKind::Def && model.expr(object) == Expr::Name(receiver);
        definition.class.filter(|_| is_own)
    }
}

/// Whether an expression is nothing yet: `None`, or a container without elements.
fn is_nothing(model: &File, value: ExprId) -> bool {
    match model.expr(value) {
        Expr::None => true,
        Expr::ListDisplay(parts) | Expr::Dict(parts) | Expr::Tuple(parts) => model.list(parts).is_empty(),
        _ => false,
    }
}

/// Whether an expression calls one of these without arguments.
fn is_empty_call(model: &File, value: ExprId, wanted: &[&str]) -> bool {
    match model.expr(value) {
        Expr::Call(call) => {
            let call = model.call(call);
            model.list(call.args).is_empty()
                && matches!(model.expr(call.callee), Expr::Name(callee) if wanted.contains(&callee.as_str()))
        }
        _ => false,
    }
}
