//! What library calls do: typed tables read from `rules/models/*.toml` and from a project's own configuration.

mod builtin;
mod convention;
mod entry;
mod error;
mod launches;
mod load;
mod project;
mod raw;

pub use builtin::MODEL_FILES;
pub use entry::*;
pub use error::CatalogError;
pub use launches::{Launches, launched, launches_on_one_node};
pub use project::{AllowedWrite, ProjectFacts};

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::Symbol;

/// The catalogue: entries by canonical dotted name, types, axes and naming conventions.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// Every spelling of a name points at one shared entry.
    entries: FxHashMap<Symbol, Arc<Entry>>,
    types: FxHashMap<Symbol, Type>,
    variables: FxHashMap<Symbol, Symbol>,
    /// Packages whose classes are all of one type.
    packages: Vec<(Symbol, Symbol)>,
    methods: FxHashMap<Symbol, Symbol>,
    arguments: FxHashMap<Symbol, Symbol>,
    /// Functions of classes that are handed an object of theirs first, with the type.
    taking: FxHashMap<Symbol, Symbol>,
    firsts: FxHashMap<Symbol, Symbol>,
    axes: Vec<Axis>,
    conventions: FxHashMap<Symbol, Arc<Convention>>,
    keys: FxHashMap<String, Value>,
    key_prefixes: Vec<(String, Value)>,
    /// What tells the version of a library: see [`Operation::unless_beside`].
    telling: FxHashSet<Symbol>,
}

