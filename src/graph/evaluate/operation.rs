//! Catalogued calls and builtins: operations on groups, values of known variance, containers.

use crate::base::{Span, Symbol};
use crate::catalog::{self, Entry, GroupOf, Operation, OperationKind, Outcome, RankSpace, ValueKind};
use crate::finding::Confidence;
use crate::flow::{Axes, Event, Exit, Node, Value};
use crate::model::ExprId;

use super::arguments::Arguments;
use super::data;
use super::{Engine, Frame};

/// Whether the process group is there.
/// The operation by which a rank joins the job.
const JOIN: &str = "init_process_group";

const INITIALIZED: &str = "is_initialized";
/// The type of a mesh of ranks.
pub(super) const MESH: &str = "torch.distributed.device_mesh.DeviceMesh";
/// The type of a group of ranks.
pub(super) const GROUP: &str = "torch.distributed.ProcessGroup";
/// The type of an MPI communicator.
pub(super) const COMMUNICATOR: &str = "mpi4py.MPI.Comm";

impl<'p> Engine<'p> {
    /// A name of a library as a value.
    pub(super) fn external(&mut self, dotted: Symbol) -> Value {
        match dotted.as_str() {
            "torch.distributed.group.WORLD" | "torch.distributed.GroupMember.WORLD" => self.values.make(Node::World),
            "torch.distributed.GroupMember.NON_GROUP_MEMBER" | "torch.distributed.group.NON_GROUP_MEMBER" => {
                self.values.make(Node::NonMember)
            }
            _ => self.values.make(Node::External(dotted)),
        }
    }

    /// A name of a library that is read, not called.
    pub(super) fn external_value(&mut self, frame: &mut Frame<'p>, dotted: Symbol, span: Span) -> Value {
        match self.program.catalog.entry(dotted) {
            // The same everywhere, and the same wherever it is named.
            Some(Entry::Value(value)) if value.kind == ValueKind::Uniform => self.external(dotted),
            Some(entry @ Entry::Value(value)) if !matches!(value.kind, ValueKind::Environment) => {
                let entry = entry.clone();
                // A function that is named without being called is the function; a property is its value.
                let none = self.none;
                match is_property(dotted) {
                    true => self.catalogued_property(frame, &entry, none, span).unwrap_or(none),
                    false => self.external(dotted),
                }
            }
            _ => self.external(dotted),
        }
    }

    pub(super) fn catalogued_property(
        &mut self,
        frame: &mut Frame<'p>,
        entry: &Entry,
        object: Value,
        span: Span,
    ) -> Option<Value> {
        let Entry::Value(value) = entry else { return None };
        let arguments = Arguments { receiver: Some(object), ..Arguments::default() };
        Some(self.catalogued_value(frame, value, &arguments, span, Confidence::High))
    }

    pub(super) fn call_external(
        &mut self,
        frame: &mut Frame<'p>,
        dotted: Symbol,
        arguments: Arguments,
        span: Span,
    ) -> Value {
        self.remember_seed(frame, dotted, &arguments);
        if dotted.as_str().ends_with(".is_initialized") && self.program.catalog.entry(dotted).is_some() {
            return self.values.make(Node::Apply(Symbol::new(INITIALIZED), Box::from([])));
        }
        if super::premise::asks_for_backend(dotted) {
            return self.values.make(Node::Apply(dotted, Box::from([])));
        }
        if let Some(entry) = self.program.catalog.entry(dotted) {
            let entry = entry.clone();
            if let Some(drawn) = self.drawn_from_seed(frame, dotted, &entry, &arguments, span) {
                return drawn;
            }
            let name = Symbol::new(dotted.as_str().rsplit('.').next().unwrap_or_default());
            let result = self.catalogued_call(frame, &entry, name, arguments, span);
            let Entry::Operation(operation) = entry else { return result };
            // A constructor that is itself an operation, and one whose object comes first of several.
            if let Some(kind) = self.program.catalog.first_of(dotted) {
                let object = self.values.make(Node::Typed(kind));
                let rest = self.values.make(Node::Unknown(frame.site(span)));
                return self.values.make(Node::Sequence(Box::from([object, rest, rest, rest])));
            }
            return match self.program.catalog.type_named(dotted) {
                Some(kind) if operation.kind == OperationKind::Collective => {
                    let kind = kind.name;
                    self.values.make(Node::Typed(kind))
                }
                _ => result,
            };
        }
        if let Some(kind) = self.program.catalog.type_named(dotted) {
            let kind = kind.name;
            let constructor = Symbol::new(&format!("{kind}.__init__"));
            if let Some(entry) = self.program.catalog.entry(constructor) {
                let entry = entry.clone();
                self.catalogued_call(frame, &entry, kind, arguments, span);
            }
            return self.values.make(Node::Typed(kind));
        }
        self.builtin(frame, dotted, arguments, span)
    }

