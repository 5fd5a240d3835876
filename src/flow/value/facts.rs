//! Along which axes a value may differ, worked out from its parts when it is made.

use super::{Facts, Node, STORE, Value, Values};
use crate::flow::axes::Axes;
use crate::model::{BinaryOp, CompareOp};

/// Parts of a sequence that are looked at for what its number of elements was computed with.
const MAX_COUNTS: usize = 48;

/// Elements that were stored one after the other, as far as they are followed.
const MAX_STORES: usize = 16;

/// Choices within choices that are looked through for what was stored.
const MAX_ARMS: u8 = 4;

impl Values {
    fn joined(&self, parts: impl IntoIterator<Item = Value>) -> Facts {
        parts.into_iter().fold(Facts::UNIFORM, |sum, part| sum.join(self.facts(part)))
    }

    pub(super) fn compute(&self, node: &Node) -> Facts {
        let facts = |value: Value| self.facts(value);
        match node {
            Node::None
            | Node::Bool(_)
            | Node::Int(_)
            | Node::Str(_)
            | Node::Size(_)
            | Node::External(_)
            | Node::Typed(_)
            | Node::Module(_)
            | Node::World
            | Node::AxisGroup(_)
            | Node::Mesh(_)
            | Node::Unknown(_)
            | Node::Class(_) => Facts::UNIFORM,
            Node::NonMember => Facts::UNIFORM,
            Node::Environment(_) => Facts { environment: true, ..Facts::UNIFORM },
            Node::Parameter(..) | Node::Capture(..) => Facts { open: true, ..Facts::UNIFORM },
            Node::Rank(axes) => Facts { shape: Axes::NONE, ..Facts::differing(*axes) },
            Node::Local(_, axes) => Facts::differing(*axes),
            Node::Not(value) => facts(*value),
            // Where several ranks run, what holds for a single process only does not.
            Node::And(left, right) if [*left, *right].iter().any(|&part| self.distributed(part) == Some(false)) => {
                Facts { vary: Axes::NONE, shape: Axes::NONE, ..facts(*left).join(facts(*right)) }
            }
            Node::And(left, right) | Node::Or(left, right) => facts(*left).join(facts(*right)),
            Node::Compare(op, left, right) => {
                let (left_facts, right_facts) = (facts(*left), facts(*right));
                let whole = left_facts.join(right_facts);
                match op {
                    // Whether something is `None` is a fact of its shape, not of its contents.
                    CompareOp::Is | CompareOp::IsNot => {
                        let shape = self.absence(*left, 6) | right_facts.shape;
                        Facts { vary: shape | self.identity(*left), ..whole }
                    }
                    // Whether a key is in a container is a fact of the key and of the container's shape.
                    CompareOp::In | CompareOp::NotIn => {
                        Facts { vary: left_facts.vary | self.contents(*right, 6), ..whole }
                    }
                    _ => whole,
                }
            }
            Node::Binary(_, left, right) => facts(*left).join(facts(*right)),
            Node::If(test, then, otherwise) if self.distributed(*test).is_some() => {
                let whole = facts(*test).join(facts(*then)).join(facts(*otherwise));
                let kept = facts(if self.distributed(*test) == Some(true) { *then } else { *otherwise });
                Facts { vary: kept.vary, shape: kept.shape, ..whole }
            }
            Node::If(test, then, otherwise) => {
                let (test, then_facts, otherwise_facts) = (facts(*test), facts(*then), facts(*otherwise));
                let arms = then_facts.join(otherwise_facts);
                let same_length = match (self.node(*then), self.node(*otherwise)) {
                    (Node::Sequence(one), Node::Sequence(other)) => one.len() == other.len(),
                    (one, other) => {
                        (is_scalar(one) && is_scalar(other))
                            || self.before_stores(*then, MAX_ARMS) == self.before_stores(*otherwise, MAX_ARMS)
                    }
                };
                Facts {
                    vary: arms.vary | test.vary,
                    shape: if same_length { arms.shape } else { arms.shape | test.vary },
                    open: arms.open || test.open,
                    environment: arms.environment || test.environment,
                    ..arms
                }
            }
            Node::Sequence(parts) => Facts { shape: Axes::NONE, ..self.joined(parts.iter().copied()) },
            Node::Mapping(parts) => {
                let keys = self.joined(parts.iter().map(|part| part.0));
                let values = self.joined(parts.iter().map(|part| part.1));
                Facts { shape: keys.vary, ..keys.join(values) }
            }
            Node::Index(value, index) => {
                // What lies at a place that differs by rank may be shorter here than there.
                let whole = facts(*value).join(facts(*index));
                match self.is_equal_share(*value, *index) {
                    true => Facts { shape: facts(*value).shape, ..whole },
                    false => Facts { shape: whole.shape | facts(*index).vary, ..whole },
                }
            }
            Node::Attribute(value, _) | Node::Keyword(value, _) | Node::Forward(value) => {
                let inner = facts(*value);
                Facts { wrapped: inner.wrapped || matches!(node, Node::Forward(_)), ..inner }
            }
            Node::Apply(_, parts) => {
                let whole = self.joined(parts.iter().copied());
                // A function's result takes the shape of what it is given.
                Facts { shape: whole.shape, ..whole }
            }
            Node::Length(value) => {
                let inner = facts(*value);
                Facts { vary: inner.shape, shape: Axes::NONE, ..inner }
            }
            Node::Kind(value) => {
                let inner = facts(*value);
                Facts { vary: self.presence(*value), shape: Axes::NONE, wrapped: false, ..inner }
            }
            Node::Range(parts) => {
                let inner = self.joined(parts.iter().copied());
                Facts { shape: inner.vary, ..inner }
            }
            Node::Mapped(_, parts) => self.joined(parts.iter().copied()),
            // The loader is the same everywhere, what it yields is not.
            Node::Loader(value, _) => facts(*value),
            Node::Changed(_, parts) => self.joined(parts.iter().copied()),
            Node::Item(_, value) => match self.node(*value) {
                // The n-th number of a range is the same on every rank that gets so far, if all begin alike.
                Node::Range(parts) if parts.len() == 1 => {
                    Facts { vary: Axes::NONE, shape: Axes::NONE, ..facts(*value) }
                }
                _ => {
                    let yielded = self.yielded(*value).map_or(Axes::NONE, |batch| self.vary(batch));
                    Facts { vary: facts(*value).vary | yielded, shape: Axes::NONE, ..facts(*value) }
                }
            },
            Node::Carried(_, _, parts) => self.joined(parts.iter().copied()),
            Node::Function(_, bound) => {
                bound.map_or(Facts::UNIFORM, |bound| Facts { open: facts(bound).open, ..Facts::UNIFORM })
            }
            Node::Closure(_, captured) => {
                Facts { open: captured.iter().any(|(_, _, value)| facts(*value).open), ..Facts::UNIFORM }
            }
            Node::Partial(callee, args, keywords) => {
                let parts = args.iter().copied().chain(keywords.iter().map(|keyword| keyword.1));
                let open = facts(*callee).open || self.joined(parts).open;
                Facts { open, ..Facts::UNIFORM }
            }
            Node::Invoked(callee, args) => facts(*callee).join(self.joined(args.iter().copied())),
            Node::Instance(_, args) | Node::Generator(_, args) => {
                let inner = self.joined(args.iter().copied());
                Facts { open: inner.open, ..Facts::UNIFORM }
            }
            Node::MadeGroup(_, ranks) => Facts { open: facts(*ranks).open, ..Facts::UNIFORM },
            Node::Agreed(_, value, group) => {
                let (inner, group_facts) = (facts(*value), facts(*group));
                let axes = self.group_axes(*group);
                Facts {
                    vary: inner.vary.without(axes),
                    shape: inner.shape.without(axes),
                    open: inner.open || group_facts.open,
                    environment: false,
                    ..inner
                }
            }
            Node::Spread(_, value, group) => {
                let inner = facts(*value);
                let axes = self.group_axes(*group);
                Facts { vary: inner.vary | axes, open: inner.open || facts(*group).open, ..inner }
            }
        }
    }

