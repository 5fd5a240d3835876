//! What a value is for one class of ranks: a concrete rank, coordinates, and the truth of opaque rank-local facts.

mod compare;
mod wire;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::base::{Site, Symbol};
use crate::model::{BinaryOp, CompareOp};

pub use compare::Cases;
use compare::arithmetic;
pub(super) use wire::label;

use super::axes::Axes;
use super::value::{INITIALIZED, Node, Value, Values};

/// A group as one class of ranks sees it; equal keys are the same group for ranks that share it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroupKey {
    /// All ranks.
    World,
    /// The group along these axes.
    Axis(Axes),
    /// A group created at a site from known ranks.
    Made(Site, Vec<i64>),
    /// A group of which only the identity is known.
    Other(Value),
    /// Not a member: an operation on it does nothing.
    NonMember,
}

/// What a value comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Concrete {
    /// `None`
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string.
    Str(Symbol),
    /// A tuple or list.
    Tuple(Vec<Concrete>),
    /// A dictionary's keys.
    Keys(Vec<Concrete>),
    /// A group.
    Group(GroupKey),
    /// Nothing but its identity.
    Opaque(Value),
}

/// Whether a condition holds for a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// It does, or does not.
    Known(bool),
    /// The same answer on every rank of the group, unknown which; equal labels are equal answers.
    Same(u64),
}

/// How many ranks are assumed, along which axes the group under examination reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct World {
    /// Number of ranks.
    pub size: i64,
    /// Ranks along any one axis.
    pub extent: i64,
    /// The axes of the group: what does not vary along them is the same on every member.
    pub axes: Axes,
    /// Axes along which there is one rank only.
    pub single: Axes,
}

/// One class of ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Assignment {
    /// The rank.
    pub rank: i64,
    /// Coordinates along axes.
    pub coordinates: BTreeMap<Axes, i64>,
    /// The truth of opaque facts.
    pub atoms: BTreeMap<Value, bool>,
}

/// Evaluates values for one class.
pub struct Evaluator<'a> {
    /// The arena.
    pub values: &'a Values,
    /// What is assumed of the job.
    pub world: World,
    /// The class.
    pub class: &'a Assignment,
    /// Loop elements that are known while a short loop is unrolled.
    items: Vec<(Value, Concrete)>,
    own: RefCell<Answers>,
    /// Answers that are the same for every class of these ranks: handed on from one evaluator to the next.
    common: RefCell<Answers>,
    /// What the class does not say and answers depended on.
    pub missing: RefCell<Missing>,
}

/// What has been worked out.
#[derive(Default)]
pub struct Answers {
    known: FxHashMap<Value, Concrete>,
    decided: FxHashMap<Value, Truth>,
}

/// What an evaluation would have needed to know of a class.
#[derive(Clone, Debug, Default)]
pub struct Missing {
    /// Whether it asked for the rank.
    pub rank: bool,
    /// Coordinates it asked for.
    pub axes: BTreeSet<Axes>,
    /// Numbers of ranks it asked for.
    pub sizes: BTreeSet<Axes>,
    /// Opaque facts that may differ between the ranks under examination, in the order in which they were asked for.
    pub atoms: Vec<Value>,
}

impl Missing {
    /// Notes an opaque fact.
    pub fn ask(&mut self, atom: Value) {
        if !self.atoms.contains(&atom) {
            self.atoms.push(atom);
        }
    }
}

/// What gives back as many elements as it is given.
const KEEP_LENGTH: [&str; 9] = ["enumerate", "list", "tuple", "sorted", "reversed", "iter", "items", "keys", "values"];

/// Wrappers round one iterable that are looked through.
const MAX_WRAPPED: usize = 8;

fn is_progress_bar(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    matches!(last, "tqdm" | "progress_bar" | "track" | "wrap_progress_bar")
}

/// Longest sequence that is spelled out.
const MAX_SPELLED: i64 = 16;

/// Whether it is a function, a class or a module: something that holds, and that is no text and no number.
fn is_definition(node: &Node) -> bool {
    matches!(node, Node::Function(..) | Node::Closure(..) | Node::Partial(..) | Node::Class(_) | Node::Module(_))
}

