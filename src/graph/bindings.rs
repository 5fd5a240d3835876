//! What the names of one module's top level are bound to.

use rustc_hash::FxHashMap;

use crate::base::Symbol;
use crate::model::{Alias, ExprId, File, Import, LocalClass, LocalFunction, Stmt, StmtId, each_statement};

/// Where an imported name comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImportedName {
    /// The module after `from`; absent for `import a.b`.
    pub module: Option<Symbol>,
    /// Leading dots.
    pub level: u32,
    /// Whether it is a `from` import.
    pub from: bool,
    /// The imported name: dotted for plain imports.
    pub name: Symbol,
    /// Whether it was renamed by `as`.
    pub renamed: bool,
}

impl ImportedName {
    /// The name one alias of an import binds, and where it comes from.
    pub fn of(import: &Import, alias: &Alias) -> (Symbol, ImportedName) {
        let imported = ImportedName {
            module: import.module,
            level: import.level,
            from: import.from,
            name: alias.name,
            renamed: alias.alias.is_some(),
        };
        let bound = alias.alias.unwrap_or_else(|| match import.from {
            true => alias.name,
            false => Symbol::new(alias.name.as_str().split('.').next().unwrap_or_default()),
        });
        (bound, imported)
    }
}

/// What a top-level name is bound to.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// An import.
    Import(ImportedName),
    /// A function.
    Function(LocalFunction),
    /// A class.
    Class(LocalClass),
    /// A variable: the values assigned to it, and whether these are all that is known of it.
    Variable {
        /// The values assigned at the top level.
        values: Vec<ExprId>,
        /// Whether it is also written in ways that are not plain assignments.
        other_writes: bool,
    },
}

/// The top-level names of one module.
#[derive(PartialEq)]
pub struct Bindings {
    names: FxHashMap<Symbol, Binding>,
    /// Modules whose every name is imported, in order.
    pub stars: Vec<ImportedName>,
}

impl Bindings {
    /// Collects the bindings of a module. A definition or an import wins over a variable, an earlier one over a later.
    pub fn new(file: &File) -> Bindings {
        let mut out = Bindings { names: FxHashMap::default(), stars: Vec::new() };
        each_statement(file, file.function(file.module()).body, &mut |_: StmtId, stmt| match stmt {
            Stmt::Function(function) => out.define(file.function(*function).name, Binding::Function(*function)),
            Stmt::Class(class) => out.define(file.class(*class).name, Binding::Class(*class)),
            Stmt::Import(import) => {
                for alias in &import.names {
                    let (bound, imported) = ImportedName::of(import, alias);
                    match alias.name.as_str() {
                        "*" => out.stars.push(imported),
                        _ => out.define(bound, Binding::Import(imported)),
                    }
                }
            }
            Stmt::Assign { targets, value } => {
                for &target in file.list(*targets) {
                    out.assign(file, target, Some(*value));
                }
            }
            Stmt::Annotated { target, value, .. } => out.assign(file, *target, *value),
            Stmt::AugAssign { target, .. } | Stmt::For { target, .. } => out.assign(file, *target, None),
            Stmt::With { items, .. } => {
                items.iter().filter_map(|item| item.target).for_each(|target| out.assign(file, target, None));
            }
            _ => {}
        });
        out
    }

    /// What the name is bound to.
    pub fn get(&self, name: Symbol) -> Option<&Binding> {
        self.names.get(&name)
    }

    fn define(&mut self, name: Symbol, binding: Binding) {
        let entry = self.names.entry(name).or_insert_with(|| binding.clone());
        if matches!(entry, Binding::Variable { .. }) {
            *entry = binding;
        }
    }

    fn assign(&mut self, file: &File, target: ExprId, value: Option<ExprId>) {
        use crate::model::Expr;
        match file.expr(target) {
            Expr::Name(name) => {
                let fresh = || Binding::Variable { values: Vec::new(), other_writes: false };
                if let Binding::Variable { values, other_writes } = self.names.entry(name).or_insert_with(fresh) {
                    match value {
                        Some(value) => values.push(value),
                        None => *other_writes = true,
                    }
                }
            }
            Expr::Tuple(parts) | Expr::ListDisplay(parts) => {
                for &part in file.list(parts) {
                    self.assign(file, part, None);
                }
            }
            Expr::Starred(inner) => self.assign(file, inner, None),
            _ => {}
        }
    }
}
