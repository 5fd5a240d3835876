//! Symbolic values: what an expression comes to, as far as the source says, and along which axes it may differ.
//!
//! Values are hash-consed: equal expressions over equal values are one value, so that two tests of the same thing
//! share one atom. Every node carries its facts, computed from its parts when it is made.

use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::base::{ClassId, FileId, FunctionId, Site, Symbol};
use crate::model::{BinaryOp, CompareOp};

use super::axes::Axes;

/// A symbolic value; an index into [`Values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u32);

/// What a value is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `None`
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string.
    Str(Symbol),
    /// A parameter of a function, by position of declaration.
    Parameter(FunctionId, u16),
    /// A variable of an enclosing function, seen from a nested one.
    Capture(FunctionId, Symbol),
    /// The coordinate of this rank along the axes; over all axes, the rank.
    Rank(Axes),
    /// The number of ranks along the axes.
    Size(Axes),
    /// `not x`
    Not(Value),
    /// `x and y`
    And(Value, Value),
    /// `x or y`
    Or(Value, Value),
    /// A comparison.
    Compare(CompareOp, Value, Value),
    /// Arithmetic.
    Binary(BinaryOp, Value, Value),
    /// `then if test else otherwise`, or a variable assigned in two arms.
    If(Value, Value, Value),
    /// A tuple or list of known length.
    Sequence(Box<[Value]>),
    /// A dictionary of known keys.
    Mapping(Box<[(Value, Value)]>),
    /// `x[i]`
    Index(Value, Value),
    /// `x.name` of something unknown.
    Attribute(Value, Symbol),
    /// The entry `name` of a mapping of keyword arguments; `None` when absent.
    Keyword(Value, Symbol),
    /// A function of its arguments of which nothing else is known.
    Apply(Symbol, Box<[Value]>),
    /// How many elements there are, or any other fact of shape.
    Length(Value),
    /// A fact of a value's type: what it is an instance of, its number of dimensions, its element type.
    Kind(Value),
    /// `range(…)`, or another thing whose number of elements is computed from these.
    Range(Box<[Value]>),
    /// As many elements as the first, with the contents of all.
    Mapped(Symbol, Box<[Value]>),
    /// A loader: what it is otherwise, and a batch that it yields.
    Loader(Value, Value),
    /// Something that was filled, filtered or changed in place at the site.
    Changed(Site, Box<[Value]>),
    /// An element of what a loop iterates.
    Item(Site, Value),
    /// A variable that a loop changes: its values before, inside, and what decides the number of turns.
    Carried(Site, Symbol, Box<[Value]>),
    /// A function or bound method.
    Function(FunctionId, Option<Value>),
    /// A nested function with the variables it took along.
    Closure(FunctionId, Box<[(FunctionId, Symbol, Value)]>),
    /// `functools.partial`
    Partial(Value, Box<[Value]>, Box<[(Symbol, Value)]>),
    /// A call of something that is only known at the call site.
    Invoked(Value, Box<[Value]>),
    /// A class.
    Class(ClassId),
    /// An object of a class of the program, with the arguments of its constructor.
    Instance(ClassId, Box<[Value]>),
    /// A pulled generator function's result.
    Generator(FunctionId, Box<[Value]>),
    /// A name of a library.
    External(Symbol),
    /// An object of a catalogued library type.
    Typed(Symbol),
    /// A module of the program.
    Module(FileId),
    /// The group of all ranks.
    World,
    /// The group along axes.
    AxisGroup(Axes),
    /// A mesh of ranks with these axes, in order.
    Mesh(Box<[Axes]>),
    /// A group created at the site from these ranks.
    MadeGroup(Site, Value),
    /// What a rank outside the group holds.
    NonMember,
    /// A value of this rank's own, born at the site.
    Local(Site, Axes),
    /// A value after the members of the group agreed on it at the site.
    Agreed(Site, Value, Value),
    /// What an operation at the site leaves on each member of the group: not the same.
    Spread(Site, Value, Value),
    /// The forward result of a module whose backward communicates.
    Forward(Value),
    /// An environment variable.
    Environment(Symbol),
    /// Nothing is known; the same on every rank by convention.
    Unknown(Site),
}