impl<'a> Evaluator<'a> {
    /// An evaluator for one class.
    pub fn new(values: &'a Values, world: World, class: &'a Assignment) -> Self {
        Evaluator {
            values,
            world,
            class,
            items: Vec::new(),
            own: RefCell::default(),
            common: RefCell::default(),
            missing: RefCell::default(),
        }
    }

    /// Whether no loop element is bound at present.
    pub fn is_plain(&self) -> bool {
        self.items.is_empty()
    }

    /// Binds a loop's element for one turn.
    pub fn bind(&mut self, item: Value, known: Concrete) {
        self.items.push((item, known));
        self.forget();
    }

    /// Forgets the binding made last.
    pub fn unbind(&mut self) {
        self.items.pop();
        self.forget();
    }

    fn forget(&mut self) {
        let Answers { known, decided } = self.own.get_mut();
        known.clear();
        decided.clear();
    }

    /// Goes on with what an evaluator of another class found out for all of them.
    pub fn with_common(self, common: Answers) -> Self {
        Evaluator { common: RefCell::new(common), ..self }
    }

    /// What this evaluator leaves to that of the next class.
    pub fn into_common(self) -> Answers {
        self.common.into_inner()
    }

    /// Where the answer for a value is kept.
    fn answers(&self, value: Value) -> &RefCell<Answers> {
        let facts = self.values.facts(value);
        let is_common = self.is_plain() && !(facts.vary | facts.shape).meets(self.world.axes);
        if is_common { &self.common } else { &self.own }
    }

    /// What the value comes to.
    pub fn value(&self, value: Value) -> Concrete {
        let answers = self.answers(value);
        if let Some(known) = answers.borrow().known.get(&value) {
            return known.clone();
        }
        let found = self.evaluate(value);
        answers.borrow_mut().known.insert(value, found.clone());
        found
    }

