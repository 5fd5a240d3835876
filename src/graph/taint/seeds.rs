//! Names that differ by themselves: what the catalogue says of them.

use super::Taint;
use crate::base::Symbol;
use crate::catalog::{Entry, Operation, Outcome, Value, ValueKind};
use crate::graph::evaluate::data::{is_labels, is_loader};
use crate::graph::program::Program;

impl Taint {
    /// Names of the catalogue, and those that the program makes of a word it knows.
    pub(super) fn add_catalogued(&mut self, program: &Program) {
        for (name, entry) in program.catalog.entries() {
            match entry {
                Entry::Value(value) => self.add_value(program, name, value),
                Entry::Operation(operation) => self.add_operation(name.last_part(), operation),
                _ => {}
            }
        }
        let conventions = program.catalog.conventions();
        self.names.extend(conventions.filter(|(_, known)| differs(&known.value.kind)).map(|(name, _)| name));
        // The ranks of a group are others where its members are: what is made of them is.
        self.names.extend(["get_process_group_ranks", "environ", "getenv"].map(Symbol::new));
        self.add_types(program);
        self.names.extend(Symbol::matching(|name| is_loader(name) || is_labels(name)));
    }

    /// Names of the catalogue that stand for the rank, or for what only it decides.
    pub(super) fn add_ranks(&mut self, program: &Program) {
        for (name, entry) in program.catalog.entries() {
            if matches!(entry, Entry::Value(value) if is_rank(&value.kind)) {
                self.names.insert(name.last_part());
            }
        }
        let conventions = program.catalog.conventions();
        self.names.extend(conventions.filter(|(_, known)| is_rank(&known.value.kind)).map(|(name, _)| name));
    }

    fn add_value(&mut self, program: &Program, name: Symbol, value: &Value) {
        let last = name.last_part();
        match value.kind {
            ValueKind::Local(_) => {
                let Some((before, _)) = name.as_str().rsplit_once('.') else { return };
                self.pairs.insert((Symbol::new(before).last_part(), last));
                let is_told = || program.catalog.type_of_method(last).is_some_and(|kind| kind.as_str() == before);
                if last.as_str().contains('_') || is_told() {
                    self.names.insert(last);
                }
            }
            _ if differs(&value.kind) => drop(self.names.insert(last)),
            _ => {}
        }
    }

    fn add_operation(&mut self, name: Symbol, operation: &Operation) {
        let differs = operation.returns == Outcome::Differs || !operation.differs.is_empty();
        if differs && name.as_str().contains('_') {
            self.names.insert(name);
        }
    }

    /// Constructors of objects that differ or communicate: a wrapped module, that issues when it is called, so that
    /// whoever returns or keeps one matters; an object whose methods tell of this process alone, such as a queue.
    fn add_types(&mut self, program: &Program) {
        let called = |kind: Symbol| program.catalog.entry(Symbol::new(&format!("{kind}.__call__"))).is_some();
        for kind in program.catalog.types().filter(|kind| called(kind.name)) {
            let constructors = kind.aliases.iter().chain(&kind.first_of).chain([&kind.name]);
            let known = constructors.filter(|&&name| program.catalog.entry(name).is_some());
            self.names.extend(known.map(|name| name.last_part()));
        }
        let locals = program.catalog.entries().filter_map(|(name, entry)| match entry {
            Entry::Value(value) if matches!(value.kind, ValueKind::Local(_)) => name.as_str().rsplit_once('.'),
            _ => None,
        });
        let locals: Vec<(Symbol, Symbol)> =
            locals.map(|(kind, method)| (Symbol::new(kind), Symbol::new(method))).collect();
        for kind in program.catalog.types().filter(|kind| locals.iter().any(|local| local.0 == kind.name)) {
            self.names.extend(kind.aliases.iter().chain([&kind.name]).map(|name| name.last_part()));
            // `self.async_future.done()`
            let methods = locals.iter().filter(|local| local.0 == kind.name).map(|local| local.1);
            let asked = kind.variables.iter().flat_map(|&object| methods.clone().map(move |method| (object, method)));
            self.pairs.extend(asked);
        }
    }
}

fn differs(kind: &ValueKind) -> bool {
    is_rank(kind) || matches!(kind, ValueKind::Local(_))
}

fn is_rank(kind: &ValueKind) -> bool {
    matches!(kind, ValueKind::Rank | ValueKind::First | ValueKind::Last | ValueKind::Member)
}
