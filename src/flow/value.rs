//! Symbolic values: what an expression comes to, as far as the source says, and along which axes it may differ.
//!
//! Values are hash-consed: equal expressions over equal values are one value, so that two tests of the same thing
//! share one atom. Every node carries its facts, computed from its parts when it is made.

mod facts;
mod indexed;
mod keyed;
mod node;
mod shares;
mod simplify;
mod walk;

use std::hash::BuildHasher as _;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::base::{Arena, FileId, FunctionId, Site};

use super::axes::Axes;

pub use facts::FILTERS;
pub use keyed::{ONCE, TELLING};
pub use node::{
    COLLECTED, COMPREHENSION, DEVICE_COUNT, Facts, GIVEN, HANDED_ON, INITIALIZED, IS_MEMBER, MEMBERS, MERGED, Node,
    POOLED, REPEAT, SPREAD, STORE, UNSET, UPDATE, WITHOUT, parts,
};

/// A symbolic value; an index into [`Values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(u32);

fn hash_of(node: &Node) -> u32 {
    FxBuildHasher.hash_one(node) as u32
}

/// A hash as the table wants it: with entropy at both ends.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

/// The function that stands for the question of which of several classes an object is, where a call hangs on it.
pub const DISPATCH: &str = "dispatch";

/// The file of no file: where values are said to be born that were too deep to keep their structure.
pub const TOO_DEEP: FileId = FileId(u32::MAX);

/// Expressions nested deeper than this are no longer followed.
const MAX_DEPTH: u16 = 96;

/// Parts of a question that are looked at to see whether its answer lasts.
const MAX_LASTING: usize = 16;

/// Parts of a list of members that are looked at.
const MAX_MEMBERS: usize = 60;

/// The arena of values.
#[derive(Default)]
pub struct Values {
    made: Arena<Made>,
    /// Values with their hashes, which are compared before nodes are.
    index: HashTable<(u32, Value)>,
    /// What a parameter conventionally is, by its name.
    meanings: FxHashMap<Value, Value>,
    /// Behind a value that was too deep to keep its structure, its parts that differ.
    behind: FxHashMap<Value, Box<[Value]>>,
    /// Axes of groups of unknown extent.
    groups: FxHashMap<Value, Axes>,
    /// What functions hold all along their loops.
    kept: FxHashSet<Value>,
    /// What stands under a key of a mapping that a loop carries along; nothing while it is looked for.
    entries: FxHashMap<(Value, Value), Option<Value>>,
    /// What stands under a key of one container or the other, by a condition.
    chosen: FxHashMap<(Value, Value), Value>,
    /// Where all members of a group have said something, and nobody has told the others: a reduction, a gathering.
    votes: FxHashSet<Site>,
}

/// What is kept of a value: who looks at a node mostly asks for its facts too.
struct Made {
    node: Node,
    facts: Facts,
}

impl Values {
    /// What the value is made of.
    pub fn node(&self, value: Value) -> &Node {
        &self.made.get(value.0).node
    }

    /// What is known about the value.
    pub fn facts(&self, value: Value) -> Facts {
        self.made.get(value.0).facts
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
        self.made.len()
    }

