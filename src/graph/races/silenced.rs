//! Questions that keep ranks out without naming the rank: for an attribute that a rank has set for itself before, and for
//! a switch of the function that is off.

use super::common::Common;
use super::conditions::asks_for_rank;
use super::names::{assigned, names_asked};
use crate::base::{FileId, Span, Symbol};
use crate::graph::blocks::span_of;
use crate::graph::context::each_in_context;
use crate::model::{Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_expression, each_statement};

impl Common<'_> {
    /// Whether a condition asks for an attribute of the object at hand that one of its class's methods sets where it has
    /// asked for the rank: `if rank: self.checkpoint_interval = 0`.
    pub(super) fn asks_what_ranks_set(&self, file: FileId, function: LocalFunction, condition: ExprId) -> bool {
        let model = &self.program.file(file).model;
        let definition = model.function(function);
        let (Some(class), Some(own)) = (definition.class, definition.parameters.first()) else { return false };
        let mut asked = Vec::new();
        each_expression(model, condition, &mut |_, expr| {
            if let Expr::Attribute { value, name } = expr
                && model.expr(value) == Expr::Name(own.name)
            {
                asked.push(name);
            }
        });
        // Of an entry of such an attribute, the entry counts.
        let last = names_asked(model, condition);
        asked.retain(|name| last.contains(name));
        let methods = &model.class(class).methods;
        asked.into_iter().any(|name| methods.iter().any(|&(_, method)| self.sets_by_rank(file, method, name)))
    }

    fn sets_by_rank(&self, file: FileId, function: LocalFunction, name: Symbol) -> bool {
        let (program, taint) = (self.program, self.taint);
        let model = &program.file(file).model;
        let own = model.function(function).parameters.first().map(|own| own.name);
        let is_it = |target: &ExprId| match model.expr(*target) {
            Expr::Attribute { value, name: set } => set == name && own.map(Expr::Name) == Some(model.expr(value)),
            _ => false,
        };
        let mut found = false;
        each_in_context(model, function, &mut |_, stmt, context| {
            let sets = matches!(stmt, Stmt::Assign { targets, .. } if model.list(*targets).iter().any(is_it));
            found |= sets
                && context
                    .conditions
                    .iter()
                    .any(|&condition| asks_for_rank(program, taint, (file, function), condition));
        });
        found
    }
}

/// The parts of a function that stand behind a switch of its own, which it never turns on: `do_test = False`.
pub(super) fn switched_off(model: &File, function: LocalFunction) -> Vec<Span> {
    let is_off = |value: ExprId| matches!(model.expr(value), Expr::Bool(false) | Expr::None);
    let never_on = |name: Symbol| {
        let definition = model.function(function);
        // Others turn on what a module holds, and callers what they hand over.
        let is_own = definition.kind != FunctionKind::Module
            && definition.binds(name)
            && definition.parameters.iter().all(|parameter| parameter.name != name);
        let values = assigned(model, function, name);
        is_own && !values.is_empty() && values.into_iter().all(is_off)
    };
    let mut out = Vec::new();
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Stmt::If { test, body, .. } = stmt
            && let Expr::Name(name) = model.expr(*test)
            && never_on(name)
        {
            out.extend(span_of(model, *body));
        }
    });
    out
}