/// What is known about a value, computed once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Along which axes the value may differ.
    pub vary: Axes,
    /// Along which axes its shape may differ: length, emptiness, keys, being `None`.
    pub shape: Axes,
    /// Whether parameters or captured variables occur in it.
    pub open: bool,
    /// Whether a wrapped module's forward result went into it.
    pub wrapped: bool,
    /// Whether an environment variable decides it.
    pub environment: bool,
    depth: u16,
}

impl Facts {
    const UNIFORM: Facts =
        Facts { vary: Axes::NONE, shape: Axes::NONE, open: false, wrapped: false, environment: false, depth: 0 };

    fn differing(axes: Axes) -> Facts {
        Facts { vary: axes, shape: axes, ..Facts::UNIFORM }
    }

    fn join(self, other: Facts) -> Facts {
        Facts {
            vary: self.vary | other.vary,
            shape: self.shape | other.shape,
            open: self.open || other.open,
            wrapped: self.wrapped || other.wrapped,
            environment: self.environment || other.environment,
            depth: self.depth.max(other.depth),
        }
    }
}

fn hash_of(node: &Node) -> u32 {
    (FxBuildHasher.hash_one(node) >> 32) as u32
}

/// A kept hash as the table wants it: with entropy at both ends.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

/// The function whose result are the ranks of its argument, a group.
pub const MEMBERS: &str = "members";

/// The function that tells whether this rank is a member of its argument, a group.
pub const IS_MEMBER: &str = "is_member";

/// What a node is made of, where that is worth following.
pub fn parts(node: &Node) -> Vec<Value> {
    match node {
        Node::Apply(_, parts)
        | Node::Sequence(parts)
        | Node::Range(parts)
        | Node::Mapped(_, parts)
        | Node::Changed(_, parts)
        | Node::Carried(_, _, parts)
        | Node::Invoked(_, parts) => parts.to_vec(),
        Node::Index(one, other)
        | Node::Binary(_, one, other)
        | Node::Compare(_, one, other)
        | Node::And(one, other)
        | Node::Or(one, other) => vec![*one, *other],
        Node::If(test, then, otherwise) => vec![*test, *then, *otherwise],
        Node::Not(inner) | Node::Length(inner) | Node::Attribute(inner, _) | Node::Item(_, inner) => vec![*inner],
        _ => Vec::new(),
    }
}

/// Expressions nested deeper than this are no longer followed.
const MAX_DEPTH: u16 = 48;

/// The arena of values.
#[derive(Default)]
pub struct Values {
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    /// The node's hash, so that it is computed once.
    hashes: Vec<u32>,
    index: HashTable<Value>,
    /// What a parameter conventionally is, by its name.
    meanings: FxHashMap<Value, Value>,
    /// Behind a value that was too deep to keep its structure, its parts that differ.
    behind: FxHashMap<Value, Box<[Value]>>,
    /// Axes of groups of unknown extent.
    groups: FxHashMap<Value, Axes>,
}

impl Values {
    /// What the value is made of.
    pub fn node(&self, value: Value) -> &Node {
        &self.nodes[value.0 as usize]
    }

    /// What is known about the value.
    pub fn facts(&self, value: Value) -> Facts {
        self.facts[value.0 as usize]
    }

    /// Along which axes the value may differ.
    pub fn vary(&self, value: Value) -> Axes {
        self.facts(value).vary
    }

