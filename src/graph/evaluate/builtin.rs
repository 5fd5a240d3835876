//! Functions of Python and torch that are computed here, not looked up.

use super::arguments::Arguments;
use super::data;
use super::shares::given;
use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::catalog::{self, Entry, ValueKind};
use crate::finding::Confidence;
use crate::flow::{COMPREHENSION, Node, Value};

/// Functions that seed generators with their first argument, and under what name the seed is noted.
const SEEDING: &[(&str, &[&str])] = &[
    ("random.seed", &["random seed"]),
    ("numpy.random.seed", &["numpy.random seed"]),
    ("torch.manual_seed", &["torch seed"]),
    ("torch.random.manual_seed", &["torch seed"]),
    ("torch.cuda.manual_seed_all", &["torch seed"]),
    ("transformers.set_seed", ALL_SEEDS),
    ("transformers.trainer_utils.set_seed", ALL_SEEDS),
    ("accelerate.utils.set_seed", ALL_SEEDS),
    ("lightning.seed_everything", ALL_SEEDS),
    ("lightning.pytorch.seed_everything", ALL_SEEDS),
    ("pytorch_lightning.seed_everything", ALL_SEEDS),
];

/// A progress bar, of whether it is hidden.
pub(super) const BAR: &str = "progress bar";

const ALL_SEEDS: &[&str] = &["random seed", "numpy.random seed", "torch seed"];

impl<'p> Engine<'p> {
    /// Whether the value is a tensor that the function at hand has made.
    fn is_new_tensor(&self, value: Value) -> bool {
        let makes = |name: Symbol| {
            let last = name.as_str().strip_prefix("torch.").unwrap_or_default();
            matches!(last, "empty" | "zeros" | "ones" | "full" | "tensor" | "empty_like" | "zeros_like" | "ones_like")
        };
        matches!(self.values.node(value), Node::Apply(name, _) | Node::Mapped(name, _) if makes(*name))
    }

    /// `x == mine for x in gathered`, where `mine` is what this rank has put in: where that was gathered, and among whom.
    fn compares_with_own(&self, value: Value) -> Option<(crate::base::Site, Value)> {
        let Node::Mapped(_, parts) = self.values.node(value) else { return None };
        let [iter, content] = parts[..] else { return None };
        let (Node::Agreed(at, given, group), Node::Sequence(element)) =
            (self.values.node(iter), self.values.node(content))
        else {
            return None;
        };
        let Node::Sequence(given) = self.values.node(*given) else { return None };
        let mut test = *element.first()?;
        while let Node::Not(inner) = *self.values.node(test) {
            test = inner;
        }
        let Node::Compare(crate::model::CompareOp::Eq, left, right) = *self.values.node(test) else { return None };
        let is_one = |one: Value| matches!(self.values.node(one), Node::Item(_, from) if *from == iter);
        let (one, own) = if is_one(left) { (left, right) } else { (right, left) };
        (is_one(one) && given.contains(&own)).then_some((*at, *group))
    }

    /// Notes what a generator of random numbers is seeded with from here on.
    pub(super) fn remember_seed(&mut self, frame: &mut Frame<'p>, dotted: Symbol, arguments: &Arguments) {
        let Some((_, seeded)) = SEEDING.iter().find(|(name, _)| *name == dotted.as_str()) else { return };
        let Some(&seed) = arguments.values().first() else { return };
        for library in *seeded {
            frame.set(Symbol::new(library), seed);
        }
    }

    /// A number drawn from a generator that was seeded here: as uniform as the seed.
    pub(super) fn drawn_from_seed(
        &mut self,
        frame: &mut Frame<'p>,
        dotted: Symbol,
        entry: &Entry,
        arguments: &Arguments,
        span: Span,
    ) -> Option<Value> {
        let Entry::Value(value) = entry else { return None };
        if value.kind != ValueKind::Local(catalog::LocalKind::Chance) {
            return None;
        }
        let (library, _) = dotted.as_str().rsplit_once('.')?;
        let seed = frame.get(Symbol::new(&format!("{library} seed")))?;
        let mut parts = vec![seed];
        parts.extend(arguments.values());
        let drawn = self.values.make(Node::Apply(Symbol::new("seeded"), parts.into()));
        Some(self.values.make(Node::Item(frame.site(span), drawn)))
    }

