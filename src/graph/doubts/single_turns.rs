//! Doubts about single turns of a loop: operations that are issued in one of them alone, and entries of a listing.

use crate::base::Symbol;
use crate::flow::{Node, Value, parts};
use crate::model::{CompareOp, Expr, ExprId, File, Stmt};

use super::super::blocks::binds;
use super::super::confidence::Evidence;
use super::super::context::each_in_context;
use super::super::witness::SplitKind;
use super::MAX_PARTS;

impl Evidence<'_, '_> {
    /// Whether a loop goes over what a listing of the disk holds, and asks in its turns for what is listed: all ranks ask for
    /// the same entries, if not in one order, and that is a matter of the loop.
    pub(in crate::graph) fn asks_for_an_entry(&self) -> bool {
        let (Some(leaf), Some(test)) = (self.leaf, self.test) else { return false };
        let values = &self.engine.values;
        if self.kind == SplitKind::Loop
            || !self.engine.marks.disks.contains(&leaf)
            || self.asks_for_its_own()
            || self.is_made_meanwhile()
        {
            return false;
        }
        let (mut is_entry, mut differs_otherwise) = (false, false);
        let look = |part: Value, further: &mut Vec<Value>| {
            match values.node(part) {
                Node::Item(_, listed) if values.any_part(*listed, MAX_PARTS, |below| below == leaf) => is_entry = true,
                node => {
                    let below = parts(node);
                    differs_otherwise |= below.is_empty() && !values.vary(part).is_empty();
                    further.extend(below);
                }
            }
            false
        };
        values.search(test, MAX_PARTS, look) == Some(false) && is_entry && !differs_otherwise
    }

    /// Whether the operation is issued in the first turn of a loop alone, `if index == 0: …`: who takes more turns than its
    /// peers issues no more.
    pub(in crate::graph) fn is_done_in_one_turn(&self) -> bool {
        let (Some(decision), SplitKind::Loop) = (self.decision, self.kind) else { return false };
        let place = self.calls.first().map_or(self.engine.effects.event(self.main).site, |call| call.0);
        if place.file != decision.site.file {
            return false;
        }
        let model = &self.engine.program.file(place.file).model;
        let Some(function) = self.engine.function_at(place) else { return false };
        let mut counters: Vec<Symbol> = Vec::new();
        let mut is_once = false;
        each_in_context(model, function, &mut |id, stmt, context| {
            let span = model.stmt_span(id);
            if let Stmt::For { target, iter, .. } = stmt
                && model.span(*iter).holds(decision.site.span)
            {
                counters = turn_counter(model, *target, *iter).into_iter().collect();
            } else {
                counters.retain(|&counter| !binds(model, stmt, counter));
            }
            let mut asked = context.conditions.iter().zip(context.answers);
            is_once |= span.holds(place.span)
                && asked.any(|(asked, &holds)| {
                    holds && context.around.contains(asked) && asks_for_a_turn(model, *asked, &counters)
                });
        });
        is_once
    }
}

/// The variable that counts the turns of a loop: `for index, batch in enumerate(batches)`, `for index in range(count)`.
fn turn_counter(model: &File, target: ExprId, iter: ExprId) -> Option<Symbol> {
    let Expr::Call(call) = model.expr(iter) else { return None };
    let call = model.call(call);
    if model.list(call.args).len() != 1 || !model.keywords(call).is_empty() {
        return None;
    }
    let counter = match (model.last_name(call.callee)?.as_str(), model.expr(target)) {
        ("enumerate", Expr::Tuple(parts)) => model.expr(*model.list(parts).first()?),
        ("range", counter) => counter,
        _ => return None,
    };
    match counter {
        Expr::Name(name) => Some(name),
        _ => None,
    }
}

/// Whether a question holds in the first turn alone.
fn asks_for_a_turn(model: &File, asked: ExprId, counters: &[Symbol]) -> bool {
    match model.expr(asked) {
        Expr::And(parts) => model.list(parts).iter().any(|&part| asks_for_a_turn(model, part, counters)),
        Expr::Compare(CompareOp::Eq, left, right) => {
            let is_counter = matches!(model.expr(left), Expr::Name(name) if counters.contains(&name));
            is_counter && model.expr(right) == Expr::Int(0)
        }
        _ => false,
    }
}
