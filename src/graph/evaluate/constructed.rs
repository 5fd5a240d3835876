//! Objects by the arguments of their constructor, and what these are to the constructors of the bases: they are mostly
//! handed up by name.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::communication::{calls_in, is_super};
use super::Engine;
use super::arguments::Arguments;
use crate::base::{ClassId, FunctionId, Symbol};
use crate::flow::{Node, Value};
use crate::model::{Expr, File, Function, Stmt, each_statement};

/// Constructors that are followed upwards.
const MAX_BASES: usize = 4;

/// Objects that a variable may hold of which it is looked up what they were made with.
const MAX_OBJECTS: u8 = 6;

/// What parameters of constructors stand for, by their place.
pub(super) type Given = BTreeMap<(FunctionId, u16), Value>;

/// What a constructor hands to the one above it, by the parameters of that.
pub(super) struct HandedUp {
    above: FunctionId,
    given: Vec<(u16, Handed)>,
}

#[derive(Clone, Copy)]
enum Handed {
    /// A parameter of its own.
    Parameter(u16),
    /// Something that the source fixes.
    Fixed(Value),
}

impl<'p> Engine<'p> {
    /// What the constructors of an object were given whose methods are called, as far as they are told: they know the object
    /// as `self`, with all that it was made from. Of one of two objects it is what the one was given, or the other.
    pub(super) fn made_with(&mut self, object: Value) -> Given {
        self.one_made_with(object, MAX_OBJECTS)
    }

    fn one_made_with(&mut self, object: Value, fuel: u8) -> Given {
        let Some(fuel) = fuel.checked_sub(1) else { return Given::new() };
        match *self.values.node(object) {
            Node::Instance(..) => {
                let mut given = self.constructed(object);
                given.iter_mut().filter(|((_, position), _)| *position == 0).for_each(|(_, of)| *of = object);
                given
            }
            Node::If(test, then, otherwise) => {
                let mut given = self.one_made_with(then, fuel);
                for (parameter, other) in self.one_made_with(otherwise, fuel) {
                    let value = match given.get(&parameter) {
                        Some(&one) => self.values.make(Node::If(test, one, other)),
                        None => other,
                    };
                    given.insert(parameter, value);
                }
                given
            }
            _ => Given::new(),
        }
    }

    /// What the constructor of an object was given, and those above it as far as they are told. What they call `self` is no
    /// more than an object of the class: an attribute may lead to the object, and from there to itself.
    pub(super) fn constructed(&mut self, object: Value) -> Given {
        let Node::Instance(class, arguments) = self.values.node(object).clone() else { return Given::new() };
        let Some(constructor) = self.program.method(class, Symbol::new("__init__")) else {
            // Who is made of fields is completed by a method that is given nothing but the object.
            let completes = self.program.method(class, Symbol::new("__post_init__"));
            return completes.map(|method| ((method, 0), object)).into_iter().collect();
        };
        let mut at = constructor;
        let mut known: Vec<(u16, Value)> = (0..).zip(arguments.iter().copied()).collect();
        let mut given: Given = known.iter().map(|&(position, value)| ((constructor, position), value)).collect();
        for _ in 0..MAX_BASES {
            let Some(handed) = self.handed_up(at) else { break };
            let value = |handed: Handed| match handed {
                Handed::Fixed(value) => Some(value),
                Handed::Parameter(own) => known.iter().find(|(position, _)| *position == own).map(|(_, value)| *value),
            };
            let itself = known.iter().find(|(position, _)| *position == 0).copied();
            let above: Vec<(u16, Value)> = handed
                .given
                .iter()
                .filter_map(|&(position, own)| Some((position, value(own)?)))
                .chain(itself)
                .collect();
            given.extend(above.iter().map(|&(position, value)| ((handed.above, position), value)));
            (at, known) = (handed.above, above);
        }
        given
    }

    /// The object that a class makes of what it is given, where it was handed over as a value: `cls(name)`.
    pub(super) fn made_of(&mut self, class: ClassId, args: &[Value]) -> Value {
        let nothing: Box<[Value]> = Box::from([]);
        if self.program.catalogued_class(class) {
            let (file, _) = self.program.locate_class(class);
            return self.values.make(Node::Typed(self.program.class_name(file, class)));
        }
        let placeholder = self.values.make(Node::Instance(class, nothing));
        let Some(constructor) = self.program.method(class, Symbol::new("__init__")) else { return placeholder };
        let arguments = Arguments { receiver: Some(placeholder), ..self.unpacked(args) };
        let bound = self.bind(constructor, &arguments);
        self.values.make(Node::Instance(class, bound.into()))
    }

    fn handed_up(&mut self, constructor: FunctionId) -> Option<Rc<HandedUp>> {
        if let Some(known) = self.memo.handed_up.get(&constructor) {
            return known.clone();
        }
        let found = self.looked_up(constructor).map(Rc::new);
        self.memo.handed_up.insert(constructor, found.clone());
        found
    }

    /// What `super().__init__(…)` is given, as far as it stands for itself.
    fn looked_up(&mut self, constructor: FunctionId) -> Option<HandedUp> {
        let program = self.program;
        let name = Symbol::new("__init__");
        let class = program.class_of(constructor)?;
        let above = program.lineage(class).iter().skip(1).find_map(|&base| program.method(base, name))?;
        let (file, local) = program.locate(constructor);
        let model = &program.file(file).model;
        let own = model.function(local);
        let (_, call) = calls_in(model, own.body).into_iter().find(|(_, call)| match model.expr(call.callee) {
            Expr::Attribute { value, name: called } => called == name && is_super(model, value),
            _ => false,
        })?;
        let mut given = Vec::new();
        for (position, parameter) in (0_u16..).zip(&program.function(above).parameters).skip(1) {
            let named = model.keywords(call).iter().find(|keyword| keyword.name == Some(parameter.name));
            let by_position = || model.list(call.args).get(usize::from(position) - 1).copied();
            let Some(argument) = named.map(|keyword| keyword.value).or_else(by_position) else { continue };
            let handed = match model.expr(argument) {
                Expr::Name(name) => own_parameter(model, own, name).map(Handed::Parameter),
                Expr::Bool(known) => Some(Handed::Fixed(self.values.make(Node::Bool(known)))),
                Expr::None => Some(Handed::Fixed(self.none)),
                _ => None,
            };
            given.extend(handed.map(|handed| (position, handed)));
        }
        Some(HandedUp { above, given })
    }
}

/// The place of a parameter of that name to which nothing else is ever assigned.
fn own_parameter(model: &File, function: &Function, name: Symbol) -> Option<u16> {
    let position = function.parameters.iter().position(|parameter| parameter.name == name)?;
    let mut assigned = false;
    each_statement(model, function.body, &mut |_, stmt| {
        if let Stmt::Assign { targets, .. } = stmt {
            assigned |= model.list(*targets).iter().any(|&target| model.expr(target) == Expr::Name(name));
        }
    });
    (!assigned).then_some(position as u16)
}
