//! The few identities that keep equal things equal.

use super::{COLLECTED, COMPREHENSION, GIVEN, IS_MEMBER, MEMBERS, Node, POOLED, STORE, UPDATE, Value, Values, WITHOUT};
use crate::base::{Site, Symbol};
use crate::model::CompareOp;

/// Classes whose objects hold the model that they wrap as `module`.
const WRAPPERS: [&str; 2] = ["DistributedDataParallel", "FullyShardedDataParallel"];

/// Cases in cases that are looked at.
const MAX_CASES: u8 = 4;

impl Values {
    /// The agreement that a value comes from.
    fn agreement(&self, value: Value) -> Option<(Site, Value, Value)> {
        match self.node(value) {
            Node::Agreed(site, inner, group) => Some((*site, *inner, *group)),
            Node::Index(inner, index) if self.vary(*index).is_empty() => self.agreement(*inner),
            Node::Attribute(inner, _) => self.agreement(*inner),
            Node::Apply(_, parts) if parts.len() == 1 => self.agreement(parts[0]),
            _ => None,
        }
    }

    /// One arm sent what the other received: the same value in both.
    fn shared(&mut self, test: Value, then: Value, otherwise: Value) -> Option<Value> {
        let (one_site, one, group) = self.agreement(then)?;
        let (other_site, other, other_group) = self.agreement(otherwise)?;
        if one_site == other_site || group != other_group {
            return None;
        }
        let issued_under = |inner: Value, wanted: &dyn Fn(Value) -> bool| match self.node(inner) {
            Node::Sequence(parts) => parts.iter().any(|&part| match self.node(part) {
                Node::Range(guards) => guards.iter().any(|&guard| wanted(guard)),
                _ => false,
            }),
            _ => false,
        };
        let is_test = |guard: Value| guard == test;
        let is_opposite = |guard: Value| *self.node(guard) == Node::Not(test);
        if !issued_under(one, &is_test) && !issued_under(other, &is_opposite) {
            return None;
        }
        let whole = self.make(Node::Sequence(Box::from([test, then, otherwise])));
        Some(self.make(Node::Agreed(one_site, whole, group)))
    }

