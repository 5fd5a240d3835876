//! Parameters that hold a batch, though they are not called so: callers hand them one, or they are read as one.
//!
//! An evaluator's `process` keeps what the model has found in this rank's batches, and `summarize` asks whether it has
//! kept anything: nothing in the class names a rank or a loader. Who fills a container is therefore looked up at its
//! callers; what is indexed by a field that only batches of tokens have is a batch, and so is what its callers hand it.

mod calls;
mod fields;
mod keepers;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Symbol};
use crate::model::{
    Expr, ExprId, File, Function, LocalFunction, Stmt, each_call, each_expression, each_statement, names_in,
};

use super::blocks::function_around;
use super::evaluate::data::{agrees, is_batch, is_count, is_loader};
use super::program::Program;
use calls::{callees, given, names_one};
use fields::{enters_all, says_what_is_in};
use keepers::Keepers;

/// Fields that tell a batch of tokens from any other mapping.
const FIELDS: [&str; 3] = ["input_ids", "attention_mask", "token_type_ids"];

/// Keys that tell the state of a program from a batch: it may hold the batch beside everything else.
const KEYS_OF_STATES: [&str; 8] =
    ["model", "optimizer", "scheduler", "tokenizer", "rank", "world_size", "device", "config"];

/// Calls that a batch is followed through, up to callers and down to who keeps it.
const ROUNDS: usize = 3;

/// Functions that make one of two, of which the second may be a batch's.
const COLLECTS: [&str; 9] = ["max", "min", "sum", "add", "cat", "concat", "concatenate", "stack", "nested_concat"];

/// Methods that put what they are given into a container.
const FILLING: [&str; 6] = ["append", "extend", "insert", "add", "update", "setdefault"];

/// Parameters that hold a batch.
#[derive(Default)]
pub(super) struct Fed {
    positions: FxHashSet<(FunctionId, u16)>,
    names: FxHashSet<(Symbol, Symbol)>,
    /// Of the positions those that are handed a field of a batch.
    fields: FxHashSet<(FunctionId, u16)>,
    /// Attributes that such a parameter is put into by another function.
    attributes: FxHashSet<Symbol>,
}

