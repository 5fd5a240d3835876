//! What the source fixes: values of names that are assigned once, in this file or another.

use crate::base::{FileId, Symbol};
use crate::model::{Constant, Expr, ExprId, LocalFunction, Stmt, each_statement, fold};

use super::super::bindings::Binding;
use super::{FUEL, Program, Scope, Target};

impl Program {
    /// The value that the source fixes for an expression, through names that are assigned once: local ones and module
    /// constants of this and other files.
    pub fn constant(&self, file: FileId, function: LocalFunction, expr: ExprId) -> Option<Constant> {
        self.constant_within(file, function, expr, FUEL)
    }

    fn constant_within(&self, file: FileId, function: LocalFunction, expr: ExprId, fuel: u32) -> Option<Constant> {
        let fuel = fuel.checked_sub(1)?;
        let model = &self.file(file).model;
        fold(model, expr, &|name| match model.expr(name) {
            Expr::Name(symbol) => match self.scope_of(file, function, symbol) {
                Scope::Local(owner) => {
                    let value = self.single_assignment(file, owner, symbol)?;
                    self.constant_within(file, owner, value, fuel)
                }
                Scope::Global => self.constant_of(self.global(file, symbol)?, fuel),
            },
            _ => self.constant_of(self.target(file, function, name)?, fuel),
        })
    }

    fn constant_of(&self, target: Target, fuel: u32) -> Option<Constant> {
        let Target::Variable(file, name) = target else { return None };
        let Some(Binding::Variable { values, other_writes: false }) = self.bindings[file.index()].get(name) else {
            return None;
        };
        let &[value] = values.as_slice() else { return None };
        self.constant_within(file, LocalFunction(0), value, fuel)
    }

    /// The values assigned to a top-level name of a module, in order.
    pub fn module_values(&self, file: FileId, name: Symbol) -> &[ExprId] {
        match self.bindings[file.index()].get(name) {
            Some(Binding::Variable { values, .. }) => values,
            _ => &[],
        }
    }

    /// The only value ever assigned to a local name, if there is only one and it is a plain assignment.
    pub fn single_assignment(&self, file: FileId, owner: LocalFunction, name: Symbol) -> Option<ExprId> {
        let model = &self.file(file).model;
        if owner == model.module() {
            return match self.bindings[file.index()].get(name)? {
                Binding::Variable { values, other_writes: false } if values.len() == 1 => Some(values[0]),
                _ => None,
            };
        }
        if model.function(owner).parameters.iter().any(|parameter| parameter.name == name) {
            return None;
        }
        let mut values: Vec<Option<ExprId>> = Vec::new();
        each_statement(model, model.function(owner).body, &mut |_, stmt| {
            let mut bound = |target: ExprId, value: Option<ExprId>| {
                if model.expr(target) == Expr::Name(name) {
                    values.push(value);
                } else if let Expr::Tuple(parts) | Expr::ListDisplay(parts) = model.expr(target)
                    && model.list(parts).iter().any(|&part| model.expr(part) == Expr::Name(name))
                {
                    values.push(None);
                }
            };
            match stmt {
                Stmt::Assign { targets, value } => {
                    model.list(*targets).iter().for_each(|&target| bound(target, Some(*value)));
                }
                Stmt::Annotated { target, value: Some(value), .. } => bound(*target, Some(*value)),
                Stmt::AugAssign { target, .. } | Stmt::For { target, .. } => bound(*target, None),
                Stmt::With { items, .. } => {
                    items.iter().filter_map(|item| item.target).for_each(|target| bound(target, None));
                }
                _ => {}
            }
        });
        match values[..] {
            [Some(value)] => Some(value),
            _ => None,
        }
    }

    /// Whether a target is a constant that is an absolute path.
    pub(in crate::graph) fn is_absolute_path(&self, target: Target) -> bool {
        let constant = self.constant_of(target, FUEL);
        constant.as_ref().and_then(Constant::prefix).is_some_and(|text| text.starts_with('/') || text.starts_with('~'))
    }
}