    /// Applies the few identities that keep equal things equal; `Err` returns the node unchanged.
    pub(super) fn simplified(&mut self, node: Node) -> Result<Value, Node> {
        match node {
            Node::Not(value) => match self.node(value).clone() {
                Node::Bool(known) => Ok(self.make(Node::Bool(!known))),
                Node::Not(inner) => Ok(inner),
                _ => Err(Node::Not(value)),
            },
            // A caller hands over what is known.
            Node::Apply(name, ref parts)
                if name.as_str() == POOLED
                    && matches!(self.node(parts[0]), Node::Bool(_) | Node::None | Node::Int(_)) =>
            {
                Ok(parts[0])
            }
            // A number that one rank computes anew stays one.
            Node::Apply(name, ref parts)
                if name.as_str() == "isinstance"
                    && let [kind, class] = parts[..]
                    && self.is_kind_of_number(kind)
                    && self.names_containers(class) =>
            {
                Ok(self.make(Node::Bool(false)))
            }
            Node::Compare(op, left, right) => {
                let positive = match op {
                    CompareOp::NotEq => CompareOp::Eq,
                    CompareOp::IsNot => CompareOp::Is,
                    CompareOp::NotIn => CompareOp::In,
                    CompareOp::GreaterEq => CompareOp::Less,
                    CompareOp::Greater => {
                        return Ok(self.make(Node::Compare(CompareOp::Less, right, left)));
                    }
                    CompareOp::LessEq => {
                        let swapped = self.make(Node::Compare(CompareOp::Less, right, left));
                        return Ok(self.make(Node::Not(swapped)));
                    }
                    CompareOp::Is => return self.is_test(left, right),
                    // Nothing but a NaN differs from itself.
                    CompareOp::Eq if left == right && self.may_be_nan(left) => {
                        let nan = self.is_nan(left);
                        return Ok(self.make(Node::Not(nan)));
                    }
                    // Only members issue anything on the group.
                    CompareOp::In
                        if let Some(group) = self.members_of(right)
                            && self.is_job_rank(left) =>
                    {
                        return Ok(self.make(Node::Apply(Symbol::new(IS_MEMBER), Box::from([group]))));
                    }
                    // Whoever stores one entry leaves the others as they were.
                    CompareOp::In
                        if matches!(self.node(left), Node::Str(_))
                            && let before = self.before_others(right, left)
                            && before != right =>
                    {
                        return Ok(self.make(Node::Compare(CompareOp::In, left, before)));
                    }
                    CompareOp::Eq | CompareOp::Less | CompareOp::In
                        if let Some(known) = self.rank_against(op, left, right) =>
                    {
                        return Ok(known);
                    }
                    CompareOp::Eq
                        if matches!(self.node(left), Node::Int(_) | Node::Str(_) | Node::Bool(_) | Node::None)
                            && !matches!(
                                self.node(right),
                                Node::Int(_) | Node::Str(_) | Node::Bool(_) | Node::None
                            ) =>
                    {
                        return Ok(self.make(Node::Compare(CompareOp::Eq, right, left)));
                    }
                    _ => return Err(Node::Compare(op, left, right)),
                };
                let inner = self.make(Node::Compare(positive, left, right));
                Ok(self.make(Node::Not(inner)))
            }
            Node::And(left, right) => match (self.node(left).clone(), left == right) {
                (_, true) => Ok(left),
                (Node::Bool(true), _) => Ok(right),
                (Node::Bool(false), _) => Ok(left),
                // `if retry and False:` is how people switch something off.
                _ if *self.node(right) == Node::Bool(false) => Ok(right),
                _ => Err(Node::And(left, right)),
            },
            Node::Or(left, right) => match (self.node(left).clone(), left == right) {
                (_, true) => Ok(left),
                (Node::Bool(true), _) => Ok(left),
                (Node::Bool(false) | Node::None, _) => Ok(right),
                _ if *self.node(right) == Node::Bool(true) => Ok(right),
                _ => Err(Node::Or(left, right)),
            },
            Node::If(test, then, otherwise) => match (self.node(test).clone(), then == otherwise) {
                (_, true) => Ok(then),
                (Node::Bool(true), _) => Ok(then),
                (Node::Bool(false), _) => Ok(otherwise),
                (Node::Not(inner), _) => Ok(self.make(Node::If(inner, otherwise, then))),
                // With a progress bar around it, it is what it was.
                _ if self.without_bar(then) == self.without_bar(otherwise) => Ok(self.without_bar(then)),
                _ => match self.filled_alike(test, then, otherwise) {
                    Some(filled) => Ok(filled),
                    None => self.shared(test, then, otherwise).ok_or(Node::If(test, then, otherwise)),
                },
            },
            Node::Keyword(mapping, name) => self.keyword(mapping, name),
            Node::Mapped(word, ref parts)
                if word.as_str() == WITHOUT
                    && let Node::Mapping(entries) = self.node(parts[0]) =>
            {
                let rest = entries.iter().filter(|(key, _)| *key != parts[1]).copied().collect();
                Ok(self.make(Node::Mapping(rest)))
            }
            Node::Mapped(word, ref parts)
                if word.as_str() == GIVEN && matches!(self.node(parts[0]), Node::Mapping(_)) =>
            {
                Ok(parts[0])
            }
            // Who knows which container it is knows that the entry may be a new one.
            Node::Mapped(word, ref parts) if word.as_str() == UPDATE && self.makes_entries(parts[0]) => {
                Ok(self.make(Node::Mapped(Symbol::new(STORE), parts.clone())))
            }
            // Whatever wraps a model has it as its `module`.
            Node::Apply(name, ref parts)
                if name.as_str() == "hasattr"
                    && let [asked, attribute] = parts[..]
                    && matches!(self.node(attribute), Node::Str(named) if named.as_str() == "module")
                    && let Node::Kind(asked) = self.node(asked)
                    && let Node::Typed(kind) = self.node(*asked)
                    && WRAPPERS.contains(&kind.last_part().as_str()) =>
            {
                Ok(self.make(Node::Bool(true)))
            }
            Node::Index(value, index) => self.indexed(value, index),
            Node::Length(value) => match self.node(value) {
                Node::Sequence(parts) => {
                    let length = parts.len() as i64;
                    Ok(self.make(Node::Int(length)))
                }
                _ => Err(Node::Length(value)),
            },
            // An object is the same object after a loop that calls its methods.
            Node::Carried(_, _, ref parts)
                if let [only] = parts[..]
                    && matches!(
                        self.node(only),
                        Node::Instance(..) | Node::Typed(_) | Node::Mesh(_) | Node::World | Node::AxisGroup(_)
                    ) =>
            {
                Ok(only)
            }
            other => Err(other),
        }
    }

    /// A list that grew by one element either way grew by one element.
    fn filled_alike(&mut self, test: Value, then: Value, otherwise: Value) -> Option<Value> {
        let (site, before, first, around) = self.grown_by_one(then)?;
        let (_, other_before, second, other_around) = self.grown_by_one(otherwise)?;
        if before != other_before || around != other_around {
            return None;
        }
        let added = self.make(Node::If(test, first, second));
        let added = self.make(Node::Sequence(Box::from([added])));
        let mut parts = vec![before, added];
        if !around.is_empty() {
            parts.push(self.make(Node::Range(around.into())));
        }
        Some(self.make(Node::Changed(site, parts.into())))
    }