    /// `map(f, xs)` and `filter(f, xs)`: a call for each element.
    pub(super) fn mapping_call(
        &mut self,
        frame: &mut Frame<'p>,
        name: Symbol,
        callee: Value,
        sources: &[Value],
        span: Span,
    ) -> Value {
        let site = frame.site(span);
        let positional = sources.iter().map(|&source| (self.values.make(Node::Item(site, source)), None)).collect();
        let arguments = Arguments { positional, ..Arguments::default() };
        let outer = std::mem::take(&mut frame.sequence);
        let result = match *self.values.node(callee) {
            Node::None => sources[0],
            _ => self.call_value(frame, callee, arguments, span),
        };
        let body = self.take_sequence(frame);
        frame.sequence = outer;
        let iter = match *sources {
            [only] => only,
            _ => self.values.make(Node::Mapped(Symbol::new("zip"), sources.into())),
        };
        if body != crate::flow::Effects::NOTHING {
            let item = self.values.make(Node::Item(site, iter));
            let kind = crate::flow::LoopKind::For { iter, item };
            let orelse = crate::flow::Effects::NOTHING;
            let whole = self.effects.make(crate::flow::Effect::Loop { kind, site, body, orelse }, &self.values);
            self.emit(frame, whole);
        }
        let content = self.values.make(Node::Sequence(Box::from([result])));
        match name.as_str() {
            "filter" => {
                let kept = self.values.make(Node::Range(Box::from([result])));
                self.values.make(Node::Changed(site, Box::from([iter, kept])))
            }
            _ => self.values.make(Node::Mapped(Symbol::new(COMPREHENSION), Box::from([iter, content]))),
        }
    }

