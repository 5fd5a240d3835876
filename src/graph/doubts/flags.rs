//! Flags that one rank alone turns: the others keep what the flag was set to for all.

use crate::base::Symbol;
use crate::model::{CompareOp, Expr, ExprId, File, LocalFunction, Stmt, UnaryOp, each_statement};

use super::super::blocks::{binds, function_around};
use super::super::confidence::Evidence;
use super::super::context::each_in_context;
use super::super::races::lets_in_first;

impl Evidence<'_, '_> {
    /// Whether a variable is asked for that has one value on all ranks, but for what the first rank sets it to on its own:
    /// the others never see that, however the loop around it runs.
    pub(super) fn asks_for_a_flag_of_the_first(&self) -> bool {
        let (Some((model, question)), Some(decision)) = (self.question(), self.decision) else { return false };
        let function = function_around(model, decision.site.span).unwrap_or(LocalFunction(0));
        flags_asked(model, question).is_some_and(|flag| {
            let program = self.engine.program;
            let is_first = |asked: ExprId, answer: bool| lets_in_first(program, model, asked, answer);
            is_turned_by_one(model, function, flag, &is_first)
        })
    }
}

/// The variable that a question asks for, and nothing else.
fn flags_asked(model: &File, question: ExprId) -> Option<Symbol> {
    match model.expr(question) {
        Expr::Name(name) => Some(name),
        Expr::Unary(UnaryOp::Not, inner) => flags_asked(model, inner),
        Expr::Compare(CompareOp::Is | CompareOp::IsNot | CompareOp::Eq | CompareOp::NotEq, left, right)
            if is_constant(model, right) =>
        {
            flags_asked(model, left)
        }
        _ => None,
    }
}

/// Whether each binding of a variable gives it a constant: one and the same where all ranks come, another where the first
/// one comes alone.
fn is_turned_by_one(
    model: &File,
    function: LocalFunction,
    flag: Symbol,
    is_first: &dyn Fn(ExprId, bool) -> bool,
) -> bool {
    let definition = model.function(function);
    if definition.parameters.iter().any(|parameter| parameter.name == flag) {
        return false;
    }
    let (mut of_all, mut of_one): (Vec<Expr>, Vec<Expr>) = (Vec::new(), Vec::new());
    let mut is_odd = false;
    each_in_context(model, function, &mut |_, stmt, context| {
        let mut asked = context.conditions.iter().zip(context.answers);
        match stmt {
            Stmt::Assign { targets, value }
                if model.list(*targets).iter().any(|&at| model.expr(at) == Expr::Name(flag)) =>
            {
                let by_one = asked.any(|(&asked, &answer)| is_first(asked, answer));
                let of = if by_one { &mut of_one } else { &mut of_all };
                of.push(model.expr(*value));
                is_odd |= !is_constant(model, *value);
            }
            stmt => is_odd |= binds(model, stmt, flag),
        }
    });
    // What other functions of the file set is not followed.
    let is_outer = |stmt: &Stmt| matches!(stmt, Stmt::Outer(names) if names.contains(&flag));
    for other in &model.functions {
        each_statement(model, other.body, &mut |_, stmt| is_odd |= is_outer(stmt));
    }
    let Some(&common) = of_all.first() else { return false };
    !is_odd && of_all.iter().all(|&value| value == common) && of_one.iter().any(|&value| value != common)
}

fn is_constant(model: &File, value: ExprId) -> bool {
    matches!(model.expr(value), Expr::None | Expr::Bool(_) | Expr::Int(_))
}