    /// A list that an element was put into in an arm: where, the list before, the element, and the conditions around the
    /// arm's own.
    fn grown_by_one(&self, value: Value) -> Option<(Site, Value, Value, Vec<Value>)> {
        let Node::Changed(site, parts) = self.node(value) else { return None };
        let (&before, &added, &guards) = match &parts[..] {
            [before, added, guards] => (before, added, guards),
            _ => return None,
        };
        let Node::Sequence(added) = self.node(added) else { return None };
        let Node::Range(guards) = self.node(guards) else { return None };
        let (_, around) = guards.split_last()?;
        // An entry that is stored under a key may have been there.
        let one = added.len() == 1 && !matches!(self.node(added[0]), Node::Mapping(_));
        one.then(|| (*site, before, added[0], around.to_vec()))
    }

    /// Whether it is the kind of what is a number that is written out in one of two cases. In the other nobody has seen
    /// anything but a number either: one rank computes what the others begin with.
    fn is_kind_of_number(&self, kind: Value) -> bool {
        let Node::Kind(value) = self.node(kind) else { return false };
        let Node::If(_, then, otherwise) = *self.node(*value) else { return false };
        let is_number = |value: Value| matches!(self.node(value), Node::Int(_));
        is_number(then) && !self.may_hold(otherwise, MAX_CASES)
            || is_number(otherwise) && !self.may_hold(then, MAX_CASES)
    }

    /// Whether it is a container in some case.
    fn may_hold(&self, value: Value, fuel: u8) -> bool {
        let in_some = |parts: &[Value]| fuel > 0 && parts.iter().any(|&part| self.may_hold(part, fuel - 1));
        self.is_container(value)
            || match self.node(value) {
                Node::If(_, then, otherwise) => in_some(&[*then, *otherwise]),
                Node::Carried(_, _, parts) => in_some(parts),
                _ => false,
            }
    }

    /// Whether a class, or each of several, is one of containers.
    pub fn names_containers(&self, class: Value) -> bool {
        match self.node(class) {
            Node::External(name) => matches!(name.as_str(), "tuple" | "list" | "dict"),
            Node::Sequence(parts) => parts.iter().all(|&part| self.names_containers(part)),
            _ => false,
        }
    }

    /// What a progress bar is around.
    pub fn without_bar(&self, value: Value) -> Value {
        match self.node(value) {
            Node::Mapped(name, parts) if name.as_str() == "tqdm" && parts.len() == 1 => parts[0],
            _ => value,
        }
    }

    fn members_of(&self, ranks: Value) -> Option<Value> {
        match self.node(ranks) {
            Node::Apply(name, parts) if name.as_str() == MEMBERS => parts.first().copied(),
            _ => None,
        }
    }

    fn is_job_rank(&self, value: Value) -> bool {
        matches!(self.node(value), Node::Rank(axes) if axes.is_all())
    }

    fn may_be_nan(&self, value: Value) -> bool {
        !matches!(
            self.node(value),
            Node::None | Node::Bool(_) | Node::Int(_) | Node::Str(_) | Node::Rank(_) | Node::Size(_) | Node::Item(..)
        )
    }

    fn is_nan(&mut self, value: Value) -> Value {
        match self.node(value).clone() {
            Node::If(test, then, otherwise) => {
                let then = self.is_nan(then);
                let otherwise = self.is_nan(otherwise);
                self.make(Node::If(test, then, otherwise))
            }
            Node::None | Node::Bool(_) | Node::Int(_) | Node::Str(_) | Node::Rank(_) | Node::Size(_) => {
                self.make(Node::Bool(false))
            }
            Node::Apply(name, parts)
                if name.as_str() == "float"
                    && matches!(parts[..], [only] if matches!(self.node(only), Node::Str(text) if text.as_str() == "nan")) =>
            {
                self.make(Node::Bool(true))
            }
            _ => self.make(Node::Apply(Symbol::new("isnan"), Box::from([value]))),
        }
    }

