//! Values as far as peers must agree on them: roots and other arguments, told apart or not.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::{Concrete, Evaluator, GroupKey, Truth};
use crate::flow::axes::Axes;
use crate::flow::value::{Node, Value, parts};

/// Parts of a value that are looked at.
const MAX_PARTS: usize = 60;

impl Evaluator<'_> {
    /// What goes over the wire of an argument of an operation: equal numbers are equal arguments; 1 is one that differs
    /// between the members of the group in a way that is not known.
    pub fn wire(&self, value: Option<Value>) -> u64 {
        value.map_or(0, |value| self.settled(value).unwrap_or(1))
    }

    /// What goes over the wire of a root. In a subgroup it is as a rule worked out from this rank's own place, in ways
    /// that cannot be retraced: only numbers that stand there can be told apart. A parameter is what the caller hands over,
    /// whatever it is called: the number that owns something, as a rule. Who hands over its own is found there.
    pub fn root_wire(&self, root: Option<Value>, group: &GroupKey) -> u64 {
        match (root, group) {
            (Some(root), _) if matches!(self.values.node(root), Node::Parameter(..)) => label(&root),
            (Some(root), GroupKey::Axis(_) | GroupKey::Other(_)) => match self.value(root) {
                Concrete::Int(known) if !self.is_worked_out(root) => label(&known),
                _ => 0,
            },
            _ => self.wire(root),
        }
    }

    /// What the members of a group that is made say: 2 where each rank makes one of its own with one member, itself as a
    /// rule, so that nobody waits for another. Members that are worked out from this rank's own number, by sizes that
    /// are not known, are others on some other rank: what is assumed of a size may hold all ranks in one group.
    pub fn members_wire(&self, members: Option<Value>) -> u64 {
        let own = |members: &Value| {
            self.values.vary(*members).meets(self.world.axes) || self.values.part_of_the_job_in(*members).is_some()
        };
        let Some(members) = members.filter(own) else { return self.wire(members) };
        match self.value(members) {
            Concrete::Tuple(ranks) if ranks.len() == 1 => 2,
            Concrete::Opaque(known) => self.worked_out_wire(known),
            _ if self.values.any_part(members, MAX_PARTS, |part| self.is_assumed(part)) => {
                self.worked_out_wire(members)
            }
            _ => self.wire(Some(members)),
        }
    }

    fn worked_out_wire(&self, members: Value) -> u64 {
        match self.places_in(members) {
            places if places.is_empty() => self.wire(Some(members)),
            places => label(&(members, places)),
        }
    }

    /// Whether a number is only assumed, or a list of ranks is that of a group that others have another of.
    fn is_assumed(&self, value: Value) -> bool {
        let of_axis = matches!(
            self.values.node(self.values.meaning(value).unwrap_or(value)),
            Node::Size(axes) if !axes.is_all()
        );
        of_axis || self.values.lists_a_part_of_the_job(value)
    }

    /// The numbers of this rank that a list of ranks is worked out from, by arithmetic and by looking up: not by how many
    /// there are of something, nor by a question. Its place along an axis counts where it is looked up as it is.
    fn places_in(&self, list: Value) -> Vec<Option<i64>> {
        let mut places = Vec::new();
        self.values.search(list, MAX_PARTS, |part, further| {
            match self.values.node(part) {
                Node::Rank(axes) if axes.is_all() => places.push(self.coordinate(*axes)),
                Node::Rank(_) | Node::Length(_) => {}
                // What this rank has found out by itself: the name of its host.
                Node::Local(..) => places.push(self.coordinate(Axes::ALL)),
                Node::Apply(..) if self.values.lists_a_part_of_the_job(part) => places.push(self.coordinate(Axes::ALL)),
                Node::If(test, then, otherwise) => match self.truth(*test) {
                    Truth::Known(holds) => further.extend([*test, if holds { *then } else { *otherwise }]),
                    Truth::Same(_) => further.extend([*test, *then, *otherwise]),
                },
                Node::Index(whole, key) => {
                    let keys = match self.values.node(*key) {
                        Node::Sequence(keys) => keys,
                        _ => std::slice::from_ref(key),
                    };
                    places.extend(keys.iter().filter_map(|&key| match self.values.node(key) {
                        Node::Rank(axes) if !axes.is_all() => Some(self.coordinate(*axes)),
                        _ => None,
                    }));
                    further.extend([*whole, *key]);
                }
                node => further.extend(parts(node)),
            }
            false
        });
        places
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

/// The identity of an answer that every rank shares, below its complement, which is that of the opposite answer: so which
/// of the two a question goes by is not for the hash to say.
pub fn label(key: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish() >> 1
}
