//! The typed entries of the catalogue: what one library function, property or name means for the ranks of a program.

use crate::base::Symbol;

/// An argument of a call, by name and, where it can be given so, by position (from 0, the receiver not counted).
///
/// The parameter `self` without a position is the receiver: the object whose method is called
/// (`comm` in `comm.bcast(x)`). A group argument that is a string constant names an axis
/// (`mesh.get_group("tp")`, `mesh["tp"]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Name of the parameter.
    pub parameter: Symbol,
    /// Its position, for parameters that can be given by position.
    pub position: Option<u8>,
}

impl Operand {
    /// Whether it is the object whose method is called, not an argument.
    pub fn is_receiver(self) -> bool {
        self.position.is_none() && self.parameter.as_str() == "self"
    }
}

/// The axes of an axis name: `tp+pp` is the plane over `tp` and `pp`, a plain name is itself.
///
/// Beside the declared axes there are three: `world` (the whole job), `host` (differs between nodes only) and
/// `local` (the place within a node).
pub fn axes_of(name: Symbol) -> impl Iterator<Item = &'static str> {
    name.as_str().split('+')
}

/// The ranks an operation runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupOf {
    /// The group in this argument; WORLD when it is absent or `None`.
    Operand(Operand),
    /// The group of this axis, whatever the arguments; `tp+pp` is a plane of several (see [`axes_of`]).
    Axis(Symbol),
    /// Every rank of the job.
    World,
}

/// What sort of operation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// Every member of the group must take part.
    Collective,
    /// One sender, one receiver: no part of the group's common order.
    PointToPoint,
    /// Creates a group: every rank of the job must take part.
    GroupCreation,
    /// Ends the process group.
    Teardown,
}

/// What the call returns, or leaves in its buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The same value on every member of the group.
    Agrees,
    /// A value that differs between members.
    Differs,
    /// Nothing, or a handle to wait on.
    Nothing,
}

/// Which numbering a root argument uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RankSpace {
    /// Ranks of the job.
    Global,
    /// Ranks within the group.
    Group,
}

/// A root argument (`src`, `dst`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The argument.
    pub operand: Operand,
    /// How it counts.
    pub space: RankSpace,
}

/// An operation on a group: a collective, point-to-point, a group creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The name shown, such as `all_reduce`; equal names are the same operation on the wire.
    pub op: Symbol,
    /// What sort of operation.
    pub kind: OperationKind,
    /// The ranks it runs on.
    pub group: GroupOf,
    /// Its roots; several where global and group-relative spellings exist.
    pub roots: Box<[Root]>,
    /// The reduce operator.
    pub reduce_operator: Option<Operand>,
    /// Buffers that hold the same value on every member afterwards.
    pub agrees: Vec<Operand>,
    /// Buffers that hold a different value on every member afterwards.
    pub differs: Box<[Operand]>,
    /// Buffers whose shape every member must agree on.
    pub shaped: Vec<Operand>,
    /// Files or folders that every member must name alike; the first that is given counts.
    pub places: Box<[Operand]>,
    /// What the call returns.
    pub returns: Outcome,
    /// The argument that says where what it returns is placed: where it is `Replicate` along every axis, the same on every
    /// member.
    pub placed: Option<Operand>,
    /// The ranks of a group creation.
    pub members: Option<Operand>,
    /// The argument that, when true, makes a group creation the business of its members only.
    pub members_only: Option<Operand>,
    /// The argument that makes it asynchronous.
    pub asynchronous: Option<Operand>,
    /// Whether the collective hides behind a call that does not look like one (a wrapped forward, a checkpoint).
    pub implicit: bool,
    /// Whether the library itself brings such operations into one order, by their names, whatever the order of the calls.
    pub negotiated: bool,
    /// Whether it communicates only where the model is sharded.
    pub sharded: bool,
    /// The argument without which it communicates whatever the model is.
    pub sharded_with: Option<Box<Operand>>,
    /// Whether the backward pass from what it returns communicates too.
    pub backward: bool,
    /// The argument that, when true, makes the call an operation; without it there is none.
    pub when: Option<Operand>,
    /// The argument that, when true, keeps the call to its process.
    pub unless: Option<Operand>,
    /// The argument that makes the call an operation where it is of a model that is sharded in place, its parameters say; of
    /// anything else there is none.
    pub of_sharded: Option<Operand>,
    /// Whether it communicates nothing where all that it is handed are loaders of data.
    pub silent_for_loaders: bool,
    /// Names one of which a file has in which it returns the model that it is handed first as a sharded one.
    pub shards_beside: Box<[Symbol]>,
    /// Names that only those versions of the library have in which it does not communicate.
    pub unless_beside: Box<[Symbol]>,
    /// Names one of which a function says that joins the job of torch with the processes of this library; or keys of the
    /// environment one of which its file says.
    pub joined_by: Box<[Symbol]>,
    /// Whether it broadcasts a tensor or object that a control-plane manifest should announce.
    pub broadcast: bool,
}

