//! Who may call a function, by what the name of the call can mean where it stands.

use rustc_hash::FxHashMap;

use super::{MAX_NAMESAKES, Search, is_self};
use crate::base::{ClassId, FileId, FunctionId, Symbol};
use crate::graph::resolve::Target;
use crate::model::Expr;

/// Who calls a name, by what the name can mean there.
#[derive(Default)]
pub(super) struct Callers {
    of_function: FxHashMap<FunctionId, Vec<FunctionId>>,
    of_class: FxHashMap<ClassId, Vec<FunctionId>>,
    /// Calls on `self` inside a class.
    of_self: FxHashMap<ClassId, Vec<FunctionId>>,
    /// Calls on `self` inside a class that descends from this one.
    of_descendant: FxHashMap<ClassId, Vec<FunctionId>>,
    of_variable: Vec<FunctionId>,
    /// Local names: nested functions, and parameters that are handed functions.
    of_local: FxHashMap<FileId, Vec<FunctionId>>,
    of_unknown: FxHashMap<FileId, Vec<FunctionId>>,
}

impl Search<'_> {
    /// The callers that mean the function when they call `name`, or a method that one of its class overrides.
    pub(super) fn sure_callers_of(
        &self,
        name: Symbol,
        function: FunctionId,
        class: Option<ClassId>,
    ) -> Vec<FunctionId> {
        let Some(callers) = self.callers.get(&name) else { return Vec::new() };
        let mut out = callers.of_function.get(&function).cloned().unwrap_or_default();
        let Some(class) = class else { return out };
        out.extend(callers.of_class.get(&class).into_iter().flatten());
        for ancestor in self.program.lineage(class) {
            out.extend(callers.of_self.get(ancestor).into_iter().flatten());
        }
        out
    }

    /// The callers that may mean the function when they call `name`, beside those that do.
    pub(super) fn other_callers_of(
        &self,
        name: Symbol,
        function: FunctionId,
        file: FileId,
        class: Option<ClassId>,
    ) -> Vec<FunctionId> {
        let Some(callers) = self.callers.get(&name) else { return Vec::new() };
        let program = self.program;
        let mut out = callers.of_variable.clone();
        out.extend(callers.of_local.get(&file).into_iter().flatten());
        let Some(class) = class else { return out };
        out.extend(callers.of_descendant.get(&class).into_iter().flatten());
        let namesakes = self.definitions.get(&(program.tree_of(file), name)).copied().unwrap_or(0);
        if namesakes <= MAX_NAMESAKES {
            let near = callers.of_unknown.iter().filter(|(caller, _)| program.same_tree(**caller, file));
            out.extend(near.flat_map(|(_, callers)| callers));
            if self.surely.contains(&function) {
                // Whoever imports from there may have been handed such an object.
                let far = callers.of_unknown.iter().filter(|(caller, _)| {
                    !program.same_tree(**caller, file) && program.sole_method(**caller, name) == Some(function)
                });
                out.extend(far.flat_map(|(_, callers)| callers));
            }
        } else {
            out.extend(callers.of_unknown.get(&file).into_iter().flatten());
        }
        // Who imports the class has objects of it, in whatever tree.
        for importer in self.importers.get(&program.class(class).name).into_iter().flatten() {
            out.extend(callers.of_unknown.get(importer).into_iter().flatten());
        }
        out
    }

    /// The mentions of a name, by what they can mean.
    pub(super) fn sorted(&self, name: Symbol) -> Callers {
        let program = self.program;
        let mut out = Callers::default();
        for &mention in self.mentions.get(&name).map_or(&[][..], Vec::as_slice) {
            let (file, local) = program.locate(mention.caller);
            let model = &program.file(file).model;
            let definition = model.function(local);
            let class = definition.class.map(|class| program.class_id(file, class));
            if let Expr::Attribute { value, .. } = model.expr(mention.callee)
                && let Some(class) = class
                && is_self(model, definition, value)
            {
                out.of_self.entry(class).or_default().push(mention.caller);
                for &ancestor in program.lineage(class) {
                    out.of_descendant.entry(ancestor).or_default().push(mention.caller);
                }
                continue;
            }
            match program.target(file, local, mention.callee) {
                Some(Target::Function(target)) => out.of_function.entry(target).or_default().push(mention.caller),
                Some(Target::Class(target)) => {
                    for &ancestor in program.lineage(target) {
                        out.of_class.entry(ancestor).or_default().push(mention.caller);
                    }
                }
                Some(Target::Variable(..)) => out.of_variable.push(mention.caller),
                Some(Target::External(_) | Target::Module(_)) => {}
                None => match model.expr(mention.callee) {
                    Expr::Attribute { .. } => out.of_unknown.entry(file).or_default().push(mention.caller),
                    _ => out.of_local.entry(file).or_default().push(mention.caller),
                },
            }
        }
        out
    }
}