impl Catalog {
    /// The catalogue that ships with ranklint.
    pub fn builtin() -> &'static Catalog {
        builtin::catalog()
    }

    /// This catalogue and what `toml_text` declares, which wins where both speak.
    pub fn extended(&self, source_name: &str, toml_text: &str) -> Result<Catalog, CatalogError> {
        let mut catalog = self.clone();
        load::read(&mut catalog, &[(source_name, toml_text)])?;
        Ok(catalog)
    }

    /// As [`Catalog::extended`], with the declarations in the table at `path` of a larger document:
    /// `["tool", "ranklint", "models"]` of a `pyproject.toml`. Mistakes keep their place in the document.
    pub fn extended_at(&self, source_name: &str, toml_text: &str, path: &[&str]) -> Result<Catalog, CatalogError> {
        let mut catalog = self.clone();
        load::read_at(&mut catalog, source_name, toml_text, path)?;
        Ok(catalog)
    }

    /// What the dotted name means.
    pub fn entry(&self, dotted: Symbol) -> Option<&Entry> {
        self.entries.get(&dotted).map(|entry| &**entry)
    }

    /// All entries, in no particular order.
    pub fn entries(&self) -> impl Iterator<Item = (Symbol, &Entry)> {
        self.entries.iter().map(|(name, entry)| (*name, &**entry))
    }

    /// What decorators are called, at the end of their names, that let the first rank alone run a function.
    pub fn decorators_for_one(&self) -> FxHashSet<Symbol> {
        let for_one = |(_, entry): &(Symbol, &Entry)| matches!(entry, Entry::Wrapper(Wrapper::FirstRankOnly));
        self.entries().filter(for_one).map(|(name, _)| name.last_part()).collect()
    }

    /// The last names of operations that return a model as a sharded one, with what says so where it stands in their file.
    pub fn shards_beside(&self) -> Vec<(Symbol, Box<[Symbol]>)> {
        let shards = self.entries().filter_map(|(name, entry)| match entry {
            Entry::Operation(operation) if !operation.shards_beside.is_empty() => {
                Some((name.last_part(), operation.shards_beside.clone()))
            }
            _ => None,
        });
        shards.collect()
    }

    /// The types, once for each of their names.
    pub fn types(&self) -> impl Iterator<Item = &Type> {
        self.types.values()
    }

    /// Whether a method of a type is an operation.
    pub fn is_operation_of(&self, kind: Symbol, method: &str) -> bool {
        matches!(self.entry(Symbol::new(&format!("{kind}.{method}"))), Some(Entry::Operation(_)))
    }

    /// The last names of the types whose objects communicate when they are called: wrapped models.
    pub fn wrappers(&self) -> FxHashSet<Symbol> {
        let kinds = self.types().filter(|kind| self.is_operation_of(kind.name, "__call__"));
        kinds.flat_map(|kind| kind.aliases.iter().chain([&kind.name])).map(|name| name.last_part()).collect()
    }

    /// The type of that dotted name or alias, or of the package that a class lies in.
    pub fn type_named(&self, dotted: Symbol) -> Option<&Type> {
        self.types.get(&dotted).or_else(|| self.types.get(&self.of_class_in_package(dotted)?))
    }

    /// The types that projects keep copies of.
    pub fn copied_types(&self) -> impl Iterator<Item = &Type> {
        self.types.iter().filter(|(name, kind)| kind.copied && **name == kind.name).map(|(_, kind)| kind)
    }

    /// The type of a class by the package that it lies in, where all classes of that have one type.
    pub fn of_class_in_package(&self, dotted: Symbol) -> Option<Symbol> {
        let (before, class) = dotted.as_str().rsplit_once('.')?;
        let is_class = class.starts_with(|first: char| first.is_ascii_uppercase());
        self.of_package(before.split('.').next()?).filter(|_| is_class)
    }

    /// Whether the name tells which version of a library a program is written for.
    pub fn tells_a_version(&self, name: Symbol) -> bool {
        self.telling.contains(&name)
    }

    /// The type that all classes of a package have.
    pub fn of_package(&self, package: &str) -> Option<Symbol> {
        self.packages.iter().find(|(name, _)| name.as_str() == package).map(|&(_, kind)| kind)
    }

    /// The last names of what shards a model in place.
    pub fn shards_in_place(&self) -> FxHashSet<Symbol> {
        let shards = |(_, entry): &(Symbol, &Entry)| matches!(entry, Entry::Wrapper(Wrapper::Shards));
        self.entries().filter(shards).map(|(name, _)| name.last_part()).collect()
    }

    /// Whether objects of the type are models whose gradients are reduced on the way back through them.
    pub fn reduces_gradients(&self, kind: Symbol) -> bool {
        let called = self.entry(Symbol::new(&format!("{kind}.__call__")));
        called.is_some_and(|entry| matches!(entry, Entry::Operation(operation) if operation.backward))
    }

    /// The dotted name of the type that a variable of this name usually has.
    pub fn type_of_variable(&self, name: Symbol) -> Option<Symbol> {
        self.variables.get(&name).copied()
    }

    /// The dotted name of the only type that has a method or property of this name.
    pub fn type_of_method(&self, name: Symbol) -> Option<Symbol> {
        self.methods.get(&name).copied()
    }

    /// The dotted name of the only type that has a method of this name with one of these keyword arguments.
    pub fn type_of_call(&self, method: Symbol, keywords: impl IntoIterator<Item = Symbol>) -> Option<Symbol> {
        let mut kinds = keywords.into_iter().filter_map(|keyword| self.arguments.get(&keyword).copied());
        kinds.find(|kind| self.entry(Symbol::new(&format!("{kind}.{method}"))).is_some())
    }

    /// The type of the first argument of a function that a class has for objects of it.
    pub fn type_taken_first(&self, dotted: Symbol) -> Option<Symbol> {
        self.taking.get(&dotted).copied()
    }

    /// The methods of types that are told by an argument.
    pub fn methods_told_by_arguments(&self) -> FxHashSet<Symbol> {
        let kinds: FxHashSet<Symbol> = self.arguments.values().copied().collect();
        let names = self.entries.keys().filter_map(|name| name.as_str().rsplit_once('.'));
        let told = names.filter(|(kind, _)| kinds.iter().any(|known| known.as_str() == *kind));
        told.map(|(_, method)| Symbol::new(method)).collect()
    }

    /// The type of what objects of a type hold in an attribute.
    pub fn type_of_field(&self, holder: Symbol, field: Symbol) -> Option<Symbol> {
        let fields = &self.type_named(holder)?.fields;
        let held = fields.iter().find(|(name, _)| *name == field)?.1;
        Some(self.type_named(held)?.name)
    }

    /// The type of the first of the things that a function returns.
    pub fn first_of(&self, dotted: Symbol) -> Option<Symbol> {
        self.firsts.get(&dotted).copied()
    }

    /// What a bare name conventionally means.
    pub fn convention(&self, name: Symbol) -> Option<&Convention> {
        self.conventions.get(&name).map(|convention| &**convention)
    }

    /// Whether a name conventionally stands for this rank, or for whether it is one of the first or the last.
    pub fn is_rank_by_name(&self, name: Symbol) -> bool {
        let known = self.convention(name).map(|convention| &convention.value.kind);
        matches!(known, Some(ValueKind::Rank | ValueKind::First | ValueKind::Last))
    }

    /// All naming conventions, in no particular order.
    pub fn conventions(&self) -> impl Iterator<Item = (Symbol, &Convention)> {
        self.conventions.iter().map(|(name, convention)| (*name, &**convention))
    }

    /// What the value of an environment key is known to be; nothing for keys that are not known.
    pub fn environment_key(&self, key: &str) -> Option<&Value> {
        let longest = || {
            let fitting = self.key_prefixes.iter().filter(|(prefix, _)| key.starts_with(prefix.as_str()));
            fitting.max_by_key(|(prefix, _)| prefix.len()).map(|(_, value)| value)
        };
        self.keys.get(key).or_else(longest).or_else(|| self.rank_by_key(key))
    }

    /// What a program's own key tells by the words that it ends in: `LIGHTLLM_GLOBAL_RANK`, `MY_DP_RANK`.
    fn rank_by_key(&self, key: &str) -> Option<&Value> {
        let ends = key.match_indices('_').map(|(at, _)| &key[at + 1..]).filter(|end| end.contains('_'));
        ends.filter(|end| end.contains("RANK")).find_map(|end| {
            let by_name =
                || self.convention(Symbol::new(&end.to_ascii_lowercase())).map(|convention| &convention.value);
            self.keys.get(end).or_else(by_name).filter(|value| value.kind == ValueKind::Rank)
        })
    }

    /// Whether two axes are not independent: a value that varies along one can differ between ranks that the other joins.
    pub fn axes_meet(&self, one: Symbol, other: Symbol) -> bool {
        axes_of(one).any(|a| axes_of(other).any(|b| self.parts_meet(a, b)))
    }

    fn parts_meet(&self, a: &str, b: &str) -> bool {
        let overlap = |one: &str, other: &str| {
            let axis = self.axes.iter().find(|axis| axis.name.as_str() == one);
            axis.is_some_and(|axis| axis.overlaps.iter().any(|part| part.as_str() == other))
        };
        match (a, b) {
            ("local", "host") | ("host", "local") => false,
            // Where an axis runs, within nodes or across, is the launcher's business.
            ("world" | "local" | "host", _) | (_, "world" | "local" | "host") => true,
            _ => a == b || overlap(a, b) || overlap(b, a),
        }
    }

    /// The axes.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }
}

#[cfg(test)]
mod tests;
