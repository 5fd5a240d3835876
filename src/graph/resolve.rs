//! What a name or a chain of attributes means, across files.

mod builtins;
mod constants;
mod lineage;

use std::sync::LazyLock;

use crate::base::{ClassId, FileId, FunctionId, Symbol};
use crate::model::{Expr, ExprId, FunctionKind, Import, LocalFunction, Stmt, each_statement};

use super::bindings::{Binding, ImportedName};
use super::program::Program;

pub(super) use builtins::is_builtin;

/// How many re-exports are followed.
const FUEL: u32 = 12;

static EMPTY: LazyLock<Symbol> = LazyLock::new(|| Symbol::new(""));

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A function of the program.
    Function(FunctionId),
    /// A class of the program.
    Class(ClassId),
    /// A module of the program.
    Module(FileId),
    /// A top-level variable of a module of the program.
    Variable(FileId, Symbol),
    /// Something of a library, or a builtin, by its dotted name.
    External(Symbol),
}

/// Where the nearest scope that binds a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A function's own variable, the innermost first.
    Local(LocalFunction),
    /// The module, or nowhere.
    Global,
}

/// Parts of the names of modules that a build makes, and that are in no sources.
const BUILT: [&str; 9] = ["_pb2", "version", "_fast", "cuda", "cython", "cpp", "_ext", "_ops", "generated"];

impl Program {
    /// Which scope a name belongs to when it is used in `function`.
    pub fn scope_of(&self, file: FileId, function: LocalFunction, name: Symbol) -> Scope {
        let model = &self.file(file).model;
        let mut at = Some(function);
        let mut innermost = true;
        while let Some(id) = at {
            let function = model.function(id);
            let visible = match function.kind {
                FunctionKind::Module => return Scope::Global,
                FunctionKind::ClassBody => innermost,
                FunctionKind::Def | FunctionKind::Lambda => true,
            };
            if visible && function.binds(name) {
                return Scope::Local(id);
            }
            innermost = false;
            at = function.parent;
        }
        Scope::Global
    }

    /// What a global name of a module means.
    pub fn global(&self, file: FileId, name: Symbol) -> Option<Target> {
        let known = &self.globals[file.index()];
        if let Some(&found) = known.read().expect("no thread panics while resolving").get(&name) {
            return found;
        }
        let found =
            self.member(file, name, FUEL).or_else(|| is_builtin(name.as_str()).then_some(Target::External(name)));
        known.write().expect("no thread panics while resolving").insert(name, found);
        found
    }

    /// What an attribute of a target means.
    pub fn attribute(&self, target: Target, name: Symbol) -> Option<Target> {
        match target {
            Target::Module(file) => self.member(file, name, FUEL).or_else(|| {
                let long = format!("{}.{name}", self.modules.long_name(file));
                self.modules.find(file, Symbol::new(&long)).map(Target::Module)
            }),
            Target::External(dotted) => Some(Target::External(Symbol::new(&format!("{dotted}.{name}")))),
            Target::Class(class) => {
                let method = self.method(class, name);
                let applied = || if name.as_str() == "apply" { self.applied(class) } else { None };
                method.or_else(applied).map(Target::Function)
            }
            Target::Function(_) | Target::Variable(..) => None,
        }
    }

    /// Whether a file means the target by a name, or nothing that is known.
    pub(super) fn may_mean(&self, file: FileId, name: Symbol, target: Target) -> bool {
        self.attribute(Target::Module(file), name).is_none_or(|meant| meant == target)
    }

    /// What an import made inside `file` means.
    pub fn imported(&self, file: FileId, import: ImportedName) -> Option<Target> {
        self.follow(file, import, FUEL)
    }

    /// Whether an import fails: the module it names is of its own package, is not there, and is none that a build makes.
    pub(super) fn cannot_import(&self, file: FileId, import: &Import) -> bool {
        import.module.is_some_and(|module| {
            let last = module.last_part();
            let last = last.as_str();
            let is_built = last.starts_with('_') || BUILT.iter().any(|part| last.contains(part));
            !is_built && self.modules.lacks(file, import.level, module)
        })
    }

