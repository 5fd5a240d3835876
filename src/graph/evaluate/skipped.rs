//! Turns of a loop that some elements cut short: what stands behind a `continue` or `break` happens for the others only,
//! and what was assigned in front of it is left behind too.

use super::branch::Changes;
use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::flow::{Node, Value};
use crate::model::{Block, File, Stmt};

/// An arm that cuts a turn short.
#[derive(Clone, Debug)]
pub(super) struct CutShort {
    /// What holds where it does.
    test: Value,
    /// Where it is asked for.
    span: Span,
    /// What the arm has assigned before.
    changes: Changes,
}

impl<'p> Engine<'p> {
    /// Notes an arm that ends in `continue` or `break`.
    pub(super) fn note_cut(
        &mut self,
        frame: &mut Frame<'p>,
        (test, span): (Value, Span),
        arm: Block,
        changes: &Changes,
    ) {
        if !cuts_short(frame.model, arm) {
            return;
        }
        let decides = !self.values.vary(test).is_empty();
        if decides || !changes.is_empty() {
            frame.cuts.push(CutShort { test, span, changes: changes.clone() });
        }
    }

    /// The statements of a block, those behind a place where some turns end under the condition that this one does not.
    pub(super) fn block(&mut self, frame: &mut Frame<'p>, block: Block) {
        let mut behind: Vec<(usize, Value, Span)> = Vec::new();
        let guards = frame.guards.len();
        for &stmt in frame.model.block(block) {
            if frame.dead {
                break;
            }
            let known = frame.cuts.len();
            self.statement(frame, stmt);
            for at in known..frame.cuts.len() {
                let (test, span) = (frame.cuts[at].test, frame.cuts[at].span);
                if !self.values.vary(test).is_empty() {
                    let goes_on = self.values.make(Node::Not(test));
                    behind.push((frame.log.len(), goes_on, span));
                    frame.guards.push(goes_on);
                }
            }
        }
        frame.guards.truncate(guards);
        if frame.dead {
            return;
        }
        for (mark, goes_on, span) in behind.into_iter().rev() {
            let changes = frame.rollback(mark);
            self.merge(frame, goes_on, span, (changes, false), (Changes::new(), false));
        }
    }

    /// What the arms noted since `known` may have left in a variable of the loop, which was `before` when the turn began.
    pub(super) fn left_behind(&mut self, cuts: &[CutShort], name: Symbol, before: Option<Value>) -> Vec<Value> {
        let mut out = Vec::new();
        for cut in cuts {
            let assigned = cut.changes.iter().find(|(changed, _)| *changed == name).and_then(|(_, value)| *value);
            match (assigned, before) {
                (Some(value), Some(before)) if value != before => {
                    out.push(self.values.make(Node::If(cut.test, value, before)));
                }
                (Some(value), None) => out.push(value),
                _ => {}
            }
        }
        out
    }
}

/// Whether a block ends the turn of the loop it stands in.
fn cuts_short(model: &File, block: Block) -> bool {
    model.block(block).last().is_some_and(|&last| matches!(model.stmt(last), Stmt::Break | Stmt::Continue))
}
