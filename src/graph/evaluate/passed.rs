//! Things that are passed on by hand: the root of a broadcast sends what it holds, in one arm, and its peers make their own
//! of what they receive, in the other. Afterwards all hold the same.

use super::Engine;
use crate::flow::{Node, Value};
use crate::model::CompareOp;

/// What a broadcast of this function hands out.
#[derive(Clone, Debug)]
pub(super) struct Passed {
    /// The rank it comes from.
    pub root: Value,
    /// What went in.
    pub operands: Vec<Value>,
    /// What it is afterwards.
    pub agreed: Value,
}

/// Parts of a value that are looked through.
const MAX_PARTS: usize = 64;

impl Engine<'_> {
    /// What is in a variable after a choice by rank, one arm of which has sent it and the other received it.
    pub(super) fn passed_on(&mut self, passed: &[Passed], test: Value, then: Value, otherwise: Value) -> Option<Value> {
        let (asked, positive) = match *self.values.node(test) {
            Node::Not(inner) => (inner, false),
            _ => (test, true),
        };
        let Node::Compare(op, left, right) = *self.values.node(asked) else { return None };
        let is_root = match op {
            CompareOp::Eq => positive,
            CompareOp::NotEq => !positive,
            _ => return None,
        };
        let (own, received) = if is_root { (then, otherwise) } else { (otherwise, then) };
        let of_root = || passed.iter().filter(|passed| passed.root == left || passed.root == right);
        let sent = of_root().find(|sent| sent.operands.iter().any(|&operand| self.goes_into(own, operand)))?;
        let Node::Agreed(site, _, group) = *self.values.node(sent.agreed) else { return None };
        let arrives = of_root().any(|got| got.agreed != sent.agreed && self.goes_into(got.agreed, received));
        arrives.then(|| self.values.make(Node::Agreed(site, own, group)))
    }

    /// Whether a value is a part of another.
    fn goes_into(&self, part: Value, whole: Value) -> bool {
        self.values.any_part(whole, MAX_PARTS, |value| value == part)
    }
}
