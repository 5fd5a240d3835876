//! Functions and classes: their parts, and what is noted of a body while it is lowered.

use super::{Block, ExprId, List, LocalClass, LocalFunction};
use crate::base::{Span, Symbol};

/// How a parameter takes its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// By position or by name.
    Normal,
    /// By name only.
    KeywordOnly,
    /// `*args`
    Positionals,
    /// `**kwargs`
    Keywords,
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: Symbol,
    /// How it takes its argument.
    pub kind: ParameterKind,
    /// Its default.
    pub default: Option<ExprId>,
    /// Its annotation.
    pub annotation: Option<ExprId>,
    /// Where it stands.
    pub span: Span,
}

/// What sort of body a [`Function`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// The module's own statements.
    Module,
    /// The statements of a class body.
    ClassBody,
    /// `def`
    Def,
    /// `lambda`
    Lambda,
}

/// Where a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// It is returned.
    Return,
    /// It is assigned to a name of this function.
    Name(Symbol),
    /// It is assigned to an attribute, of whatever object.
    Attribute(Symbol),
}

/// A value that goes somewhere, as the names it mentions: a range of [`Function::mentions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Where it goes.
    pub to: Sink,
    /// First of the names that the value mentions.
    pub start: u32,
    /// After the last of them.
    pub end: u32,
    /// The innermost condition it stands under: an index into [`Function::guards`] plus one, 0 for none.
    pub guard: u32,
}

impl Flow {
    /// Whether it is a constant, under no condition: nothing in it differs unless some ranks come there alone.
    pub fn is_constant(&self) -> bool {
        self.start == self.end && self.guard == 0
    }

    /// The attribute that it is assigned to, if it is.
    pub fn attribute(&self) -> Option<Symbol> {
        if let Sink::Attribute(name) = self.to { Some(name) } else { None }
    }
}

/// A condition, as the names it mentions, and the condition around it. What is tried is one as well: what it names decides
/// whether the handlers run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    /// First of the names that it mentions.
    pub start: u32,
    /// After the last of them.
    pub end: u32,
    /// The condition around it, counted as [`Flow::guard`] is.
    pub around: u32,
    /// After the last name mentioned in what it decides about.
    pub until: u32,
    /// Whether something that it decides about leaves a block, or may end the process.
    pub exits: bool,
    /// Whether something that it decides about raises.
    pub raises: bool,
    /// Whether it is no condition, but what is tried in front of handlers.
    pub tried: bool,
}

/// A place in a function that is not known: somewhere in it.
pub const SOMEWHERE: u32 = u32::MAX;

/// A name or attribute that is called, or handed to a call, or that a table or a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callee {
    /// The expression.
    pub expr: ExprId,
    /// Where its last name stands in [`Function::mentions`]; [`SOMEWHERE`] for what is held.
    pub at: u32,
}

/// A function, or another body that is run as one.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name; `<module>`, `<lambda>` and a class's name for the other kinds.
    pub name: Symbol,
    /// What sort of body it is.
    pub kind: FunctionKind,
    /// The function whose body defines it (a class body counts as one); absent for the module.
    pub parent: Option<LocalFunction>,
    /// The class it is a method of, or whose body it is.
    pub class: Option<LocalClass>,
    /// Its parameters in order of declaration.
    pub parameters: Box<[Parameter]>,
    /// Its decorators, outermost first.
    pub decorators: List,
    /// The annotation of its result.
    pub returns: Option<ExprId>,
    /// Its statements.
    pub body: Block,
    /// Whether it is `async def`.
    pub is_async: bool,
    /// Whether it yields.
    pub is_generator: bool,
    /// Names that its body binds, parameters included, less `global` and `nonlocal` ones; sorted by text.
    pub locals: Box<[Symbol]>,
    /// The whole definition.
    pub span: Span,
    /// Its name in the definition.
    pub name_span: Span,
    /// Every name and attribute that its body mentions, in order; those of nested functions are their own.
    pub mentions: Box<[Symbol]>,
    /// Where values go.
    pub flows: Box<[Flow]>,
    /// The conditions of its statements and conditional expressions.
    pub guards: Box<[Guard]>,
    /// What it calls, and the names it hands to those calls: each may be a function that runs.
    pub callees: Box<[Callee]>,
    /// Whether only its calls were lowered, see [`super::Detail::Skeleton`].
    pub skeleton: bool,
}

impl Function {
    /// Whether its first parameter is the object or the class that it is called on; a static method has none.
    pub fn takes_object(&self) -> bool {
        let first = self.parameters.first().map(|first| first.name.as_str());
        self.class.is_some() && matches!(first, Some("self" | "cls"))
    }

    /// Whether who calls it on an object, with so many arguments `given` by position and some `named`, leaves out one that it
    /// has no default for.
    pub fn lacks_an_argument(&self, given: usize, named: impl Fn(Symbol) -> bool) -> bool {
        let of = |kind: ParameterKind| self.parameters.iter().skip(1).filter(move |parameter| parameter.kind == kind);
        let mut left = of(ParameterKind::Normal).skip(given).chain(of(ParameterKind::KeywordOnly));
        left.any(|parameter| parameter.default.is_none() && !named(parameter.name))
    }

    /// Whether the name is one of its own variables.
    pub fn binds(&self, name: Symbol) -> bool {
        // Comparing addresses one after the other beats comparing texts, up to a point.
        match self.locals.len() {
            0..64 => self.locals.contains(&name),
            _ => self.locals.binary_search_by_key(&name.as_str(), |local| local.as_str()).is_ok(),
        }
    }
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: Symbol,
    /// The function (or class body, or module) whose body defines it.
    pub parent: LocalFunction,
    /// Its bases.
    pub bases: List,
    /// Its decorators, outermost first.
    pub decorators: List,
    /// Its body as a function of no parameters.
    pub body: LocalFunction,
    /// Its methods in order of definition; a later one of the same name replaces an earlier one.
    pub methods: Vec<(Symbol, LocalFunction)>,
    /// The whole definition.
    pub span: Span,
}