    pub(super) fn catalogued_call(
        &mut self,
        frame: &mut Frame<'p>,
        entry: &Entry,
        name: Symbol,
        arguments: Arguments,
        span: Span,
    ) -> Value {
        self.catalogued(frame, entry, name, arguments, span, Confidence::High)
    }

    pub(super) fn catalogued(
        &mut self,
        frame: &mut Frame<'p>,
        entry: &Entry,
        name: Symbol,
        arguments: Arguments,
        span: Span,
        confidence: Confidence,
    ) -> Value {
        match entry {
            Entry::Operation(operation) => self.operation(frame, operation, &arguments, span, confidence),
            Entry::Value(value) => self.catalogued_value(frame, value, &arguments, span, confidence),
            Entry::Exit => {
                self.leave(frame, Exit::Abort, span);
                self.none
            }
            Entry::Wrapper(_) => {
                let mut parts: Vec<Value> = vec![];
                parts.extend(arguments.values());
                let dotted = self.wrapper_name(entry, name);
                self.values.make(Node::Apply(dotted, parts.into()))
            }
        }
    }

    /// Wrapper calls keep the catalogued name, so that `with` recognises them.
    fn wrapper_name(&self, entry: &Entry, name: Symbol) -> Symbol {
        match entry {
            Entry::Wrapper(catalog::Wrapper::EvensOut) => Symbol::new("torch.distributed.algorithms.join.Join"),
            _ => name,
        }
    }

    fn catalogued_value(
        &mut self,
        frame: &mut Frame<'p>,
        value: &catalog::Value,
        arguments: &Arguments,
        span: Span,
        confidence: Confidence,
    ) -> Value {
        if value.kind == ValueKind::Environment {
            return self.environment(frame, arguments, span);
        }
        if let Some(operand) = value.unless
            && let Some((given, _)) = self.operand(arguments, operand)
            && *self.values.node(given) != Node::None
        {
            let result = self.values.make(Node::Apply(Symbol::new("seeded"), Box::from([given])));
            return self.values.make(Node::Item(frame.site(span), result));
        }
        let asked = value.group.and_then(|operand| self.operand(arguments, operand)).map(|found| found.0);
        // A mesh or a part of one is asked about the axis that the argument names, or else about itself.
        let group = match (asked.map(|asked| self.values.node(asked).clone()), arguments.receiver) {
            (Some(Node::Str(_) | Node::Int(_) | Node::Sequence(_)), Some(mesh)) => {
                match asked.and_then(|asked| self.axes_of_index(mesh, asked)) {
                    Some(axes) => Some(self.values.make(Node::AxisGroup(axes))),
                    None => asked,
                }
            }
            (None | Some(Node::None), Some(part))
                if value.group.is_some()
                    && matches!(self.values.node(part), Node::AxisGroup(_) | Node::MadeGroup(..)) =>
            {
                Some(part)
            }
            _ => asked,
        };
        let axes = match group {
            Some(group) => self.group_argument(group).1,
            None => Axes::named(value.axis.as_str()),
        };
        let result = match (&value.kind, group) {
            (ValueKind::Rank, Some(_)) => self.values.make(Node::Rank(axes)),
            (ValueKind::Size, Some(_)) => self.values.make(Node::Size(axes)),
            (ValueKind::First, Some(_)) => self.is_first(axes),
            (ValueKind::Group, Some(group)) if matches!(self.values.node(group), Node::MadeGroup(..)) => group,
            (ValueKind::Group, Some(_)) => match axes.is_all() {
                true => self.values.make(Node::World),
                false => self.values.make(Node::AxisGroup(axes)),
            },
            (ValueKind::Member, Some(group)) => {
                self.values.make(Node::Apply(Symbol::new("is_member"), Box::from([group])))
            }
            _ => match self.meaning(value, frame, span) {
                Some(result) => result,
                None => self.values.make(Node::Unknown(frame.site(span))),
            },
        };
        if !self.values.vary(result).is_empty() {
            let source = self.source_of(result);
            self.born(source, frame, span, &value.reason, confidence);
        }
        result
    }