    fn member(&self, file: FileId, name: Symbol, fuel: u32) -> Option<Target> {
        let fuel = fuel.checked_sub(1)?;
        match self.bindings[file.index()].get(name) {
            Some(Binding::Function(function)) => Some(Target::Function(self.function_id(file, *function))),
            Some(Binding::Class(class)) => Some(Target::Class(self.class_id(file, *class))),
            Some(Binding::Import(import)) => self.follow(file, *import, fuel),
            Some(Binding::Variable { .. }) => Some(Target::Variable(file, name)),
            None => self.bindings[file.index()].stars.iter().find_map(|star| {
                let module = self.module_of(file, *star)?;
                if module == file {
                    return None;
                }
                self.member(module, name, fuel.saturating_sub(3))
            }),
        }
    }

    /// A member of another module, from what has been looked up before if it has.
    fn known_member(&self, file: FileId, name: Symbol, fuel: u32) -> Option<Target> {
        let known = self
            .globals
            .get(file.index())
            .and_then(|known| known.read().expect("no thread panics while resolving").get(&name).copied());
        match known {
            Some(Some(Target::External(dotted))) if dotted == name => None,
            Some(found) => found,
            None => {
                let found = self.member(file, name, fuel);
                if let (Some(found), Some(known)) = (found, self.globals.get(file.index())) {
                    known.write().expect("no thread panics while resolving").insert(name, Some(found));
                }
                found
            }
        }
    }

    fn module_of(&self, file: FileId, import: ImportedName) -> Option<FileId> {
        let module = import.module.unwrap_or(*EMPTY);
        match import.level {
            0 => self.modules.find(file, module),
            level => self.modules.find_relative(file, level, module),
        }
    }

    fn follow(&self, file: FileId, import: ImportedName, fuel: u32) -> Option<Target> {
        if !import.from {
            let bound = match import.renamed {
                true => import.name.as_str(),
                false => import.name.as_str().split('.').next().unwrap_or_default(),
            };
            let found = self.modules.find(file, Symbol::new(bound)).filter(|&found| found != file).map(Target::Module);
            return Some(found.unwrap_or_else(|| Target::External(Symbol::new(bound))));
        }
        if let Some(module) = self.module_of(file, import) {
            if module != file
                && let Some(found) = self.known_member(module, import.name, fuel)
            {
                return Some(found);
            }
            // The package may be the working directory itself, which has no name.
            let package = self.modules.long_name(module);
            let long = match package.as_str() {
                "" => import.name,
                package => Symbol::new(&format!("{package}.{}", import.name)),
            };
            if let Some(submodule) = self.modules.find(module, long) {
                return Some(Target::Module(submodule));
            }
            return Some(Target::External(Symbol::new(&format!("{}.{}", self.modules.name(module), import.name))));
        }
        let text = import.module.map_or("", Symbol::as_str);
        // A package without `__init__.py`.
        if import.level > 0 {
            let below = if text.is_empty() { import.name } else { Symbol::new(&format!("{text}.{}", import.name)) };
            if let Some(found) = self.modules.find_relative(file, import.level, below).filter(|&found| found != file) {
                return Some(Target::Module(found));
            }
        }
        let module = match import.level {
            0 => Symbol::new(text),
            level => self.modules.relative_name(file, level, text)?,
        };
        let dotted =
            if module.as_str().is_empty() { import.name } else { Symbol::new(&format!("{module}.{}", import.name)) };
        match self.modules.find(file, dotted) {
            Some(submodule) if submodule != file && import.level == 0 => Some(Target::Module(submodule)),
            _ => Some(Target::External(dotted)),
        }
    }

