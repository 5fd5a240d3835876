//! Along which axes a value may differ, worked out from its parts when it is made.

use super::simplify::is_constructor;
use super::{Facts, Node, Value, Values};
use crate::flow::axes::Axes;
use crate::model::CompareOp;

/// Functions whose result has as many elements as the data say.
pub const FILTERS: [&str; 5] = ["nonzero", "masked_select", "unique", "unique_consecutive", "argwhere"];

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
                    CompareOp::Is | CompareOp::IsNot if *self.node(*right) == Node::None => {
                        Facts { vary: self.absence(*left, 6) | self.identity(*left), ..whole }
                    }
                    // Whether two things are one is a question of which they are, not of what is in them.
                    CompareOp::Is | CompareOp::IsNot => {
                        Facts { vary: self.identity(*left) | self.identity(*right), ..whole }
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
                            || self.have_the_same_places(*then, *otherwise)
                            || self.have_as_many_turns(*then, *otherwise)
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
            Node::Apply(name, parts) => {
                let whole = self.joined(parts.iter().copied());
                // A function's result takes the shape of what it is given, but for one that looks for what holds.
                let picks = FILTERS.contains(&name.last_part().as_str()) || self.holds_data_once(*name, parts);
                match !whole.vary.is_empty() && picks {
                    true => Facts { shape: whole.shape | whole.vary, ..whole },
                    false => whole,
                }
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
                Facts {
                    shape: if self.is_line_of_ranks(parts) || self.ends_at_a_multiple(parts) {
                        Axes::NONE
                    } else {
                        inner.vary
                    },
                    ..inner
                }
            }
            // As many elements as there are different ones among the data.
            Node::Mapped(name, parts) if self.picks_each_once(*name, parts) => {
                let whole = self.joined(parts.iter().copied());
                Facts { shape: whole.shape | whole.vary, ..whole }
            }
            // As many entries as there are keys, in what has keys at all.
            Node::Mapped(name, parts) if let Some(key) = self.key_of_the_data(*name, parts) => {
                let whole = self.joined(parts.iter().copied());
                Facts { shape: whole.shape | facts(key).vary, ..whole }
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
            Node::Carried(_, _, parts)
                if fuel > 0 && parts.iter().all(|&part| self.absence(part, fuel - 1).is_empty()) =>
            {
                Axes::NONE
            }
            Node::Apply(name, _) if is_constructor(*name) => Axes::NONE,
            // What has something to fall back on is there as that is.
            Node::Or(_, instead) if fuel > 0 => self.absence(*instead, fuel - 1),
            _ => self.shape(value),
        }
    }

    /// Whether the condition asks if there are several processes, and what it says where there are.
    pub fn distributed(&self, test: Value) -> Option<bool> {
        match self.node(test) {
            Node::Not(inner) => self.distributed(*inner).map(|holds| !holds),
            Node::And(left, right) => match (self.distributed(*left), self.distributed(*right)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Node::Or(left, right) => match (self.distributed(*left), self.distributed(*right)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
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
        match (op, known(left), known(right)) {
            (CompareOp::Eq, Node::Size(axes), Node::Int(number))
            | (CompareOp::Eq, Node::Int(number), Node::Size(axes)) => (axes.is_all() && *number < 2).then_some(false),
            (CompareOp::Less, Node::Size(axes), Node::Int(number)) => (axes.is_all() && *number <= 2).then_some(false),
            (CompareOp::Less, Node::Int(number), Node::Size(axes)) => (axes.is_all() && *number < 2).then_some(true),
            _ => None,
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Symbol;

    #[test]
    fn what_falls_back_on_something_is_there_as_that_is() {
        let mut values = Values::default();
        let rank = values.make(Node::Rank(Axes::ALL));
        let [none, first, all] =
            [Node::None, Node::Int(0), Node::Str(Symbol::new("all"))].map(|node| values.make(node));
        let is_first = values.make(Node::Compare(CompareOp::Eq, rank, first));
        let own = values.make(Node::If(is_first, all, none));
        let either = values.make(Node::Or(own, all));
        let [own, either] = [own, either].map(|asked| values.make(Node::Compare(CompareOp::Is, asked, none)));
        assert_eq!(values.vary(own), Axes::ALL);
        assert!(values.vary(either).is_empty());
    }
}