    /// Along which axes the value's shape may differ.
    pub fn shape(&self, value: Value) -> Axes {
        self.facts(value).shape
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no value yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The value made of `node`.
    pub fn make(&mut self, node: Node) -> Value {
        let node = match self.simplified(node) {
            Ok(value) => return value,
            Err(node) => node,
        };
        let mut hash = hash_of(&node);
        if let Some(known) = self.find(&node, hash) {
            return known;
        }
        let mut facts = self.compute(&node);
        facts.depth += 1;
        let behind = match facts.depth > MAX_DEPTH {
            true => parts(&node).into_iter().filter(|&part| !self.vary(part).is_empty()).collect(),
            false => Vec::new(),
        };
        let node = match facts.depth > MAX_DEPTH {
            // Too deep to be worth its structure: one opaque value that varies as it would have.
            true => {
                let span = crate::base::Span::new(self.nodes.len() as u32, 0);
                let opaque = Node::Local(Site { file: FileId(u32::MAX), span }, facts.vary);
                (facts.depth, hash) = (1, hash_of(&opaque));
                opaque
            }
            false => node,
        };
        let value = Value(self.nodes.len() as u32);
        self.nodes.push(node);
        self.facts.push(facts);
        self.hashes.push(hash);
        let hashes = &self.hashes;
        self.index.insert_unique(spread(hash), value, |value| spread(hashes[value.0 as usize]));
        if !behind.is_empty() {
            self.behind.insert(value, behind.into());
        }
        value
    }

    /// The parts that differ of a value that was too deep to keep its structure.
    pub fn behind(&self, value: Value) -> &[Value] {
        self.behind.get(&value).map_or(&[], |parts| parts)
    }

    fn find(&self, node: &Node, hash: u32) -> Option<Value> {
        let same = |value: &Value| {
            let at = value.0 as usize;
            self.hashes[at] == hash && self.nodes[at] == *node
        };
        self.index.find(spread(hash), same).copied()
    }

    /// A parameter whose name conventionally stands for `meaning`.
    pub fn parameter(&mut self, function: FunctionId, position: u16, meaning: Option<Value>) -> Value {
        let node = Node::Parameter(function, position);
        if let Some(known) = self.find(&node, hash_of(&node)) {
            return known;
        }
        let value = self.make(node);
        if let Some(meaning) = meaning {
            let meant = self.facts(meaning);
            self.facts[value.0 as usize] = Facts { open: true, depth: 1, ..meant };
            self.meanings.insert(value, meaning);
        }
        value
    }

    /// The value made of `node`, if there is one.
    pub fn known(&self, node: &Node) -> Option<Value> {
        self.find(node, hash_of(node))
    }

    /// A value of this rank's own, born at the site, whose shape is the same on every rank.
    pub fn batch(&mut self, site: Site, axes: Axes) -> Value {
        let value = self.make(Node::Local(site, axes));
        self.facts[value.0 as usize].shape = Axes::NONE;
        value
    }

    /// The batch that going through the value yields, if that is or wraps a loader.
    pub fn yielded(&self, value: Value) -> Option<Value> {
        let mut at = value;
        for _ in 0..8 {
            at = match self.node(at) {
                Node::Loader(_, batch) => return Some(*batch),
                Node::Mapped(_, parts) => *parts.iter().find(|&&part| self.may_yield(part))?,
                Node::If(_, then, otherwise) => {
                    if self.may_yield(*then) {
                        *then
                    } else {
                        *otherwise
                    }
                }
                Node::Parameter(..) => self.meaning(at)?,
                _ => return None,
            };
        }
        None
    }

    fn may_yield(&self, value: Value) -> bool {
        match self.node(value) {
            Node::Loader(..) | Node::Mapped(..) => true,
            Node::Parameter(..) => {
                self.meaning(value).is_some_and(|meant| matches!(self.node(meant), Node::Loader(..)))
            }
            _ => false,
        }
    }

    /// What a parameter conventionally is.
    pub fn meaning(&self, value: Value) -> Option<Value> {
        self.meanings.get(&value).copied()
    }

    /// Along which axes the truth of a value may differ: a container's by its shape, anything else's by itself.
    pub fn truth_axes(&self, value: Value) -> Axes {
        match self.node(value) {
            Node::Not(inner) => self.truth_axes(*inner),
            Node::And(left, right) | Node::Or(left, right) => self.truth_axes(*left) | self.truth_axes(*right),
            Node::Mapped(..) | Node::Changed(..) | Node::Range(_) | Node::Sequence(_) | Node::Mapping(_) => {
                self.shape(value)
            }
            Node::Carried(_, _, parts) if parts.iter().any(|&part| self.is_container(part)) => self.shape(value),
            _ => self.vary(value),
        }
    }

    /// Whether what the group's members agreed on decides the value. `chosen` knows which of two arms holds.
    pub fn is_received(&self, value: Value, chosen: &dyn Fn(Value) -> Option<bool>) -> bool {
        let mut pending = vec![value];
        for _ in 0..32 {
            let Some(value) = pending.pop() else { return false };
            match self.node(value) {
                Node::Agreed(..) => return true,
                Node::Not(inner)
                | Node::Length(inner)
                | Node::Kind(inner)
                | Node::Attribute(inner, _)
                | Node::Item(_, inner) => pending.push(*inner),
                Node::If(test, then, otherwise) => match chosen(*test) {
                    Some(true) => pending.push(*then),
                    Some(false) => pending.push(*otherwise),
                    None => pending.extend([*then, *otherwise]),
                },
                Node::Compare(_, left, right) | Node::Binary(_, left, right) | Node::Index(left, right) => {
                    pending.extend([*left, *right]);
                }
                Node::Apply(_, parts) | Node::Range(parts) | Node::Mapped(_, parts) | Node::Sequence(parts) => {
                    pending.extend(parts.iter());
                }
                _ => {}
            }
        }
        false
    }

    /// Whether two constants differ: numbers, strings, members of one enumeration.
    pub fn are_distinct(&self, one: Value, other: Value) -> bool {
        match (self.node(one), self.node(other)) {
            (Node::Int(one), Node::Int(other)) => one != other,
            (Node::Str(one), Node::Str(other)) => one != other,
            (Node::Attribute(of, one), Node::Attribute(of_other, other)) => {
                of == of_other && one != other && matches!(self.node(*of), Node::Class(_))
            }
            _ => false,
        }
    }

    fn is_container(&self, value: Value) -> bool {
        matches!(
            self.node(value),
            Node::Mapped(..) | Node::Changed(..) | Node::Range(_) | Node::Sequence(_) | Node::Mapping(_)
        )
    }

    /// The axes a group value reaches across, as far as they are known.
    pub fn group_axes(&self, group: Value) -> Axes {
        match self.node(group) {
            Node::World | Node::None => Axes::ALL,
            Node::AxisGroup(axes) => *axes,
            Node::Mesh(axes) => axes.iter().fold(Axes::NONE, |sum, &axis| sum | axis),
            Node::NonMember => Axes::NONE,
            Node::If(_, then, otherwise) => self.group_axes(*then) | self.group_axes(*otherwise),
            Node::Index(sequence, _) => self.group_axes(*sequence),
            Node::Sequence(parts) => parts.iter().fold(Axes::NONE, |sum, &part| sum | self.group_axes(part)),
            Node::Keyword(..) => Axes::ALL,
            Node::Parameter(..) if self.meaning(group).is_some() => {
                self.meaning(group).map_or(Axes::NONE, |meaning| self.group_axes(meaning))
            }
            _ => self.groups.get(&group).copied().unwrap_or_else(|| Axes::hashed(u64::from(group.0))),
        }
    }

    fn joined(&self, parts: impl IntoIterator<Item = Value>) -> Facts {
        parts.into_iter().fold(Facts::UNIFORM, |sum, part| sum.join(self.facts(part)))
    }

    fn compute(&self, node: &Node) -> Facts {
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
                    (one, other) => is_scalar(one) && is_scalar(other),
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
                match self.is_equal_share(*index) {
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
            Node::Attribute(_, name) => matches!(name.as_str(), "is_distributed" | "distributed").then_some(true),
            Node::Compare(CompareOp::Eq, left, _) => match self.node(*left) {
                Node::Attribute(_, name) => (name.as_str() == "distributed_type").then_some(true),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a slice takes as much on every rank: `[rank * per : (rank + 1) * per]`, `[start : start + per]`.
    fn is_equal_share(&self, slice: Value) -> bool {
        let Node::Range(bounds) = self.node(slice) else { return false };
        let [from, to, ref rest @ ..] = bounds[..] else { return false };
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

    fn contents(&self, value: Value, fuel: u8) -> Axes {
        match self.node(value) {
            Node::If(test, then, otherwise) if fuel > 0 => {
                self.vary(*test) | self.contents(*then, fuel - 1) | self.contents(*otherwise, fuel - 1)
            }
            Node::Sequence(_) | Node::If(..) => self.vary(value),
            _ => self.shape(value),
        }
    }

    /// Applies the few identities that keep equal things equal; `Err` returns the node unchanged.
    fn simplified(&mut self, node: Node) -> Result<Value, Node> {
        match node {
            Node::Not(value) => match self.node(value).clone() {
                Node::Bool(known) => Ok(self.make(Node::Bool(!known))),
                Node::Not(inner) => Ok(inner),
                _ => Err(Node::Not(value)),
            },
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
                    CompareOp::Eq | CompareOp::Less if let Some(known) = self.rank_against(op, left, right) => {
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
                _ => Err(Node::And(left, right)),
            },
            Node::Or(left, right) => match (self.node(left).clone(), left == right) {
                (_, true) => Ok(left),
                (Node::Bool(true), _) => Ok(left),
                (Node::Bool(false) | Node::None, _) => Ok(right),
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
            Node::Keyword(mapping, name) => match self.node(mapping).clone() {
                Node::Mapping(parts) => {
                    let found = parts.iter().find(|(key, _)| *self.node(*key) == Node::Str(name)).map(|part| part.1);
                    Ok(found.unwrap_or_else(|| self.make(Node::None)))
                }
                _ => Err(Node::Keyword(mapping, name)),
            },
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

    /// What a progress bar is around.
    fn without_bar(&self, value: Value) -> Value {
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
            _ => return None,
        };
        Some(self.make(Node::Bool(known)))
    }

    fn is_test(&mut self, left: Value, right: Value) -> Result<Value, Node> {
        let none = |node: &Node| matches!(node, Node::None);
        let never_none = |node: &Node| {
            matches!(node, Node::Apply(name, _) if matches!(name.as_str(), "tensor" | "as_tensor" | "stack" | "cat"))
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
            Node::If(test, then, otherwise) => {
                let then = self.make(Node::Compare(CompareOp::Is, then, right));
                let otherwise = self.make(Node::Compare(CompareOp::Is, otherwise, right));
                Ok(self.make(Node::If(test, then, otherwise)))
            }
            _ => Err(Node::Compare(CompareOp::Is, left, right)),
        }
    }

    fn indexed(&mut self, value: Value, index: Value) -> Result<Value, Node> {
        match (self.node(value).clone(), self.node(index).clone()) {
            (Node::Sequence(parts), Node::Int(at)) => {
                let at = if at < 0 { at + parts.len() as i64 } else { at };
                match usize::try_from(at).ok().and_then(|at| parts.get(at)) {
                    Some(&part) => Ok(part),
                    None => Err(Node::Index(value, index)),
                }
            }
            (Node::Mapping(parts), _) if parts.iter().any(|part| part.0 == index) => {
                Ok(parts.iter().rev().find(|part| part.0 == index).map_or(value, |part| part.1))
            }
            (Node::Mapping(parts), _) => {
                let entry = |wanted: bool, values: &Values| {
                    parts.iter().find(|part| *values.node(part.0) == Node::Bool(wanted)).map(|part| part.1)
                };
                match (parts.len(), entry(true, self), entry(false, self)) {
                    (2, Some(yes), Some(no)) => Ok(self.make(Node::If(index, yes, no))),
                    _ => Err(Node::Index(value, index)),
                }
            }
            (Node::If(test, then, otherwise), Node::Int(_) | Node::Str(_)) => {
                let then = self.make(Node::Index(then, index));
                let otherwise = self.make(Node::Index(otherwise, index));
                Ok(self.make(Node::If(test, then, otherwise)))
            }
            (Node::Changed(_, parts), Node::Str(_)) => match self.entry_stored(&parts) {
                // Who stores one entry leaves the others as they were.
                Some((key, _)) if key != index => Ok(self.make(Node::Index(parts[0], index))),
                Some((_, stored)) if parts.len() == 2 => Ok(stored),
                _ => Err(Node::Index(value, index)),
            },
            _ => Err(Node::Index(value, index)),
        }
    }

    /// The entry that was stored in a container under a known key.
    fn entry_stored(&self, parts: &[Value]) -> Option<(Value, Value)> {
        let Node::Sequence(added) = self.node(*parts.get(1)?) else { return None };
        let [added] = added[..] else { return None };
        let Node::Mapping(entries) = self.node(added) else { return None };
        let [entry] = entries[..] else { return None };
        matches!(self.node(entry.0), Node::Str(_)).then_some(entry)
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