    /// Whether there is no value yet.
    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
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
            true => {
                let differs = |part: &Value| !self.vary(*part).is_empty() || !self.shape(*part).is_empty();
                let below = match &node {
                    Node::Mapping(entries) => entries.iter().map(|entry| entry.1).collect(),
                    Node::Forward(inner) => vec![*inner],
                    node => parts(node),
                };
                below.into_iter().filter(differs).collect()
            }
            false => Vec::new(),
        };
        let node = match facts.depth > MAX_DEPTH {
            // Too deep to be worth its structure: one opaque value that varies as it would have.
            true => {
                let span = crate::base::Span::new(self.made.len() as u32, 0);
                let opaque = Node::Local(Site { file: TOO_DEEP, span }, facts.vary);
                (facts.depth, hash) = (1, hash_of(&opaque));
                opaque
            }
            false => node,
        };
        let value = Value(self.made.push(Made { node, facts }));
        self.index.insert_unique(spread(hash), (hash, value), |known| spread(known.0));
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
        let same = |known: &(u32, Value)| known.0 == hash && *self.node(known.1) == *node;
        self.index.find(spread(hash), same).map(|known| known.1)
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
            self.made.get_mut(value.0).facts = Facts { open: true, depth: 1, ..meant };
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
        self.made.get_mut(value.0).facts.shape = Axes::NONE;
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

    /// Whether it is what an attribute holds that nobody has written yet.
    pub fn is_unset(&self, value: Value) -> bool {
        matches!(self.node(value), Node::Str(text) if text.as_str() == UNSET)
    }

    /// Whether there is nothing: `None`, or what nobody has written yet.
    pub fn is_absent(&self, value: Value) -> bool {
        *self.node(value) == Node::None || self.is_unset(value)
    }

    /// Whether the value is a batch as a whole: a loader gives each rank one, and none of them is empty.
    pub fn is_batch(&self, value: Value) -> bool {
        let batch = match self.node(value) {
            Node::Local(..) => value,
            Node::Parameter(..) => match self.meaning(value) {
                Some(meaning) if matches!(self.node(meaning), Node::Local(..)) => meaning,
                _ => return false,
            },
            _ => return false,
        };
        !self.vary(batch).is_empty() && self.shape(batch).is_empty()
    }

    /// Whether the value is a path that was put together: whatever it says, it says something.
    pub fn is_path(&self, value: Value) -> bool {
        const MAKERS: [&str; 5] =
            ["os.path.join", "os.path.abspath", "os.path.normpath", "os.path.realpath", "pathlib.Path"];
        matches!(self.node(value), Node::Apply(name, _) if MAKERS.contains(&name.as_str()))
    }

    /// Notes that what is agreed there was told by all members of the group to all.
    pub fn note_vote(&mut self, site: Site) {
        self.votes.insert(site);
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
            _ if self.is_batch(value) || self.is_path(value) => Axes::NONE,
            Node::If(test, then, otherwise) if self.is_container(*then) && self.is_container(*otherwise) => {
                self.vary(*test) | self.shape(*then) | self.shape(*otherwise)
            }
            _ => self.vary(value),
        }
    }

    /// Whether what one of the group's members has told the others decides the value. `chosen` knows which of two arms holds.
    /// What all of them have said is no command: each knows it as well as any other.
    pub fn is_received(&self, value: Value, chosen: &dyn Fn(Value) -> Option<bool>) -> bool {
        let mut pending = vec![value];
        for _ in 0..32 {
            let Some(value) = pending.pop() else { return false };
            match self.node(value) {
                Node::Agreed(site, ..) if self.votes.contains(site) => {}
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

    /// Notes that a function holds the value all along its loops.
    pub fn keep(&mut self, value: Value) {
        self.kept.insert(value);
    }

    /// Whether a question has one answer as long as a function runs: of parameters, the environment, constants and what
    /// was found out before its loops alone, by logic and comparisons.
    pub fn lasts(&self, question: Value) -> bool {
        let changes = |part: Value, further: &mut Vec<Value>| match self.node(part) {
            Node::Parameter(..) | Node::Environment(_) | Node::Size(_) => false,
            Node::None | Node::Bool(_) | Node::Int(_) | Node::Str(_) => false,
            _ if self.kept.contains(&part) => false,
            node @ (Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Compare(..)) => {
                further.extend(parts(node));
                false
            }
            _ => true,
        };
        self.search(question, MAX_LASTING, changes) == Some(false)
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

    /// Whether the value is a container by its make.
    pub fn is_container(&self, value: Value) -> bool {
        matches!(
            self.node(value),
            Node::Mapped(..) | Node::Changed(..) | Node::Range(_) | Node::Sequence(_) | Node::Mapping(_)
        )
    }

    /// Whether the value is a mapping of which nobody has said that it names no group.
    pub(super) fn is_given(&self, value: Value) -> bool {
        matches!(self.node(value), Node::Mapped(word, _) if word.as_str() == GIVEN)
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
            Node::Keyword(from, _) if !self.is_given(*from) => Axes::ALL,
            Node::Parameter(..) if self.meaning(group).is_some() => {
                self.meaning(group).map_or(Axes::NONE, |meaning| self.group_axes(meaning))
            }
            _ => self.groups.get(&group).copied().unwrap_or_else(|| Axes::hashed(u64::from(group.0))),
        }
    }

    /// Whether it is the list of the ranks of a group that is not known to hold all of them: ranks outside have another
    /// group of that name, and another list.
    pub(super) fn lists_a_part_of_the_job(&self, value: Value) -> bool {
        let Node::Apply(name, of) = self.node(value) else { return false };
        name.as_str() == MEMBERS
            && of.first().is_some_and(|&group| {
                let group = self.meaning(group).unwrap_or(group);
                !matches!(self.node(group), Node::World | Node::None | Node::MadeGroup(..))
            })
    }

    /// The first such list that a list is made of.
    pub fn part_of_the_job_in(&self, members: Value) -> Option<Value> {
        let mut found = None;
        self.search(members, MAX_MEMBERS, |part, further| {
            further.extend(parts(self.node(part)));
            found = self.lists_a_part_of_the_job(part).then_some(part);
            found.is_some()
        });
        found
    }
}