impl Fed {
    /// Looks through the program.
    pub(super) fn of(program: &Program) -> Fed {
        let mut fed = Fed::default();
        let loaders: FxHashSet<Symbol> = Symbol::matching(is_loader).into_iter().collect();
        let mut fresh = fed.read(program);
        for _ in 0..ROUNDS {
            fresh = fed.handed_by(program, &fresh);
            if fresh.is_empty() {
                break;
            }
        }
        let mut rounds = Keepers::new(program);
        let mut homes = fed.homes(program, &loaders);
        for _ in 0..ROUNDS {
            let mut next = Vec::new();
            for &(file, local) in &homes {
                next.extend(fed.forwards(&mut rounds, file, local, &loaders));
            }
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                break;
            }
            homes = next.into_iter().map(|function| program.locate(function)).collect();
        }
        fed.attributes = rounds.handed;
        fed
    }

    /// Whether the parameter at that position holds a batch.
    pub(super) fn holds(&self, function: FunctionId, position: u16) -> bool {
        self.positions.contains(&(function, position))
    }

    /// Whether what it holds is a field of a batch, as its caller hands it over.
    pub(super) fn holds_field(&self, function: FunctionId, position: u16) -> bool {
        self.fields.contains(&(function, position))
    }

    /// Whether some function of that name has such a parameter.
    pub(super) fn names(&self, function: Symbol, parameter: Symbol) -> bool {
        self.names.contains(&(function, parameter))
    }

    /// Attributes that are filled by a function that is handed them.
    pub(super) fn attributes(&self) -> impl Iterator<Item = Symbol> {
        self.attributes.iter().copied()
    }

    /// Notes a parameter, which may be a field of a batch; whether it is a new one.
    fn add(&mut self, program: &Program, function: FunctionId, position: u16, is_field: bool) -> bool {
        let definition = program.function(function);
        let Some(parameter) = definition.parameters.get(usize::from(position)) else { return false };
        let (file, _) = program.locate(function);
        let model = &program.file(file).model;
        if parameter.annotation.is_some_and(|annotation| is_no_batch(model, annotation, is_field)) {
            return false;
        }
        self.names.insert((definition.name, parameter.name));
        self.positions.insert((function, position))
    }

    /// Parameters from which a field of a batch of tokens is read.
    fn read(&mut self, program: &Program) -> Vec<FunctionId> {
        let among = |keys: &[&str]| -> FxHashSet<Symbol> {
            Symbol::matching(|name| keys.contains(&name.as_str())).into_iter().collect()
        };
        let (fields, keys_of_states) = (among(&FIELDS), among(&KEYS_OF_STATES));
        let mut found = Vec::new();
        if fields.is_empty() {
            return found;
        }
        for file in program.file_ids() {
            let model = &program.file(file).model;
            let (mut batches, mut states) = (Vec::new(), FxHashSet::default());
            for expr in (0..model.expr_count() as u32).map(ExprId) {
                if let Expr::Subscript(batch, key) = model.expr(expr)
                    && let (Expr::Name(name), Expr::Str(key)) = (model.expr(batch), model.expr(key))
                    && (fields.contains(&key) || keys_of_states.contains(&key))
                    && let Some(local) = function_around(model, model.span(expr))
                    && let Some(position) = place(model.function(local), name)
                {
                    match fields.contains(&key) {
                        true => batches.push((local, position)),
                        false => drop(states.insert((local, position))),
                    }
                }
            }
            for (local, position) in batches.into_iter().filter(|batch| !states.contains(batch)) {
                let function = program.function_id(file, local);
                if self.add(program, function, position, false) {
                    found.push(function);
                }
            }
        }
        found
    }

    /// Parameters that callers hand on to the functions, or in parts, where those take a batch; who has them.
    fn handed_by(&mut self, program: &Program, called: &[FunctionId]) -> Vec<FunctionId> {
        let mut wanted: FxHashMap<Symbol, Vec<FunctionId>> = FxHashMap::default();
        for &function in called {
            wanted.entry(program.function(function).name).or_default().push(function);
        }
        let mut found = Vec::new();
        if wanted.is_empty() {
            return found;
        }
        for file in program.file_ids() {
            let model = &program.file(file).model;
            for (index, caller) in model.functions.iter().enumerate() {
                if caller.skeleton || caller.parameters.is_empty() || !names_one(caller, &wanted) {
                    continue;
                }
                let local = LocalFunction(index as u32);
                let function = program.function_id(file, local);
                each_call(model, local, &mut |_, call| {
                    for callee in callees(program, file, local, call, &wanted) {
                        let given = given(program, model, call, callee);
                        for (at, argument) in given {
                            if !self.holds(callee, at) {
                                continue;
                            }
                            let Some(position) = whole_of(model, caller, argument) else { continue };
                            if self.add(program, function, position, false) {
                                found.push(function);
                            }
                        }
                    }
                });
            }
        }
        found
    }

    /// Functions that have a batch: those that go through a loader, or take one.
    fn homes(&self, program: &Program, loaders: &FxHashSet<Symbol>) -> Vec<(FileId, LocalFunction)> {
        let mut out = Vec::new();
        for file in program.file_ids() {
            for (index, function) in program.file(file).model.functions.iter().enumerate() {
                let takes = || {
                    let mut names = function.parameters.iter().map(|parameter| parameter.name);
                    names.any(|name| is_batch(function.name, name) || self.names(function.name, name))
                };
                if !function.skeleton && (function.mentions.iter().any(|name| loaders.contains(name)) || takes()) {
                    out.push((file, LocalFunction(index as u32)));
                }
            }
        }
        out
    }

    /// Notes the parameters of methods that keep what the function hands them of its batches; those methods.
    fn forwards(
        &mut self,
        keepers: &mut Keepers<'_>,
        file: FileId,
        local: LocalFunction,
        loaders: &FxHashSet<Symbol>,
    ) -> Vec<FunctionId> {
        let program = keepers.program;
        let model = &program.file(file).model;
        let function = model.function(local);
        let own = program.function_id(file, local);
        let held = self.held(model, function, own, loaders);
        let mut found = Vec::new();
        if held.is_empty() {
            return found;
        }
        each_call(model, local, &mut |_, call| {
            let parts = model.list(call.args).iter().copied();
            let parts = parts.chain(model.keywords(call).iter().map(|keyword| keyword.value));
            if !parts.clone().any(|part| is_of(model, part, &held)) {
                return;
            }
            for method in keepers.meant(file, local, call) {
                for (at, argument) in given(program, model, call, method) {
                    if !is_of(model, argument, &held) || !keepers.keeps(method, at) {
                        continue;
                    }
                    let is_field = says_what_is_in(model, function, argument, &held);
                    if is_field && enters_all(model, local, (call, at), &held, loaders) {
                        continue;
                    }
                    if self.add(program, method, at, is_field) {
                        found.push(method);
                        self.fields.extend(is_field.then_some((method, at)));
                    }
                }
            }
        });
        found
    }

    /// The variables of a function that hold a batch or something made of one.
    fn held(
        &self,
        model: &File,
        function: &Function,
        own: FunctionId,
        loaders: &FxHashSet<Symbol>,
    ) -> FxHashSet<Symbol> {
        let parameters = (0..).zip(&function.parameters);
        let mut held: FxHashSet<Symbol> = parameters
            .filter(|(at, parameter)| is_batch(function.name, parameter.name) || self.holds(own, *at))
            .map(|(_, parameter)| parameter.name)
            .collect();
        let mut agreed: FxHashSet<Symbol> = FxHashSet::default();
        each_statement(model, function.body, &mut |_, stmt| {
            let (targets, from_batch) = match stmt {
                Stmt::For { target, iter, .. } => {
                    let mut loads = false;
                    each_expression(model, *iter, &mut |_, expr| {
                        if let Expr::Name(name) | Expr::Attribute { name, .. } = expr {
                            loads |= loaders.contains(&name);
                        }
                    });
                    (vec![*target], loads || is_of(model, *iter, &held))
                }
                Stmt::Assign { targets, value } => {
                    // What a caller has handed in, goes into a step with the batch and comes out again is a state.
                    let is_state = |target: &ExprId| match model.expr(*target) {
                        Expr::Name(name) => place(function, name).is_some() && steps_with(model, *value, name),
                        _ => false,
                    };
                    let targets = model.list(*targets).iter().copied().filter(|target| !is_state(target)).collect();
                    (targets, is_of(model, *value, &held))
                }
                Stmt::Expr(value) => {
                    // What is handed to an operation for the ranks to agree on is no longer this rank's own.
                    if agrees_on(model, *value) {
                        agreed.extend(names_in(model, *value));
                    }
                    return;
                }
                _ => return,
            };
            if from_batch {
                let mut names: Vec<Symbol> = Vec::new();
                for target in targets {
                    match model.expr(target) {
                        Expr::Attribute { .. } | Expr::Subscript(..) => {}
                        _ => names.extend(names_in(model, target)),
                    }
                }
                held.extend(names.into_iter().filter(|&name| !is_count(name)));
            }
        });
        held.retain(|name| !agreed.contains(name));
        held
    }
}

