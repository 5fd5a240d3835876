//! Variables of a module that functions write, declared `global`, and of the functions around them, declared `nonlocal`: what
//! they leave in them.

use super::births::Asked;
use super::substitute::Substitution;
use super::{Engine, Frame};
use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::catalog::Catalog;
use crate::flow::{Node, Value};
use crate::graph::blocks::{binds, set_to, speaks_of_rank};
use crate::graph::resolve::{Scope, Target};
use crate::graph::versions::JOINS;
use crate::model::{
    Block, Expr, ExprId, File, Function, FunctionKind, LocalFunction, Stmt, blocks_of, each_statement, names_in,
};

/// Functions that write one variable and are looked at.
const MAX_WRITERS: usize = 4;

impl<'p> Engine<'p> {
    /// What a variable of the module holds that this function declares as its to write, where it has not been written yet:
    /// the constant that it begins with.
    pub(super) fn before_rebound(&mut self, frame: &Frame<'p>, name: Symbol) -> Option<Value> {
        let model = frame.model;
        if !rebound(model, model.function(frame.local)).any(|written| written == name) {
            return None;
        }
        let begins = self.program.single_assignment(frame.file, model.module(), name)?;
        self.literal(model.expr(begins))
    }

    /// What a function is entered with in the variables of the functions around it that it declares as its to write: what
    /// they hold there.
    pub(super) fn begin_with_outer(&mut self, frame: &mut Frame<'p>) {
        let (program, model) = (self.program, frame.model);
        let definition = model.function(frame.local);
        let Some(parent) = definition.parent.filter(|&parent| model.function(parent).kind == FunctionKind::Def) else {
            return;
        };
        for name in rebound(model, definition) {
            if let Scope::Local(owner) = program.scope_of(frame.file, parent, name) {
                let owner = program.function_id(frame.file, owner);
                let held = self.values.make(Node::Capture(owner, name));
                frame.set(name, held);
            }
        }
    }

    /// After the call of a function that writes variables of this one.
    pub(super) fn after_rebinding(
        &mut self,
        frame: &mut Frame<'p>,
        function: FunctionId,
        left: &[(Symbol, Value)],
        substitution: &mut Substitution,
    ) {
        let (file, local) = self.program.locate(function);
        if file != frame.file || frame.model.function(local).parent != Some(frame.local) {
            return;
        }
        for &(name, value) in left {
            if frame.get(name).is_some() && frame.model.function(frame.local).binds(name) {
                let value = self.replaced(value, substitution);
                frame.set(name, value);
            }
        }
    }

    /// Whether a variable of the module is a switch that is off until one of its functions joins the job, which turns it on:
    /// `_initialized = True` behind `init_process_group()`.
    pub(super) fn says_whether_joined(&self, file: FileId, name: Symbol) -> bool {
        let model = &self.program.file(file).model;
        let catalog = &self.program.catalog;
        if catalog.convention(name).is_some() || !is_rebound(model, name) || !begins_off(model, name) {
            return false;
        }
        let mut joined = false;
        for function in
            model.functions.iter().filter(|function| rebound(model, function).any(|written| written == name))
        {
            let joins = function.mentions.iter().any(|name| JOINS.contains(&name.as_str()));
            let turned_on = turned(model, function.body, name);
            if turned_on == Some(true) && !joins || turned_on.is_none() || turns_apart(catalog, model, function, name) {
                return false;
            }
            joined |= turned_on == Some(true);
        }
        joined
    }

    /// What the functions of the file leave in one of its variables, if they leave one thing and that differs between
    /// ranks. Groups have names of their own.
    pub(super) fn left_by_functions(&mut self, file: FileId, name: Symbol) -> Option<Value> {
        let model = &self.program.file(file).model;
        let writes = |local: &LocalFunction| writes(model, model.function(*local), name);
        let writers = (0..model.functions.len() as u32).map(LocalFunction).filter(writes).take(MAX_WRITERS);
        let mut left: Vec<Value> = Vec::new();
        let itself = self.values.make(Node::External(self.program.dotted(Target::Variable(file, name))));
        self.births.begin(Asked::Global(file, name));
        for writer in writers {
            let value = self.left_by(self.program.function_id(file, writer), name);
            left.extend(value.filter(|value| !left.contains(value) && *value != itself));
        }
        self.births.end();
        let [only] = left[..] else { return None };
        if self.is_made_once(only, itself) {
            return Some(self.values.make(Node::World));
        }
        (!self.may_be_group(only) && !self.values.vary(only).is_empty()).then_some(only)
    }