    /// The varying leaf of a catalogued value.
    fn source_of(&self, value: Value) -> Value {
        match self.values.node(value) {
            Node::Compare(_, left, right) => {
                if matches!(self.values.node(*left), Node::Rank(_)) {
                    *left
                } else {
                    *right
                }
            }
            _ => value,
        }
    }

    /// An environment variable: a rank, something every rank shares, or nobody knows.
    pub(super) fn environment(&mut self, frame: &mut Frame<'p>, arguments: &Arguments, span: Span) -> Value {
        let Some(key) = arguments.at(0) else { return self.unknown(frame, span) };
        let Node::Str(text) = *self.values.node(key) else { return self.unknown(frame, span) };
        if let Some(known) = self.program.catalog.environment_key(text.as_str()) {
            let known = known.clone();
            let reason = format!("`{text}` is set by the launcher, for each rank its own");
            return match self.meaning(&known, frame, span) {
                Some(value) => {
                    self.born(value, frame, span, &reason, Confidence::High);
                    value
                }
                None => self.unknown(frame, span),
            };
        }
        self.values.make(Node::Environment(text))
    }

    /// A group argument as a group, and the axes it reaches across.
    fn group_argument(&mut self, group: Value) -> (Value, Axes) {
        match self.values.node(group) {
            Node::None => {
                let world = self.values.make(Node::World);
                (world, Axes::ALL)
            }
            Node::Str(axis) => {
                let axes = self.axes_called(axis.as_str());
                let group = self.values.make(Node::AxisGroup(axes));
                (group, axes)
            }
            Node::Index(_, index) if let Some(axes) = self.axis_index(*index) => {
                let group = self.values.make(Node::AxisGroup(axes));
                (group, axes)
            }
            // The mesh of one element of a container is that of its other elements.
            Node::Attribute(object, name) if matches!(self.values.node(*object), Node::Item(..) | Node::Index(..)) => {
                let name = *name;
                let group = self.values.make(Node::Apply(name, Box::from([])));
                let axes = self.values.group_axes(group);
                (group, axes)
            }
            Node::Mesh(_) => {
                let axes = self.values.group_axes(group);
                let group = self.values.make(Node::AxisGroup(axes));
                (group, axes)
            }
            _ => {
                let axes = self.values.group_axes(group);
                (group, axes)
            }
        }
    }

    /// Whether the value is a tensor that the function at hand has made.
    fn is_new_tensor(&self, value: Value) -> bool {
        let makes = |name: Symbol| {
            let last = name.as_str().strip_prefix("torch.").unwrap_or_default();
            matches!(last, "empty" | "zeros" | "ones" | "full" | "tensor" | "empty_like" | "zeros_like" | "ones_like")
        };
        matches!(self.values.node(value), Node::Apply(name, _) | Node::Mapped(name, _) if makes(*name))
    }

    /// Whether a class holds other things: `tuple`, `list`, `dict`.
    fn is_container_type(&self, class: Value) -> bool {
        match self.values.node(class) {
            Node::External(name) => matches!(name.as_str(), "tuple" | "list" | "dict"),
            Node::Sequence(parts) => parts.iter().all(|&part| self.is_container_type(part)),
            _ => false,
        }
    }

