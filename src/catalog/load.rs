//! From the written shape to the typed catalogue: expands names, checks every one of them, and says where a mistake is.

mod types;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::convention;
use super::error::{CatalogError, Place, nearest};
use super::raw::*;
use super::{
    Axis, Catalog, Convention, Entry, GroupOf, LocalKind, Operand, Operation, OperationKind, Outcome, RankSpace, Root,
    Type, Value, ValueKind, Wrapper, axes_of,
};
use crate::base::Symbol;

/// Axes that are always there: the whole job, the node, and the place within it.
const FIXED_AXES: [&str; 3] = ["world", "host", "local"];

/// Reads texts, each with its name, into `catalog`. What they declare replaces what was there before; within one text a
/// name stands once.
pub(super) fn read(catalog: &mut Catalog, texts: &[(&str, &str)]) -> Result<(), CatalogError> {
    let mut declared = Declared::default();
    for &(source, text) in texts {
        let place = Place { source, text };
        let raw: RawModels = toml::from_str(text).map_err(|error| place.shape_error(&error))?;
        declared.extend(Loader::new(place, catalog).read(&raw)?);
    }
    expand_aliases(catalog, &declared);
    Ok(())
}

/// Reads the table at `path` of a larger document, such as `tool.ranklint.models` of a `pyproject.toml`; an absent one
/// declares nothing.
pub(super) fn read_at(catalog: &mut Catalog, source: &str, text: &str, path: &[&str]) -> Result<(), CatalogError> {
    let place = Place { source, text };
    let document = DeTable::parse(text).map_err(|error| place.shape_error(&error))?;
    let mut found = Spanned::new(document.span(), DeValue::Table(document.into_inner()));
    for &key in path {
        let DeValue::Table(mut table) = found.into_inner() else { return Ok(()) };
        let Some(inner) = table.remove(key) else { return Ok(()) };
        found = inner;
    }
    let raw = RawModels::deserialize(ValueDeserializer::from(found)).map_err(|error| place.shape_error(&error))?;
    let declared = Loader::new(place, catalog).read(&raw)?;
    expand_aliases(catalog, &declared);
    Ok(())
}

/// The names that a text declares, each with the sort of table it stands in.
type Declared = FxHashSet<(&'static str, Symbol)>;

type Loaded<T> = Result<T, CatalogError>;

struct Loader<'a> {
    place: Place<'a>,
    catalog: &'a mut Catalog,
    seen: Declared,
}

impl<'a> Loader<'a> {
    fn new(place: Place<'a>, catalog: &'a mut Catalog) -> Self {
        Self { place, catalog, seen: Declared::default() }
    }

    fn read(mut self, raw: &RawModels) -> Loaded<Declared> {
        for axis in &raw.axis {
            self.axis(axis)?;
        }
        for axis in &raw.axis {
            self.overlaps(axis)?;
        }
        for kind in &raw.types {
            self.kind_of_object(kind)?;
        }
        let operations = [
            (OperationKind::Collective, &raw.collective),
            (OperationKind::PointToPoint, &raw.point_to_point),
            (OperationKind::GroupCreation, &raw.group_creation),
            (OperationKind::Teardown, &raw.teardown),
        ];
        for (kind, tables) in operations {
            for table in tables {
                self.operation(kind, table)?;
            }
        }
        for table in &raw.value {
            let value = self.value(&table.kind, table.of.as_ref(), table.axis.as_ref(), table.reason.as_ref())?;
            let group = self.optional(table.group.as_ref())?;
            let unless = self.optional(table.unless.as_ref())?;
            self.entries(&table.modules, &table.names, |_| Entry::Value(Value { group, unless, ..value.clone() }))?;
        }
        for table in &raw.environment {
            self.environment(table)?;
        }
        for table in &raw.exit {
            self.entries(&table.modules, &table.names, |_| Entry::Exit)?;
        }
        for table in &raw.wrapper {
            let wrapper = effect(table.does);
            self.entries(&table.modules, &table.names, |_| Entry::Wrapper(wrapper))?;
        }
        for table in &raw.convention {
            self.convention(table)?;
        }
        Ok(self.seen)
    }

