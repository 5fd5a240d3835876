//! Runs a function for one rank, as far as numbers are known, and notes what it sends and receives.

mod call;

use rustc_hash::FxHashMap;

use crate::base::{FileId, FunctionId, Symbol};
use crate::catalog::ValueKind;
use crate::model::{
    Block, Expr, ExprId, File, FunctionKind, LocalFunction, ParameterKind, Stmt, UnaryOp, each_statement,
};

use super::super::program::Program;
use super::super::resolve::{Scope, Target};
use super::known::{DIFFERS, Known, MAX_TURNS, UNIFORM, arithmetic, compare, open, truth};
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
            Ok(_) if self.steps.len() == before => Ok(()),
            Ok(_) => Err(Halt::Unknown),
            Err(_) => {
                self.steps.truncate(before);
                self.attributes.clear();
                Ok(())
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

    /// Nobody knows which block runs, or how often: none may send or receive, nor leave.
    fn unknown_arms(&mut self, body: &mut Body<'p>, blocks: &[Block]) -> Result<Flow, Halt> {
        let model = body.model;
        for &block in blocks {
            let mut targets: Vec<ExprId> = Vec::new();
            let mut leaves = false;
            let mut speaks = false;
            each_statement(model, block, &mut |_, stmt| {
                match stmt {
                    Stmt::Assign { targets: list, .. } => targets.extend(model.list(*list)),
                    Stmt::AugAssign { target, .. } | Stmt::Annotated { target, .. } | Stmt::For { target, .. } => {
                        targets.push(*target);
                    }
                    // An error ends the job; whatever else ends the block decides about what follows.
                    Stmt::Return(_) | Stmt::Break | Stmt::Continue => leaves = true,
                    _ => {}
                }
                for root in crate::model::expressions_of(model, stmt) {
                    speaks |= self.speaks(body, root);
                }
            });
            if leaves || speaks {
                return Err(Halt::Unknown);
            }
            for target in targets {
                self.assign(body, target, &DIFFERS);
            }
        }
        Ok(Flow::On)
    }

    /// Whether evaluating the expression may send or receive.
    fn speaks(&self, body: &Body<'p>, root: ExprId) -> bool {
        let mut found = false;
        crate::model::each_expression(body.model, root, &mut |_, expr| {
            if let Expr::Call(call) = expr {
                let call = body.model.call(call);
                let by_name = match body.model.expr(call.callee) {
                    Expr::Name(name) | Expr::Attribute { name, .. } => super::is_message_name(name) || wire(name),
                    _ => false,
                };
                found = found
                    || by_name
                    || super::called(self.program, body.file, body.local, call.callee)
                        .is_some_and(|function| self.may_speak(function, 3));
            }
        });
        found
    }

    /// Whether the function, or one that it calls, names a point-to-point operation.
    fn may_speak(&self, function: FunctionId, fuel: u32) -> bool {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        if definition.mentions.iter().any(|&name| super::is_message_name(name) || wire(name)) {
            return true;
        }
        let Some(fuel) = fuel.checked_sub(1) else { return true };
        let mut found = false;
        crate::model::each_call(model, local, &mut |_, call| {
            found = found
                || super::called(self.program, file, local, call.callee)
                    .is_some_and(|callee| callee != function && self.may_speak(callee, fuel));
        });
        found
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

    fn expression(&mut self, body: &mut Body<'p>, id: ExprId) -> Result<Known, Halt> {
        self.spend()?;
        let model = body.model;
        Ok(match model.expr(id) {
            Expr::None => Known::None,
            Expr::Bool(known) => Known::Bool(known),
            Expr::Int(known) => Known::Int(known),
            Expr::Str(text) => Known::Str(text),
            Expr::Name(name) => self.name(body, name, id),
            Expr::Attribute { value, name } => {
                if body.is_receiver(value)
                    && let Some(known) = self.attributes.get(&name)
                {
                    return Ok(match known {
                        Known::Open { .. } => self.by_convention(name).unwrap_or(known.clone()),
                        _ => known.clone(),
                    });
                }
                self.reference(body, id).or_else(|| self.by_convention(name)).unwrap_or(UNIFORM)
            }
            Expr::Call(call) => self.call(body, model.call(call), id)?,
            Expr::Unary(op, value) => {
                let value = self.expression(body, value)?;
                match (op, truth(&value), value) {
                    (UnaryOp::Not, Some(known), _) => Known::Bool(!known),
                    (UnaryOp::Minus, _, Known::Int(known)) => Known::Int(-known),
                    (UnaryOp::Plus, _, value) => value,
                    (_, _, value) => open(&[&value]),
                }
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.expression(body, left)?, self.expression(body, right)?);
                arithmetic(op, left, right)
            }
            Expr::Compare(op, left, right) => {
                let (left, right) = (self.expression(body, left)?, self.expression(body, right)?);
                compare(op, &left, &right)
            }
            Expr::And(list) | Expr::Or(list) => {
                let stops = matches!(model.expr(id), Expr::Or(_));
                let mut last = Known::None;
                for &part in model.list(list) {
                    last = self.expression(body, part)?;
                    match truth(&last) {
                        Some(known) if known == stops => break,
                        Some(_) => {}
                        None => {
                            if model.list(list).iter().any(|&part| self.speaks(body, part)) {
                                return Err(Halt::Unknown);
                            }
                            return Ok(last);
                        }
                    }
                }
                last
            }
            Expr::IfElse { test, then, otherwise } => match truth(&self.expression(body, test)?) {
                Some(true) => self.expression(body, then)?,
                Some(false) => self.expression(body, otherwise)?,
                None if self.speaks(body, then) || self.speaks(body, otherwise) => return Err(Halt::Unknown),
                None => DIFFERS,
            },
            Expr::Subscript(value, index) => {
                let (value, index) = (self.expression(body, value)?, self.expression(body, index)?);
                match (value, index) {
                    (Known::Sequence(parts), Known::Int(at)) => {
                        let at = if at < 0 { at + parts.len() as i64 } else { at };
                        usize::try_from(at).ok().and_then(|at| parts.get(at).cloned()).unwrap_or(DIFFERS)
                    }
                    (value, index) => open(&[&value, &index]),
                }
            }
            Expr::Tuple(list) | Expr::ListDisplay(list) => {
                let mut parts = Vec::new();
                for &part in model.list(list) {
                    if matches!(model.expr(part), Expr::Starred(_)) {
                        return Ok(DIFFERS);
                    }
                    parts.push(self.expression(body, part)?);
                }
                Known::Sequence(parts)
            }
            Expr::Comprehension(index) => {
                let comprehension = model.comprehension(index);
                let mut parts = Vec::new();
                match self.comprehension(body, comprehension, 0, &mut parts)? {
                    true => Known::Sequence(parts),
                    false => UNIFORM,
                }
            }
            Expr::Await(value) | Expr::Starred(value) => self.expression(body, value)?,
            Expr::Walrus(name, value) => {
                let value = self.expression(body, value)?;
                body.names.insert(name, value.clone());
                value
            }
            Expr::Slice(_) | Expr::Missing | Expr::Format(_) | Expr::Set(_) | Expr::Dict(_) | Expr::Lambda(_) => {
                if self.speaks(body, id) {
                    return Err(Halt::Unknown);
                }
                DIFFERS
            }
            Expr::Yield(_) | Expr::YieldFrom(_) => return Err(Halt::Unknown),
        })
    }

    /// Fills `out`; whether everything that decides about its length is known.
    fn comprehension(
        &mut self,
        body: &mut Body<'p>,
        comprehension: &'p crate::model::Comprehension,
        depth: usize,
        out: &mut Vec<Known>,
    ) -> Result<bool, Halt> {
        let Some(clause) = comprehension.clauses.get(depth) else {
            let element = self.expression(body, comprehension.element)?;
            out.push(element);
            return Ok(true);
        };
        let Known::Sequence(items) = self.expression(body, clause.iter)? else {
            return match self.speaks(body, comprehension.element) {
                true => Err(Halt::Unknown),
                false => Ok(false),
            };
        };
        if items.len() > MAX_TURNS {
            return Err(Halt::Unknown);
        }
        for item in items {
            self.assign(body, clause.target, &item);
            let mut holds = true;
            for &condition in body.model.list(clause.conditions) {
                match truth(&self.expression(body, condition)?) {
                    Some(known) => holds &= known,
                    None if self.speaks(body, comprehension.element) => return Err(Halt::Unknown),
                    None => return Ok(false),
                }
            }
            if holds && !self.comprehension(body, comprehension, depth + 1, out)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn name(&mut self, body: &Body<'p>, name: Symbol, id: ExprId) -> Known {
        if let Some(known) = body.names.get(&name) {
            return known.clone();
        }
        if let Some(known) = self.reference(body, id) {
            return known;
        }
        if self.program.scope_of(body.file, body.local, name) == Scope::Global
            && let Some(Target::Variable(file, name)) = self.program.global(body.file, name)
            && let [value] = self.program.module_values(file, name)
            && let Expr::Int(known) = self.program.file(file).model.expr(*value)
        {
            return Known::Int(known);
        }
        self.by_convention(name).unwrap_or(UNIFORM)
    }

    /// A function or property of a library that is named.
    fn reference(&self, body: &Body<'p>, id: ExprId) -> Option<Known> {
        let Target::External(dotted) = self.program.target(body.file, body.local, id)? else { return None };
        super::kind_of(self.program, dotted).map(Known::Operation)
    }
}

impl Body<'_> {
    fn is_receiver(&self, expr: ExprId) -> bool {
        self.receiver.is_some_and(|receiver| self.model.expr(expr) == Expr::Name(receiver))
    }
}

/// Names under which wrappers of a transport send and receive.
fn wire(name: Symbol) -> bool {
    let name = name.as_str();
    ["send", "recv", "p2p"].iter().any(|part| name.contains(part))
}
