//! Arguments that are handed on as they came, `wrapped(*args, **kwargs)`, to a function that only the caller knows.

use crate::base::Symbol;
use crate::flow::{GIVEN, HANDED_ON, Node, Value, WITHOUT};
use crate::model::{CompareOp, ParameterKind};

use super::Engine;
use super::arguments::Arguments;

/// The names under which `*args` and `**kwargs` travel among positional arguments.
const STARRED: &str = "*";
const MAPPING: &str = "**";

impl Engine<'_> {
    /// All arguments in one list: those by position first, the rest packed. Names that nothing was forwarded with are left
    /// out.
    pub(super) fn packed(&mut self, arguments: &Arguments) -> Vec<Value> {
        let forwarded = arguments.starred.is_some() || arguments.mapping.is_some();
        self.packed_as(arguments, forwarded)
    }

    /// The same, with all that was given by name.
    pub(super) fn packed_by_name(&mut self, arguments: &Arguments) -> Vec<Value> {
        self.packed_as(arguments, true)
    }

    fn packed_as(&mut self, arguments: &Arguments, named: bool) -> Vec<Value> {
        let mut out: Vec<Value> = arguments.positional.iter().map(|arg| arg.0).collect();
        if let Some(starred) = arguments.starred {
            out.push(self.values.make(Node::Mapped(Symbol::new(STARRED), Box::from([starred]))));
        }
        if named && !arguments.keywords.is_empty() {
            let mut pairs = Vec::new();
            for &(name, value, _) in &arguments.keywords {
                pairs.push((self.values.make(Node::Str(name)), value));
            }
            let named = self.values.make(Node::Mapping(pairs.into()));
            out.push(self.values.make(Node::Mapped(Symbol::new(MAPPING), Box::from([named]))));
        }
        if let Some(mapping) = arguments.mapping {
            out.push(self.values.make(Node::Mapped(Symbol::new(MAPPING), Box::from([mapping]))));
        }
        out
    }

    /// `kwargs.pop(name, default)`: what the caller gave under the name or the default, and the mapping without it.
    pub(super) fn popped_keyword(&mut self, mapping: Value, arguments: &Arguments) -> Option<(Value, Value)> {
        let key = arguments.at(0)?;
        let Node::Str(name) = *self.values.node(key) else { return None };
        if !self.is_keywords(mapping) {
            return None;
        }
        let given = self.values.make(Node::Keyword(mapping, name));
        let result = match arguments.at(1) {
            Some(default) if default != self.none => {
                let is_absent = self.values.make(Node::Compare(CompareOp::Is, given, self.none));
                self.values.make(Node::If(is_absent, default, given))
            }
            _ => given,
        };
        let rest = self.values.make(Node::Mapped(Symbol::new(WITHOUT), Box::from([mapping, key])));
        Some((result, rest))
    }

    /// `mapping.pop(name)` of a mapping that is written out: what stands there under the name, and the rest.
    pub(super) fn popped_entry(&mut self, mapping: Value, arguments: &Arguments) -> Option<(Value, Value)> {
        let key = arguments.at(0)?;
        let Node::Mapping(entries) = self.values.node(mapping).clone() else { return None };
        let is_name = |key: Value| matches!(self.values.node(key), Node::Str(_));
        if !entries.iter().all(|entry| is_name(entry.0)) {
            return None;
        }
        let found = entries.iter().find(|entry| entry.0 == key)?.1;
        let rest = entries.iter().copied().filter(|entry| entry.0 != key).collect();
        Some((found, self.values.make(Node::Mapping(rest))))
    }

    /// What `**mapping` gives under a name.
    pub(super) fn spread_entry(&mut self, mapping: Value, name: Symbol) -> Value {
        let from = self.spread(mapping);
        self.values.make(Node::Keyword(from, name))
    }

    /// `**mapping`, to be asked for its names: whether it is made of what the caller gave or somebody filled it.
    pub(super) fn spread(&mut self, mapping: Value) -> Value {
        match self.is_keywords(mapping) || self.is_forwarded(mapping) {
            true => mapping,
            false => self.values.make(Node::Mapped(Symbol::new(GIVEN), Box::from([mapping]))),
        }
    }

    /// Whether what a caller gave by names is handed on beside other entries.
    fn is_forwarded(&self, value: Value) -> bool {
        matches!(self.values.node(value), Node::Mapped(word, parts)
            if word.as_str() == HANDED_ON && parts.iter().any(|&part| self.is_keywords(part)))
    }

    /// Whether the value is what a caller gave by names that the function does not declare, or what is left of it.
    fn is_keywords(&self, value: Value) -> bool {
        match self.values.node(value) {
            Node::Mapped(name, parts) if name.as_str() == WITHOUT => self.is_keywords(parts[0]),
            Node::Parameter(function, index) => {
                let (file, local) = self.program.locate(*function);
                let parameters = &self.program.file(file).model.function(local).parameters;
                let declared = parameters.get(usize::from(*index));
                declared.is_some_and(|parameter| parameter.kind == ParameterKind::Keywords)
            }
            _ => false,
        }
    }

    /// Whether the value is a packed part of the arguments.
    pub(super) fn is_packed(&self, value: Value) -> bool {
        matches!(self.values.node(value), Node::Mapped(name, _) if matches!(name.as_str(), STARRED | MAPPING))
    }

    /// The arguments that were packed, as far as they are known by now.
    pub(super) fn unpacked(&self, args: &[Value]) -> Arguments {
        let mut out = Arguments::default();
        for &arg in args {
            let (name, inner) = match self.values.node(arg) {
                Node::Mapped(name, parts) if self.is_packed(arg) => (name.as_str(), parts[0]),
                _ => {
                    out.positional.push((arg, None));
                    continue;
                }
            };
            match self.values.node(inner) {
                Node::Sequence(parts) if name == STARRED => {
                    out.positional.extend(parts.iter().map(|&part| (part, None)))
                }
                Node::Mapping(pairs) if name == MAPPING => {
                    for &(key, value) in pairs {
                        if let Node::Str(key) = self.values.node(key) {
                            out.keywords.push((*key, value, None));
                        }
                    }
                }
                _ if name == STARRED => out.starred = Some(inner),
                _ => out.mapping = Some(inner),
            }
        }
        out
    }
}
