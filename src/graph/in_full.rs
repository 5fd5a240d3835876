//! Files that hold no word of the trade, and must be read in full nevertheless.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bindings::ImportedName;
use super::program::{FileEntry, Program, folder};
use super::resolve::Target;
use crate::base::{ClassId, FileId, Symbol};
use crate::catalog::{Entry, OperationKind};
use crate::model::{Expr, ExprId, Flow, LocalClass, LocalFunction, Sink, each_statement};
use crate::vocabulary::speaks_of_ranks;

/// Bytes of a file that others ask in their conditions: a helper is small, a model of a thousand lines is none.
const MAX_HELPER: usize = 24_000;

impl Program {
    /// Files of which only a skeleton was kept and which must be read in full: others ask something of them, they call what
    /// issues something elsewhere, they import a path that another file
    /// fixes, or what their constructors are given switches something on or off in a class of another file. Calls that
    /// pass through the others are in their skeletons; conditions on ranks cannot be, without a
    /// word of the trade.
    pub fn wanted_in_full(&self) -> Vec<FileId> {
        let planes = self.folders_of_planes();
        let beside = |file: FileId| planes.contains(folder(&self.file(file).path));
        let asked = self.asked_by_others();
        let callers = self.callers_of_helpers();
        let handed = self.handed_wrapped_models();
        let wanted = |file: FileId| {
            asked.contains(&file)
                || callers.contains(&file)
                || handed.contains(&file)
                || beside(file)
                || self.imports_a_path(file)
                || self.hands_up_a_switch(file)
        };
        self.file_ids().filter(|&file| self.is_skeleton(file) && wanted(file)).collect()
    }

    /// Whether a class of the file has a constructor of its own above which there is one, in a file that was read in full,
    /// that something can be switched on or off for.
    fn hands_up_a_switch(&self, file: FileId) -> bool {
        let constructor = |class: ClassId| {
            let (file, local) = self.locate_class(class);
            let model = &self.file(file).model;
            let known = model.class(local).methods.iter().find(|(name, _)| name.as_str() == "__init__");
            known.map(|&(_, constructor)| (model, model.function(constructor)))
        };
        let has_switch = |&base: &ClassId| {
            constructor(base).is_some_and(|(model, above)| {
                let mut defaults = above.parameters.iter().filter_map(|parameter| parameter.default);
                defaults.any(|default| matches!(model.expr(default), Expr::Bool(_)))
            })
        };
        let classes =
            (0..self.file(file).model.classes.len() as u32).map(|class| self.class_id(file, LocalClass(class)));
        classes
            .filter(|&class| constructor(class).is_some())
            .any(|class| self.lineage(class).iter().skip(1).any(has_switch))
    }

    /// The folders in which a file speaks of the epochs of a control plane: its plans lie beside it, whatever their words.
    fn folders_of_planes(&self) -> FxHashSet<&str> {
        let word = memchr::memmem::Finder::new("cache_epoch");
        let speaks = |file: &&FileEntry| word.find(file.text.as_bytes()).is_some();
        self.files.iter().filter(speaks).map(|file| folder(&file.path)).collect()
    }

    /// Skeletons of which a file that speaks of ranks asks something in its conditions: a method of a clock in a class of
    /// its own, a function that compares what it is handed. What they answer decides who issues what. Also those whose
    /// context managers it may enter.
    fn asked_by_others(&self) -> FxHashSet<FileId> {
        let mut found = FxHashSet::default();
        // What a test asks in its conditions is as a rule the same on all ranks.
        let whole = |&file: &FileId| !self.is_skeleton(file) && !self.file(file).is_test();
        for file in self.file_ids().filter(whole) {
            let model = &self.file(file).model;
            let mut sources = self.imported_from_skeletons(file);
            if sources.is_empty() || !speaks_of_ranks(&self.file(file).text) {
                continue;
            }
            let guards = sources.values().flatten().filter(|&&(target, home)| self.may_hide_failures(target, home));
            found.extend(guards.map(|&(_, home)| home));
            let mut kept: Vec<(Symbol, (Target, FileId))> = Vec::new();
            for function in &model.functions {
                for &Flow { to, start, end, .. } in &function.flows {
                    let (Sink::Name(name) | Sink::Attribute(name)) = to else { continue };
                    let mentioned = &function.mentions[start as usize..end as usize];
                    for (at, source) in mentioned.iter().enumerate() {
                        let behind = mentioned.get(at + 1).copied();
                        let made = sources.get(source).into_iter().flatten();
                        kept.extend(
                            made.filter_map(|&(target, home)| Some((name, (self.taken_from(target, behind)?, home)))),
                        );
                    }
                }
            }
            for (name, made) in kept {
                sources.entry(name).or_default().push(made);
            }
            for function in &model.functions {
                for guard in &function.guards {
                    let asked = &function.mentions[guard.start as usize..guard.end as usize];
                    for (at, name) in asked.iter().enumerate() {
                        let answers =
                            |(target, _): &&(Target, FileId)| self.answers(*target, asked.get(at + 1).copied());
                        let asked = sources.get(name).into_iter().flatten().filter(answers);
                        found.extend(asked.map(|(_, home)| *home));
                    }
                }
            }
        }
        found
    }

