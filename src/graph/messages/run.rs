//! Runs a function for one rank, as far as numbers are known, and notes what it sends and receives.

mod call;
mod expression;
mod unknown;

use unknown::wire;

use rustc_hash::FxHashMap;

use crate::base::{FileId, Symbol};
use crate::catalog::ValueKind;
use crate::model::{Block, Expr, ExprId, File, FunctionKind, LocalFunction, ParameterKind, Stmt, each_statement};

use super::super::blocks::written_by;
use super::super::program::Program;
use super::known::{DIFFERS, Known, MAX_TURNS, UNIFORM, arithmetic, truth};
use super::step::Step;

/// Expressions and statements of one run.
const MAX_STEPS: u32 = 12_000;
/// Calls inside calls.
const MAX_DEPTH: u32 = 5;

/// Why a run ended without words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The program refuses to run so.
    Raised,
    /// Something that decides about messages is not known.
    Unknown,
}

/// How a block ends.
enum Flow {
    On,
    Break,
    Continue,
    Return(Known),
}

struct Run<'p> {
    program: &'p Program,
    rank: i64,
    size: i64,
    steps: Vec<Step>,
    fuel: u32,
    depth: u32,
    /// The functions of the first file that were run.
    ran: Vec<LocalFunction>,
    home: FileId,
    attributes: FxHashMap<Symbol, Known>,
    constructed: Option<crate::base::ClassId>,
}

/// A function at work.
struct Body<'p> {
    file: FileId,
    local: LocalFunction,
    model: &'p File,
    receiver: Option<Symbol>,
    names: FxHashMap<Symbol, Known>,
}

/// What the rank sends and receives in the function, and which functions of the file that involves.
pub(super) fn steps_of(
    program: &Program,
    file: FileId,
    function: LocalFunction,
    rank: i64,
    size: i64,
) -> Result<(Vec<Step>, Vec<LocalFunction>), Halt> {
    let mut run = Run {
        program,
        rank,
        size,
        steps: Vec::new(),
        fuel: MAX_STEPS,
        depth: 0,
        ran: Vec::new(),
        home: file,
        attributes: FxHashMap::default(),
        constructed: None,
    };
    run.call_local(file, function, &[], &[])?;
    Ok((run.steps, run.ran))
}

impl<'p> Run<'p> {
    fn call_local(
        &mut self,
        file: FileId,
        local: LocalFunction,
        positional: &[Known],
        keywords: &[(Symbol, Known)],
    ) -> Result<Known, Halt> {
        if self.depth >= MAX_DEPTH {
            return Err(Halt::Unknown);
        }
        let program = self.program;
        let model = &program.file(file).model;
        let definition = model.function(local);
        if definition.is_generator || definition.skeleton {
            return Err(Halt::Unknown);
        }
        if file == self.home {
            self.ran.push(local);
        }
        let is_method = definition.class.is_some() && definition.kind == FunctionKind::Def;
        let receiver = is_method.then(|| definition.parameters.first().map(|first| first.name)).flatten();
        if let Some(class) = definition.class.filter(|_| is_method) {
            self.construct(program.class_id(file, class))?;
        }
        let mut body = Body { file, local, model, receiver, names: FxHashMap::default() };
        let mut given = positional.iter();
        for parameter in definition.parameters.iter().skip(usize::from(receiver.is_some())) {
            let named = keywords.iter().find(|(name, _)| *name == parameter.name).map(|keyword| keyword.1.clone());
            let by_position = match parameter.kind {
                ParameterKind::Normal => given.next().cloned(),
                _ => None,
            };
            let value = match (by_position.or(named), parameter.default) {
                (Some(Known::Open { .. }), _) => self.by_convention(parameter.name).unwrap_or(UNIFORM),
                (Some(value), _) => value,
                (None, _) if matches!(parameter.kind, ParameterKind::Positionals | ParameterKind::Keywords) => UNIFORM,
                (None, default) => match (self.by_convention(parameter.name), default) {
                    (Some(value), _) => value,
                    // The outermost function's callers may give anything.
                    (None, Some(default)) if self.depth > 0 => self.expression(&mut body, default)?,
                    _ => UNIFORM,
                },
            };
            body.names.insert(parameter.name, value);
        }
        self.depth += 1;
        let flow = self.block(&mut body, definition.body);
        self.depth -= 1;
        match flow? {
            Flow::Return(value) => Ok(value),
            _ => Ok(Known::None),
        }
    }

