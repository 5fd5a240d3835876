//! Objects whose call is an operation, a wrapped model say: who calls them under whatever name, wherever they are handed.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use super::Search;
use crate::base::{ClassId, FileId, FunctionId, Symbol};
use crate::graph::resolve::Target;
use crate::model::{Call, Callee, Expr, ExprId, File, LocalFunction, each_call, each_statement};

/// Where an object bears a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Scope {
    /// In a whole file, as a variable or as an attribute.
    File(FileId),
    /// In a function that is handed it, and in those inside.
    Body(FunctionId),
}

/// What was followed already.
#[derive(Default)]
pub(super) struct Followed(RefCell<FxHashSet<(Scope, Symbol)>>);

impl Search<'_> {
    /// Where objects that bear these names in a file are called, or a method of theirs: in the file, in functions that are
    /// handed them, and where those keep them.
    pub(super) fn follow_objects(&self, file: FileId, names: &[Symbol], seeds: &mut Vec<FunctionId>) {
        self.follow(names.iter().map(|&name| (Scope::File(file), name)).collect(), seeds);
    }

    /// Where a function calls what it is handed under a name, or whoever it hands that on to.
    pub(super) fn follow_parameter(&self, function: FunctionId, name: Symbol, seeds: &mut Vec<FunctionId>) {
        self.follow(vec![(Scope::Body(function), name)], seeds);
    }

    /// Where a function is handed to another one of the program: there it is called under the name of the parameter.
    pub(super) fn follow_handed(&self, file: FileId, local: LocalFunction, name: Symbol, seeds: &mut Vec<FunctionId>) {
        let mut waiting = Vec::new();
        self.hand_on(file, local, &|model, value| is_named(model, value, name), &mut waiting);
        self.follow(waiting, seeds);
    }

    /// Where what a call of `callee` makes is handed on at once: `Tester(DDP(model))`.
    pub(super) fn follow_argument(
        &self,
        file: FileId,
        local: LocalFunction,
        callee: ExprId,
        seeds: &mut Vec<FunctionId>,
    ) {
        let is_made = |model: &File, value: ExprId| matches!(model.expr(value), Expr::Call(call) if model.call(call).callee == callee);
        let mut waiting = Vec::new();
        self.hand_on(file, local, &is_made, &mut waiting);
        self.follow(waiting, seeds);
    }

    /// Where objects of a class call what they are made with.
    pub(super) fn follow_given(&self, class: ClassId, seeds: &mut Vec<FunctionId>) {
        let Some(constructor) = self.program.method(class, Symbol::new("__init__")) else { return };
        let given = self.program.function(constructor).parameters.get(1);
        self.follow(given.map(|given| (Scope::Body(constructor), given.name)).into_iter().collect(), seeds);
    }

    fn follow(&self, mut waiting: Vec<(Scope, Symbol)>, seeds: &mut Vec<FunctionId>) {
        while let Some((scope, name)) = waiting.pop() {
            if !self.followed.0.borrow_mut().insert((scope, name)) {
                continue;
            }
            let file = match scope {
                Scope::File(file) => file,
                Scope::Body(function) => self.program.locate(function).0,
            };
            let model = &self.program.file(file).model;
            for local in self.bodies(model, scope) {
                if model.function(local).mentions.contains(&name) {
                    self.calls_of(file, local, name, seeds);
                    self.hand_on(file, local, &|model, value| is_named(model, value, name), &mut waiting);
                    if matches!(scope, Scope::Body(_)) {
                        waiting.extend(kept(model, local, name).into_iter().map(|kept| (Scope::File(file), kept)));
                    }
                }
            }
        }
    }

    fn bodies(&self, model: &File, scope: Scope) -> Vec<LocalFunction> {
        let all = (0..model.functions.len() as u32).map(LocalFunction);
        match scope {
            Scope::File(_) => all.collect(),
            Scope::Body(function) => {
                let (_, home) = self.program.locate(function);
                all.skip(home.0 as usize).filter(|&local| is_within(model, local, home)).collect()
            }
        }
    }

    /// Places in a function where what bears the name is called, or a method of it.
    fn calls_of(&self, file: FileId, local: LocalFunction, name: Symbol, seeds: &mut Vec<FunctionId>) {
        let model = &self.program.file(file).model;
        let calls_it = |callee: &&Callee| {
            is_named(model, callee.expr, name)
                || matches!(model.expr(callee.expr), Expr::Attribute { value, .. } if is_named(model, value, name))
        };
        let id = self.program.function_id(file, local);
        seeds.extend(model.function(local).callees.iter().any(|callee| calls_it(&callee)).then_some(id));
    }

    /// The functions that are handed what is asked for, and what it is called there.
    fn hand_on(
        &self,
        file: FileId,
        local: LocalFunction,
        is_it: &dyn Fn(&File, ExprId) -> bool,
        waiting: &mut Vec<(Scope, Symbol)>,
    ) {
        let model = &self.program.file(file).model;
        each_call(model, local, &mut |_, call| {
            let given: Vec<(usize, Option<Symbol>)> = arguments(model, call)
                .enumerate()
                .filter(|&(_, (_, value))| is_it(model, value))
                .map(|(at, (keyword, _))| (at, keyword))
                .collect();
            if given.is_empty() {
                return;
            }
            let Some((function, bound)) = self.called(file, local, call.callee) else { return };
            let parameters = &self.program.function(function).parameters;
            waiting.extend(given.into_iter().filter_map(|(at, keyword)| {
                let parameter = match keyword {
                    Some(keyword) => parameters.iter().find(|parameter| parameter.name == keyword),
                    None => parameters.get(at + usize::from(bound)),
                };
                parameter.map(|parameter| (Scope::Body(function), parameter.name))
            }));
        });
    }

    /// The function of the program that a call runs, and whether it is handed an object before the arguments.
    pub(super) fn called(&self, file: FileId, local: LocalFunction, callee: ExprId) -> Option<(FunctionId, bool)> {
        let program = self.program;
        match program.target(file, local, callee) {
            Some(Target::Function(function)) => return Some((function, false)),
            Some(Target::Class(class)) => return Some((program.method(class, Symbol::new("__init__"))?, true)),
            Some(_) => return None,
            None => {}
        }
        let model = &program.file(file).model;
        let Expr::Attribute { value, name } = model.expr(callee) else { return None };
        let definition = model.function(local);
        let class = definition.class.filter(|_| super::is_self(model, definition, value));
        let method = match class {
            Some(class) => program.method(program.class_id(file, class), name),
            None => program.sole_method(file, name),
        };
        Some((method?, true))
    }
}

