//! What values are made of, and what is known of each.

use crate::base::{ClassId, FileId, FunctionId, Site, Symbol};
use crate::flow::axes::Axes;
use crate::model::{BinaryOp, CompareOp};

use super::Value;

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
    pub(super) depth: u16,
}

impl Facts {
    pub(super) const UNIFORM: Facts =
        Facts { vary: Axes::NONE, shape: Axes::NONE, open: false, wrapped: false, environment: false, depth: 0 };

    pub(super) fn differing(axes: Axes) -> Facts {
        Facts { vary: axes, shape: axes, ..Facts::UNIFORM }
    }

    pub(super) fn join(self, other: Facts) -> Facts {
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

/// The function whose result are the ranks of its argument, a group.
pub const MEMBERS: &str = "members";

/// The last part of the names of what answers how many devices a machine has.
pub const DEVICE_COUNT: &str = "device_count";

/// The function that tells whether there is a job of several ranks. Whoever waits for a peer has one.
pub const INITIALIZED: &str = "is_initialized";

/// The function that tells whether this rank is a member of its argument, a group.
pub const IS_MEMBER: &str = "is_member";

/// What is left of a mapping of keyword arguments when one was taken out.
pub const WITHOUT: &str = "without";

/// The function of a mapping that is spread into arguments and holds what it holds: who forwards the keywords of its caller
/// hands over none of its own, whoever spreads another mapping may.
pub const GIVEN: &str = "given";

/// Word of a [`Node::Mapped`] for keyword arguments of two sources: those that a call names, and what it spreads beside them.
pub const HANDED_ON: &str = "keywords";

/// The function of a container, and of what is stored in it under which index.
pub const STORE: &str = "store";

/// The function of a container, and of what takes the place of one of its elements.
pub const UPDATE: &str = "update in place";

/// The function of what a comprehension goes through and of what it makes of each: a list, or what is made once for each.
pub const COMPREHENSION: &str = "comprehension";

/// The same, where elements may fall together: a set, or a dict.
pub const COLLECTED: &str = "collected";

/// The function of keys and values of a dict display into which other mappings are spread, one after the other.
pub const MERGED: &str = "merged";

/// What stands for the key of a mapping that is spread there.
pub const SPREAD: &str = "spread";

/// The function of a range and of a list: as many elements, all from the list.
pub const REPEAT: &str = "repeat";

/// The function of an answer and of what this rank alone knows: a question about its own data.
pub const POOLED: &str = "pooled";

/// What an attribute holds that nobody has written yet.
pub const UNSET: &str = "unset";

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