    /// Whether what another file imports may be a context manager that goes on when its block has failed: a class that
    /// leaves one and returns true, a generator that catches something.
    fn may_hide_failures(&self, target: Target, home: FileId) -> bool {
        let holds = |word: &str| memchr::memmem::find(self.file(home).text.as_bytes(), word.as_bytes()).is_some();
        match target {
            Target::Class(class) => {
                let answers = ["return True", "issubclass(", "isinstance("].into_iter().any(holds);
                answers && self.method(class, Symbol::new("__exit__")).is_some()
            }
            Target::Function(_) => holds("contextmanager") && holds("except"),
            _ => false,
        }
    }

    /// What is taken from a source: of a module the function or class that is named behind it.
    fn taken_from(&self, target: Target, behind: Option<Symbol>) -> Option<Target> {
        match target {
            Target::Module(_) => self.attribute(target, behind?),
            _ => Some(target),
        }
    }

    /// Whether a function answers, or an object of a class, where a name stands behind it: by a method, or by what a method
    /// leaves in an attribute.
    fn answers(&self, target: Target, behind: Option<Symbol>) -> bool {
        match target {
            Target::Class(class) => {
                behind.is_some_and(|name| self.method(class, name).is_some() || self.is_left_by_a_method(class, name))
            }
            Target::Module(_) => self.taken_from(target, behind).is_some(),
            _ => true,
        }
    }

    /// Whether what a class begins with in an attribute is changed in its file: nothing but the text of a skeleton says so.
    fn is_left_by_a_method(&self, class: ClassId, name: Symbol) -> bool {
        let (file, _) = self.locate_class(class);
        let text = self.file(file).text.as_bytes();
        let written = format!(".{name} = ");
        memchr::memmem::find_iter(text, written.as_bytes()).nth(1).is_some()
    }

    /// The functions, classes and modules that a file imports from skeletons, by the names that they have here.
    fn imported_from_skeletons(&self, file: FileId) -> FxHashMap<Symbol, Vec<(Target, FileId)>> {
        let mut found: FxHashMap<Symbol, Vec<(Target, FileId)>> = FxHashMap::default();
        for (bound, target, home) in self.imported_by_name(file) {
            if self.is_skeleton(home) && self.file(home).text.len() <= MAX_HELPER {
                found.entry(bound).or_default().push((target, home));
            }
        }
        let named = self.file(file).model.imports.iter().flat_map(|(_, import)| &import.names);
        for bound in named.map(|alias| alias.alias.unwrap_or(alias.name)) {
            if let Some(target @ Target::Module(home)) = self.global(file, bound)
                && self.is_skeleton(home)
                && self.file(home).text.len() <= MAX_HELPER
            {
                found.entry(bound).or_default().push((target, home));
            }
        }
        found
    }