/// Whether it is the call of a step that is handed the variable itself: `forward(batch, state)`, not `max(worst, loss)`.
fn steps_with(model: &File, value: ExprId, name: Symbol) -> bool {
    let Expr::Call(call) = model.expr(value) else { return false };
    let call = model.call(call);
    let collects = model.last_name(call.callee).is_some_and(|callee| COLLECTS.contains(&callee.as_str()));
    !collects && model.list(call.args).iter().any(|&argument| model.expr(argument) == Expr::Name(name))
}

/// Whether an expression has something of the variables in it, beyond their number and shape.
fn is_of(model: &File, root: ExprId, held: &FxHashSet<Symbol>) -> bool {
    match model.expr(root) {
        Expr::Attribute { name, .. } if matches!(name.as_str(), "shape" | "device" | "dtype") => return false,
        Expr::Call(call) => {
            let callee = model.call(call).callee;
            if let Expr::Name(name) | Expr::Attribute { name, .. } = model.expr(callee)
                && (matches!(name.as_str(), "len" | "size" | "numel" | "isinstance" | "dim") || agrees(name.as_str()))
            {
                return false;
            }
        }
        _ => {}
    }
    let mut found = false;
    each_expression(model, root, &mut |_, expr| {
        if let Expr::Name(name) = expr {
            found |= held.contains(&name);
        }
    });
    found
}

/// Whether a statement is a call of something that agrees, by its name.
fn agrees_on(model: &File, expr: ExprId) -> bool {
    let Expr::Call(call) = model.expr(expr) else { return false };
    match model.expr(model.call(call).callee) {
        Expr::Name(name) | Expr::Attribute { name, .. } => agrees(name.as_str()),
        _ => false,
    }
}

/// Whether an annotation says that something is no part of a batch: a number, a name, a module. A field may be a name, or a
/// number that stands for one.
fn is_no_batch(model: &File, annotation: ExprId, is_field: bool) -> bool {
    match model.expr(annotation) {
        Expr::Name(name) | Expr::Attribute { name, .. } => {
            let may_name = is_field && matches!(name.as_str(), "int" | "str");
            let plain = matches!(name.as_str(), "int" | "float" | "bool" | "str" | "Callable" | "Path" | "Optimizer");
            plain && !may_name || ["Module", "Config", "Model"].iter().any(|end| name.as_str().ends_with(end))
        }
        _ => false,
    }
}

/// The parameter that an argument is, whole or in parts: itself, an element of what it yields, a part of it.
fn whole_of(model: &File, caller: &Function, argument: ExprId) -> Option<u16> {
    let Expr::Name(name) = model.expr(argument) else { return None };
    let bound = usize::from(caller.class.is_some());
    if let Some(position) = place(caller, name) {
        return Some(position).filter(|&position| usize::from(position) >= bound);
    }
    let mut sources: Vec<ExprId> = Vec::new();
    each_statement(model, caller.body, &mut |_, stmt| match stmt {
        Stmt::For { target, iter, .. } if model.expr(*target) == Expr::Name(name) => sources.push(*iter),
        Stmt::Assign { targets, value }
            if model.list(*targets).iter().any(|&to| model.expr(to) == Expr::Name(name)) =>
        {
            sources.push(*value);
        }
        _ => {}
    });
    let [source] = sources[..] else { return None };
    let mut parameters: Vec<u16> = names_in(model, source).into_iter().filter_map(|name| place(caller, name)).collect();
    parameters.retain(|&position| usize::from(position) >= bound);
    parameters.dedup();
    match parameters[..] {
        [only] => Some(only),
        _ => None,
    }
}

fn place(function: &Function, parameter: Symbol) -> Option<u16> {
    function.parameters.iter().position(|known| known.name == parameter).map(|at| at as u16)
}