    fn operation(
        &mut self,
        frame: &mut Frame<'p>,
        operation: &Operation,
        arguments: &Arguments,
        span: Span,
        confidence: Confidence,
    ) -> Value {
        let world = self.values.make(Node::World);
        let group = match operation.group {
            GroupOf::World => world,
            GroupOf::Axis(axis) => {
                let axes = Axes::named(axis.as_str());
                if axes.is_all() { world } else { self.values.make(Node::AxisGroup(axes)) }
            }
            GroupOf::Operand(operand) => match self.operand(arguments, operand) {
                Some((group, _)) => self.group_argument(group).0,
                None => world,
            },
        };
        let site = frame.site(span);
        let mut root = None;
        let mut root_parameter = None;
        for candidate in &operation.roots {
            if let Some((value, _)) = self.operand(arguments, candidate.operand)
                && *self.values.node(value) != Node::None
            {
                root_parameter = Some(candidate.operand.parameter);
                root = Some(match candidate.space {
                    RankSpace::Global => value,
                    RankSpace::Group if group == world => value,
                    RankSpace::Group => self.values.make(Node::Apply(Symbol::new("group_rank"), Box::from([value]))),
                });
                break;
            }
        }
        let operator =
            operation.reduce_operator.and_then(|operand| self.operand(arguments, operand)).map(|found| found.0);
        let members = operation.members.and_then(|operand| self.operand(arguments, operand)).map(|found| found.0);
        let local = operation
            .members_only
            .and_then(|operand| self.operand(arguments, operand))
            .is_some_and(|(only, _)| *self.values.node(only) == Node::Bool(true));
        let shaped =
            operation.shaped.first().and_then(|&operand| self.operand(arguments, operand)).map(|found| found.0);
        let creates = operation.kind == OperationKind::GroupCreation;
        if group == world {
            match operation.kind {
                OperationKind::Teardown => frame.parted = true,
                OperationKind::GroupCreation if operation.op.as_str() == JOIN => frame.parted = false,
                _ => {}
            }
        }
        let communicates = match operation.kind {
            OperationKind::Collective => true,
            // Joining the job is a rendezvous of its own, and lies in singletons that every rank asks at another place:
            // a rank that skips it fails at its first collective, it does not part ways.
            OperationKind::GroupCreation if operation.op.as_str() == JOIN => false,
            OperationKind::GroupCreation => !local,
            OperationKind::PointToPoint | OperationKind::Teardown => false,
        };
        // What is made only where it is not there yet has been made by whoever came first, on every rank.
        let made_once =
            creates && members.is_none() && frame.guards.iter().any(|&guard| self.asks_whether_initialized(guard));
        if communicates && !made_once {
            let event = Event {
                op: operation.op,
                creates,
                implicit: operation.implicit,
                group: if creates { world } else { group },
                root,
                root_parameter,
                operator,
                members: members.filter(|_| creates),
                shaped,
                site,
                confidence,
            };
            let effect = self.effects.issue(event, &self.values);
            match operation.when.map(|operand| self.operand(arguments, operand)) {
                None => self.emit(frame, effect),
                Some(None) => {}
                Some(Some((when, _))) => match self.values.node(when) {
                    Node::Bool(true) => self.emit(frame, effect),
                    Node::Bool(false) | Node::None => {}
                    _ => {
                        let form = crate::flow::ChoiceForm::Expression;
                        self.choose(frame, when, span, form, effect, crate::flow::Effects::NOTHING);
                    }
                },
            }
        }
        let mut everything = arguments.values();
        let first = everything.first().copied().filter(|_| everything.len() == 1);
        // Under which conditions some ranks issue it here: others may issue their part of it elsewhere.
        let guards: Vec<Value> = frame
            .guards
            .iter()
            .copied()
            .filter(|&guard| !self.values.vary(guard).is_empty() || self.values.facts(guard).open)
            .collect();
        if !guards.is_empty() {
            everything.push(self.values.make(Node::Range(guards.into())));
        }
        let whole = match first.filter(|_| everything.len() == 1) {
            Some(first) => first,
            None => self.values.make(Node::Sequence(everything.into())),
        };
        let agreed = self.values.make(Node::Agreed(site, whole, group));
        let spread = self.values.make(Node::Spread(site, whole, group));
        if operation.returns == Outcome::Differs || !operation.differs.is_empty() {
            let reason = format!("`{}` leaves a different value on each member of the group", operation.op);
            self.born(spread, frame, span, &reason, Confidence::High);
        }
        for &operand in &operation.agrees {
            self.overwrite_with(frame, arguments, operand, agreed);
        }
        for &operand in &operation.differs {
            self.overwrite_with(frame, arguments, operand, spread);
        }
        if creates {
            return match (members, operation.op.as_str()) {
                (_, "init_device_mesh") => self.mesh(arguments),
                (Some(ranks), _) if *self.values.node(ranks) != Node::None => {
                    self.values.make(Node::MadeGroup(site, ranks))
                }
                (None, _) if matches!(self.values.node(group), Node::AxisGroup(_)) => group,
                (Some(_), _) => world,
                _ => self.values.make(Node::Unknown(site)),
            };
        }
        if operation.backward {
            return self.values.make(Node::Forward(spread));
        }
        match operation.returns {
            Outcome::Agrees => agreed,
            Outcome::Differs => spread,
            Outcome::Nothing => self.values.make(Node::Unknown(site)),
        }
    }

