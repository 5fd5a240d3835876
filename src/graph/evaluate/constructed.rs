//! Objects by the arguments of their constructor, and what these are to the constructors of the bases: they are mostly
//! handed up by name.

use std::rc::Rc;

use super::super::communication::{calls_in, is_super};
use super::Engine;
use super::substitute::Substitution;
use crate::base::{ClassId, FunctionId, Symbol};
use crate::flow::{Node, Value};
use crate::model::{Expr, File, Function, Stmt, each_statement};

/// Constructors that are followed upwards.
const MAX_BASES: usize = 4;

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
    /// Notes what the parameters of the constructor stand for in an object that was made with these arguments, and those
    /// of the constructors above it as far as they are told.
    pub(super) fn constructed(&mut self, class: ClassId, arguments: &[Value], by: &mut Substitution) {
        let Some(constructor) = self.program.method(class, Symbol::new("__init__")) else { return };
        by.parameters(constructor, arguments);
        let mut at = constructor;
        let mut known: Vec<(u16, Value)> = (0..).zip(arguments.iter().copied()).collect();
        for _ in 0..MAX_BASES {
            let Some(handed) = self.handed_up(at) else { return };
            let value = |handed: Handed| match handed {
                Handed::Fixed(value) => Some(value),
                Handed::Parameter(own) => known.iter().find(|(position, _)| *position == own).map(|(_, value)| *value),
            };
            let above: Vec<(u16, Value)> =
                handed.given.iter().filter_map(|&(position, own)| Some((position, value(own)?))).collect();
            for &(position, value) in &above {
                by.parameter(handed.above, position, value);
            }
            (at, known) = (handed.above, above);
        }
    }

    fn handed_up(&mut self, constructor: FunctionId) -> Option<Rc<HandedUp>> {
        if let Some(known) = self.handed_up.get(&constructor) {
            return known.clone();
        }
        let found = self.looked_up(constructor).map(Rc::new);
        self.handed_up.insert(constructor, found.clone());
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
