//! How many elements a sequence has, as far as that decides whether ranks have as many: shares of equal length, and elements
//! that take the place of others.

use super::{COMPREHENSION, Node, REPEAT, STORE, UPDATE, Value, Values};
use crate::model::BinaryOp;

/// Parts of a sequence that are looked at for what its number of elements was computed with.
const MAX_COUNTS: usize = 48;

/// Elements that were stored one after the other, as far as they are followed.
pub(super) const MAX_STORES: usize = 16;

/// Choices within choices that are looked through for what was stored.
const MAX_ARMS: u8 = 4;

/// Functions that give one element for each of what they are given.
const ONE_BY_ONE: [&str; 6] = ["iter", "list", "tuple", "enumerate", "reversed", "sorted"];

impl Values {
    /// A container as it was before elements were given other values, whatever decided which: it has as many, and the same
    /// keys, since then.
    fn before_stores(&self, mut value: Value, fuel: u8) -> Value {
        for _ in 0..MAX_STORES {
            match self.node(value) {
                Node::Mapped(name, parts) if name.as_str() == UPDATE => value = parts[0],
                Node::Mapped(name, parts) if name.as_str() == STORE => {
                    let [old, content] = parts[..] else { break };
                    let Node::Sequence(stored) = self.node(content) else { break };
                    let [_, index] = stored[..] else { break };
                    if !self.is_there(old, index) {
                        break;
                    }
                    value = old;
                }
                &Node::If(_, then, otherwise) if fuel > 0 => {
                    let before = self.before_stores(then, fuel - 1);
                    if before != self.before_stores(otherwise, fuel - 1) {
                        break;
                    }
                    value = before;
                }
                _ => break,
            }
        }
        value
    }

    /// Whether a container has an element under an index: a number, a slice, or one of its own keys.
    fn is_there(&self, container: Value, index: Value) -> bool {
        let source = match *self.node(index) {
            Node::Int(_) | Node::Range(_) => return true,
            Node::Item(_, source) => source,
            _ => return self.has_places(container),
        };
        let first = self.first_state(container);
        matches!(self.node(source), Node::Range(_))
            || self.has_places(container)
            || self.any_part(source, MAX_COUNTS, |part| part == first)
    }

    /// Whether elements are stored in places that are there already: a tensor, or a list, that has as many as it was made with.
    pub fn has_places(&self, container: Value) -> bool {
        match self.node(self.first_state(container)) {
            // A tensor of a given size, or a list that is written out.
            Node::Range(_) | Node::Sequence(_) => true,
            Node::Mapped(name, _) => matches!(name.as_str(), REPEAT | COMPREHENSION),
            _ => false,
        }
    }

    /// Whether a mapping that a loop changes was written out with the key.
    pub fn has_entry(&self, container: Value, key: Value) -> bool {
        match self.node(self.first_state(container)) {
            Node::Mapping(entries) => entries.iter().any(|entry| entry.0 == key),
            _ => false,
        }
    }

    /// A container before the loops that change it, and before what was stored in it.
    fn first_state(&self, mut container: Value) -> Value {
        for _ in 0..MAX_STORES {
            container = match self.node(container) {
                Node::Carried(_, _, parts) if !parts.is_empty() => parts[0],
                Node::Mapped(name, parts) if matches!(name.as_str(), STORE | UPDATE) => parts[0],
                _ => break,
            };
        }
        container
    }

    /// Whether two states of a container have as many elements under the same keys, since they differ at most in what was
    /// stored in places that are there.
    pub(super) fn have_the_same_places(&self, one: Value, other: Value) -> bool {
        self.before_stores(one, MAX_ARMS) == self.before_stores(other, MAX_ARMS)
    }

    /// Whether two things are gone through in as many turns: something itself, and a range of its length.
    pub(super) fn have_as_many_turns(&self, one: Value, other: Value) -> bool {
        self.gone_through(one) == self.gone_through(other)
    }

    /// What decides about the number of turns of what is gone through.
    fn gone_through(&self, mut value: Value) -> Value {
        for _ in 0..MAX_STORES {
            value = match self.node(value) {
                Node::Mapped(name, parts) if ONE_BY_ONE.contains(&name.as_str()) && parts.len() == 1 => parts[0],
                Node::Range(parts) if parts.len() == 1 => match *self.node(parts[0]) {
                    Node::Length(inner) => inner,
                    _ => break,
                },
                _ => break,
            };
        }
        value
    }

