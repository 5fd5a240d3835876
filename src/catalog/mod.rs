//! What library calls do: typed tables read from `rules/models/*.toml` and from a project's own configuration.

mod entry;
mod project;

pub use entry::*;

pub use project::{AllowedWrite, ProjectFacts};

use rustc_hash::FxHashMap;

use crate::base::Symbol;

/// The catalogue: entries by canonical dotted name, types, axes and naming conventions.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    entries: FxHashMap<Symbol, Entry>,
    types: FxHashMap<Symbol, Type>,
    variables: FxHashMap<Symbol, Symbol>,
    axes: Vec<Axis>,
    conventions: FxHashMap<Symbol, Convention>,
}

impl Catalog {
    /// What the dotted name means.
    pub fn entry(&self, dotted: Symbol) -> Option<&Entry> {
        self.entries.get(&dotted)
    }

    /// The type of that dotted name or alias.
    pub fn type_named(&self, dotted: Symbol) -> Option<&Type> {
        self.types.get(&dotted)
    }

    /// The dotted name of the type that a variable of this name usually has.
    pub fn type_of_variable(&self, name: Symbol) -> Option<Symbol> {
        self.variables.get(&name).copied()
    }

    /// What a bare name conventionally means.
    pub fn convention(&self, name: Symbol) -> Option<&Convention> {
        self.conventions.get(&name)
    }

    /// The axes.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }
}
