//! Variables of a module that functions write, declared `global`, and of the functions around them, declared `nonlocal`: what
//! they leave in them.

use super::births::Asked;
use super::substitute::Substitution;
use super::{Engine, Frame};
use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::flow::{Node, Value};
use crate::graph::resolve::Scope;
use crate::model::{File, Function, FunctionKind, LocalFunction, Stmt};

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

    /// What the functions of the file leave in one of its variables, if they leave one thing and that differs between
    /// ranks. Groups have names of their own.
    pub(super) fn left_by_functions(&mut self, file: FileId, name: Symbol) -> Option<Value> {
        let model = &self.program.file(file).model;
        let writes = |local: &LocalFunction| rebound(model, model.function(*local)).any(|written| written == name);
        let writers = (0..model.functions.len() as u32).map(LocalFunction).filter(writes).take(MAX_WRITERS);
        let mut left: Vec<Value> = Vec::new();
        self.births.begin(Asked::Global(file, name));
        for writer in writers {
            let value = self.left_by(self.program.function_id(file, writer), name);
            left.extend(value.filter(|value| !left.contains(value)));
        }
        self.births.end();
        let [only] = left[..] else { return None };
        (!self.may_be_group(only) && !self.values.vary(only).is_empty()).then_some(only)
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