    /// Whether what is taken is as much on every rank: `[rank * per : (rank + 1) * per]`, `[start : start + per]`,
    /// `[rank :: size]` of what was cut into a multiple of `size` parts, and `[rank]` of parts of `n // size` each.
    pub(super) fn is_equal_share(&self, whole: Value, slice: Value) -> bool {
        let Node::Range(bounds) = self.node(slice) else { return self.has_equal_parts(whole) };
        let [from, to, ref rest @ ..] = bounds[..] else { return false };
        if let [step] = *rest
            && *self.node(to) == Node::None
            && self.vary(step).is_empty()
            && self.is_in_multiples_of(whole, step)
        {
            return true;
        }
        if rest.iter().any(|&step| *self.node(step) != Node::None) {
            return false;
        }
        let uniform = |value: Value| self.vary(value).is_empty();
        let after = |before: Value, value: Value| match *self.node(value) {
            Node::Binary(BinaryOp::Add, left, right) => {
                (left == before && uniform(right)) || (right == before && uniform(left))
            }
            _ => false,
        };
        if after(from, to) {
            return true;
        }
        let (Node::Binary(BinaryOp::Mul, a, b), Node::Binary(BinaryOp::Mul, c, d)) =
            (self.node(from).clone(), self.node(to).clone())
        else {
            return false;
        };
        [(a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)]
            .into_iter()
            .any(|(index, per, next, same)| per == same && uniform(per) && after(index, next))
    }

    /// Whether a range is as long on every rank though it begins elsewhere: `range(rank % step, size, step)`, the ranks of a
    /// grid whose lines they divide among them.
    pub(super) fn is_line_of_ranks(&self, bounds: &[Value]) -> bool {
        let &[from, to, step] = bounds else { return false };
        let begins_within = matches!(*self.node(from), Node::Binary(BinaryOp::Mod, _, by) if by == step);
        let counts_ranks = matches!(self.node(self.meaning(to).unwrap_or(to)), Node::Size(_));
        begins_within && counts_ranks && self.vary(step).is_empty()
    }

    /// Whether a range is as long on every rank since its end is a multiple of its step: `range(rank, per_rank * size, size)`.
    pub(super) fn ends_at_a_multiple(&self, bounds: &[Value]) -> bool {
        let &[_, to, step] = bounds else { return false };
        let is_constant = matches!(self.node(step), Node::Int(_) | Node::None);
        let factors = match *self.node(to) {
            Node::Binary(BinaryOp::Mul, left, right) => [left, right],
            _ => return false,
        };
        !is_constant && self.vary(to).is_empty() && factors.contains(&step)
    }

    /// Whether a sequence was split into parts of so many elements that there is one for each rank: `n // size`.
    fn has_equal_parts(&self, whole: Value) -> bool {
        let Node::Apply(name, parts) = self.node(whole) else { return false };
        let per = parts.get(1).filter(|_| name.last_part().as_str() == "split");
        per.is_some_and(|&per| {
            matches!(self.node(per), Node::Binary(BinaryOp::FloorDiv, ..)) && self.vary(per).is_empty()
        })
    }

    /// Whether the number of elements of a sequence was made a multiple of so many: cut into `n * size` parts, padded by
    /// `-len(x) % size`, filled up while `len(x) % size` is not zero.
    fn is_in_multiples_of(&self, whole: Value, size: Value) -> bool {
        let counts_by_size = |part: Value| match *self.node(part) {
            Node::Binary(BinaryOp::Mod, _, by) => by == size,
            Node::Binary(BinaryOp::Mul, left, right) => left == size || right == size,
            _ => false,
        };
        let is_constant = matches!(self.node(size), Node::Int(_) | Node::None);
        // Fewer elements give fewer chunks: what is cut has to be padded.
        let whole = match self.node(whole) {
            Node::Apply(name, parts) if name.last_part().as_str() == "chunk" => parts[0],
            _ => whole,
        };
        !is_constant && self.any_part(whole, MAX_COUNTS, counts_by_size)
    }
}