    fn evaluate(&self, value: Value) -> Concrete {
        let opaque = Concrete::Opaque(value);
        match self.values.node(value) {
            Node::None => Concrete::None,
            Node::Bool(known) => Concrete::Bool(*known),
            Node::Int(known) => Concrete::Int(*known),
            Node::Str(text) => Concrete::Str(*text),
            Node::Rank(axes) => self.coordinate(*axes).map_or(opaque, Concrete::Int),
            Node::Size(axes) if axes.is_all() => Concrete::Int(self.world.size),
            Node::Size(axes) => {
                self.missing.borrow_mut().sizes.insert(*axes);
                Concrete::Int(if self.is_single(*axes) { 1 } else { self.world.extent })
            }
            Node::Parameter(..) => self.values.meaning(value).map_or(opaque, |meaning| self.value(meaning)),
            Node::Not(_) | Node::And(..) | Node::Compare(CompareOp::Less | CompareOp::Is | CompareOp::In, ..) => {
                self.known_truth(value).map_or(opaque, Concrete::Bool)
            }
            Node::Or(left, right) => match (self.known_truth(*left), self.value(*left)) {
                (Some(true), left) => left,
                (Some(false), _) => self.value(*right),
                _ => opaque,
            },
            Node::Compare(..) => self.known_truth(value).map_or(opaque, Concrete::Bool),
            Node::Binary(op, left, right) => match (self.value(*left), self.value(*right)) {
                (Concrete::Int(left), Concrete::Int(right)) => {
                    arithmetic(*op, left, right).map_or(opaque, Concrete::Int)
                }
                (Concrete::Bool(left), Concrete::Int(right)) => {
                    arithmetic(*op, i64::from(left), right).map_or(opaque, Concrete::Int)
                }
                (Concrete::Int(left), Concrete::Bool(right)) => {
                    arithmetic(*op, left, i64::from(right)).map_or(opaque, Concrete::Int)
                }
                (Concrete::Tuple(mut left), Concrete::Tuple(right)) if *op == BinaryOp::Add => {
                    left.extend(right);
                    Concrete::Tuple(left)
                }
                _ => opaque,
            },
            Node::If(test, then, otherwise) => match self.truth(*test) {
                Truth::Known(true) => self.value(*then),
                Truth::Known(false) => self.value(*otherwise),
                // Who counts one process where it is not told how many there are has no peers to part from.
                Truth::Same(_) if self.is_alone_or_counts_all(*then, *otherwise) => Concrete::Int(self.world.size),
                Truth::Same(_) => {
                    let (then, otherwise) = (self.value(*then), self.value(*otherwise));
                    if then == otherwise { then } else { opaque }
                }
            },
            Node::Sequence(parts) => Concrete::Tuple(parts.iter().map(|&part| self.value(part)).collect()),
            Node::Mapping(parts) => Concrete::Keys(parts.iter().map(|part| self.value(part.0)).collect()),
            Node::Range(parts) => self.range(parts).unwrap_or(opaque),
            Node::Index(sequence, index) => match (self.value(*sequence), self.value(*index)) {
                (Concrete::Tuple(parts), Concrete::Int(at)) => {
                    let at = if at < 0 { at + parts.len() as i64 } else { at };
                    usize::try_from(at).ok().and_then(|at| parts.get(at).cloned()).unwrap_or(opaque)
                }
                _ => opaque,
            },
            Node::Length(inner) => match self.value(*inner) {
                Concrete::Tuple(parts) | Concrete::Keys(parts) => Concrete::Int(parts.len() as i64),
                _ => opaque,
            },
            Node::Apply(name, parts) => match (name.as_str(), &parts[..]) {
                ("int" | "float" | "bool", &[inner]) => match self.value(inner) {
                    Concrete::Opaque(_) => opaque,
                    known => known,
                },
                _ => opaque,
            },
            Node::Mapped(_, parts) => match parts.first().map(|&first| self.value(first)) {
                Some(known @ (Concrete::Tuple(_) | Concrete::Keys(_))) if parts.len() == 1 => known,
                _ => opaque,
            },
            Node::Item(..) => {
                self.items.iter().rev().find(|(item, _)| *item == value).map_or(opaque, |(_, known)| known.clone())
            }
            Node::World => Concrete::Group(GroupKey::World),
            Node::NonMember => Concrete::Group(GroupKey::NonMember),
            Node::AxisGroup(axes) => Concrete::Group(GroupKey::Axis(*axes)),
            Node::MadeGroup(site, ranks) => match self.value(*ranks) {
                Concrete::Tuple(parts) => {
                    let ranks: Option<Vec<i64>> = parts
                        .iter()
                        .map(|part| match part {
                            Concrete::Int(rank) => Some(*rank),
                            _ => None,
                        })
                        .collect();
                    ranks.map_or(opaque, |ranks| Concrete::Group(GroupKey::Made(*site, ranks)))
                }
                _ => opaque,
            },
            _ => opaque,
        }
    }

    /// Whether one is the number of all ranks, and the other a one that is written out.
    fn is_alone_or_counts_all(&self, one: Value, other: Value) -> bool {
        let is_one = |value: Value| *self.values.node(value) == Node::Int(1);
        let is_all = |value: Value| matches!(self.values.node(value), Node::Size(axes) if axes.is_all());
        (is_one(one) && is_all(other)) || (is_all(one) && is_one(other))
    }

    /// What has as many elements as `value`, whatever is wrapped round it: the source of an iterator, a list of the same
    /// elements, a progress bar.
    pub fn counted(&self, value: Value) -> Value {
        let mut at = value;
        for _ in 0..MAX_WRAPPED {
            at = match self.values.node(at) {
                Node::Mapped(name, parts) if parts.len() == 1 && KEEP_LENGTH.contains(&name.as_str()) => parts[0],
                Node::Apply(name, parts) if !parts.is_empty() && is_progress_bar(name.as_str()) => parts[0],
                Node::If(_, then, otherwise) => {
                    let (then, otherwise) = (self.counted(*then), self.counted(*otherwise));
                    if then != otherwise {
                        return at;
                    }
                    then
                }
                _ => return at,
            };
        }
        at
    }

    /// The group an operation runs on.
    pub fn group(&self, value: Value) -> GroupKey {
        match self.value(value) {
            Concrete::None => GroupKey::World,
            Concrete::Group(key) => key,
            _ => match self.values.node(value) {
                Node::Keyword(from, _) if !self.values.is_given(*from) => GroupKey::World,
                _ => GroupKey::Other(value),
            },
        }
    }