    fn overwrite_with(
        &mut self,
        frame: &mut Frame<'p>,
        arguments: &Arguments,
        operand: catalog::Operand,
        value: Value,
    ) {
        if let Some((_, Some(expr))) = self.operand(arguments, operand) {
            self.store(frame, expr, value);
        }
    }

    /// Whether a condition holds only where the process group is not there yet.
    fn asks_whether_initialized(&self, guard: Value) -> bool {
        match *self.values.node(guard) {
            Node::And(left, right) => self.asks_whether_initialized(left) || self.asks_whether_initialized(right),
            Node::Not(inner) => {
                matches!(self.values.node(inner), Node::Apply(name, _) if name.as_str() == INITIALIZED)
            }
            _ => false,
        }
    }

    /// Writes through a buffer expression: a name, an attribute, or an element of one.
    pub(super) fn store(&mut self, frame: &mut Frame<'p>, expr: ExprId, value: Value) {
        use crate::model::Expr;
        let model = frame.model;
        match model.expr(expr) {
            Expr::Name(_) | Expr::Attribute { .. } => {
                if let Some(path) = self.path(frame, expr) {
                    self.set_path(frame, path, value);
                }
            }
            Expr::Subscript(container, _) => self.store(frame, container, value),
            Expr::ListDisplay(parts) | Expr::Tuple(parts) => {
                for part in model.list(parts).to_vec() {
                    self.store(frame, part, value);
                }
            }
            _ => {}
        }
    }

    /// An event that hides behind a call on a wrapped module.
    pub(super) fn implicit_event(&mut self, frame: &mut Frame<'p>, op: &str, span: Span) {
        let world = self.values.make(Node::World);
        let event = Event {
            op: Symbol::new(op),
            creates: false,
            implicit: true,
            group: world,
            root: None,
            root_parameter: None,
            operator: None,
            members: None,
            shaped: None,
            site: frame.site(span),
            confidence: Confidence::Medium,
        };
        let effect: crate::flow::EffectId = self.effects.issue(event, &self.values);
        self.emit(frame, effect);
    }

    /// The axes of that name: by the catalogue's words for it, or as it is.
    pub(super) fn axes_called(&self, name: &str) -> Axes {
        let known = self.program.catalog.axes().iter().find(|axis| axis.words.iter().any(|word| word == name));
        match known {
            Some(axis) => Axes::named(axis.name.as_str()),
            None => Axes::named(name),
        }
    }

    /// The axes of a mesh of which nothing is known but that it is asked for the part of a known axis.
    pub(super) fn axis_index(&self, index: Value) -> Option<Axes> {
        let Node::Str(name) = self.values.node(index) else { return None };
        let known = |word: &String| word == name.as_str();
        let axis = self.program.catalog.axes().iter().find(|axis| axis.words.iter().any(known))?;
        Some(Axes::named(axis.name.as_str()))
    }

    /// The axes of a mesh that an index names: `mesh["tp"]`, `mesh["dp", "tp"]`, `mesh.get_group(0)`.
    pub(super) fn axes_of_index(&self, mesh: Value, index: Value) -> Option<Axes> {
        match self.values.node(index) {
            Node::Str(name) => Some(self.axes_called(name.as_str())),
            Node::Sequence(parts) if !parts.is_empty() => {
                parts.iter().try_fold(Axes::NONE, |sum, &part| Some(sum | self.axes_of_index(mesh, part)?))
            }
            Node::Int(at) => {
                let Node::Mesh(axes) = self.values.node(mesh) else { return None };
                let at = if *at < 0 { at + axes.len() as i64 } else { *at };
                usize::try_from(at).ok().and_then(|at| axes.get(at)).copied()
            }
            _ => None,
        }
    }

