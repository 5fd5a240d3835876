//! Values as far as peers must agree on them: roots and other arguments, told apart or not.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::{Concrete, Evaluator, GroupKey};
use crate::flow::value::{Node, Value};

impl Evaluator<'_> {
    /// What goes over the wire of an argument of an operation: equal numbers are equal arguments; 1 is one that differs
    /// between the members of the group in a way that is not known.
    pub fn wire(&self, value: Option<Value>) -> u64 {
        value.map_or(0, |value| self.settled(value).unwrap_or(1))
    }

    /// What goes over the wire of a root. In a subgroup it is as a rule worked out from this rank's own place, in ways
    /// that cannot be retraced: only numbers that stand there can be told apart.
    pub fn root_wire(&self, root: Option<Value>, group: &GroupKey) -> u64 {
        match (root, group) {
            (Some(root), GroupKey::Axis(_) | GroupKey::Other(_)) => match self.value(root) {
                Concrete::Int(known) if !self.is_worked_out(root) => label(&known),
                _ => 0,
            },
            _ => self.wire(root),
        }
    }

    /// Whether a rank is worked out from this rank's own.
    fn is_worked_out(&self, value: Value) -> bool {
        match self.values.node(value) {
            Node::If(_, then, otherwise) => self.is_worked_out(*then) || self.is_worked_out(*otherwise),
            _ => self.values.vary(value).meets(self.world.axes),
        }
    }

    /// The identity of a value, in which what this class knows to be equal counts as equal; absent when it differs.
    fn settled(&self, value: Value) -> Option<u64> {
        match self.value(value) {
            Concrete::Opaque(inner) => self.settled_part(inner),
            known => Some(label(&format!("{known:?}"))),
        }
    }

    fn settled_part(&self, value: Value) -> Option<u64> {
        if let Some(same) = self.equal_to(value) {
            return Some(label(&same));
        }
        let all = |parts: &[Value]| parts.iter().map(|&part| self.settled_part(part)).collect::<Option<Vec<u64>>>();
        match self.values.node(value) {
            Node::Apply(name, parts) if !parts.is_empty() => Some(label(&(name, all(parts)?))),
            Node::Index(left, right) => Some(label(&("[]", all(&[*left, *right])?))),
            Node::Binary(op, left, right) => Some(label(&(*op as u8, all(&[*left, *right])?))),
            _ if self.values.vary(value).meets(self.world.axes) => None,
            _ => Some(label(&value)),
        }
    }
}

/// The identity of an answer that every rank shares.
pub fn label(key: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}