    /// Skeletons that call a function of another file which issues something, by its name: under which conditions they do is
    /// not in what was kept of them.
    fn callers_of_helpers(&self) -> FxHashSet<FileId> {
        let issues = |(_, entry): &(Symbol, &Entry)| matches!(entry, Entry::Operation(op) if op.kind == OperationKind::Collective && !op.implicit);
        let operations: FxHashSet<Symbol> =
            self.catalog.entries().filter(issues).map(|(name, _)| name.last_part()).collect();
        let mut helpers: FxHashSet<Symbol> = FxHashSet::default();
        for file in self.file_ids().filter(|&file| !self.is_skeleton(file) && !self.file(file).is_test()) {
            let entry = self.file(file);
            if !speaks_of_ranks(&entry.text) {
                continue;
            }
            let top = entry.model.functions.iter().filter(|function| function.class.is_none());
            let issuing = top.filter(|function| function.mentions.iter().any(|name| operations.contains(name)));
            helpers.extend(issuing.map(|function| function.name));
        }
        let calls = |file: &FileId| {
            let entry = self.file(*file);
            let model = &entry.model;
            let mut functions = model.functions.iter().enumerate();
            entry.text.len() <= MAX_HELPER
                && functions.any(|(index, function)| {
                    function.callees.iter().any(|callee| {
                        let is_helper = model.last_name(callee.expr).is_some_and(|name| helpers.contains(&name));
                        is_helper
                            && self.is_helper(self.target(*file, LocalFunction(index as u32), callee.expr), &operations)
                    })
                })
        };
        self.file_ids().filter(|&file| self.is_skeleton(file) && !self.file(file).is_test()).filter(calls).collect()
    }

    /// Skeletons of which a function is handed a model that the caller has wrapped: what it does with that is not in what was
    /// kept of them.
    fn handed_wrapped_models(&self) -> FxHashSet<FileId> {
        let wrappers = self.catalog.wrappers();
        let mut found = FxHashSet::default();
        for file in self.file_ids().filter(|&file| !self.is_skeleton(file) && !self.file(file).is_test()) {
            let model = &self.file(file).model;
            let is_wrapper = |callee: ExprId| {
                let called = self.target(file, model.module(), callee);
                matches!(called, Some(Target::External(dotted)) if wrappers.contains(&dotted.last_part()))
            };
            if !model.calls().iter().any(|call| is_wrapper(call.callee)) {
                continue;
            }
            let wraps =
                |value: ExprId| matches!(model.expr(value), Expr::Call(call) if is_wrapper(model.call(call).callee));
            let sources = self.imported_from_skeletons(file);
            if sources.is_empty() {
                continue;
            }
            let mut names: Vec<Symbol> = Vec::new();
            for function in &model.functions {
                each_statement(model, function.body, &mut |_, stmt| {
                    if let Some((targets, value)) = model.assigned(stmt)
                        && wraps(value)
                    {
                        names.extend(targets.iter().filter_map(|&target| model.last_name(target)));
                    }
                });
            }
            for call in model.calls() {
                let is_it =
                    |value: ExprId| wraps(value) || model.last_name(value).is_some_and(|name| names.contains(&name));
                let by_name = model.keywords(*call).iter().map(|keyword| keyword.value);
                if !model.list(call.args).iter().copied().chain(by_name).any(is_it) {
                    continue;
                }
                let callee = match model.expr(call.callee) {
                    Expr::Name(name) => sources.get(&name),
                    Expr::Attribute { value, .. } => model.last_name(value).and_then(|name| sources.get(&name)),
                    _ => None,
                };
                found.extend(callee.into_iter().flatten().map(|&(_, home)| home));
            }
        }
        found
    }

    /// Whether it is a function of a file that speaks of ranks, and names an operation.
    fn is_helper(&self, target: Option<Target>, operations: &FxHashSet<Symbol>) -> bool {
        let Some(Target::Function(function)) = target else { return false };
        let (home, _) = self.locate(function);
        !self.is_skeleton(home)
            && speaks_of_ranks(&self.file(home).text)
            && self.function(function).mentions.iter().any(|name| operations.contains(name))
    }

    /// Whether the file imports a constant of another file that is an absolute path.
    fn imports_a_path(&self, file: FileId) -> bool {
        self.file(file).model.imports.iter().any(|(_, import)| {
            import.from
                && import.names.iter().any(|alias| {
                    let upper = alias.name.as_str().bytes().all(|byte| !byte.is_ascii_lowercase());
                    let (_, imported) = ImportedName::of(import, alias);
                    upper && self.imported(file, imported).is_some_and(|target| self.is_absolute_path(target))
                })
        })
    }

    fn is_skeleton(&self, file: FileId) -> bool {
        let model = &self.file(file).model;
        model.function(model.module()).skeleton
    }
}
