//! The linked program: every file's model under its module name, and the identities of functions and classes.

use std::sync::{Arc, OnceLock, RwLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{ClassId, FileId, FunctionId, Span, Symbol};
use crate::catalog::{Catalog, Entry, ProjectFacts};
use crate::model::{Class, File, Function, LocalClass, LocalFunction};

use super::bindings::Bindings;
use super::blocks::{ByWhat, named_as_test};
use super::conduct::Conduct;
use super::divergence::{Divergence, Prepared, in_turn};
use super::environment::EnvironmentReads;
use super::modules::Modules;
use super::operators::OperatorFolders;
use super::protocol::Protocol;
use super::resolve::Target;
use super::subgroups::OfAll;
use super::trees::trees_of;
use super::versions::{Joining, Versions, is_of_another_framework};

/// One Python file of the program.
#[derive(Clone)]
pub struct FileEntry {
    /// Path relative to the working directory, with forward slashes.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
    /// Its model; shared with whoever keeps it for the next run.
    pub model: Arc<File>,
}

impl FileEntry {
    /// Whether the file holds tests: by the folder it lies in, or by its name, unless it is a program that tests a model.
    pub fn is_test(&self) -> bool {
        let holds = |word: &str| memchr::memmem::find(self.text.as_bytes(), word.as_bytes()).is_some();
        match named_as_test(&self.path) {
            None => false,
            Some(ByWhat::Folder) => true,
            Some(ByWhat::Name) => {
                OF_TESTS.into_iter().any(holds) || !holds("__main__") || holds("def test_") && !holds("argparse")
            }
        }
    }
}

/// What stands in a file with tests.
const OF_TESTS: [&str; 2] = ["unittest", "pytest"];

/// The linked program.
pub struct Program {
    /// The files; [`FileId`] is the position.
    pub files: Vec<FileEntry>,
    /// What the project declares.
    pub facts: ProjectFacts,
    /// What library calls do.
    pub catalog: Arc<Catalog>,
    pub(super) modules: Modules,
    pub(super) bindings: Vec<Bindings>,
    function_base: Vec<u32>,
    class_base: Vec<u32>,
    methods_by_name: FxHashMap<Symbol, Vec<FunctionId>>,
    pub(super) packages: Vec<Symbol>,
    /// The other top-level folders that a file imports from.
    pub(super) imported_trees: Vec<OnceLock<Box<[Symbol]>>>,
    divergence: OnceLock<Divergence>,
    reaching: OnceLock<Arc<FxHashSet<FunctionId>>>,
    catalogued: Vec<OnceLock<Option<Symbol>>>,
    /// The last parts of the catalogue's names.
    catalogued_lasts: FxHashSet<Symbol>,
    pub(super) lineages: Vec<OnceLock<Box<[ClassId]>>>,
    pub(super) globals: Vec<RwLock<FxHashMap<Symbol, Option<Target>>>>,
    /// What attributes of names from outside mean in each file.
    pub(super) outside: Vec<RwLock<FxHashMap<(Symbol, Symbol), Target>>>,
    environment: OnceLock<EnvironmentReads>,
    operators: OnceLock<OperatorFolders>,
    conduct: OnceLock<Conduct>,
    protocol: OnceLock<Protocol>,
    pub(super) versions: OnceLock<Versions>,
    pub(super) joining: OnceLock<Joining>,
    pub(super) of_all: OnceLock<OfAll>,
    pub(super) imported: OnceLock<FxHashSet<FileId>>,
    /// The files whose conduct is asked for; all where absent.
    focus: Option<FxHashSet<FileId>>,
}

impl Program {
    /// Links the files. Nothing can fail: what does not resolve stays unresolved.
    pub fn link(files: Vec<FileEntry>, facts: ProjectFacts, catalog: Arc<Catalog>) -> Program {
        let bindings = files.iter().map(|file| Bindings::new(&file.model)).collect();
        Program::linked(files, facts, catalog, bindings)
    }

    /// The same, of files whose bindings are known.
    fn linked(files: Vec<FileEntry>, facts: ProjectFacts, catalog: Arc<Catalog>, bindings: Vec<Bindings>) -> Program {
        let modules = Modules::new(&files, catalog.entries().map(|(name, _)| name), &facts.submodules);
        let mut program = Program {
            function_base: bases(files.iter().map(|file| file.model.functions.len())),
            class_base: bases(files.iter().map(|file| file.model.classes.len())),
            packages: trees_of(&files, &modules, facts.is_root),
            files,
            facts,
            modules,
            bindings,
            methods_by_name: FxHashMap::default(),
            imported_trees: Vec::new(),
            divergence: OnceLock::new(),
            reaching: OnceLock::new(),
            catalogued: Vec::new(),
            catalogued_lasts: catalog.entries().map(|(name, _)| name.last_part()).collect(),
            catalog,
            lineages: Vec::new(),
            globals: Vec::new(),
            outside: Vec::new(),
            environment: OnceLock::new(),
            operators: OnceLock::new(),
            conduct: OnceLock::new(),
            protocol: OnceLock::new(),
            versions: OnceLock::new(),
            joining: OnceLock::new(),
            of_all: OnceLock::new(),
            imported: OnceLock::new(),
            focus: None,
        };
        program.methods_by_name = program.methods();
        program.catalogued = (0..program.function_count()).map(|_| OnceLock::new()).collect();
        program.lineages = (0..program.class_count()).map(|_| OnceLock::new()).collect();
        program.globals = program.files.iter().map(|_| RwLock::default()).collect();
        program.outside = program.files.iter().map(|_| RwLock::default()).collect();
        program.imported_trees = program.files.iter().map(|_| OnceLock::new()).collect();
        program
    }

    /// The files by the tree they belong to.
    pub fn trees(&self) -> Vec<Vec<FileId>> {
        let mut out: Vec<(Symbol, Vec<FileId>)> = Vec::new();
        for file in self.file_ids() {
            let package = self.packages[file.index()];
            match out.iter_mut().find(|(name, _)| *name == package) {
                Some((_, files)) => files.push(file),
                None => out.push((package, vec![file])),
            }
        }
        out.into_iter().map(|(_, files)| files).collect()
    }

    /// Keeps what tracing the trees has shown, in their order.
    pub fn keep(&self, parts: Vec<Divergence>) {
        let mut whole = Divergence::default();
        for part in parts {
            whole.splits.extend(part.splits);
            whole.foreign_roots.extend(part.foreign_roots);
            whole.gates.extend(part.gates);
            whole.stranded.extend(part.stranded);
            whole.unordered.extend(part.unordered);
            whole.races.extend(part.races);
            whole.unawaited.extend(part.unawaited);
            whole.held_by_one.extend(part.held_by_one);
            whole.shapes.extend(part.shapes);
            whole.paths.extend(part.paths);
            whole.permuted.extend(part.permuted);
            whole.crossed.extend(part.crossed);
        }
        super::divergence::said_at_home(self, &mut whole.splits);
        // Whoever asks first computes; a second answer would be the same.
        let _ = self.divergence.set(whole);
    }

    /// Where ranks can part ways: what was kept, or found now, tree by tree.
    pub fn divergence(&self) -> &Divergence {
        if self.divergence.get().is_none() {
            let prepared = Prepared::of(self, |one, other| {
                one();
                other();
            });
            let trees = self.trees();
            let traced = trees.iter().map(|tree| super::divergence::divergence(self, &prepared, tree, in_turn));
            let orders = trees.iter().map(|tree| super::divergence::orders(self, &prepared, tree));
            self.keep(traced.chain(orders).collect());
        }
        self.divergence.get_or_init(Divergence::default)
    }

    /// Keeps which functions can reach a collective; what is known already stays.
    pub(super) fn keep_reaching(&self, reaching: &Arc<FxHashSet<FunctionId>>) {
        self.reaching.get_or_init(|| reaching.clone());
    }

    /// The functions from which a collective can be reached, and some more: what was kept, or found now.
    pub fn reaching(&self) -> &FxHashSet<FunctionId> {
        if self.reaching.get().is_none() {
            self.divergence();
        }
        self.reaching.get_or_init(Arc::default)
    }

    /// The program with some models replaced.
    #[must_use]
    pub fn with_models(mut self, models: Vec<(FileId, Arc<File>)>) -> Program {
        for (file, model) in models {
            self.bindings[file.index()] = Bindings::new(&model);
            self.files[file.index()].model = model;
        }
        Program::linked(self.files, self.facts, self.catalog, self.bindings)
    }

    /// Puts another text of a file in its place. What was found out about the program as a whole is forgotten, except
    /// for the operator folders; identities of functions and classes behind the file move by what it gained.
    pub fn replace(&mut self, file: FileId, entry: FileEntry) {
        let index = file.index();
        let (old, new) = (self.files[index].model.clone(), entry.model.clone());
        let first = self.function_base[index] as usize;
        let bindings = Bindings::new(&new);
        let methods = |file: &File| file.classes.iter().map(|class| class.methods.clone()).collect::<Vec<_>>();
        let same_counts = old.functions.len() == new.functions.len() && old.classes.len() == new.classes.len();
        let same_names = same_counts && self.bindings[index] == bindings && methods(&old) == methods(&new);
        self.bindings[index] = bindings;
        self.files[index] = entry;
        self.imported_trees[index] = OnceLock::new();
        if !same_counts {
            self.function_base = bases(self.files.iter().map(|file| file.model.functions.len()));
            self.class_base = bases(self.files.iter().map(|file| file.model.classes.len()));
        }
        self.catalogued.splice(first..first + old.functions.len(), new.functions.iter().map(|_| OnceLock::new()));
        if !same_names {
            self.methods_by_name = self.methods();
            self.globals = self.files.iter().map(|_| RwLock::default()).collect();
            self.outside = self.files.iter().map(|_| RwLock::default()).collect();
        }
        self.lineages = (0..self.class_count()).map(|_| OnceLock::new()).collect();
        self.environment = OnceLock::new();
        self.versions = OnceLock::new();
        self.joining = OnceLock::new();
        self.of_all = OnceLock::new();
        self.forget();
    }

    /// Forgets what was found out about ranks, to find it out again for the files in `focus`.
    pub fn refocus(&mut self, focus: impl IntoIterator<Item = FileId>) {
        self.focus = Some(focus.into_iter().collect());
        self.forget();
    }

    /// Whether what takes all files has been asked for since the last change: environment reads, the protocol.
    #[cfg(test)]
    pub fn was_read_through(&self) -> bool {
        self.environment.get().is_some() || self.protocol.get().is_some()
    }

    fn forget(&mut self) {
        self.divergence = OnceLock::new();
        self.reaching = OnceLock::new();
        self.conduct = OnceLock::new();
        self.protocol = OnceLock::new();
    }

    /// Whether what stands beside the main order is asked for in this file.
    pub(super) fn in_focus(&self, file: FileId) -> bool {
        self.focus.as_ref().is_none_or(|focus| focus.contains(&file))
    }

    fn methods(&self) -> FxHashMap<Symbol, Vec<FunctionId>> {
        let mut methods: FxHashMap<Symbol, Vec<FunctionId>> = FxHashMap::default();
        for (index, file) in self.files.iter().enumerate() {
            for class in &file.model.classes {
                for &(name, method) in &class.methods {
                    methods.entry(name).or_default().push(self.function_id(FileId(index as u32), method));
                }
            }
        }
        methods
    }

    /// The functions and classes of the program that a file imports by name: under which, what, and where that stands.
    pub fn imported_by_name(&self, file: FileId) -> impl Iterator<Item = (Symbol, Target, FileId)> + '_ {
        let imports = self.file(file).model.imports.iter().filter(|(_, import)| import.from);
        let names = imports.flat_map(|(_, import)| &import.names).map(|alias| alias.alias.unwrap_or(alias.name));
        names.filter_map(move |bound| {
            let target = self.global(file, bound)?;
            let home = match target {
                Target::Function(function) => self.locate(function).0,
                Target::Class(class) => self.locate_class(class).0,
                _ => return None,
            };
            Some((bound, target, home))
        })
    }

    /// The file behind `id`.
    pub fn file(&self, id: FileId) -> &FileEntry {
        &self.files[id.index()]
    }

    /// All files.
    pub fn file_ids(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files.len() as u32).map(FileId)
    }

    /// How many functions there are; identities run from 0.
    pub fn function_count(&self) -> usize {
        self.function_base.last().map_or(0, |&last| last as usize)
    }

    /// How many classes there are; identities run from 0.
    pub fn class_count(&self) -> usize {
        self.class_base.last().map_or(0, |&last| last as usize)
    }

    /// The identity of a file's function.
    pub fn function_id(&self, file: FileId, function: LocalFunction) -> FunctionId {
        FunctionId(self.function_base[file.index()] + function.0)
    }

    /// The identity of a file's class.
    pub fn class_id(&self, file: FileId, class: LocalClass) -> ClassId {
        ClassId(self.class_base[file.index()] + class.0)
    }

    /// The file and place of a function.
    pub fn locate(&self, function: FunctionId) -> (FileId, LocalFunction) {
        let file = self.function_base.partition_point(|&base| base <= function.0) - 1;
        (FileId(file as u32), LocalFunction(function.0 - self.function_base[file]))
    }

    /// The file and place of a class.
    pub fn locate_class(&self, class: ClassId) -> (FileId, LocalClass) {
        let file = self.class_base.partition_point(|&base| base <= class.0) - 1;
        (FileId(file as u32), LocalClass(class.0 - self.class_base[file]))
    }

    /// A function's definition.
    pub fn function(&self, id: FunctionId) -> &Function {
        let (file, local) = self.locate(id);
        self.file(file).model.function(local)
    }

    /// A class's definition.
    pub fn class(&self, id: ClassId) -> &Class {
        let (file, local) = self.locate_class(id);
        self.file(file).model.class(local)
    }

    /// The class a function is a method of.
    pub fn class_of(&self, function: FunctionId) -> Option<ClassId> {
        let (file, local) = self.locate(function);
        self.file(file).model.function(local).class.map(|class| self.class_id(file, class))
    }

    /// All methods of that name, in order of definition.
    pub fn methods_named(&self, name: Symbol) -> &[FunctionId] {
        self.methods_by_name.get(&name).map_or(&[], Vec::as_slice)
    }

    /// The tree that a file belongs to.
    pub(super) fn tree_of(&self, file: FileId) -> Symbol {
        self.packages[file.index()]
    }

    /// Whether two files belong to the same tree.
    pub fn same_tree(&self, one: FileId, other: FileId) -> bool {
        self.packages[one.index()] == self.packages[other.index()]
    }

    /// Whether a file lies in the folder that holds the topmost package around another one, or below it.
    pub(super) fn is_beside(&self, file: FileId, other: FileId) -> bool {
        self.modules.is_beside(file, other)
    }

    /// The dotted name of `function` within its module; empty for the module's own body.
    pub fn symbol_of(&self, file: FileId, function: LocalFunction) -> &'static str {
        Symbol::new(&self.file(file).model.qualified(function)).as_str()
    }

    /// The dotted name of a file's module, as its own package would import it.
    pub fn module_name(&self, file: FileId) -> Symbol {
        self.modules.name(file)
    }

    /// The dotted name of a class, as its own package would import it.
    pub fn class_name(&self, file: FileId, class: ClassId) -> Symbol {
        let qualified = self.file(file).model.qualified_class(self.locate_class(class).1);
        Symbol::new(&format!("{}.{qualified}", self.modules.name(file)))
    }

    /// Whether a class of this program is one whose methods the catalogue knows.
    pub fn catalogued_class(&self, class: ClassId) -> bool {
        let (file, _) = self.locate_class(class);
        self.catalog.type_named(self.class_name(file, class)).is_some()
    }

    /// The text of a span.
    pub fn text(&self, file: FileId, span: Span) -> &str {
        &self.file(file).text[span.start as usize..span.end as usize]
    }

    /// Which environment keys are read where, and which of them are compared across ranks. Built on first use.
    pub fn environment(&self) -> &EnvironmentReads {
        self.environment.get_or_init(|| EnvironmentReads::of(self))
    }

    /// The folders of staged operators. Built on first use.
    pub fn operators(&self) -> &OperatorFolders {
        self.operators.get_or_init(|| OperatorFolders::of(self))
    }

    /// What stands beside the main order of collectives. Built on first use.
    pub fn conduct(&self) -> &Conduct {
        self.conduct.get_or_init(|| Conduct::of(self))
    }

    /// The control plane. Built on first use.
    pub fn protocol(&self) -> &Protocol {
        self.protocol.get_or_init(|| Protocol::of(self))
    }

    /// What the catalogue says about a function of this program: the tree of a library that the catalogue knows is read
    /// under the library's own names, whatever folder it lies in.
    pub fn catalogued(&self, function: FunctionId) -> Option<&Entry> {
        let name = *self.catalogued[function.0 as usize].get_or_init(|| self.catalogued_name(function));
        name.and_then(|name| self.catalog.entry(name))
    }

    fn catalogued_name(&self, function: FunctionId) -> Option<Symbol> {
        let (file, local) = self.locate(function);
        let model = &self.file(file).model;
        if !self.catalogued_lasts.contains(&model.function(local).name) {
            return None;
        }
        let qualified = model.qualified(local);
        let short = Symbol::new(&format!("{}.{qualified}", self.modules.name(file)));
        if self.catalog.entry(short).is_some() {
            return Some(short);
        }
        if is_of_another_framework(model) {
            return None;
        }
        // A namespace package has no file to say where it begins.
        let long = format!(".{}.{qualified}", self.modules.long_name(file));
        let mut rest = long.as_str();
        while let Some((_, tail)) = rest.split_once('.') {
            if tail.bytes().filter(|&byte| byte == b'.').count() < 2 {
                break;
            }
            let tail_name = Symbol::new(tail);
            if self.catalog.entry(tail_name).is_some() {
                return Some(tail_name);
            }
            rest = tail;
        }
        self.name_in_the_original(model, local)
    }

    /// What a method is called in the class that its own is a copy of, if the catalogue knows it.
    fn name_in_the_original(&self, model: &File, method: LocalFunction) -> Option<Symbol> {
        let definition = model.function(method);
        let class = model.class(definition.class?);
        let has =
            |member: &Symbol| class.methods.iter().any(|&(_, method)| model.function(method).mentions.contains(member));
        let mut copied = self.catalog.copied_types();
        let original = copied.find(|kind| kind.name.last_part() == class.name && kind.distinctive.iter().any(has))?;
        let name = Symbol::new(&format!("{}.{}", original.name, definition.name));
        self.catalog.entry(name).map(|_| name)
    }
}

/// The folder that a path lies in.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn bases(lengths: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut sum = 0;
    let mut out = vec![0];
    for length in lengths {
        sum += length as u32;
        out.push(sum);
    }
    out
}