/// Where the difference between ranks comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LocalKind {
    /// Files and directories.
    FileSystem,
    /// Clocks.
    Clock,
    /// Unseeded random numbers, `hash`, `id`.
    Chance,
    /// Names that nobody else gets: `uuid`, tokens, temporary files, process ids.
    Name,
    /// Host name, free memory, device.
    Host,
    /// Queues, futures, sockets, signals.
    Event,
    /// Rank-local data: shards, batches.
    Data,
    /// What was dealt out to the ranks item by item: some have one more than others.
    Share,
}

/// What a call or property evaluates to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// The coordinate of this rank along the axis.
    Rank,
    /// The number of ranks along the axis.
    Size,
    /// Whether this rank is the first along the axis.
    First,
    /// Whether this rank is the last along the axis.
    Last,
    /// Whether this rank belongs to a group.
    Member,
    /// The group of the axis.
    Group,
    /// The same value on every rank.
    Uniform,
    /// A value of this rank's own.
    Local(LocalKind),
    /// A value read from the environment; its key is the first argument.
    Environment,
}

/// A call or property that yields a value whose variance is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// Along which axis; `world` for the whole job, `host` for per-node facts, `tp+pp` for several (see [`axes_of`]).
    pub axis: Symbol,
    /// The group argument that overrides the axis, if there is one.
    pub group: Option<Operand>,
    /// The argument that, when given, decides the value instead: with it the value is as uniform as the argument
    /// (`random.Random(seed)`).
    pub unless: Option<Operand>,
    /// Why it may differ, as the second half of a sentence: `each rank has its own`.
    pub reason: String,
}

impl Value {
    /// Whether it is the rank within the node.
    pub fn is_local_rank(&self) -> bool {
        self.kind == ValueKind::Rank && self.axis.as_str() == "local"
    }
}

/// What a decorator or context manager does to the body it wraps, or a function to what it is handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrapper {
    /// The body runs only on the first rank.
    FirstRankOnly,
    /// The body runs on every rank, with a barrier before it on all but the first and after it on the first.
    FirstRankBefore,
    /// Differences in the number of collectives are evened out (`Join`).
    EvensOut,
    /// The body's own backward collectives are suspended (`no_sync`).
    NoSync,
    /// The function's result is kept by its arguments (`lru_cache`).
    Cache,
    /// The first argument is called, there and then (`torch.jit.trace`).
    Calls,
    /// The first argument, a model, is sharded in place (`fully_shard`).
    Shards,
}

/// What a dotted name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// An operation on a group.
    Operation(Operation),
    /// A value.
    Value(Value),
    /// Ends the process.
    Exit,
    /// A decorator or context manager.
    Wrapper(Wrapper),
}

/// A type of a library whose methods the catalogue knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// Its dotted name; methods are listed as `name.method`.
    pub name: Symbol,
    /// Other names and constructors of it, dotted.
    pub aliases: Vec<Symbol>,
    /// Packages whose classes are all of this type.
    pub packages: Vec<Symbol>,
    /// Names that variables, parameters and attributes of this type usually have.
    pub variables: Vec<Symbol>,
    /// Functions that return several things, the first of which is of this type.
    pub first_of: Vec<Symbol>,
    /// Methods and properties whose names only this type uses: the receiver's type follows from them.
    pub distinctive: Vec<Symbol>,
    /// Keyword arguments that only methods of this type take: so do those of the receiver.
    pub distinctive_arguments: Vec<Symbol>,
    /// Functions of the class that take an object of it first: `FSDP.state_dict_type(model)`.
    pub takes_first: Vec<Symbol>,
    /// Keyword arguments of the constructor; where one is `False` or 1, what is made is of this process alone.
    pub silenced_by: Vec<Symbol>,
    /// Classes of the library: what is made with an object of one is of this process alone.
    pub silenced_with: Vec<Symbol>,
    /// Attributes that hold objects of a known type, with the dotted name of that.
    pub fields: Vec<(Symbol, Symbol)>,
    /// Whether projects keep copies of the class: one of its name that has what is distinctive of it is of this type.
    pub copied: bool,
}

/// An axis of the mesh of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its short name: `tp`.
    pub name: Symbol,
    /// Words that mean it inside names: `tensor_parallel`, `tp`.
    pub words: Vec<String>,
    /// Axes it is not independent of: another way to cut the same ranks (`ep` cuts across `dp` and `tp`).
    pub overlaps: Vec<Symbol>,
}

/// What a name conventionally means where nothing better is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Convention {
    /// What it is.
    pub value: Value,
    /// Whether it is meant for names of variables, parameters and attributes (otherwise of functions and methods too).
    pub variables_only: bool,
}