/// The arguments of a call in order, with the keywords of those that have one.
fn arguments(model: &File, call: Call) -> impl Iterator<Item = (Option<Symbol>, ExprId)> + '_ {
    let by_name = model.keywords(call).iter().map(|keyword| (keyword.name, keyword.value));
    model.list(call.args).iter().map(|&arg| (None, arg)).chain(by_name)
}

fn is_named(model: &File, expr: ExprId, name: Symbol) -> bool {
    matches!(model.expr(expr), Expr::Name(found) | Expr::Attribute { name: found, .. } if found == name)
}

/// Whether a body stands in another one, or is it.
pub(super) fn is_within(model: &File, mut local: LocalFunction, home: LocalFunction) -> bool {
    while local != home {
        let Some(parent) = model.function(local).parent else { return false };
        local = parent;
    }
    true
}

/// The attributes in which a function keeps what bears the name.
fn kept(model: &File, local: LocalFunction, name: Symbol) -> Vec<Symbol> {
    let mut kept = Vec::new();
    each_statement(model, model.function(local).body, &mut |_, stmt| {
        if let Some((targets, value)) = model.assigned(stmt)
            && may_be(model, value, name)
        {
            kept.extend(targets.iter().filter_map(|&target| match model.expr(target) {
                Expr::Attribute { name, .. } => Some(name),
                _ => None,
            }));
        }
    });
    kept
}

/// Whether an expression is what bears the name, one of two, or that with some arguments.
fn may_be(model: &File, value: ExprId, name: Symbol) -> bool {
    let any = |parts: &[ExprId]| parts.iter().any(|&part| may_be(model, part, name));
    match model.expr(value) {
        Expr::Name(found) => found == name,
        Expr::IfElse(at) => any(&model.if_else(at)[1..]),
        Expr::Or(parts) => any(model.list(parts)),
        Expr::Call(call) => {
            let call = model.call(call);
            let is_partial = model.last_name(call.callee).is_some_and(|called| called.as_str() == "partial");
            is_partial && model.list(call.args).first().is_some_and(|&first| may_be(model, first, name))
        }
        _ => false,
    }
}
