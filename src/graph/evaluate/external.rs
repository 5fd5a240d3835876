//! Names from outside the program: what the catalogue says they are and give.

use super::arguments::Arguments;
use super::premise::{asks_for_backend, asks_for_hardware};
use super::{Engine, Frame};
use crate::base::{Span, Symbol};
use crate::catalog::{self, Entry, OperationKind, ValueKind};
use crate::finding::Confidence;
use crate::flow::{Axes, Exit, Node, Value};
use crate::model::BinaryOp;

/// Parts of an argument that are looked at.
const MAX_PARTS: usize = 24;

/// The argument that holds what is called, where it is named.
const MODEL: &str = "model";

/// What stands for an object of a library that was made to keep to its process.
const ALONE: &str = "alone";

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
        if let Some(namespace) = self.namespace(dotted, &arguments) {
            return namespace;
        }
        self.entries_set(frame, dotted, &arguments);
        self.remember_seed(frame, dotted, &arguments);
        self.remember_type(frame, dotted, &arguments);
        let asks = dotted.as_str().ends_with(".is_initialized") || dotted.as_str() == "torch.distributed.is_available";
        if asks && self.program.catalog.entry(dotted).is_some() {
            return self.values.make(Node::Apply(Symbol::new(crate::flow::INITIALIZED), Box::from([])));
        }
        if asks_for_backend(dotted) || asks_for_hardware(dotted) {
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
            // What each member holds whole is no object whose parts differ.
            let is_whole = operation.placed.is_some() && matches!(self.values.node(result), Node::Agreed(..));
            return match self.program.catalog.type_named(dotted).filter(|_| !is_whole) {
                Some(kind) if operation.kind == OperationKind::Collective => {
                    let kind = kind.name;
                    self.values.make(Node::Typed(kind))
                }
                _ => result,
            };
        }
        if let Some(kind) = self.program.catalog.type_named(dotted) {
            if self.is_of_one_process(kind, &arguments) {
                return self.values.make(Node::Apply(Symbol::new(ALONE), Box::from([])));
            }
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

    /// Whether the value is an object that keeps to its process, whatever its variable is called.
    pub(super) fn is_alone(&self, value: Value) -> bool {
        matches!(self.values.node(value), Node::Apply(name, _) if name.as_str() == ALONE)
    }

    /// Whether an object is made in such a way that it keeps to its process.
    fn is_of_one_process(&self, kind: &catalog::Type, arguments: &Arguments) -> bool {
        let is_off = |value: Value| match self.values.node(value) {
            Node::Bool(false) | Node::Int(1) => true,
            Node::Sequence(named) => named.len() == 1,
            _ => false,
        };
        let alone = |part: Value| match self.values.node(part) {
            Node::External(name) | Node::Typed(name) | Node::Apply(name, _) => {
                kind.silenced_with.contains(&name.last_part())
            }
            _ => false,
        };
        let made_with = |value: Value| self.values.any_part(value, MAX_PARTS, alone);
        arguments.keywords.iter().any(|given| kind.silenced_by.contains(&given.0) && is_off(given.1))
            || !kind.silenced_with.is_empty() && arguments.values().into_iter().any(made_with)
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

    /// Whether a call ends the process with the code of success.
    fn ends_well(&self, name: Symbol, arguments: &Arguments) -> bool {
        const BY_CODE: [&str; 3] = ["exit", "quit", "_exit"];
        let is_success = |code: Value| matches!(self.values.node(code), Node::Int(0) | Node::None | Node::Bool(false));
        BY_CODE.contains(&name.last_part().as_str()) && arguments.values().into_iter().all(is_success)
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
                // What all of them answer alike all of them leave for, mostly since something is wrong.
                let alone = frame.guards.iter().any(|&guard| !self.values.vary(guard).is_empty());
                let exit = if alone && self.ends_well(name, &arguments) { Exit::Done } else { Exit::Abort };
                self.leave(frame, exit, span);
                self.none
            }
            Entry::Wrapper(catalog::Wrapper::Calls) => {
                let handed = arguments.positional.first().map(|&(value, _)| value);
                let named = || arguments.keywords.iter().find(|(name, ..)| name.as_str() == MODEL).map(|found| found.1);
                if let Some(called) = handed.or_else(named) {
                    let given = self.unknown(frame, span);
                    let arguments = Arguments { positional: vec![(given, None)], ..Arguments::default() };
                    self.call_value(frame, called, arguments, span);
                }
                self.unknown(frame, span)
            }
            Entry::Wrapper(catalog::Wrapper::Shards) => self.sharded_in_place(frame, &arguments, span),
            Entry::Wrapper(_) => {
                let mut parts: Vec<Value> = vec![];
                parts.extend(arguments.values());
                let dotted = self.wrapper_name(entry, name);
                self.values.make(Node::Apply(dotted, parts.into()))
            }
        }
    }

    /// Wrapper calls have one catalogued name, however they are spelled, so that `with` recognises them.
    fn wrapper_name(&self, entry: &Entry, name: Symbol) -> Symbol {
        match entry {
            Entry::Wrapper(catalog::Wrapper::EvensOut) => Symbol::new("torch.distributed.algorithms.join.Join"),
            Entry::Wrapper(catalog::Wrapper::NoSync) => {
                Symbol::new("torch.nn.parallel.DistributedDataParallel.no_sync")
            }
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
            // Of what a function is handed its caller knows of which ranks it is a mesh.
            (None | Some(Node::None), Some(part))
                if value.group.is_some()
                    && value.kind == ValueKind::Group
                    && matches!(self.values.node(part), Node::Parameter(..)) =>
            {
                return part;
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
        if !matches!(value.kind, ValueKind::Local(_)) {
            return result;
        }
        match arguments.values().into_iter().find(|&given| self.is_cut_to_fit(given)) {
            // The shares of a list that was cut to a multiple of the number of ranks are as long as each other.
            Some(given) => self.values.make(Node::Loader(given, result)),
            None => result,
        }
    }

    /// Whether what remains when something is divided among the ranks was taken off.
    fn is_cut_to_fit(&self, given: Value) -> bool {
        self.values.any_part(given, MAX_PARTS, |part| match *self.values.node(part) {
            Node::Binary(BinaryOp::Mod, _, by) => matches!(self.values.node(by), Node::Size(_)),
            _ => false,
        })
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
}

/// Whether a catalogued name is read as a property, not called: constants and attributes of types.
pub(super) fn is_property(dotted: Symbol) -> bool {
    let last = dotted.as_str().rsplit('.').next().unwrap_or_default();
    last.chars().all(|letter| letter.is_uppercase() || letter == '_')
        || dotted.as_str().split('.').rev().nth(1).is_some_and(|kind| kind.starts_with(char::is_uppercase))
}