    /// Whether a function that writes a variable of the module is being looked into.
    pub(super) fn is_being_written(&self, file: FileId, name: Symbol) -> bool {
        let model = &self.program.file(file).model;
        let mut functions = model.functions.iter().enumerate();
        functions.any(|(index, function)| {
            self.cycles.is_active(self.program.function_id(file, LocalFunction(index as u32)))
                && writes(model, function, name)
        })
    }

    /// Whether it is a group of all ranks, or nothing yet, where who asks first makes it.
    fn is_made_once(&self, value: Value, itself: Value) -> bool {
        match *self.values.node(value) {
            Node::World => true,
            Node::If(_, then, otherwise) => {
                let begins = |arm: Value| arm == itself || *self.values.node(arm) == Node::None;
                self.is_made_once(then, itself) && begins(otherwise)
                    || begins(then) && self.is_made_once(otherwise, itself)
            }
            _ => false,
        }
    }

    /// Whether it is a group, or may be one: a condition that all ranks answer alike says nothing of what it chooses.
    fn may_be_group(&self, value: Value) -> bool {
        match *self.values.node(value) {
            Node::MadeGroup(..) | Node::AxisGroup(_) | Node::World | Node::NonMember | Node::Mesh(_) => true,
            Node::If(test, then, otherwise) => {
                self.values.vary(test).is_empty() || self.may_be_group(then) || self.may_be_group(otherwise)
            }
            _ => false,
        }
    }

    /// What a function leaves in a variable of its module, whatever it was called with.
    fn left_by(&mut self, writer: FunctionId, name: Symbol) -> Option<Value> {
        let summary = self.summary(writer)?;
        let &(_, value) = summary.globals.iter().find(|(written, _)| *written == name)?;
        if *self.values.node(value) == Node::None {
            return None;
        }
        let (file, _) = self.program.locate(writer);
        let parameters = &self.program.function(writer).parameters;
        let unknown: Vec<Value> =
            parameters.iter().map(|given| self.values.make(Node::Unknown(Site { file, span: given.span }))).collect();
        let mut substitution = Substitution::default();
        substitution.parameters(writer, &unknown);
        Some(self.replaced(value, &mut substitution))
    }
}

/// Whether a variable of the module begins as a switch that is off, by itself or in a row of others.
fn begins_off(model: &File, name: Symbol) -> bool {
    turned(model, model.function(model.module()).body, name) == Some(false)
}

/// What a body turns a switch to, if it is a switch that it sets, and to one thing alone.
fn turned(model: &File, body: Block, name: Symbol) -> Option<bool> {
    let mut found: Option<Option<bool>> = None;
    each_statement(model, body, &mut |_, stmt| {
        let (targets, value): (&[ExprId], ExprId) = match stmt {
            Stmt::Assign { targets, value } => (model.list(*targets), *value),
            Stmt::Annotated { target, value: Some(value), .. } => (std::slice::from_ref(target), *value),
            _ => return,
        };
        for &target in targets {
            if !names_in(model, target).contains(&name) {
                continue;
            }
            let on = match set_to(model, target, value, name).map(|set| model.expr(set)) {
                Some(Expr::Bool(on)) => Some(on),
                _ => None,
            };
            found = Some(if found.is_none_or(|known| known == on) { on } else { None });
        }
    });
    found.flatten()
}

/// Whether a function sets the variable under a question for the rank.
fn turns_apart(catalog: &Catalog, model: &File, function: &Function, name: Symbol) -> bool {
    let mut apart = false;
    each_statement(model, function.body, &mut |_, stmt| {
        let Stmt::If { test, .. } = stmt else { return };
        if speaks_of_rank(catalog, model, *test) {
            apart |= blocks_of(stmt).into_iter().any(|arm| turned(model, arm, name) == Some(true));
        }
    });
    apart
}

/// Whether a function of the file declares the module's variable as one that it writes.
pub(super) fn is_rebound(model: &File, name: Symbol) -> bool {
    model.functions.iter().any(|function| rebound(model, function).any(|written| written == name))
}

/// The variables of the module that a function declares as those that it writes.
pub(super) fn rebound<'m>(model: &'m File, function: &Function) -> impl Iterator<Item = Symbol> + use<'m> {
    let body = if function.kind == FunctionKind::Def { model.block(function.body) } else { &[] };
    let declared = body.iter().flat_map(|&stmt| match model.stmt(stmt) {
        Stmt::Outer(names) => &**names,
        _ => &[],
    });
    declared.copied()
}

/// Whether a function writes a variable of the module, and does not only declare that it might.
fn writes(model: &File, function: &Function, name: Symbol) -> bool {
    let mut found = false;
    if rebound(model, function).any(|written| written == name) {
        each_statement(model, function.body, &mut |_, stmt| found |= binds(model, stmt, name));
    }
    found
}