    /// What the constructor leaves on the object.
    fn construct(&mut self, class: crate::base::ClassId) -> Result<(), Halt> {
        if self.constructed.is_some() {
            return Ok(());
        }
        self.constructed = Some(class);
        let Some(constructor) = self.program.method(class, Symbol::new("__init__")) else { return Ok(()) };
        let (file, local) = self.program.locate(constructor);
        let before = self.steps.len();
        match self.call_local(file, local, &[], &[]) {
            Ok(_) if self.steps.len() == before => {
                self.forget_filled(class);
                Ok(())
            }
            Ok(_) => Err(Halt::Unknown),
            Err(_) => {
                self.steps.truncate(before);
                self.attributes.clear();
                Ok(())
            }
        }
    }

    /// What lists hold that a method of the object fills later on, or makes anew, is not what they begin with.
    fn forget_filled(&mut self, class: crate::base::ClassId) {
        let (file, local) = self.program.locate_class(class);
        let model = &self.program.file(file).model;
        let methods = model.class(local).methods.iter().filter(|(name, _)| name.as_str() != "__init__");
        let mut filled: Vec<Symbol> = Vec::new();
        for &(_, method) in methods {
            each_statement(model, model.function(method).body, &mut |_, stmt| {
                filled.extend(written_by(model, stmt).into_iter().filter_map(|target| match model.expr(target) {
                    Expr::Attribute { name, .. } => Some(name),
                    _ => None,
                }));
            });
        }
        for (name, known) in &mut self.attributes {
            if matches!(known, Known::Sequence(_)) && filled.contains(name) {
                *known = DIFFERS;
            }
        }
    }

    /// What a name conventionally holds.
    fn by_convention(&self, name: Symbol) -> Option<Known> {
        let value = &self.program.catalog.convention(name)?.value;
        Some(self.meaning(&value.kind, value.axis))
    }

    fn meaning(&self, kind: &ValueKind, axis: Symbol) -> Known {
        let world = axis.as_str() == "world";
        match kind {
            ValueKind::Rank if world => Known::Int(self.rank),
            ValueKind::Size if world => Known::Int(self.size),
            ValueKind::First if world => Known::Bool(self.rank == 0),
            ValueKind::Last if world => Known::Bool(self.rank + 1 == self.size),
            ValueKind::Size | ValueKind::Uniform | ValueKind::Environment | ValueKind::Group => UNIFORM,
            _ => DIFFERS,
        }
    }

