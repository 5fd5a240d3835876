//! What is asked on the way to a place: whether all ranks come there.

use rustc_hash::FxHashSet;

use super::seen::{Binding, Seen};
use super::{Asked, Body};
use crate::base::Symbol;
use crate::graph::races::{assigned, may_ask_for_rank, parts_of};
use crate::model::{CompareOp, Expr, ExprId, Function, UnaryOp, each_expression, names_in};

/// Words of questions for whether there are several ranks at all.
const OF_THE_JOB: [&str; 6] = ["initialized", "distributed", "world_size", "num_processes", "gpus", "n_gpu"];

impl Body<'_> {
    /// Whether all ranks come there, as far as the conditions say, whether they have the variable or not.
    pub(super) fn is_of_all(&self, seen: &Seen, name: Symbol, conditions: &[Asked]) -> bool {
        conditions.iter().all(|&(condition, answer)| {
            let asked = names_in(self.model(), condition);
            let asks_for_job = || {
                let mut found = false;
                each_expression(self.model(), condition, &mut |_, expr| {
                    if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
                        found |= OF_THE_JOB.iter().any(|word| name.as_str().contains(word));
                    }
                });
                found
            };
            let is_told_by = |binding: &Binding| {
                asked.contains(&binding.name) && binding.under.iter().any(|&(under, _)| self.asks_for(under, name))
            };
            !seen.bindings.iter().any(is_told_by)
                && !self.lets_in_first((condition, answer))
                && !self.lets_in_first((condition, !answer))
                && !self.asks_for(condition, name)
                && !asked.iter().any(|asked| {
                    let start = self.model().span(condition).start;
                    seen.told.get(asked).is_some_and(|&told| told < start)
                })
                && !asks_for_job()
                && !parts_of(self.model(), condition).into_iter().any(|part| self.may_ask_for_rank(part))
        })
    }

    /// Whether a condition asks for the variable itself: `logger is not None`, `hasattr(self, "logger")`.
    fn asks_for(&self, condition: ExprId, name: Symbol) -> bool {
        let mut found = false;
        each_expression(self.model(), condition, &mut |_, expr| {
            found |= match expr {
                Expr::Name(asked) => self.object.is_none() && asked == name,
                Expr::Attribute { name: asked, .. } | Expr::Str(asked) => self.object.is_some() && asked == name,
                _ => false,
            };
        });
        found
    }

    /// The same of a part of a question; how large a number is asks for a rank only where it is one.
    fn may_ask_for_rank(&self, part: ExprId) -> bool {
        let model = self.model();
        match model.expr(part) {
            Expr::Compare(CompareOp::Less | CompareOp::LessEq | CompareOp::Greater | CompareOp::GreaterEq, ..) => {
                let is_rank = |name: &Symbol| self.taint.holds(*name) || self.program.catalog.is_rank_by_name(*name);
                let mut found = false;
                each_expression(model, part, &mut |_, expr| {
                    if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
                        found |= is_rank(&name);
                    }
                });
                found
            }
            _ => may_ask_for_rank(self.program, self.taint, (self.file, self.function), part) || self.is_answered(part),
        }
    }

    /// Whether what is asked is what a function of the file has answered that itself asks for the rank: it may tell.
    fn is_answered(&self, part: ExprId) -> bool {
        let model = self.model();
        let of_ranks = |function: &&Function| {
            function.mentions.iter().any(|&name| self.program.catalog.convention(name).is_some())
        };
        let asking: FxHashSet<Symbol> = model.functions.iter().filter(of_ranks).map(|function| function.name).collect();
        let values = match model.expr(part) {
            Expr::Name(name) => assigned(model, self.function, name),
            Expr::Call(_) => vec![part],
            _ => Vec::new(),
        };
        values.into_iter().any(|value| {
            let mut found = false;
            each_expression(model, value, &mut |_, expr| {
                if let Expr::Call(call) = expr {
                    let called = model.last_name(model.call(call).callee);
                    found |= called.is_some_and(|name| asking.contains(&name));
                }
            });
            found
        })
    }

    /// Whether two lists of conditions cannot both hold: one is asked in both, and answered differently.
    pub(super) fn contradict(&self, one: &[Asked], other: &[Asked]) -> bool {
        let text = |condition: ExprId| {
            let span = self.model().span(condition);
            self.program.file(self.file).text.get(span.start as usize..span.end as usize)
        };
        one.iter().any(|&asked| {
            let (condition, answer) = self.plain(asked);
            other.iter().map(|&other| self.plain(other)).any(|(other, opposite)| {
                answer != opposite
                    && (condition == other || text(condition).is_some_and(|said| Some(said) == text(other)))
            })
        })
    }

    /// A condition without the `not` in front of it.
    fn plain(&self, (mut condition, mut answer): Asked) -> Asked {
        while let Expr::Unary(UnaryOp::Not, inner) = self.model().expr(condition) {
            (condition, answer) = (inner, !answer);
        }
        (condition, answer)
    }
}