    /// What a name or chain of attributes means where it is used; absent for variables and anything that is not such a
    /// chain.
    pub fn target(&self, file: FileId, function: LocalFunction, expr: ExprId) -> Option<Target> {
        let model = &self.file(file).model;
        match model.expr(expr) {
            Expr::Name(name) => match self.scope_of(file, function, name) {
                Scope::Global => self.global(file, name),
                Scope::Local(owner) => self.local_target(file, owner, name),
            },
            Expr::Attribute { value, name } => {
                let value = self.target(file, function, value)?;
                match value {
                    Target::External(dotted) => Some(self.outside(file, dotted, name)),
                    _ => self.attribute(value, name),
                }
            }
            _ => None,
        }
    }

    /// What an attribute of a dotted name from outside means: asked for by everybody, of few names.
    fn outside(&self, file: FileId, dotted: Symbol, name: Symbol) -> Target {
        let known = &self.outside[file.index()];
        if let Some(&found) = known.read().expect("no thread panics while resolving").get(&(dotted, name)) {
            return found;
        }
        let found = self.reanchor(file, Symbol::new(&format!("{dotted}.{name}")));
        known.write().expect("no thread panics while resolving").insert((dotted, name), found);
        found
    }

    /// A dotted name that began outside may lead back into the program: `import pkg` then `pkg.sub.function`.
    pub(super) fn reanchor(&self, file: FileId, dotted: Symbol) -> Target {
        match dotted.as_str().contains('.').then(|| self.modules.find(file, dotted)).flatten() {
            Some(module) => Target::Module(module),
            None => match dotted.as_str().rsplit_once('.') {
                Some((head, tail)) if head.contains('.') => {
                    let member = self
                        .modules
                        .find(file, Symbol::new(head))
                        .and_then(|module| self.member(module, Symbol::new(tail), FUEL));
                    member.unwrap_or(Target::External(dotted))
                }
                _ => Target::External(dotted),
            },
        }
    }

    /// A local name that is bound by an import or a definition, and by nothing else.
    fn local_target(&self, file: FileId, owner: LocalFunction, name: Symbol) -> Option<Target> {
        let model = &self.file(file).model;
        if !model.defines(owner, name) {
            return None;
        }
        let mut found = None;
        let mut several = false;
        each_statement(model, model.function(owner).body, &mut |_, stmt| {
            let bound = match stmt {
                Stmt::Function(function) if model.function(*function).name == name => {
                    Some(Target::Function(self.function_id(file, *function)))
                }
                Stmt::Class(class) if model.class(*class).name == name => {
                    Some(Target::Class(self.class_id(file, *class)))
                }
                Stmt::Import(import) => import.names.iter().find_map(|alias| {
                    let (bound, imported) = ImportedName::of(import, alias);
                    if bound == name { self.imported(file, imported) } else { None }
                }),
                Stmt::Assign { targets, .. } => {
                    several |= model.list(*targets).iter().any(|&target| model.expr(target) == Expr::Name(name));
                    None
                }
                _ => None,
            };
            found = found.or(bound);
        });
        found.filter(|_| !several)
    }

    /// The full dotted name that a name or chain of attributes refers to, through imports and aliases:
    /// `dist.all_reduce` is `torch.distributed.all_reduce`, `np.save` is `numpy.save`, a builtin such as `open` is
    /// itself. Absent for local variables, `self` and anything that is not such a chain.
    pub fn resolve(&self, file: FileId, function: LocalFunction, expr: ExprId) -> Option<Symbol> {
        self.target(file, function, expr).map(|target| self.dotted(target))
    }

    /// The dotted name of a target.
    pub fn dotted(&self, target: Target) -> Symbol {
        match target {
            Target::External(dotted) => dotted,
            Target::Module(file) => self.modules.name(file),
            Target::Variable(file, name) => Symbol::new(&format!("{}.{name}", self.modules.name(file))),
            Target::Function(function) => {
                let (file, local) = self.locate(function);
                Symbol::new(&format!("{}.{}", self.modules.name(file), self.file(file).model.qualified(local)))
            }
            Target::Class(class) => {
                let (file, local) = self.locate_class(class);
                Symbol::new(&format!("{}.{}", self.modules.name(file), self.file(file).model.qualified_class(local)))
            }
        }
    }
}
