//! Arguments of a call: evaluated once, then bound to parameters or picked as operands.

use crate::base::{FunctionId, Symbol};
use crate::catalog::Operand;
use crate::flow::{HANDED_ON, Node, Value};
use crate::model::{Call, Expr, ExprId, ParameterKind};

use super::{Engine, Frame};

/// The evaluated arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    /// The object whose method is called.
    pub(super) receiver: Option<Value>,
    /// Under what name the caller has that object.
    pub(super) holder: Option<Symbol>,
    /// Positional arguments with their expressions, up to the first starred one.
    pub(super) positional: Vec<(Value, Option<ExprId>)>,
    /// Keyword arguments with their expressions.
    pub(super) keywords: Vec<(Symbol, Value, Option<ExprId>)>,
    /// `*args`, whose elements are not known apart.
    pub(super) starred: Option<Value>,
    /// `**kwargs`
    pub(super) mapping: Option<Value>,
}

impl Arguments {
    /// All values, in order.
    pub(super) fn values(&self) -> Vec<Value> {
        let mut out: Vec<Value> = self.positional.iter().map(|arg| arg.0).collect();
        out.extend(self.starred);
        out.extend(self.keywords.iter().map(|keyword| keyword.1));
        out.extend(self.mapping);
        out
    }

    /// The only positional argument's value and expression, counted from 0.
    pub(super) fn at(&self, index: usize) -> Option<Value> {
        self.positional.get(index).map(|arg| arg.0)
    }
}

impl<'p> Engine<'p> {
    pub(super) fn arguments(&mut self, frame: &mut Frame<'p>, call: Call) -> Arguments {
        let model = frame.model;
        let mut out = Arguments::default();
        for &arg in model.list(call.args) {
            let value = self.expression(frame, arg);
            self.hand_over(frame, value, arg);
            match model.expr(arg) {
                Expr::Starred(_) => match (self.values.node(value).clone(), out.starred) {
                    (Node::Sequence(parts), None) => out.positional.extend(parts.iter().map(|&part| (part, None))),
                    _ => out.starred = Some(value),
                },
                _ if out.starred.is_some() => {}
                _ => out.positional.push((value, Some(arg))),
            }
        }
        for keyword in model.keywords(call) {
            let value = self.expression(frame, keyword.value);
            self.hand_over(frame, value, keyword.value);
            match keyword.name {
                Some(name) => out.keywords.push((name, value, Some(keyword.value))),
                None => out.mapping = Some(value),
            }
        }
        out
    }

    fn hand_over(&mut self, frame: &mut Frame<'p>, value: Value, arg: ExprId) {
        if let Node::Generator(function, _) = *self.values.node(value)
            && self.reaches(function)
            && !self.is_context(function)
        {
            frame.handed.push((value, frame.model.span(arg)));
        }
    }

    /// The value of an operand, and the expression it was given as.
    pub(super) fn operand(&mut self, arguments: &Arguments, operand: Operand) -> Option<(Value, Option<ExprId>)> {
        if operand.is_receiver() {
            return arguments.receiver.map(|receiver| (receiver, None));
        }
        if let Some(&(_, value, expr)) = arguments.keywords.iter().find(|keyword| keyword.0 == operand.parameter) {
            return Some((value, expr));
        }
        if let Some(position) = operand.position
            && let Some(&(value, expr)) = arguments.positional.get(usize::from(position))
        {
            return Some((value, expr));
        }
        let mapping = arguments.mapping?;
        Some((self.spread_entry(mapping, operand.parameter), None))
    }

