//! Questions that keep ranks out without naming the rank: for what a rank has set for itself before, and for a switch of the
//! function that is off.

use super::common::Common;
use super::conditions::asks_for_rank;
use super::names::{assigned, names_asked};
use crate::base::{FileId, Span, Symbol};
use crate::graph::blocks::span_of;
use crate::graph::context::each_in_context;
use crate::graph::helpers::called;
use crate::graph::resolve::Target;
use crate::model::{CompareOp, Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_expression, each_statement};

impl Common<'_> {
    /// Whether a condition asks for something that ranks have set for themselves: an attribute of the object at hand, which
    /// one of its class's methods sets where it has asked for the rank, `if rank: self.checkpoint_interval = 0`; or a
    /// variable of the function that is nothing unless it is set so, `saver is not None` behind `if rank == 0: saver = …`, or
    /// unless the function that answers has something for this rank.
    pub(super) fn asks_what_ranks_set(&self, file: FileId, function: LocalFunction, condition: ExprId) -> bool {
        self.asks_an_attribute(file, function, condition) || self.asks_a_variable(file, function, condition)
    }

    fn asks_an_attribute(&self, file: FileId, function: LocalFunction, condition: ExprId) -> bool {
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
        let sets_by_rank = |name: Symbol, method: LocalFunction| {
            let own = model.function(method).parameters.first().map(|own| own.name);
            let is_it = |target: Expr| match target {
                Expr::Attribute { value, name: set } => set == name && own.map(Expr::Name) == Some(model.expr(value)),
                _ => false,
            };
            self.settings(file, method, is_it).into_iter().any(|(_, by_rank)| by_rank)
        };
        let methods = &model.class(class).methods;
        asked.into_iter().any(|name| methods.iter().any(|&(_, method)| sets_by_rank(name, method)))
    }

    fn asks_a_variable(&self, file: FileId, function: LocalFunction, condition: ExprId) -> bool {
        let model = &self.program.file(file).model;
        let asked = match model.expr(condition) {
            Expr::Compare(CompareOp::Is | CompareOp::IsNot, asked, none) if model.expr(none) == Expr::None => asked,
            _ => condition,
        };
        let variable @ Expr::Name(_) = model.expr(asked) else { return false };
        let settings = self.settings(file, function, |target| target == variable);
        if let [(answer, _)] = settings[..]
            && self.answers_some(file, function, answer)
        {
            return true;
        }
        let (nothing, something): (Vec<_>, Vec<_>) =
            settings.into_iter().partition(|&(value, _)| model.expr(value) == Expr::None);
        !nothing.is_empty() && !something.is_empty() && something.into_iter().all(|(_, by_rank)| by_rank)
    }

    /// Whether a call is one of a function of the program that answers nothing where it has asked for the rank:
    /// `Pipeline(model).run()` behind `if self.stage == 0: return None`.
    fn answers_some(&self, file: FileId, function: LocalFunction, answer: ExprId) -> bool {
        let (program, taint) = (self.program, self.taint);
        let model = &program.file(file).model;
        let Expr::Call(call) = model.expr(answer) else { return false };
        let callee = model.call(call).callee;
        let made = |object: ExprId| match model.expr(object) {
            Expr::Call(call) => program.target(file, function, model.call(call).callee),
            _ => None,
        };
        let method = match model.expr(callee) {
            Expr::Attribute { value, name } => match made(value) {
                Some(Target::Class(class)) => program.method(class, name),
                _ => None,
            },
            _ => None,
        };
        let Some(called) = method.or_else(|| called(program, file, function, callee)) else { return false };
        let (home, local) = program.locate(called);
        let model = &program.file(home).model;
        let mut some = false;
        each_in_context(model, local, &mut |_, stmt, context| {
            let nothing = match *stmt {
                Stmt::Return(None) => true,
                Stmt::Return(Some(said)) => model.expr(said) == Expr::None,
                _ => false,
            };
            let asks = |&condition: &ExprId| asks_for_rank(program, taint, (home, local), condition);
            some |= nothing && context.conditions.iter().any(asks);
        });
        some
    }

    /// What a function sets something to, and whether that stands where it has asked for the rank.
    fn settings(&self, file: FileId, function: LocalFunction, is_it: impl Fn(Expr) -> bool) -> Vec<(ExprId, bool)> {
        let (program, taint) = (self.program, self.taint);
        let model = &program.file(file).model;
        let mut out = Vec::new();
        each_in_context(model, function, &mut |_, stmt, context| {
            if let Some((targets, value)) = model.assigned(stmt)
                && targets.iter().any(|&target| is_it(model.expr(target)))
            {
                let mut conditions = context.conditions.iter();
                let asks = |&condition: &ExprId| asks_for_rank(program, taint, (file, function), condition);
                out.push((value, conditions.any(asks)));
            }
        });
        out
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
    let is_off = |test: ExprId| match model.expr(test) {
        Expr::Name(name) => never_on(name),
        _ => false,
    };
    let mut out = Vec::new();
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Stmt::If { test, body, .. } = stmt
            && match model.expr(*test) {
                Expr::And(parts) => model.list(parts).iter().any(|&part| is_off(part)),
                _ => is_off(*test),
            }
        {
            out.extend(span_of(model, *body));
        }
    });
    out
}