    /// Whether the condition holds.
    pub fn truth(&self, value: Value) -> Truth {
        let answers = self.answers(value);
        if let Some(&known) = answers.borrow().decided.get(&value) {
            return known;
        }
        let found = self.decide(value);
        answers.borrow_mut().decided.insert(value, found);
        found
    }

    fn decide(&self, value: Value) -> Truth {
        match self.values.node(value) {
            Node::Not(inner) => match self.truth(*inner) {
                Truth::Known(known) => Truth::Known(!known),
                Truth::Same(label) => Truth::Same(!label),
            },
            Node::And(left, right) => match (self.truth(*left), self.truth(*right)) {
                (Truth::Known(false), _) | (_, Truth::Known(false)) => Truth::Known(false),
                (Truth::Known(true), other) | (other, Truth::Known(true)) => other,
                (Truth::Same(left), Truth::Same(right)) if left == !right => Truth::Known(false),
                (Truth::Same(left), Truth::Same(right)) => Truth::Same(label(&(left, right))),
            },
            Node::Or(left, right) => match (self.truth(*left), self.truth(*right)) {
                (Truth::Known(true), _) | (_, Truth::Known(true)) => Truth::Known(true),
                (Truth::Known(false), other) | (other, Truth::Known(false)) => other,
                (Truth::Same(left), Truth::Same(right)) if left == !right => Truth::Known(true),
                (Truth::Same(left), Truth::Same(right)) => Truth::Same(label(&(left, right, "or"))),
            },
            Node::If(test, then, otherwise) => {
                self.either(self.truth(*test), || self.truth(*then), || self.truth(*otherwise))
            }
            Node::Compare(..) => match self.cases(value) {
                Some(cases) => self.truth_of(&cases),
                None => self.atom(value),
            },
            Node::Parameter(..) if self.values.meaning(value).is_some() => match self.values.meaning(value) {
                Some(meaning) => self.truth(meaning),
                None => self.atom(value),
            },
            node if is_definition(node) => Truth::Known(true),
            Node::Apply(name, parts) if parts.is_empty() && name.as_str() == INITIALIZED => Truth::Known(true),
            _ if self.values.is_path(value) => Truth::Known(true),
            _ if self.values.is_batch(value) => Truth::Same(label(&(value, "batch"))),
            _ => match self.value(value) {
                Concrete::None => Truth::Known(false),
                Concrete::Bool(known) => Truth::Known(known),
                Concrete::Int(known) => Truth::Known(known != 0),
                Concrete::Str(text) => Truth::Known(!text.as_str().is_empty()),
                Concrete::Tuple(parts) | Concrete::Keys(parts) => Truth::Known(!parts.is_empty()),
                Concrete::Group(_) => Truth::Known(true),
                Concrete::Opaque(_) => self.atom(value),
            },
        }
    }

    fn either(&self, test: Truth, then: impl FnOnce() -> Truth, otherwise: impl FnOnce() -> Truth) -> Truth {
        match test {
            Truth::Known(true) => then(),
            Truth::Known(false) => otherwise(),
            Truth::Same(test) => match (then(), otherwise()) {
                (then, otherwise) if then == otherwise => then,
                (then, otherwise) => Truth::Same(label(&(test, then, otherwise))),
            },
        }
    }

    fn known_truth(&self, value: Value) -> Option<bool> {
        match self.truth(value) {
            Truth::Known(known) => Some(known),
            Truth::Same(_) => None,
        }
    }

    fn atom(&self, value: Value) -> Truth {
        match self.class.atoms.get(&value) {
            Some(&known) => Truth::Known(known),
            None => {
                if self.values.truth_axes(value).meets(self.world.axes) {
                    self.missing.borrow_mut().ask(value);
                }
                Truth::Same(label(&value))
            }
        }
    }

    fn coordinate(&self, axes: Axes) -> Option<i64> {
        if axes.is_all() {
            self.missing.borrow_mut().rank = true;
            return Some(self.class.rank);
        }
        if self.is_single(axes) {
            return Some(0);
        }
        let known = self.class.coordinates.get(&axes).copied();
        if known.is_none() && axes.meets(self.world.axes) {
            self.missing.borrow_mut().axes.insert(axes);
        }
        known
    }

    fn is_single(&self, axes: Axes) -> bool {
        !axes.is_empty() && axes.without(self.world.single).is_empty()
    }
}
