//! Questions about data whose statistic is pooled over ranks further on: they may have another answer on each.

use crate::base::Symbol;
use crate::finding::Confidence;
use crate::flow::{Axes, Node, POOLED, Value};
use crate::model::ExprId;

use super::{Engine, Frame};

/// Parts of a question that are looked at.
const MAX_PARTS: usize = 60;

impl<'p> Engine<'p> {
    /// What the answer to such a question is: this rank's own, where nothing else is known of it.
    pub(super) fn asked_of_pooled(&mut self, frame: &Frame<'p>, asked: ExprId, answer: Value) -> Value {
        if let Node::Not(inner) = *self.values.node(answer) {
            let inner = self.asked_of_pooled(frame, asked, inner);
            return self.values.make(Node::Not(inner));
        }
        let settled = |value: Value| {
            matches!(
                self.values.node(value),
                Node::Agreed(..) | Node::Size(_) | Node::Rank(_) | Node::World | Node::Environment(_)
            )
        };
        let is_constant = matches!(self.values.node(answer), Node::Bool(_) | Node::Int(_) | Node::None | Node::Str(_));
        // Where it is known for another reason to be this rank's own, that one explains more.
        let varies = self.values.vary(answer);
        let of_share = || self.values.any_part(answer, MAX_PARTS, |part| self.marks.shares.contains(&part));
        let is_known = varies.is_all() || !varies.is_empty() && of_share();
        if is_known || is_constant || self.values.any_part(answer, MAX_PARTS, settled) {
            return answer;
        }
        let span = frame.model.span(asked);
        let own = match self.pooled.get(&answer) {
            Some(&own) => own,
            None => {
                let own = self.values.make(Node::Local(frame.site(span), Axes::ALL));
                self.pooled.insert(answer, own);
                self.marks.shares.insert(own);
                own
            }
        };
        let reason = "each rank has its own: a statistic of it is pooled over ranks further on";
        self.born(own, frame, span, reason, Confidence::Medium);
        self.values.make(Node::Apply(Symbol::new(POOLED), Box::from([answer, own])))
    }

    /// Whether a value stands for what each rank answers for itself to such a question.
    pub(in crate::graph) fn is_of_pooled(&self, value: Value) -> bool {
        self.questions_pooled(value).next().is_some()
    }

    /// The questions to which a value stands for what each rank answers for itself.
    pub(in crate::graph) fn questions_pooled(&self, value: Value) -> impl Iterator<Item = Value> {
        self.pooled.iter().filter(move |&(_, &own)| own == value).map(|(&question, _)| question)
    }
}