    /// One value for each parameter of the function.
    pub(super) fn bind(&mut self, function: FunctionId, arguments: &Arguments) -> Vec<Value> {
        let program = self.program;
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let definition = model.function(local);
        let mut positional =
            arguments.receiver.into_iter().chain(arguments.positional.iter().map(|arg| arg.0)).peekable();
        let mut used: Vec<Symbol> = Vec::new();
        let mut out = Vec::with_capacity(definition.parameters.len());
        for (index, parameter) in definition.parameters.iter().enumerate() {
            let named = arguments.keywords.iter().find(|keyword| keyword.0 == parameter.name).map(|keyword| keyword.1);
            let value = match parameter.kind {
                ParameterKind::Normal | ParameterKind::KeywordOnly => {
                    used.push(parameter.name);
                    let by_position = if parameter.kind == ParameterKind::Normal { positional.next() } else { None };
                    match (by_position, named) {
                        (Some(value), _) | (None, Some(value)) => value,
                        (None, None) => self.missing_argument(function, index, arguments),
                    }
                }
                ParameterKind::Positionals => {
                    let mut rest: Vec<Value> = positional.by_ref().collect();
                    match arguments.starred {
                        Some(starred) => {
                            rest.push(starred);
                            self.values.make(Node::Mapped(Symbol::new("positionals"), rest.into()))
                        }
                        None => self.values.make(Node::Sequence(rest.into())),
                    }
                }
                ParameterKind::Keywords => {
                    let entries: Vec<(Symbol, Value)> = arguments
                        .keywords
                        .iter()
                        .filter(|keyword| !definition.parameters.iter().any(|parameter| parameter.name == keyword.0))
                        .map(|keyword| (keyword.0, keyword.1))
                        .collect();
                    let mut pairs = Vec::new();
                    for (name, value) in entries {
                        pairs.push((self.values.make(Node::Str(name)), value));
                    }
                    match arguments.mapping {
                        Some(mapping) if pairs.is_empty() && self.values.is_container(mapping) => mapping,
                        Some(mapping) if pairs.is_empty() => self.spread(mapping),
                        Some(mapping) => {
                            let own = self.values.make(Node::Mapping(pairs.into()));
                            let rest = self.spread(mapping);
                            self.values.make(Node::Mapped(Symbol::new(HANDED_ON), Box::from([own, rest])))
                        }
                        None => self.values.make(Node::Mapping(pairs.into())),
                    }
                }
            };
            out.push(value);
        }
        if definition.skeleton {
            // Its parameters were not read. That gradients go back through a model matters whatever they are called.
            out.extend(arguments.values().into_iter().filter(|&value| self.values.facts(value).wrapped));
        }
        out
    }

    /// Whether a method can be called so, as far as its parameters tell; of what was not read in full neither these nor
    /// what is handed over is known.
    pub(super) fn takes(&self, frame: &Frame<'p>, method: FunctionId, arguments: &Arguments) -> bool {
        let definition = self.program.function(method);
        let (file, _) = self.program.locate(method);
        let is_skeleton = definition.skeleton || frame.model.function(frame.local).skeleton;
        if is_skeleton || !self.program.file(file).model.list(definition.decorators).is_empty() {
            return true;
        }
        let parameters = definition.parameters.get(1..).unwrap_or_default();
        let has = |kind: ParameterKind| parameters.iter().any(|parameter| parameter.kind == kind);
        let by_position = || parameters.iter().filter(|parameter| parameter.kind == ParameterKind::Normal);
        let given = arguments.positional.len();
        let named = |name: Symbol| arguments.keywords.iter().any(|keyword| keyword.0 == name);
        let too_many = given > by_position().count() && !has(ParameterKind::Positionals);
        let unheard_of = !has(ParameterKind::Keywords)
            && arguments.keywords.iter().any(|(name, ..)| !parameters.iter().any(|parameter| parameter.name == *name));
        let spread = arguments.starred.is_some() || arguments.mapping.is_some();
        !too_many && !unheard_of && (spread || !definition.lacks_an_argument(given, named))
    }

    fn missing_argument(&mut self, function: FunctionId, index: usize, arguments: &Arguments) -> Value {
        let program = self.program;
        let (file, local) = program.locate(function);
        let parameter = program.file(file).model.function(local).parameters[index];
        if let Some(mapping) = arguments.mapping {
            let entry = self.spread_entry(mapping, parameter.name);
            // What the mapping is known not to hold is left to the default.
            if entry != self.none || parameter.default.is_none() {
                return entry;
            }
        }
        if arguments.starred.is_some() {
            return self.values.make(Node::Unknown(crate::base::Site { file, span: parameter.span }));
        }
        match parameter.default {
            Some(default) => {
                // Defaults are evaluated in the scope of the definition; constants and module names suffice here.
                let expr = program.file(file).model.expr(default);
                match expr {
                    Expr::None => self.none,
                    Expr::Bool(known) => self.values.make(Node::Bool(known)),
                    Expr::Int(known) => self.values.make(Node::Int(i64::from(known))),
                    Expr::Str(text) => self.values.make(Node::Str(text)),
                    _ => match program.target(file, crate::model::LocalFunction(0), default) {
                        Some(target) => self.target_value(target),
                        None => self.values.make(Node::Unknown(crate::base::Site { file, span: parameter.span })),
                    },
                }
            }
            None => self.values.make(Node::Unknown(crate::base::Site { file, span: parameter.span })),
        }
    }
}