    fn spend(&mut self) -> Result<(), Halt> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Halt::Unknown)?;
        Ok(())
    }

    fn block(&mut self, body: &mut Body<'p>, block: Block) -> Result<Flow, Halt> {
        let model = body.model;
        for &id in model.block(block) {
            match self.statement(body, model.stmt(id))? {
                Flow::On => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::On)
    }

    fn statement(&mut self, body: &mut Body<'p>, stmt: &'p Stmt) -> Result<Flow, Halt> {
        self.spend()?;
        let model = body.model;
        match stmt {
            Stmt::Expr(expr) => {
                self.expression(body, *expr)?;
            }
            Stmt::Assign { targets, value } => {
                let value = self.expression(body, *value)?;
                for &target in model.list(*targets) {
                    self.assign(body, target, &value);
                }
            }
            Stmt::Annotated { target, value: Some(value), .. } => {
                let value = self.expression(body, *value)?;
                self.assign(body, *target, &value);
            }
            Stmt::AugAssign { target, op, value } => {
                let old = self.expression(body, *target)?;
                let value = self.expression(body, *value)?;
                let value = arithmetic(*op, old, value);
                self.assign(body, *target, &value);
            }
            Stmt::Return(value) => {
                let value = value.map_or(Ok(Known::None), |value| self.expression(body, value))?;
                return Ok(Flow::Return(value));
            }
            Stmt::If { test, body: then, orelse } => {
                return match truth(&self.expression(body, *test)?) {
                    Some(true) => self.block(body, *then),
                    Some(false) => self.block(body, *orelse),
                    None => self.unknown_arms(body, &[*then, *orelse]),
                };
            }
            Stmt::While { test, body: inner, orelse } => {
                for _ in 0..MAX_TURNS {
                    match truth(&self.expression(body, *test)?) {
                        Some(true) => {}
                        Some(false) => return self.block(body, *orelse),
                        None => return self.unknown_arms(body, &[*inner, *orelse]),
                    }
                    match self.block(body, *inner)? {
                        Flow::Break => return Ok(Flow::On),
                        Flow::On | Flow::Continue => {}
                        flow @ Flow::Return(_) => return Ok(flow),
                    }
                }
                return Err(Halt::Unknown);
            }
            Stmt::For { target, iter, body: inner, orelse } => {
                let iter = self.expression(body, *iter)?;
                return self.for_loop(body, *target, iter, *inner, *orelse);
            }
            Stmt::With { items, body: inner } => {
                for item in items {
                    let value = self.expression(body, item.context)?;
                    if let Some(target) = item.target {
                        self.assign(body, target, &value);
                    }
                }
                return self.block(body, *inner);
            }
            Stmt::Match { cases, .. } => {
                for case in cases {
                    let matches = match case.irrefutable {
                        true => Some(true),
                        false => truth(&self.expression(body, case.test)?),
                    };
                    match matches {
                        Some(true) => return self.block(body, case.body),
                        Some(false) => {}
                        None => {
                            let arms: Vec<Block> = cases.iter().map(|case| case.body).collect();
                            return self.unknown_arms(body, &arms);
                        }
                    }
                }
            }
            Stmt::Try(parts) => {
                let flow = self.block(body, parts.body)?;
                let flow = match flow {
                    Flow::On => self.block(body, parts.orelse)?,
                    flow => flow,
                };
                return match self.block(body, parts.finally)? {
                    Flow::On => Ok(flow),
                    last => Ok(last),
                };
            }
            Stmt::Raise(_) => return Err(Halt::Raised),
            Stmt::Assert(test) => {
                if truth(&self.expression(body, *test)?) == Some(false) {
                    return Err(Halt::Raised);
                }
            }
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Function(_)
            | Stmt::Class(_)
            | Stmt::Import(_)
            | Stmt::Outer(_)
            | Stmt::Delete(_)
            | Stmt::Annotated { .. } => {}
        }
        Ok(Flow::On)
    }

    fn for_loop(
        &mut self,
        body: &mut Body<'p>,
        target: ExprId,
        iter: Known,
        inner: Block,
        orelse: Block,
    ) -> Result<Flow, Halt> {
        let items = match iter {
            Known::Sequence(items) if items.len() <= MAX_TURNS => items,
            // As often on every rank; twice stands for it.
            Known::Open { differs: false } => vec![UNIFORM, UNIFORM],
            _ => return self.unknown_arms(body, &[inner, orelse]),
        };
        for item in items {
            self.assign(body, target, &item);
            match self.block(body, inner)? {
                Flow::Break => return Ok(Flow::On),
                Flow::On | Flow::Continue => {}
                flow @ Flow::Return(_) => return Ok(flow),
            }
        }
        self.block(body, orelse)
    }

    fn assign(&mut self, body: &mut Body<'p>, target: ExprId, value: &Known) {
        let model = body.model;
        match model.expr(target) {
            Expr::Name(name) => {
                let value = match value {
                    // A name says more than a call that nobody can look into.
                    Known::Open { .. } => self.by_convention(name).unwrap_or_else(|| value.clone()),
                    _ => value.clone(),
                };
                body.names.insert(name, value);
            }
            Expr::Attribute { value: object, name } if body.is_receiver(object) => {
                self.attributes.insert(name, value.clone());
            }
            Expr::Tuple(parts) | Expr::ListDisplay(parts) => {
                for (index, &part) in model.list(parts).iter().enumerate() {
                    let value = match value {
                        Known::Sequence(values) => values.get(index).cloned().unwrap_or(DIFFERS),
                        Known::Open { differs } => Known::Open { differs: *differs },
                        _ => DIFFERS,
                    };
                    self.assign(body, part, &value);
                }
            }
            Expr::Subscript(container, _) => {
                if let Expr::Name(name) = model.expr(container) {
                    body.names.insert(name, DIFFERS);
                }
            }
            _ => {}
        }
    }
}

impl Body<'_> {
    fn is_receiver(&self, expr: ExprId) -> bool {
        self.receiver.is_some_and(|receiver| self.model.expr(expr) == Expr::Name(receiver))
    }
}