    fn axis(&mut self, raw: &RawAxis) -> Loaded<()> {
        let name = self.identifier(&raw.name, "an axis")?;
        if FIXED_AXES.contains(&name.as_str()) && !raw.words.is_empty() {
            let help = "name an axis of your own; `world`, `host` and `local` are always there";
            return Err(self.error(&raw.name, format!("the axis `{name}` is fixed"), Some(help.to_owned())));
        }
        self.once("axis", name, &raw.name)?;
        let mut words = Vec::new();
        for word in &raw.words {
            words.push(self.identifier(word, "a word of an axis")?.as_str().to_owned());
        }
        let axis = Axis { name, words, overlaps: Vec::new() };
        convention::add_family(&mut self.catalog.conventions, &axis);
        match self.catalog.axes.iter_mut().find(|known| known.name == name) {
            Some(known) => known.words.extend(axis.words),
            None => self.catalog.axes.push(axis),
        }
        Ok(())
    }

    /// A second pass: an axis may overlap one that stands further down.
    fn overlaps(&mut self, raw: &RawAxis) -> Loaded<()> {
        for other in &raw.overlaps {
            let other = self.axis_name(other)?;
            for axis in &mut self.catalog.axes {
                if axis.name.as_str() == raw.name.get_ref() {
                    axis.overlaps.push(other);
                }
            }
        }
        Ok(())
    }

    fn operation(&mut self, kind: OperationKind, raw: &RawOperation) -> Loaded<()> {
        let unless_beside = raw.unless_beside.iter().map(|name| self.identifier(name, "a name"));
        let unless_beside = unless_beside.collect::<Loaded<Box<[_]>>>()?;
        self.catalog.telling.extend(&unless_beside);
        let joined_by =
            raw.joined_by.iter().map(|name| self.identifier(name, "a name")).collect::<Loaded<Box<[_]>>>()?;
        let shards_beside =
            raw.shards_beside.iter().map(|name| self.identifier(name, "a name")).collect::<Loaded<Box<[_]>>>()?;
        let operation = Operation {
            op: Symbol::new(""),
            kind,
            group: self.group_of(kind, raw)?,
            roots: raw.roots.iter().map(|root| self.root(root)).collect::<Loaded<_>>()?,
            reduce_operator: self.optional(raw.reduce_operator.as_ref())?,
            agrees: self.operands(&raw.agrees)?,
            differs: self.operands(&raw.differs)?.into(),
            shaped: self.operands(&raw.shaped)?,
            places: self.operands(&raw.places)?.into(),
            returns: match raw.returns {
                RawOutcome::Agrees => Outcome::Agrees,
                RawOutcome::Differs => Outcome::Differs,
                RawOutcome::Nothing => Outcome::Nothing,
            },
            placed: self.optional(raw.placed.as_ref())?,
            members: self.optional(raw.members.as_ref())?,
            members_only: self.optional(raw.members_only.as_ref())?,
            asynchronous: self.optional(raw.asynchronous.as_ref())?,
            implicit: raw.implicit,
            negotiated: raw.negotiated,
            sharded: raw.sharded,
            sharded_with: self.optional(raw.sharded_with.as_ref())?.map(Box::new),
            backward: raw.backward,
            when: self.optional(raw.when.as_ref())?,
            unless: self.optional(raw.unless.as_ref())?,
            of_sharded: self.optional(raw.of_sharded.as_ref())?,
            silent_for_loaders: raw.silent_for_loaders,
            shards_beside,
            unless_beside,
            joined_by,
            broadcast: raw.broadcast,
        };
        let op = raw.op.as_ref().map(|op| self.identifier(op, "an operation")).transpose()?;
        self.entries(&raw.modules, &raw.names, |name| {
            let op = op.unwrap_or_else(|| Symbol::new(last_segment(name)));
            Entry::Operation(Operation { op, ..operation.clone() })
        })
    }