    /// Builtins and library functions that the catalogue does not list.
    pub(super) fn builtin(&mut self, frame: &mut Frame<'p>, dotted: Symbol, arguments: Arguments, span: Span) -> Value {
        let name = dotted.as_str().rsplit('.').next().unwrap_or_default();
        let arguments = super::data::without_fetching(name, arguments);
        self.shown_by(frame, Symbol::new(name), &arguments);
        let args = arguments.values();
        let first = args.first().copied();
        let site = frame.site(span);
        let mapped = |engine: &mut Self, name: &str, parts: Vec<Value>| {
            engine.values.make(Node::Mapped(Symbol::new(name), parts.into()))
        };
        match (dotted.as_str(), first) {
            (
                "torch.distributed.get_process_group_ranks"
                | "torch.distributed.distributed_c10d.get_process_group_ranks",
                Some(group),
            ) => match *self.values.node(group) {
                Node::MadeGroup(_, ranks) if !matches!(self.values.node(ranks), Node::Unknown(_)) => ranks,
                _ => {
                    let ranks = self.values.make(Node::Apply(Symbol::new(crate::flow::MEMBERS), Box::from([group])));
                    let reason = "the ranks of this rank's group: outside of it they are others";
                    self.born(ranks, frame, span, reason, Confidence::Medium);
                    ranks
                }
            },
            // The launcher's variables are numbers, however they are spelled.
            ("int" | "str", Some(value))
                if matches!(self.values.node(value), Node::Rank(_) | Node::Size(_) | Node::Int(_)) =>
            {
                value
            }
            ("len", Some(value)) => {
                self.length_of_object(value).unwrap_or_else(|| self.values.make(Node::Length(value)))
            }
            // What is asked for its truth is asked for it later, too; how much a container holds is another thing.
            ("bool", Some(value)) if self.values.shape(value).is_empty() => value,
            // A pretrained model is the same everywhere, wherever its files lie.
            _ if name == "from_pretrained" => self.unknown(frame, span),
            // Of two things one of which is a tensor made here, it is known what that one is.
            ("isinstance", Some(value))
                if let Node::If(test, then, otherwise) = *self.values.node(value)
                    && args.get(1).is_some_and(|&class| self.values.names_containers(class))
                    && self.is_new_tensor(then) != self.is_new_tensor(otherwise) =>
            {
                let no = self.values.make(Node::Bool(false));
                let made_first = self.is_new_tensor(then);
                let kind = self.values.make(Node::Kind(if made_first { otherwise } else { then }));
                let asked = self.values.make(Node::Apply(dotted, Box::from([kind, args[1]])));
                match made_first {
                    true => self.values.make(Node::If(test, no, asked)),
                    false => self.values.make(Node::If(test, asked, no)),
                }
            }
            ("isinstance" | "hasattr" | "callable" | "issubclass" | "type" | "torch.is_tensor", Some(value)) => {
                let kind = self.values.make(Node::Kind(value));
                let parts: Vec<Value> = std::iter::once(kind).chain(args.iter().skip(1).copied()).collect();
                self.values.make(Node::Apply(dotted, parts.into()))
            }
            // Each rank has a device of its own, and all are alike.
            ("torch.device", Some(_)) => {
                let device = self.values.make(Node::Apply(dotted, args.into()));
                self.values.make(Node::Kind(device))
            }
            ("dict", Some(_))
                if arguments.positional.is_empty() && arguments.starred.is_none() && arguments.mapping.is_none() =>
            {
                let named = &arguments.keywords;
                let entries =
                    named.iter().map(|&(name, value, _)| (self.values.make(Node::Str(name)), value)).collect();
                self.values.make(Node::Mapping(entries))
            }
            ("range", _) => self.values.make(Node::Range(args.into())),
            ("enumerate", Some(value)) => mapped(self, "enumerate", vec![value]),
            ("zip", _) => mapped(self, "zip", args),
            ("list" | "tuple" | "sorted" | "reversed" | "set" | "frozenset" | "iter" | "dict", Some(value)) => {
                match self.values.node(value) {
                    Node::Sequence(_) if dotted.as_str() != "set" && dotted.as_str() != "sorted" => value,
                    _ => mapped(self, dotted.as_str(), vec![value]),
                }
            }
            ("list" | "tuple" | "set" | "frozenset", None) => self.values.make(Node::Sequence(Box::from([]))),
            ("dict" | "collections.OrderedDict", None) => self.values.make(Node::Mapping(Box::from([]))),
            ("collections.Counter" | "collections.defaultdict", None) => {
                self.values.make(Node::Apply(dotted, Box::from([])))
            }
            ("map" | "filter", Some(callee)) if args.len() > 1 => {
                self.mapping_call(frame, dotted, callee, &args[1..], span)
            }
            ("datasets.distributed.split_dataset_by_node", Some(dataset))
                if let Some(count) = given(&arguments, 2, "world_size")
                    && let Some(rank) = given(&arguments, 1, "rank")
                    && let Some(share) = self.dealt_out(frame, dataset, (count, rank), span) =>
            {
                share
            }
            ("itertools.islice", Some(whole))
                if let [_, first, _, step] = args[..]
                    && let Some(share) = self.dealt_out(frame, whole, (step, first), span) =>
            {
                share
            }
            // All of them, in another order.
            ("concurrent.futures.as_completed" | "asyncio.as_completed", Some(_)) => {
                mapped(self, "list", args[..1].to_vec())
            }
            ("map" | "filter" | "itertools.chain" | "itertools.islice" | "itertools.cycle", _) => {
                mapped(self, dotted.as_str(), args)
            }
            (_, Some(_)) if data::is_loader(Symbol::new(name)) && name.starts_with(char::is_uppercase) => {
                let sampler = arguments.keywords.iter().find(|keyword| keyword.0.as_str().ends_with("sampler"));
                let dealt = match sampler {
                    Some(sampler) => self.dealt_by_sampler(sampler.1),
                    None => self.with_dealt(dotted, &args),
                };
                let parts = args.into_iter().chain(dealt).collect();
                let made = self.values.make(Node::Apply(dotted, parts));
                self.loader(frame, made, span)
            }
            // A bar that goes through nothing counts what it is told, where it is shown.
            (_, Some(_))
                if name == "tqdm"
                    && arguments.positional.is_empty()
                    && !arguments.keywords.iter().any(|keyword| keyword.0.as_str() == "iterable")
                    && let Some(hidden) = arguments.keywords.iter().find(|keyword| keyword.0.as_str() == "disable") =>
            {
                self.values.make(Node::Apply(Symbol::new(BAR), Box::from([hidden.1])))
            }
            // Whether all have said what this rank has said is the same on all.
            ("all" | "any", Some(value)) if let Some((at, group)) = self.compares_with_own(value) => {
                let asked = self.values.make(Node::Apply(dotted, args.into()));
                self.values.make(Node::Agreed(at, asked, group))
            }
            ("tensor_split" | "array_split", Some(value))
                if let Some(pieces) = self.pieces(value, args.get(1).copied()) =>
            {
                pieces
            }
            // A progress bar hands on what it is given.
            (_, Some(value)) if name == "tqdm" || dotted.as_str() == "rich.progress.track" => {
                mapped(self, "tqdm", vec![value])
            }
            ("next", Some(value)) => {
                // Whether something is left depends on the iterator's length, what it is on its contents.
                let turns = self.counted(frame, value);
                let length = self.values.make(Node::Length(turns));
                let first = match self.values.yielded(value) {
                    Some(_) => self.values.make(Node::Item(site, value)),
                    None if self.is_made_by_the_program(value) => turns,
                    None => value,
                };
                self.values.make(Node::Changed(site, Box::from([first, length])))
            }
            ("functools.partial", Some(callee)) => {
                let keywords = arguments.keywords.iter().map(|keyword| (keyword.0, keyword.1)).collect();
                let rest: Vec<Value> = arguments.positional.iter().skip(1).map(|arg| arg.0).collect();
                self.values.make(Node::Partial(callee, rest.into(), keywords))
            }
            ("os.environ.get" | "os.getenv" | "os.environ.__getitem__" | "os.environ.setdefault", _) => {
                self.environment(frame, &arguments, span)
            }
            ("torch.nn.parallel.DistributedDataParallel.__call__", _) => self.unknown(frame, span),
            _ if is_creation(dotted.as_str(), name) => {
                let sizes = creation_sizes(name, &arguments);
                match name {
                    "tensor" | "as_tensor" | "stack" | "cat" | "asarray" | "from_numpy" | "array" => {
                        let content = self.values.make(Node::Sequence(sizes.into()));
                        self.values.make(Node::Apply(Symbol::new(name), Box::from([content])))
                    }
                    // From one number to another: how many lie between is not what either is.
                    "arange" if arguments.positional.len() > 1 => {
                        self.values.make(Node::Apply(Symbol::new(name), sizes.into()))
                    }
                    _ => self.values.make(Node::Range(sizes.into())),
                }
            }
            _ => match args.is_empty() {
                true => {
                    match self.program.catalog.convention(Symbol::new(name)).filter(|known| !known.variables_only) {
                        Some(convention) => {
                            let meaning = convention.value.clone();
                            match self.meaning(&meaning, frame, span) {
                                Some(value) => {
                                    let reason = format!("`{name}()` is this rank's own, by its name");
                                    self.born(value, frame, span, &reason, Confidence::Medium);
                                    value
                                }
                                None => self.unknown(frame, span),
                            }
                        }
                        None => self.values.make(Node::Unknown(site)),
                    }
                }
                false => {
                    let wrapped = matches!(name, "DistributedDataParallel");
                    let value = self.opaque_result(frame, dotted, args, span);
                    if wrapped { self.values.make(Node::Forward(value)) } else { value }
                }
            },
        }
    }
}

