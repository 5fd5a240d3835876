//! Where the search begins: calls of operations, of objects whose call is one, and backward passes.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::{Mention, Search, communicates};
use crate::base::{ClassId, FileId, FunctionId, Symbol};
use crate::catalog::{Entry, Wrapper};
use crate::graph::bindings::ImportedName;
use crate::graph::evaluate::{BACKWARD, FULLY_SHARD};
use crate::graph::packaged;
use crate::graph::resolve::Target;
use crate::graph::steps::skipping_steps;
use crate::model::{Expr, ExprId, File, LocalFunction, Stmt, each_call, each_statement};

/// Functions that return what others return, one after the other.
const MAX_FACTORIES: u8 = 3;

impl Search<'_> {
    /// The functions that call an operation themselves.
    pub(super) fn seed(&mut self) {
        let operations: FxHashSet<Symbol> = self
            .program
            .catalog
            .entries()
            .filter(|(_, entry)| communicates(entry))
            .map(|(name, _)| name.last_part())
            .collect();
        let mut seeds = Vec::new();
        for name in operations {
            for &mention in self.mentions.get(&name).map_or(&[][..], Vec::as_slice) {
                if self.is_operation(mention, name) {
                    seeds.push(mention.caller);
                    self.calls_of_object(mention, &mut seeds);
                    self.sharded_on_the_way(mention, name, &mut seeds);
                }
            }
            self.held_operations(name, &mut seeds);
        }
        self.copied_operations(&mut seeds);
        for made in packaged::made(self.program) {
            self.follow_made(made.file, made.function, made.callee, MAX_FACTORIES, &mut seeds);
        }
        self.handed_models(&mut seeds);
        seeds.extend(skipping_steps(self.program));
        self.issuing.extend(seeds.iter().copied());
        self.surely.extend(seeds.iter().copied());
        self.sharded_in_place(&mut seeds);
        self.backward_passes(&mut seeds);
        for seed in seeds {
            self.reach(seed);
        }
    }

    /// Methods of classes that are copies of catalogued ones, where these communicate: what they call leads through objects that
    /// nobody knows.
    fn copied_operations(&self, seeds: &mut Vec<FunctionId>) {
        let program = self.program;
        let names: Vec<Symbol> = program.catalog.copied_types().map(|kind| kind.name.last_part()).collect();
        for file in program.file_ids() {
            let classes = program.file(file).model.classes.iter().filter(|class| names.contains(&class.name));
            let methods =
                classes.flat_map(|class| &class.methods).map(|&(_, method)| program.function_id(file, method));
            seeds.extend(methods.filter(|&method| program.catalogued(method).is_some_and(communicates)));
        }
    }

    /// Backward passes, in trees in which models are wrapped: through which model they lead their callers may know alone.
    fn backward_passes(&self, seeds: &mut Vec<FunctionId>) {
        let program = self.program;
        let mut trees: FxHashSet<Symbol> = FxHashSet::default();
        for kind in program.catalog.types().filter(|kind| program.catalog.reduces_gradients(kind.name)) {
            for name in kind.aliases.iter().chain([&kind.name]) {
                for mention in self.mentions.get(&name.last_part()).map_or(&[][..], Vec::as_slice) {
                    let (file, local) = program.locate(mention.caller);
                    if let Some(Target::External(dotted)) = program.target(file, local, mention.callee)
                        && program.catalog.type_named(dotted).is_some_and(|found| found.name == kind.name)
                    {
                        trees.insert(program.tree_of(file));
                    }
                }
            }
        }
        for mention in self.mentions.get(&Symbol::new(FULLY_SHARD)).map_or(&[][..], Vec::as_slice) {
            let (file, local) = program.locate(mention.caller);
            if matches!(program.target(file, local, mention.callee), Some(Target::External(_))) {
                trees.insert(program.tree_of(file));
            }
        }
        let passes = self.mentions.get(&Symbol::new(BACKWARD)).map_or(&[][..], Vec::as_slice);
        let near = passes.iter().filter(|mention| trees.contains(&program.tree_of(program.locate(mention.caller).0)));
        seeds.extend(near.map(|mention| mention.caller));
    }

    /// Where a model is sharded in place, `fully_shard(model)`, and where it is called in the same file.
    fn sharded_in_place(&self, seeds: &mut Vec<FunctionId>) {
        let program = self.program;
        let is_it = |entry: &Entry| matches!(entry, Entry::Wrapper(Wrapper::Shards));
        let names = program.catalog.shards_in_place().into_iter();
        for mention in names.flat_map(|name| self.mentions.get(&name).into_iter().flatten()) {
            let (file, local) = program.locate(mention.caller);
            let shards = match program.target(file, local, mention.callee) {
                Some(Target::External(dotted)) => program.catalog.entry(dotted).is_some_and(is_it),
                Some(Target::Function(function)) => program.catalogued(function).is_some_and(is_it),
                _ => false,
            };
            if !mention.is_called || !shards {
                continue;
            }
            let model = &program.file(file).model;
            let mut names = Vec::new();
            each_call(model, local, &mut |_, call| {
                if call.callee == mention.callee {
                    names.extend(model.list(call.args).first().and_then(|&sharded| model.last_name(sharded)));
                }
            });
            seeds.push(mention.caller);
            self.follow_objects(file, &names, seeds);
        }
    }

    /// Wrapped models that a function is handed, as the annotation or the name of the parameter says.
    fn handed_models(&self, seeds: &mut Vec<FunctionId>) {
        let (program, catalog) = (self.program, &self.program.catalog);
        let is_run = |kind: Symbol| catalog.entry(Symbol::new(&format!("{kind}.__call__"))).is_some_and(communicates);
        let kinds = catalog.types().filter(|kind| is_run(kind.name));
        let named: FxHashSet<Symbol> =
            kinds.flat_map(|kind| kind.aliases.iter().chain([&kind.name])).map(|name| name.last_part()).collect();
        for file in program.file_ids() {
            let model = &program.file(file).model;
            for (index, function) in model.functions.iter().enumerate() {
                let local = LocalFunction(index as u32);
                let says = |annotation: ExprId| {
                    let is_named = model.last_name(annotation).is_some_and(|name| named.contains(&name));
                    let target = if is_named { program.target(file, local, annotation) } else { None };
                    matches!(target, Some(Target::External(dotted))
                        if catalog.type_named(dotted).is_some_and(|kind| is_run(kind.name)))
                };
                let models = function.parameters.iter().filter(|parameter| match parameter.annotation {
                    Some(annotation) => says(annotation),
                    None => catalog.type_of_variable(parameter.name).is_some_and(is_run),
                });
                for parameter in models {
                    self.follow_parameter(program.function_id(file, local), parameter.name, seeds);
                }
            }
        }
    }

    /// An object whose call is an operation (a wrapped module): whoever calls what it is assigned to, in this file, or is
    /// handed it and calls it.
    fn calls_of_object(&self, constructor: Mention, seeds: &mut Vec<FunctionId>) {
        let program = self.program;
        let (file, local) = program.locate(constructor.caller);
        let Some(Target::External(dotted)) = program.target(file, local, constructor.callee) else { return };
        let kind = program.catalog.type_named(dotted).map(|kind| kind.name).or(program.catalog.first_of(dotted));
        let Some(kind) = kind else { return };
        let called = Symbol::new(&format!("{kind}.__call__"));
        if !program.catalog.entry(called).is_some_and(communicates) {
            return;
        }
        self.follow_made(file, local, constructor.callee, MAX_FACTORIES, seeds);
    }

    /// A model that an operation of that name returns as a sharded one, in a file that speaks of what shards it: whoever
    /// calls it.
    fn sharded_on_the_way(&self, mention: Mention, name: Symbol, seeds: &mut Vec<FunctionId>) {
        let (file, local) = self.program.locate(mention.caller);
        let model = &self.program.file(file).model;
        let mut sharding = self.sharding.iter().filter(|(operation, _)| *operation == name);
        if sharding.any(|(_, beside)| beside.iter().any(|&of| model.uses(of))) {
            self.follow_made(file, local, mention.callee, MAX_FACTORIES, seeds);
        }
    }

    /// Where objects of a class of the program are called.
    pub(super) fn calls_of_instances(&self, class: ClassId, seeds: &mut Vec<FunctionId>) {
        let program = self.program;
        for mention in self.mentions.get(&program.class(class).name).map_or(&[][..], Vec::as_slice) {
            let (file, local) = program.locate(mention.caller);
            if program.target(file, local, mention.callee) == Some(Target::Class(class)) {
                self.follow_made(file, local, mention.callee, MAX_FACTORIES, seeds);
            }
        }
    }

    /// What is called that a call of `callee` in a function gives: under the names it is assigned to there, or, where the
    /// function returns it, by who calls that.
    fn follow_made(&self, file: FileId, local: LocalFunction, callee: ExprId, fuel: u8, seeds: &mut Vec<FunctionId>) {
        let program = self.program;
        let model = &program.file(file).model;
        let (names, returned) = made(model, local, callee);
        self.follow_objects(file, &names, seeds);
        self.follow_argument(file, local, callee, seeds);
        let Some(fuel) = fuel.checked_sub(1).filter(|_| returned) else { return };
        let factory = program.function_id(file, local);
        for mention in self.mentions.get(&model.function(local).name).map_or(&[][..], Vec::as_slice) {
            let (home, caller) = program.locate(mention.caller);
            if self.called(home, caller, mention.callee).is_some_and(|(called, _)| called == factory) {
                self.follow_made(home, caller, mention.callee, fuel, seeds);
            }
        }
    }

    pub(super) fn is_operation(&self, mention: Mention, name: Symbol) -> bool {
        let program = self.program;
        let (file, local) = program.locate(mention.caller);
        let model = &program.file(file).model;
        match program.target(file, local, mention.callee) {
            Some(Target::External(dotted)) if program.catalog.entry(dotted).is_some_and(communicates) => return true,
            Some(Target::External(dotted)) if program.catalog.type_named(dotted).is_some() => return true,
            Some(Target::Function(function)) => return program.catalogued(function).is_some_and(communicates),
            _ => {}
        }
        let Expr::Attribute { value, .. } = model.expr(mention.callee) else { return false };
        if program.catalog.type_of_method(name).is_some() || self.hands_what_tells(file, local, mention.callee, name) {
            return true;
        }
        let (Expr::Name(object) | Expr::Attribute { name: object, .. }) = model.expr(value) else {
            // The result of a call: `get_tp_group().all_reduce(x)`.
            return matches!(model.expr(value), Expr::Call(_));
        };
        let of = |kind: Symbol| program.catalog.entry(Symbol::new(&format!("{kind}.{name}"))).is_some_and(communicates);
        if program.catalog.type_of_variable(object).is_some_and(of) {
            return true;
        }
        // An object constructed or annotated as such, in this function or in its class.
        let class = model.function(local).class.map(|class| program.class_id(file, class));
        class.is_some_and(|class| program.external_bases(class).into_iter().any(of))
            || self.is_typed(file, local, object, name)
    }

    /// Whether a call hands its method what only one catalogued type takes.
    fn hands_what_tells(&self, file: FileId, local: LocalFunction, callee: ExprId, name: Symbol) -> bool {
        if !self.told_by_arguments.contains(&name) {
            return false;
        }
        let model = &self.program.file(file).model;
        let mut tells = false;
        each_call(model, local, &mut |_, call| {
            let keywords = model.keywords(call).iter().filter_map(|keyword| keyword.name);
            tells |= call.callee == callee && self.program.catalog.type_of_call(name, keywords).is_some();
        });
        tells
    }

    /// Whether a variable of that name is given an object of a catalogued type somewhere in the file.
    fn is_typed(&self, file: FileId, local: LocalFunction, object: Symbol, name: Symbol) -> bool {
        let program = self.program;
        let model = &program.file(file).model;
        let kind_of = |expr: ExprId| match program.target(file, local, expr) {
            Some(Target::External(dotted)) => program.catalog.type_named(dotted).map(|kind| kind.name),
            _ => None,
        };
        let communicates_as =
            |kind: Symbol| program.catalog.entry(Symbol::new(&format!("{kind}.{name}"))).is_some_and(communicates);
        let by_annotation = model
            .function(local)
            .parameters
            .iter()
            .filter(|parameter| parameter.name == object)
            .filter_map(|parameter| parameter.annotation)
            .any(|annotation| kind_of(annotation).is_some_and(communicates_as));
        by_annotation || self.imported_types(file).iter().any(|&kind| communicates_as(kind))
    }

    /// The catalogued types that a file imports.
    fn imported_types(&self, file: FileId) -> Rc<[Symbol]> {
        if let Some(known) = self.types.borrow().get(&file) {
            return known.clone();
        }
        let program = self.program;
        let names = program.file(file).model.imports.iter();
        let names = names.flat_map(|(_, import)| import.names.iter().map(move |alias| ImportedName::of(import, alias)));
        let found: Rc<[Symbol]> = names
            .filter_map(|(_, imported)| match program.imported(file, imported) {
                Some(Target::External(dotted)) => {
                    let kind = program.catalog.type_named(dotted).map(|kind| kind.name);
                    kind.or_else(|| program.catalog.of_package(dotted.as_str()))
                }
                _ => None,
            })
            .collect();
        self.types.borrow_mut().insert(file, found.clone());
        found
    }
}

/// The names that a function gives to what a call of `callee` makes, of several things to the first; and whether it returns
/// that, at once or under one of these names.
fn made(model: &File, local: LocalFunction, callee: ExprId) -> (Vec<Symbol>, bool) {
    let is_made = |value: ExprId| matches!(model.expr(value), Expr::Call(call) if model.call(call).callee == callee);
    let (mut names, mut returned) = (Vec::new(), Vec::new());
    let first = |value: ExprId| match model.expr(value) {
        Expr::Tuple(parts) => model.list(parts).first().copied().unwrap_or(value),
        _ => value,
    };
    each_statement(model, model.function(local).body, &mut |_, stmt| {
        if let Some((targets, value)) = model.assigned(stmt)
            && is_made(value)
        {
            names.extend(targets.iter().filter_map(|&target| match model.expr(first(target)) {
                Expr::Name(name) | Expr::Attribute { name, .. } => Some(name),
                _ => None,
            }));
        }
        if let Stmt::Return(Some(value)) = stmt {
            returned.push(first(*value));
        }
    });
    let is_returned =
        |&value: &ExprId| is_made(value) || matches!(model.expr(value), Expr::Name(name) if names.contains(&name));
    let returned = returned.iter().any(is_returned);
    (names, returned)
}