    fn group_of(&self, kind: OperationKind, raw: &RawOperation) -> Loaded<GroupOf> {
        let told = [raw.group.is_some(), raw.axis.is_some(), raw.world.is_some()].iter().filter(|told| **told).count();
        let at = match raw.names.first() {
            Some(name) => name.span(),
            None => 0..0,
        };
        if told > 1 {
            let message = "`group`, `axis` and `world` exclude each other".to_owned();
            return Err(self.place.error(at, message, Some("keep one of them".to_owned())));
        }
        if let Some(group) = &raw.group {
            return Ok(GroupOf::Operand(self.operand(group)?));
        }
        if let Some(axis) = &raw.axis {
            return Ok(match self.axis_name(axis)? {
                world if world.as_str() == "world" => GroupOf::World,
                axis => GroupOf::Axis(axis),
            });
        }
        match &raw.world {
            Some(world) if !*world.get_ref() => {
                let help = "say `group = { parameter = … }` or `axis = …` instead";
                Err(self.error(world, "`world = false` says nothing".to_owned(), Some(help.to_owned())))
            }
            None if matches!(kind, OperationKind::Collective | OperationKind::PointToPoint) => {
                let message = "nothing says which ranks take part".to_owned();
                let help = "add `world = true`, `axis = …` or `group = { parameter = … }`";
                Err(self.place.error(at, message, Some(help.to_owned())))
            }
            _ => Ok(GroupOf::World),
        }
    }

    fn value(
        &self,
        kind: &Spanned<RawKind>,
        of: Option<&Spanned<RawLocal>>,
        axis: Option<&Spanned<String>>,
        reason: Option<&Spanned<String>>,
    ) -> Loaded<Value> {
        let kind = match (kind.get_ref(), of) {
            (RawKind::Local, Some(of)) => ValueKind::Local(local(*of.get_ref())),
            (RawKind::Local, None) => {
                let help = "add `of = \"file-system\"`, `clock`, `chance`, `name`, `host`, `event`, `data` or `share`";
                let message = "nothing says what the value comes from".to_owned();
                return Err(self.error(kind, message, Some(help.to_owned())));
            }
            (_, Some(of)) => {
                let help = "remove it, or say `kind = \"local\"`";
                let message = "`of` goes with `kind = \"local\"` only".to_owned();
                return Err(self.error(of, message, Some(help.to_owned())));
            }
            (plain, None) => plain_kind(*plain),
        };
        let axis = axis.map_or(Ok(Symbol::new("world")), |axis| self.axis_name(axis))?;
        let reason = match reason {
            Some(reason) if reason.get_ref().trim().is_empty() => {
                let help = "say why it may differ: `each rank has its own`";
                return Err(self.error(reason, "the reason is empty".to_owned(), Some(help.to_owned())));
            }
            Some(reason) => reason.get_ref().clone(),
            None => convention::reason(&kind).to_owned(),
        };
        Ok(Value { kind, axis, group: None, unless: None, reason })
    }

    fn environment(&mut self, raw: &RawEnvironment) -> Loaded<()> {
        let value = self.value(&raw.kind, raw.of.as_ref(), raw.axis.as_ref(), raw.reason.as_ref())?;
        for key in &raw.keys {
            let text = key.get_ref();
            let stem = text.strip_suffix('*').unwrap_or(text);
            if stem.is_empty() || !stem.chars().all(|c| c.is_alphanumeric() || c == '_') {
                let help = "a key is letters, digits and `_`; a `*` at its end stands for any rest";
                return Err(self.error(key, format!("`{text}` is not an environment key"), Some(help.to_owned())));
            }
            self.once("environment", Symbol::new(text), key)?;
            if stem.len() < text.len() {
                self.catalog.key_prefixes.retain(|(known, _)| known != stem);
                self.catalog.key_prefixes.push((stem.to_owned(), value.clone()));
            } else {
                self.catalog.keys.insert(text.clone(), value.clone());
            }
        }
        Ok(())
    }

