//! Answers that one rank alone is given, used where they are given: `viewer, banner = start_viewer()`.

use rustc_hash::FxHashSet;

use super::reads::{reads, taken_apart};
use super::{Asked, Body, HeldByOne};
use crate::base::{Span, Symbol};
use crate::graph::context::each_in_context;
use crate::model::{Expr, ExprId};

impl Body<'_> {
    /// The answers to calls of the functions `answering` that are taken apart at once by all ranks, though all but the first are
    /// answered `None`.
    pub(super) fn answers_gone_into(&self, answering: &FxHashSet<Symbol>) -> Vec<HeldByOne> {
        let model = self.model();
        let answer = |expr: ExprId| self.answer_to_one(expr, answering);
        let mut gone_into: Vec<(Symbol, ExprId, Span, Vec<Asked>)> = Vec::new();
        each_in_context(model, self.function, &mut |_, stmt, context| {
            let asked: Vec<Asked> = context.conditions.iter().copied().zip(context.answers.iter().copied()).collect();
            if let Some(call) = taken_apart(model, stmt)
                && let Some(name) = answer(call)
            {
                gone_into.push((name, call, model.span(call), asked.clone()));
            }
            reads(model, stmt, &asked, &answer, &mut |conditions, read| {
                if let Expr::Attribute { value, .. } | Expr::Subscript(value, _) = model.expr(read.expr)
                    && read.goes_into_it
                {
                    gone_into.push((read.name, value, model.span(read.expr), conditions.to_vec()));
                }
            });
        });
        if gone_into.is_empty() {
            return Vec::new();
        }
        let seen = self.seen();
        let of_all = |(name, _, _, conditions): &(Symbol, ExprId, Span, Vec<Asked>)| {
            !seen.ends && self.is_of_all(&seen, *name, conditions)
        };
        let held = |(name, call, used, _): (Symbol, ExprId, Span, Vec<Asked>)| {
            let answered = self.site(model.span(call));
            HeldByOne {
                function: self.program.function_id(self.file, self.function),
                name,
                used: self.site(used),
                bound: answered,
                asked: answered,
                answered: true,
                without: Some(answered),
                handed: None,
            }
        };
        gone_into.into_iter().filter(of_all).map(held).collect()
    }

    /// What an answer is called that is `None` on every rank but the first: `start_viewer()`.
    fn answer_to_one(&self, value: ExprId, answering: &FxHashSet<Symbol>) -> Option<Symbol> {
        let Expr::Call(call) = self.model().expr(value) else { return None };
        let name = self.model().last_name(self.model().call(call).callee)?;
        (answering.contains(&name) && self.is_answered_to_one(value)).then(|| Symbol::new(&format!("{name}()")))
    }
}
