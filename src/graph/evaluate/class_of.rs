//! Which class of the program an object is of: by what it is known to be, what annotations say, and what functions make.

use std::rc::Rc;

use super::super::protocol::Types;
use super::super::resolve::Target;
use super::annotated::is_of_container;
use super::call::UNFOLLOWED;
use super::{Engine, Frame};
use crate::base::{ClassId, FileId, FunctionId, Symbol};
use crate::flow::{Node, Value};
use crate::model::{Expr, ExprId, LocalFunction, Stmt, each_statement};

impl<'p> Engine<'p> {
    /// The class of the program that a value is an object of.
    pub(super) fn class_of_value(&mut self, frame: &Frame<'p>, expr: ExprId, value: Value) -> Option<ClassId> {
        if let Node::Instance(class, _) = self.values.node(value) {
            return Some(*class);
        }
        if let Expr::Name(name) = frame.model.expr(expr)
            && Some(name) == frame.receiver
        {
            return frame.class;
        }
        match *self.values.node(value) {
            Node::None | Node::External(_) => match self.program.target(frame.file, frame.local, expr) {
                Some(Target::Variable(file, name)) => self.class_of_global(file, name),
                _ => self.class_of_known(value),
            },
            _ => self.class_of_known(value),
        }
    }

    /// The class of a value, where that says it whatever it is called.
    pub(super) fn class_of_known(&mut self, value: Value) -> Option<ClassId> {
        match *self.values.node(value) {
            Node::Instance(class, _) => Some(class),
            Node::Parameter(function, position) => {
                let (file, local) = self.program.locate(function);
                let model = &self.program.file(file).model;
                let definition = model.function(local);
                if position == 0 && definition.class.is_some() && !self.has_decorator(file, local, "staticmethod") {
                    return self.program.class_of(function);
                }
                self.annotated_parameter(function, position)
            }
            // The object of the method around.
            Node::Capture(owner, name) => {
                let first = self.program.function(owner).parameters.first()?;
                let (file, local) = self.program.locate(owner);
                let is_object = first.name == name && !self.has_decorator(file, local, "staticmethod");
                is_object.then(|| self.program.class_of(owner)).flatten()
            }
            Node::Item(_, container) | Node::Index(container, _) => self.class_of_element(container),
            // `_world = None`, which a function sets and another one hands out.
            Node::External(_) => {
                let &(file, name) = self.marks.switches.get(&value)?;
                self.class_of_global(file, name)
            }
            _ => None,
        }
    }

    /// The class of the program that a parameter is annotated with.
    pub(super) fn annotated_parameter(&self, function: FunctionId, position: u16) -> Option<ClassId> {
        let (file, local) = self.program.locate(function);
        let definition = self.program.file(file).model.function(local);
        let annotation = definition.parameters.get(usize::from(position))?.annotation?;
        self.annotated_class(file, local, annotation)
    }

    /// The class of the program that annotations say an object is of that a method is called on: of a field, where nothing
    /// else is known of what that holds, or of what a function answers.
    pub(super) fn class_said(
        &mut self,
        frame: &Frame<'p>,
        expr: ExprId,
        value: Value,
        method: Symbol,
    ) -> Option<ClassId> {
        match *self.values.node(value) {
            Node::Attribute(object, name) => {
                let class = self.class_of_known(object)?;
                self.annotated_field(class, name)
            }
            Node::Invoked(callee, _) => self.class_answered(callee).or_else(|| self.class_made(callee, method)),
            Node::Apply(name, ref parts) if name.as_str() == UNFOLLOWED => {
                let callee = *parts.first()?;
                self.class_answered(callee).or_else(|| self.class_made(callee, method))
            }
            // What is nothing at first is what the annotation says once something is asked of it.
            Node::None | Node::External(_) | Node::Unknown(_) => {
                let Expr::Attribute { value: object, name } = frame.model.expr(expr) else { return None };
                let Expr::Name(object) = frame.model.expr(object) else { return None };
                let class = frame.class.filter(|_| Some(object) == frame.receiver)?;
                self.annotated_field(class, name)
            }
            _ => None,
        }
    }

    /// The class of the program that a function is said to answer with an object of.
    fn class_answered(&self, callee: Value) -> Option<ClassId> {
        let Node::Function(function, _) = *self.values.node(callee) else { return None };
        let (file, local) = self.program.locate(function);
        let definition = self.program.file(file).model.function(local);
        self.annotated_class(file, local, definition.returns?)
    }

    /// The class of what a function returns that was not looked into, where it is asked for what may differ between ranks.
    pub(super) fn class_behind_a_getter(&mut self, value: Value, asked: Symbol) -> Option<ClassId> {
        let Node::Apply(name, ref parts) = *self.values.node(value) else { return None };
        let callee = *parts.first().filter(|_| name.as_str() == UNFOLLOWED && self.taint.holds(asked))?;
        let Node::Function(function, _) = *self.values.node(callee) else { return None };
        let class = self.class_answered(callee).or_else(|| self.class_handed_out(function))?;
        self.writers_of(class).contains_key(&asked).then_some(class)
    }

    /// The class of the object that a function finds in a variable of its module and returns.
    fn class_handed_out(&mut self, function: FunctionId) -> Option<ClassId> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let mut found = None;
        each_statement(model, model.function(local).body, &mut |_, stmt| {
            if let Stmt::Return(Some(value)) = *stmt {
                found = self.program.target(file, local, value);
            }
        });
        let Target::Variable(home, name) = found? else { return None };
        self.class_of_global(home, name)
    }

    /// The classes of the objects that a function makes and returns, where it returns nothing else.
    pub(super) fn classes_made(&mut self, function: FunctionId) -> Rc<[ClassId]> {
        if let Some(known) = self.memo.classes_made.get(&function) {
            return known.clone();
        }
        let (file, local) = self.program.locate(function);
        let made: Rc<[ClassId]> = Types::new(self.program).returned(file, local).into_vec().into();
        self.memo.classes_made.insert(function, made.clone());
        made
    }

    /// The class of the objects that a function makes and returns: of several the first whose method issues something.
    fn class_made(&mut self, callee: Value, method: Symbol) -> Option<ClassId> {
        let Node::Function(function, _) = *self.values.node(callee) else { return None };
        let made = self.classes_made(function);
        let issues = |class: &&ClassId| self.program.method(**class, method).is_some_and(|method| self.reaches(method));
        let differs =
            || made.iter().find(|&&class| self.taint.holds(method) && self.program.method(class, method).is_some());
        made.iter().find(issues).or_else(differs).copied()
    }

    /// The class of the program that an annotation names, through `Optional` and string annotations of one word.
    pub(super) fn annotated_class(&self, file: FileId, function: LocalFunction, annotation: ExprId) -> Option<ClassId> {
        let model = &self.program.file(file).model;
        match model.expr(annotation) {
            Expr::Subscript(generic, _) if model.last_name(generic).is_some_and(is_of_container) => None,
            Expr::Subscript(_, inner) => self.annotated_class(file, function, inner),
            Expr::Binary(_, left, right) => {
                self.annotated_class(file, function, left).or_else(|| self.annotated_class(file, function, right))
            }
            Expr::Str(text) => match self.program.global(file, text)? {
                Target::Class(class) => Some(class),
                _ => None,
            },
            _ => match self.program.target(file, function, annotation)? {
                Target::Class(class) => Some(class),
                _ => None,
            },
        }
    }
}