    fn convention(&mut self, raw: &RawConvention) -> Loaded<()> {
        let value = self.value(&raw.kind, raw.of.as_ref(), raw.axis.as_ref(), raw.reason.as_ref())?;
        let convention = Arc::new(Convention { value, variables_only: raw.variables_only });
        for name in &raw.names {
            let symbol = self.identifier(name, "a convention")?;
            self.once("convention", symbol, name)?;
            // An object keeps it under the same name, as its own affair: `self._is_master`.
            let private = Symbol::new(&format!("_{symbol}"));
            self.catalog.conventions.entry(private).or_insert_with(|| Arc::clone(&convention));
            self.catalog.conventions.insert(symbol, Arc::clone(&convention));
        }
        Ok(())
    }

    /// Inserts an entry for every module and name.
    fn entries(
        &mut self,
        modules: &[Spanned<String>],
        names: &[Spanned<String>],
        mut entry: impl FnMut(&str) -> Entry,
    ) -> Loaded<()> {
        let mut prefixes = Vec::new();
        for module in modules {
            prefixes.push(self.dotted(module)?);
        }
        for name in names {
            let bare = self.dotted(name)?;
            let shared = Arc::new(entry(bare.as_str()));
            if prefixes.is_empty() {
                self.entry(bare, name, &shared)?;
            }
            for prefix in &prefixes {
                self.entry(Symbol::new(&format!("{prefix}.{bare}")), name, &shared)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, dotted: Symbol, written: &Spanned<String>, entry: &Arc<Entry>) -> Loaded<()> {
        self.once("entry", dotted, written)?;
        self.catalog.entries.insert(dotted, Arc::clone(entry));
        Ok(())
    }

    fn once(&mut self, table: &'static str, name: Symbol, written: &Spanned<String>) -> Loaded<()> {
        if self.seen.insert((table, name)) {
            return Ok(());
        }
        Err(self.error(written, format!("`{name}` is declared twice"), Some("keep one of them".to_owned())))
    }

    fn root(&self, raw: &RawRoot) -> Loaded<Root> {
        let operand = RawOperand { parameter: raw.parameter.clone(), position: raw.position };
        let space = match raw.space {
            RawSpace::Global => RankSpace::Global,
            RawSpace::Group => RankSpace::Group,
        };
        Ok(Root { operand: self.operand(&operand)?, space })
    }

    fn optional(&self, raw: Option<&RawOperand>) -> Loaded<Option<Operand>> {
        raw.map(|operand| self.operand(operand)).transpose()
    }

    fn operands(&self, raw: &[RawOperand]) -> Loaded<Vec<Operand>> {
        raw.iter().map(|operand| self.operand(operand)).collect()
    }

    fn operand(&self, raw: &RawOperand) -> Loaded<Operand> {
        Ok(Operand { parameter: self.identifier(&raw.parameter, "a parameter")?, position: raw.position })
    }

    /// An axis, or several joined by `+`; every part must be known.
    fn axis_name(&self, written: &Spanned<String>) -> Loaded<Symbol> {
        let name = Symbol::new(written.get_ref());
        let known = || self.catalog.axes.iter().map(|axis| axis.name.as_str()).chain(FIXED_AXES);
        for part in axes_of(name) {
            if !known().any(|axis| axis == part) {
                let help = match nearest(part, known()) {
                    Some(axis) => format!("did you mean `{axis}`?"),
                    None => format!("declare it: `[[axis]]` with `name = \"{part}\"`"),
                };
                return Err(self.error(written, format!("there is no axis `{part}`"), Some(help)));
            }
        }
        Ok(name)
    }

    fn dotted(&self, written: &Spanned<String>) -> Loaded<Symbol> {
        let text = written.get_ref();
        if text.split('.').all(is_identifier) {
            return Ok(Symbol::new(text));
        }
        let help = "names are dotted paths such as `package.module.function`, without a call or an index";
        Err(self.error(written, format!("`{text}` is not a dotted name"), Some(help.to_owned())))
    }

    fn identifier(&self, written: &Spanned<String>, what: &str) -> Loaded<Symbol> {
        let text = written.get_ref();
        if is_identifier(text) {
            return Ok(Symbol::new(text));
        }
        let help = format!("{what} is one identifier: letters, digits and `_`");
        Err(self.error(written, format!("`{text}` is not an identifier"), Some(help)))
    }

    fn error<T>(&self, at: &Spanned<T>, message: String, help: Option<String>) -> CatalogError {
        self.place.error(at.span(), message, help)
    }
}

/// Lists the methods of every type under all of its names. What `declared` names wins over what was there before.
fn expand_aliases(catalog: &mut Catalog, declared: &Declared) {
    let kinds: FxHashMap<&str, &Type> = catalog.types.iter().map(|(name, kind)| (name.as_str(), kind)).collect();
    let is_declared = |name| declared.contains(&("entry", name));
    // New methods of any type, and the old ones of types that may have new names now.
    let mut methods: Vec<(&str, &Type, &str, &Arc<Entry>)> = Vec::new();
    for (&dotted, entry) in &catalog.entries {
        let Some((owner, method)) = dotted.as_str().rsplit_once('.') else { continue };
        let Some(kind) = kinds.get(owner) else { continue };
        let renamed = declared.contains(&("type", kind.name)) && kind.name.as_str() == owner;
        if renamed || is_declared(dotted) {
            methods.push((dotted.as_str(), kind, method, entry));
        }
    }
    methods.sort_unstable_by_key(|(dotted, ..)| *dotted);
    let mut added: FxHashMap<Symbol, Arc<Entry>> = FxHashMap::default();
    for (dotted, kind, method, entry) in methods {
        let new = is_declared(Symbol::new(dotted));
        for alias in kind.aliases.iter().chain([&kind.name]) {
            let full = Symbol::new(&format!("{alias}.{method}"));
            let stands = if new { is_declared(full) } else { catalog.entries.contains_key(&full) };
            if new && !stands {
                added.insert(full, Arc::clone(entry));
            } else if !stands {
                added.entry(full).or_insert_with(|| Arc::clone(entry));
            }
        }
    }
    catalog.entries.extend(added);
}

fn is_identifier(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_')
}

fn last_segment(dotted: &str) -> &str {
    dotted.rsplit('.').next().unwrap_or(dotted)
}

fn plain_kind(kind: RawKind) -> ValueKind {
    match kind {
        RawKind::Rank => ValueKind::Rank,
        RawKind::Size => ValueKind::Size,
        RawKind::First => ValueKind::First,
        RawKind::Last => ValueKind::Last,
        RawKind::Member => ValueKind::Member,
        RawKind::Group => ValueKind::Group,
        RawKind::Uniform => ValueKind::Uniform,
        RawKind::Environment => ValueKind::Environment,
        RawKind::Local => ValueKind::Local(LocalKind::Data),
    }
}

fn local(of: RawLocal) -> LocalKind {
    match of {
        RawLocal::FileSystem => LocalKind::FileSystem,
        RawLocal::Clock => LocalKind::Clock,
        RawLocal::Chance => LocalKind::Chance,
        RawLocal::Name => LocalKind::Name,
        RawLocal::Host => LocalKind::Host,
        RawLocal::Event => LocalKind::Event,
        RawLocal::Data => LocalKind::Data,
        RawLocal::Share => LocalKind::Share,
    }
}

fn effect(raw: RawEffect) -> Wrapper {
    match raw {
        RawEffect::FirstRankOnly => Wrapper::FirstRankOnly,
        RawEffect::FirstRankBefore => Wrapper::FirstRankBefore,
        RawEffect::EvensOut => Wrapper::EvensOut,
        RawEffect::NoSync => Wrapper::NoSync,
        RawEffect::Cache => Wrapper::Cache,
        RawEffect::Calls => Wrapper::Calls,
        RawEffect::Shards => Wrapper::Shards,
    }
}