/// The arguments of a tensor constructor that decide about its shape; its contents, for one that copies them.
fn creation_sizes(name: &str, arguments: &Arguments) -> Vec<Value> {
    let named: Vec<Value> = arguments
        .keywords
        .iter()
        .filter(|keyword| matches!(keyword.0.as_str(), "size" | "shape" | "steps" | "end" | "start" | "step" | "data"))
        .map(|keyword| keyword.1)
        .collect();
    let positional: Vec<Value> = arguments.positional.iter().map(|arg| arg.0).collect();
    let mut sizes = match name {
        "full" | "tensor" | "as_tensor" | "stack" | "cat" | "asarray" | "from_numpy" | "array" => {
            positional.into_iter().take(1).collect()
        }
        // What the numbers lie between comes first.
        "randint" => positional.last().copied().into_iter().collect(),
        "linspace" => positional.get(2).copied().into_iter().collect(),
        _ => positional,
    };
    sizes.extend(arguments.starred);
    sizes.extend(named);
    sizes
}

/// Tensor constructors of torch and numpy.
fn is_creation(dotted: &str, name: &str) -> bool {
    (dotted.starts_with("torch.") || dotted.starts_with("numpy."))
        && matches!(
            name,
            "zeros"
                | "ones"
                | "empty"
                | "full"
                | "rand"
                | "randn"
                | "arange"
                | "tensor"
                | "as_tensor"
                | "stack"
                | "cat"
                | "asarray"
                | "from_numpy"
                | "array"
                | "randint"
                | "linspace"
        )
}
