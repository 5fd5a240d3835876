//! Functions and operations under other names: what a variable or an attribute holds is called by that, and what is handed
//! over by the name of a parameter.

use super::handed::is_within;
use super::{MAX_NAMESAKES, Mention, Search, is_self};
use crate::base::{ClassId, FileId, FunctionId, Symbol};
use crate::graph::resolve::Target;
use crate::model::{Expr, ExprId, FunctionKind, Holder, LocalFunction};

/// A variable or an attribute that holds something, and the file that says so.
#[derive(Clone, Copy)]
pub(super) struct Held {
    file: FileId,
    holder: Holder,
}

/// Mentions of one function that are asked whether they hand it over.
const MAX_HANDED: usize = 40;

impl Search<'_> {
    /// Collects what holds something that may matter. Variables of modules are called from elsewhere as well.
    pub(super) fn collect_held(&mut self) {
        let mut variables: Vec<Symbol> = Vec::new();
        for file in self.program.file_ids() {
            let model = &self.program.file(file).model;
            for &holder in &model.holders {
                let held = Held { file, holder };
                let of = model.last_name(holder.of).filter(|of| self.mentions.contains_key(of));
                let matters = of.is_some() || matches!(model.expr(holder.of), Expr::Lambda(_));
                variables.extend((matters && self.is_of_module(&held)).then_some(holder.name));
                if let Some(of) = of {
                    self.held.entry(of).or_default().push(held);
                }
            }
        }
        self.mentions.extend(variables.into_iter().map(|name| (name, Vec::new())));
    }

    fn is_of_module(&self, held: &Held) -> bool {
        held.holder.home == self.program.file(held.file).model.module()
    }

    /// Where an operation is called under another name.
    pub(super) fn held_operations(&self, name: Symbol, seeds: &mut Vec<FunctionId>) {
        for held in self.held.get(&name).into_iter().flatten() {
            let caller = self.program.function_id(held.file, held.holder.home);
            if self.is_operation(Mention { caller, callee: held.holder.of, is_called: false }, name) {
                self.calls_of_held(held, seeds);
            }
        }
    }

    /// Where a function of the program is called under another name, by whom it is handed to, or by a class that decorates it.
    pub(super) fn held_and_handed(&self, function: FunctionId) -> Vec<FunctionId> {
        let (file, local) = self.program.locate(function);
        let definition = self.program.function(function);
        let name = definition.name;
        let mut places = Vec::new();
        if definition.kind == FunctionKind::Lambda {
            for &holder in &self.program.file(file).model.holders {
                let held = Held { file, holder };
                if self.holds(&held, function) {
                    self.calls_of_held(&held, &mut places);
                }
            }
            return places;
        }
        for held in self.held.get(&name).into_iter().flatten() {
            if self.holds(held, function) {
                self.calls_of_held(held, &mut places);
            }
        }
        for mention in self.mentions.get(&name).into_iter().flatten().take(MAX_HANDED) {
            let (home, caller) = self.program.locate(mention.caller);
            let is_it = || match self.program.target(home, caller, mention.callee) {
                Some(target) => target == Target::Function(function),
                None => self.may_be_its_method(home, mention.callee, function),
            };
            if mention.is_called && is_it() {
                self.follow_handed(home, caller, name, &mut places);
            }
        }
        for &decorator in self.program.file(file).model.list(definition.decorators) {
            let scope = definition.parent.unwrap_or(local);
            if let Some(Target::Class(class)) = self.program.target(file, scope, decorator) {
                self.follow_given(class, &mut places);
            }
        }
        places
    }

    /// Whether it holds the function: by a name that means it, or as a method of the same object.
    fn holds(&self, held: &Held, function: FunctionId) -> bool {
        let program = self.program;
        let model = &program.file(held.file).model;
        let home = model.function(held.holder.home);
        if let Expr::Lambda(lambda) = model.expr(held.holder.of) {
            return program.function_id(held.file, lambda) == function;
        }
        if let Some(target) = program.target(held.file, held.holder.home, held.holder.of) {
            return target == Target::Function(function);
        }
        let (file, local) = program.locate(function);
        match model.expr(held.holder.of) {
            Expr::Attribute { value, name }
                if let Some(class) = home.class
                    && is_self(model, home, value) =>
            {
                let class = program.class_id(held.file, class);
                let named = name == program.function(function).name;
                let is_below = |of: ClassId| named && program.lineage(of).contains(&class);
                program.method(class, name) == Some(function) || program.class_of(function).is_some_and(is_below)
            }
            Expr::Attribute { .. } => self.may_be_its_method(held.file, held.holder.of, function),
            // A function that stands in another one.
            _ => {
                let parent = model.functions.get(local.0 as usize).and_then(|nested| nested.parent);
                file == held.file && parent.is_some_and(|parent| model.function(parent).kind == FunctionKind::Def)
            }
        }
    }

    /// Whether an attribute of an unknown object may be the method: by its name, where few have one.
    fn may_be_its_method(&self, from: FileId, expr: ExprId, function: FunctionId) -> bool {
        let program = self.program;
        let Expr::Attribute { name, .. } = program.file(from).model.expr(expr) else { return false };
        let namesakes = self.definitions.get(&(program.tree_of(from), name)).copied().unwrap_or(0);
        program.class_of(function).is_some()
            && program.function(function).name == name
            && namesakes <= MAX_NAMESAKES
            && program.same_tree(from, program.locate(function).0)
    }

    /// Who names a list or a table of a module: whoever takes something out of it may call that.
    fn users_of_listed(&self, held: &Held, places: &mut Vec<FunctionId>) {
        let (program, name) = (self.program, held.holder.name);
        let variable = Some(Target::Variable(held.file, name));
        for file in program.file_ids() {
            let model = &program.file(file).model;
            if !model.names().may_hold_any(&[name])
                || !program.same_tree(file, held.file)
                || program.global(file, name) != variable
            {
                continue;
            }
            let users = model.functions.iter().enumerate().filter(|(_, function)| function.mentions.contains(&name));
            places.extend(users.map(|(at, _)| program.function_id(file, LocalFunction(at as u32))));
        }
    }

    /// Who names a list or a table of a function, or of an object: in the function itself, or in methods of the class.
    fn users_at_home(&self, held: &Held, places: &mut Vec<FunctionId>) {
        let model = &self.program.file(held.file).model;
        let class = model.function(held.holder.home).class;
        let is_user = |local: LocalFunction| {
            let function = model.function(local);
            function.mentions.contains(&held.holder.name)
                && (is_within(model, local, held.holder.home) || class.is_some() && function.class == class)
        };
        let users = (0..model.functions.len() as u32).map(LocalFunction).filter(|&local| is_user(local));
        places.extend(users.map(|local| self.program.function_id(held.file, local)));
    }

    /// The name of what holds something within a class or a function, and of what else there is given the same: `self.prepare
    /// = self.gather if … else keep`.
    fn names_of_held(&self, held: &Held) -> Vec<Symbol> {
        let model = &self.program.file(held.file).model;
        let class = model.function(held.holder.home).class;
        let beside = |other: &Holder| {
            other.home == held.holder.home || class.is_some() && model.function(other.home).class == class
        };
        let mut names = vec![held.holder.name];
        for other in model.holders.iter().filter(|other| beside(other)) {
            if model.last_name(other.of).is_some_and(|of| names.contains(&of)) && !names.contains(&other.name) {
                names.push(other.name);
            }
        }
        names
    }

    /// Where what is held is called.
    fn calls_of_held(&self, held: &Held, places: &mut Vec<FunctionId>) {
        if !self.is_of_module(held) {
            if held.holder.is_listed {
                return self.users_at_home(held, places);
            }
            return self.follow_objects(held.file, &self.names_of_held(held), places);
        }
        if held.holder.is_listed {
            return self.users_of_listed(held, places);
        }
        let variable = Some(Target::Variable(held.file, held.holder.name));
        let mentions = self.mentions.get(&held.holder.name).into_iter().flatten();
        let calls = mentions.filter(|mention| {
            let (file, local) = self.program.locate(mention.caller);
            self.program.target(file, local, mention.callee) == variable
        });
        places.extend(calls.map(|mention| mention.caller));
    }
}
