//! What library calls do: typed tables read from `rules/models/*.toml` and from a project's own configuration.

mod builtin;
mod convention;
mod entry;
mod error;
mod load;
mod project;
mod raw;

pub use builtin::MODEL_FILES;
pub use entry::*;
pub use error::CatalogError;
pub use project::{AllowedWrite, ProjectFacts};

use rustc_hash::FxHashMap;

use crate::base::Symbol;

/// The catalogue: entries by canonical dotted name, types, axes and naming conventions.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    entries: FxHashMap<Symbol, Entry>,
    types: FxHashMap<Symbol, Type>,
    variables: FxHashMap<Symbol, Symbol>,
    methods: FxHashMap<Symbol, Symbol>,
    axes: Vec<Axis>,
    conventions: FxHashMap<Symbol, Convention>,
    keys: FxHashMap<String, Value>,
    key_prefixes: Vec<(String, Value)>,
}

impl Catalog {
    /// The catalogue that ships with ranklint.
    pub fn builtin() -> &'static Catalog {
        builtin::catalog()
    }

    /// This catalogue and what `toml_text` declares, which wins where both speak.
    pub fn extended(&self, source_name: &str, toml_text: &str) -> Result<Catalog, CatalogError> {
        let mut catalog = self.clone();
        load::read(&mut catalog, source_name, toml_text)?;
        load::expand_aliases(&mut catalog);
        Ok(catalog)
    }

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

    /// The dotted name of the only type that has a method or property of this name.
    pub fn type_of_method(&self, name: Symbol) -> Option<Symbol> {
        self.methods.get(&name).copied()
    }

    /// What a bare name conventionally means.
    pub fn convention(&self, name: Symbol) -> Option<&Convention> {
        self.conventions.get(&name)
    }

    /// What the value of an environment key is known to be; nothing for keys that are not known.
    pub fn environment_key(&self, key: &str) -> Option<&Value> {
        let longest = || {
            let fitting = self.key_prefixes.iter().filter(|(prefix, _)| key.starts_with(prefix.as_str()));
            fitting.max_by_key(|(prefix, _)| prefix.len()).map(|(_, value)| value)
        };
        self.keys.get(key).or_else(longest)
    }

    /// The axes.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }
}

#[cfg(test)]
mod tests;