    /// A rank is never negative, and compares with the text of a number as with the number.
    fn rank_against(&mut self, op: CompareOp, left: Value, right: Value) -> Option<Value> {
        let known = match (op, self.node(left), self.node(right)) {
            (CompareOp::Eq, Node::Rank(_), Node::Int(number)) if *number < 0 => false,
            (CompareOp::Less, Node::Rank(_), Node::Int(number)) if *number <= 0 => false,
            (CompareOp::Less, Node::Int(number), Node::Rank(_)) if *number < 0 => true,
            (CompareOp::Eq, Node::Rank(_) | Node::Size(_), Node::Str(text)) => {
                let number = text.as_str().parse::<i64>().ok()?;
                let number = self.make(Node::Int(number));
                return Some(self.make(Node::Compare(CompareOp::Eq, left, number)));
            }
            (CompareOp::In, Node::Rank(_), Node::Sequence(parts)) => {
                let number = |&part: &Value| match self.node(part) {
                    Node::Str(text) => text.as_str().parse::<i64>().ok(),
                    _ => None,
                };
                let numbers: Vec<i64> = parts.iter().map(number).collect::<Option<_>>()?;
                if numbers.is_empty() {
                    return None;
                }
                let numbers = numbers.into_iter().map(|number| self.make(Node::Int(number))).collect();
                let numbers = self.make(Node::Sequence(numbers));
                return Some(self.make(Node::Compare(CompareOp::In, left, numbers)));
            }
            _ => return None,
        };
        Some(self.make(Node::Bool(known)))
    }

    fn is_test(&mut self, left: Value, right: Value) -> Result<Value, Node> {
        let none = |node: &Node| matches!(node, Node::None);
        let never_none = |node: &Node| {
            matches!(node, Node::Apply(name, _) if is_tensor(name.as_str()) || is_constructor(*name))
                || matches!(node, Node::Mapped(name, _) if matches!(name.as_str(), COMPREHENSION | COLLECTED))
                || matches!(
                    node,
                    Node::Sequence(_)
                        | Node::Range(_)
                        | Node::Mapping(_)
                        | Node::Bool(_)
                        | Node::Int(_)
                        | Node::Str(_)
                        | Node::Instance(..)
                        | Node::World
                        | Node::MadeGroup(..)
                        | Node::AxisGroup(_)
                        | Node::Mesh(_)
                        | Node::Typed(_)
                        | Node::Function(..)
                        | Node::Closure(..)
                        | Node::Rank(_)
                        | Node::Size(_)
                        | Node::NonMember
                )
        };
        if !none(self.node(right)) {
            return Err(Node::Compare(CompareOp::Is, left, right));
        }
        match self.node(left).clone() {
            Node::None => Ok(self.make(Node::Bool(true))),
            node if never_none(&node) => Ok(self.make(Node::Bool(false))),
            // A number that is counted to.
            Node::Item(_, of) if matches!(self.node(of), Node::Range(_)) => Ok(self.make(Node::Bool(false))),
            Node::If(test, then, otherwise) => {
                let then = self.make(Node::Compare(CompareOp::Is, then, right));
                let otherwise = self.make(Node::Compare(CompareOp::Is, otherwise, right));
                Ok(self.make(Node::If(test, then, otherwise)))
            }
            // What something was put into was there before, and is afterwards.
            Node::Changed(_, parts) => Ok(self.make(Node::Compare(CompareOp::Is, parts[0], right))),
            Node::Mapped(word, parts) if matches!(word.as_str(), STORE | UPDATE) => {
                Ok(self.make(Node::Compare(CompareOp::Is, parts[0], right)))
            }
            // Where there is a part there is a whole.
            Node::Index(whole, part) if self.is_slice(part) => {
                Ok(self.make(Node::Compare(CompareOp::Is, whole, right)))
            }
            _ => Err(Node::Compare(CompareOp::Is, left, right)),
        }
    }

    /// Whether what stands in square brackets takes a part out of something: `[1:]`, `[:, first:]`.
    fn is_slice(&self, index: Value) -> bool {
        match self.node(index) {
            Node::Range(_) => true,
            Node::Sequence(parts) => parts.iter().any(|&part| self.is_slice(part)),
            _ => false,
        }
    }
}

/// Whether a function or method of that name gives a tensor.
fn is_tensor(name: &str) -> bool {
    let made = matches!(name, "tensor" | "as_tensor" | "stack" | "cat");
    let moved = matches!(name, "cuda" | "cpu" | "to" | "clone" | "detach" | "contiguous" | "float" | "half" | "long");
    made || moved
}

/// Whether a name is a class's by its form, so that what is called by it is made there.
pub(super) fn is_constructor(name: Symbol) -> bool {
    let name = name.last_part().as_str();
    let is_accessor = ["Get", "Find", "Load", "Read"].iter().any(|verb| name.starts_with(verb));
    let is_class = name.starts_with(|first: char| first.is_ascii_uppercase());
    is_class && !is_accessor && name.contains(|letter: char| letter.is_ascii_lowercase())
}