    /// Axes along which the identity of an object may differ, for `is`: scalars are compared by value.
    fn identity(&self, value: Value) -> Axes {
        match self.node(value) {
            Node::If(test, ..) => self.vary(*test),
            node if is_scalar(node) => self.vary(value),
            _ => Axes::NONE,
        }
    }

    /// Along which axes it may differ whether there is a value at all or `None`.
    fn presence(&self, value: Value) -> Axes {
        let none = |value: Value| matches!(self.node(value), Node::None);
        match self.node(value) {
            Node::If(test, then, otherwise) => {
                let arms = self.presence(*then) | self.presence(*otherwise);
                if none(*then) != none(*otherwise) { arms | self.vary(*test) } else { arms }
            }
            Node::Carried(_, _, parts) if parts.iter().any(|&part| none(part)) => self.vary(value),
            _ => Axes::NONE,
        }
    }

    /// Along which axes it may differ whether there is a value, as far as its shape tells: what a mask picks is there.
    fn absence(&self, value: Value, fuel: u8) -> Axes {
        match self.node(value) {
            Node::If(_, then, otherwise) if fuel > 0 => {
                self.absence(*then, fuel - 1) | self.absence(*otherwise, fuel - 1) | self.identity(value)
            }
            Node::Index(tensor, index) => match self.node(*index) {
                Node::Compare(..) | Node::Not(_) | Node::Apply(..) | Node::Sequence(_) => self.absence(*tensor, fuel),
                _ => self.shape(value),
            },
            _ => self.shape(value),
        }
    }

