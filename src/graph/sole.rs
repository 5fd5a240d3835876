//! Methods that are told by their names alone: one class of the tree has one that is called so.

use crate::base::{FileId, FunctionId, Symbol};
use crate::model::Expr;

use super::program::Program;
use super::resolve::Target;

/// Method names too common to guess a definition by.
const TOO_COMMON: &[&str] = &[
    "get",
    "set",
    "run",
    "call",
    "step",
    "save",
    "load",
    "close",
    "start",
    "stop",
    "update",
    "reset",
    "forward",
    "backward",
    "append",
    "add",
    "pop",
    "put",
    "join",
    "split",
    "items",
    "keys",
    "values",
    "copy",
    "read",
    "write",
    "open",
    "init",
    "train",
    "eval",
    "log",
    "build",
    "create",
    "process",
    "execute",
    "apply",
    "register",
    "setup",
    "send",
    "recv",
    "wait",
    "format",
    "clear",
    "extend",
    "insert",
    "remove",
    "index",
    "count",
    "sort",
    "reverse",
    "state_dict",
    "load_state_dict",
    "parameters",
    "to",
    "size",
    "shape",
    "fit",
    "test",
    "validate",
    "predict",
    "flush",
    "exit",
    "enter",
    "next",
    "iter",
    // Sockets, executors, locks and processes have these.
    "connect",
    "listen",
    "accept",
    "submit",
    "acquire",
    "cancel",
    "notify",
    "terminate",
    "synchronize",
    "communicate",
    // So do repositories of a hub.
    "push_to_hub",
];

/// Libraries whose decorators call what they are given where it is called.
const CALLS_IN_PLACE: [&str; 6] = ["abc", "builtins", "contextlib", "functools", "torch", "typing"];

impl Program {
    /// Whether a file knows what stands in the tree of another: it lies there itself, or imports something from there.
    pub fn knows(&self, from: FileId, other: FileId) -> bool {
        self.same_tree(from, other) || self.imported_trees(from).contains(&self.tree_of(other))
    }

    /// The other trees that a file imports from.
    fn imported_trees(&self, from: FileId) -> &[Symbol] {
        self.imported_trees[from.index()].get_or_init(|| {
            let mut trees: Vec<Symbol> = Vec::new();
            let imports = self.file(from).model.imports.iter().map(|(_, import)| import);
            for import in imports.filter(|import| import.level == 0) {
                let named = import.names.iter().map(|alias| alias.name);
                let modules: Vec<Symbol> = match import.module.filter(|_| import.from) {
                    // What it takes from a folder without an `__init__.py` are modules.
                    Some(module) => {
                        let below = named.map(|name| Symbol::new(&format!("{module}.{name}")));
                        std::iter::once(module).chain(below).collect()
                    }
                    None => named.collect(),
                };
                let found = modules.into_iter().filter_map(|module| self.modules.find(from, module));
                for tree in found.map(|file| self.tree_of(file)) {
                    if tree != self.tree_of(from) && !trees.contains(&tree) {
                        trees.push(tree);
                    }
                }
            }
            trees.into()
        })
    }

    /// The only method of that name in the tree of a file, or else in those it imports from, whatever it is called on.
    pub(super) fn sole_method(&self, from: FileId, name: Symbol) -> Option<FunctionId> {
        if name.as_str().len() < 5 || TOO_COMMON.contains(&name.as_str()) {
            return None;
        }
        let named = self.methods_named(name);
        let mut near = named.iter().filter(|method| self.same_tree(from, self.locate(**method).0));
        let mut known = named.iter().filter(|method| self.knows(from, self.locate(**method).0));
        match (near.next(), near.next()) {
            (Some(method), None) => Some(method),
            (None, _) => known.next().filter(|_| known.next().is_none()),
            (Some(_), Some(_)) => None,
        }
        .copied()
        .filter(|&method| !self.is_handed_over(method))
    }

    /// Whether a method is handed to a decorator of which nothing is known: who calls it, in which process, is that one's
    /// affair.
    fn is_handed_over(&self, method: FunctionId) -> bool {
        let (file, local) = self.locate(method);
        let model = &self.file(file).model;
        model.list(model.function(local).decorators).iter().any(|&decorator| {
            let decorator = match model.expr(decorator) {
                Expr::Call(call) => model.call(call).callee,
                _ => decorator,
            };
            match self.target(file, model.module(), decorator) {
                Some(Target::Function(_) | Target::Class(_)) => true,
                Some(Target::External(name)) => {
                    let (library, rest) = name.as_str().split_once('.').unwrap_or((name.as_str(), ""));
                    !rest.is_empty() && !CALLS_IN_PLACE.contains(&library)
                }
                _ => false,
            }
        })
    }
}