    /// A mesh that is made here, with its axes where they are named.
    fn mesh(&mut self, arguments: &Arguments) -> Value {
        let names = arguments.keywords.iter().find(|keyword| keyword.0.as_str() == "mesh_dim_names");
        if let Some(&(_, names, _)) = names
            && let Node::Sequence(parts) = self.values.node(names)
        {
            let axes: Option<Vec<Axes>> = parts
                .iter()
                .map(|&part| match self.values.node(part) {
                    Node::Str(name) => Some(self.axes_called(name.as_str())),
                    _ => None,
                })
                .collect();
            if let Some(axes) = axes.filter(|axes| !axes.is_empty()) {
                return self.values.make(Node::Mesh(axes.into()));
            }
        }
        self.values.make(Node::Typed(Symbol::new(MESH)))
    }

    /// Notes what a generator of random numbers is seeded with from here on.
    fn remember_seed(&mut self, frame: &mut Frame<'p>, dotted: Symbol, arguments: &Arguments) {
        let Some((_, seeded)) = SEEDING.iter().find(|(name, _)| *name == dotted.as_str()) else { return };
        let Some(&seed) = arguments.values().first() else { return };
        for library in *seeded {
            frame.set(Symbol::new(library), seed);
        }
    }

    /// A number drawn from a generator that was seeded here: as uniform as the seed.
    fn drawn_from_seed(
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
    fn mapping_call(
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
            _ => self.values.make(Node::Mapped(Symbol::new("comprehension"), Box::from([iter, content]))),
        }
    }

    /// Builtins and library functions that the catalogue does not list.
    fn builtin(&mut self, frame: &mut Frame<'p>, dotted: Symbol, arguments: Arguments, span: Span) -> Value {
        let name = dotted.as_str().rsplit('.').next().unwrap_or_default();
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
                _ => self.values.make(Node::Apply(Symbol::new(crate::flow::MEMBERS), Box::from([group]))),
            },
            // The launcher's variables are numbers, however they are spelled.
            ("int" | "str", Some(value))
                if matches!(self.values.node(value), Node::Rank(_) | Node::Size(_) | Node::Int(_)) =>
            {
                value
            }
            ("len", Some(value)) => self.values.make(Node::Length(value)),
            // A pretrained model is the same everywhere, wherever its files lie.
            _ if name == "from_pretrained" => self.unknown(frame, span),
            // Of two things one of which is a tensor made here, it is known what that one is.
            ("isinstance", Some(value))
                if let Node::If(test, then, otherwise) = *self.values.node(value)
                    && args.get(1).is_some_and(|&class| self.is_container_type(class))
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
            ("dict", None) => self.values.make(Node::Mapping(Box::from([]))),
            ("map" | "filter", Some(callee)) if args.len() > 1 => {
                self.mapping_call(frame, dotted, callee, &args[1..], span)
            }
            ("map" | "filter" | "itertools.chain" | "itertools.islice" | "itertools.cycle", _) => {
                mapped(self, dotted.as_str(), args)
            }
            (_, Some(_)) if data::is_loader(Symbol::new(name)) && name.starts_with(char::is_uppercase) => {
                let made = self.values.make(Node::Apply(dotted, args.into()));
                self.loader(frame, made, span)
            }
            // A progress bar hands on what it is given.
            (_, Some(value)) if name == "tqdm" || dotted.as_str() == "rich.progress.track" => {
                mapped(self, "tqdm", vec![value])
            }
            ("next", Some(value)) => {
                // Whether something is left depends on the iterator's length, what it is on its contents.
                let length = self.values.make(Node::Length(value));
                let first = match self.values.yielded(value) {
                    Some(_) => self.values.make(Node::Item(site, value)),
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
const ALL_SEEDS: &[&str] = &["random seed", "numpy.random seed", "torch seed"];

/// Whether a catalogued name is read as a property, not called: constants and attributes of types.
fn is_property(dotted: Symbol) -> bool {
    let last = dotted.as_str().rsplit('.').next().unwrap_or_default();
    last.chars().all(|letter| letter.is_uppercase() || letter == '_')
        || dotted.as_str().split('.').rev().nth(1).is_some_and(|kind| kind.starts_with(char::is_uppercase))
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