    /// Whether the condition asks if there are several processes, and what it says where there are.
    fn distributed(&self, test: Value) -> Option<bool> {
        match self.node(test) {
            Node::Not(inner) => self.distributed(*inner).map(|holds| !holds),
            Node::And(left, right) => {
                [*left, *right].iter().any(|&part| self.distributed(part) == Some(false)).then_some(false)
            }
            Node::Apply(name, parts) if parts.is_empty() => (name.as_str() == super::INITIALIZED).then_some(true),
            Node::Attribute(_, name) => matches!(name.as_str(), "is_distributed" | "distributed").then_some(true),
            Node::Compare(op, left, right) => match self.node(*left) {
                Node::Attribute(_, name) if *op == CompareOp::Eq => {
                    (name.as_str() == "distributed_type").then_some(true)
                }
                _ => self.whatever_the_size(*op, *left, *right),
            },
            _ => None,
        }
    }

    /// What a comparison of the number of ranks with a number says, where that is the same for every job of several.
    fn whatever_the_size(&self, op: CompareOp, left: Value, right: Value) -> Option<bool> {
        let known = |value: Value| self.node(self.meaning(value).unwrap_or(value));
        let (size_first, number) = match (known(left), known(right)) {
            (Node::Size(axes), Node::Int(number)) if axes.is_all() => (true, *number),
            (Node::Int(number), Node::Size(axes)) if axes.is_all() => (false, *number),
            _ => return None,
        };
        let holds = |size: i64| {
            let (one, other) = if size_first { (size, number) } else { (number, size) };
            match op {
                CompareOp::Eq => Some(one == other),
                CompareOp::NotEq => Some(one != other),
                CompareOp::Less => Some(one < other),
                CompareOp::LessEq => Some(one <= other),
                CompareOp::Greater => Some(one > other),
                CompareOp::GreaterEq => Some(one >= other),
                _ => None,
            }
        };
        let fewest = holds(2)?;
        [number.max(2), i64::MAX].into_iter().all(|size| holds(size) == Some(fewest)).then_some(fewest)
    }

    /// A container as it was before elements were given other values, whatever decided which: it has as many, and the same
    /// keys, since then.
    fn before_stores(&self, mut value: Value, fuel: u8) -> Value {
        for _ in 0..MAX_STORES {
            match self.node(value) {
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
            Node::Sequence(_) => true,
            Node::Binary(BinaryOp::Mul, left, right) => {
                [left, right].into_iter().any(|&factor| matches!(self.node(factor), Node::Sequence(_)))
            }
            Node::Apply(name, _) => name.as_str().starts_with("torch.") || name.as_str().starts_with("numpy."),
            _ => false,
        }
    }

    /// A container before the loops that change it, and before what was stored in it.
    fn first_state(&self, mut container: Value) -> Value {
        for _ in 0..MAX_STORES {
            container = match self.node(container) {
                Node::Carried(_, _, parts) if !parts.is_empty() => parts[0],
                Node::Mapped(name, parts) if name.as_str() == STORE => parts[0],
                _ => break,
            };
        }
        container
    }

    /// Whether a slice takes as much on every rank: `[rank * per : (rank + 1) * per]`, `[start : start + per]`, and
    /// `[rank :: size]` of what was cut into a multiple of `size` parts.
    fn is_equal_share(&self, whole: Value, slice: Value) -> bool {
        let Node::Range(bounds) = self.node(slice) else { return false };
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

    /// Whether the number of elements of a sequence was made a multiple of so many: cut into `n * size` parts, padded by
    /// `-len(x) % size`, filled up while `len(x) % size` is not zero.
    fn is_in_multiples_of(&self, whole: Value, size: Value) -> bool {
        let counts_by_size = |part: Value| match *self.node(part) {
            Node::Binary(BinaryOp::Mod | BinaryOp::FloorDiv, _, by) => by == size,
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

    fn contents(&self, value: Value, fuel: u8) -> Axes {
        match self.node(value) {
            Node::If(test, then, otherwise) if fuel > 0 => {
                self.vary(*test) | self.contents(*then, fuel - 1) | self.contents(*otherwise, fuel - 1)
            }
            Node::Sequence(_) | Node::If(..) => self.vary(value),
            _ => self.shape(value),
        }
    }
}

fn is_scalar(node: &Node) -> bool {
    matches!(
        node,
        Node::Bool(_)
            | Node::Int(_)
            | Node::Str(_)
            | Node::Rank(_)
            | Node::Size(_)
            | Node::Compare(..)
            | Node::Not(_)
            | Node::Binary(..)
            | Node::Length(_)
    )
}
