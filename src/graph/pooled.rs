//! Data of which a function pools a statistic over ranks: until then each rank has its own.
//!
//! In `total = sum(norm(g) for g in grads); all_reduce(total)` nothing says where the gradients come from, but a sum over
//! ranks would be pointless if all of them had the same: `if not grads: return` before it may hold on one rank alone.
//! Only statistics tell so much. What is pooled as it is has one shape on all ranks, and is there on all or on none.

mod statistics;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Symbol};
use crate::catalog::{Entry, Operation, OperationKind};
use crate::model::{Call, CompareOp, Expr, ExprId, File, LocalFunction, Stmt, UnaryOp, each_call, each_statement};

use super::conduct::bodies;
use super::evaluate::BACKWARD;
use super::evaluate::data::is_count;
use super::program::Program;
use super::resolve::Target;
use statistics::{Chain, chain_of, names_statistic};

/// Methods and functions that make a number of what is in a tensor, or a mark of each of its elements.
const ANSWERS: [&str; 13] =
    ["item", "sum", "any", "all", "max", "min", "mean", "norm", "isnan", "isinf", "isfinite", "abs", "count_nonzero"];

/// Calls up to callers that what a function pools of its parameters is followed through.
const ROUNDS: usize = 2;

/// Questions about data that is pooled in the same function.
#[derive(Default)]
pub(super) struct Pooled {
    questions: FxHashMap<FunctionId, FxHashSet<ExprId>>,
    /// Parameters of which a function pools a statistic.
    parameters: FxHashMap<FunctionId, Vec<u16>>,
}

impl Pooled {
    /// Looks through the program.
    pub(super) fn of(program: &Program) -> Pooled {
        let is_pooling = |(name, entry): (Symbol, &Entry)| pools(entry).map(|_| name.last_part());
        let mut wanted: FxHashSet<Symbol> = program.catalog.entries().filter_map(is_pooling).collect();
        wanted.insert(Symbol::new(BACKWARD));
        let mut pooled = Pooled::default();
        for _ in 0..=ROUNDS {
            let mut fresh: FxHashSet<Symbol> = FxHashSet::default();
            // As it was known before the round: which file comes first must not matter.
            let known = pooled.parameters.clone();
            for (file, local) in bodies(program) {
                let model = &program.file(file).model;
                let calls_one = |expr: ExprId| model.last_name(expr).is_some_and(|name| wanted.contains(&name));
                if model.function(local).callees.iter().any(|callee| calls_one(callee.expr)) {
                    fresh.extend(pooled.read(program, &known, file, local));
                }
            }
            if fresh.is_empty() {
                break;
            }
            wanted = fresh;
        }
        pooled
    }

    /// Whether an expression of a function asks for data that is pooled in it.
    pub(super) fn asks(&self, function: FunctionId, expr: ExprId) -> bool {
        self.questions.get(&function).is_some_and(|questions| questions.contains(&expr))
    }

    /// Whether a function asks for data that it pools.
    pub(super) fn holds(&self, function: FunctionId) -> bool {
        self.questions.contains_key(&function)
    }

    /// Reads a function; its name, where that has shown more of its parameters to be pooled.
    fn read(
        &mut self,
        program: &Program,
        known: &FxHashMap<FunctionId, Vec<u16>>,
        file: FileId,
        local: LocalFunction,
    ) -> Option<Symbol> {
        let model = &program.file(file).model;
        let id = program.function_id(file, local);
        let mut payloads: Vec<(ExprId, bool)> = Vec::new();
        each_call(model, local, &mut |_, call| match program.target(file, local, call.callee) {
            Some(Target::External(dotted)) => {
                let operation = program.catalog.entry(dotted).and_then(pools);
                payloads
                    .extend(operation.and_then(|operation| payload(model, call, operation)).map(|expr| (expr, false)));
            }
            Some(Target::Function(callee)) if callee != id => {
                let Some(positions) = known.get(&callee) else { return };
                let given = given(program, model, call, callee);
                payloads.extend(given.filter(|(at, _)| positions.contains(at)).map(|(_, expr)| (expr, true)));
            }
            _ => payloads.extend(loss(model, call).map(|expr| (expr, false))),
        });
        if payloads.is_empty() {
            return None;
        }
        let definition = model.function(local);
        let chain = chain_of(model, local, payloads);
        let mut questions = FxHashSet::default();
        each_statement(model, definition.body, &mut |_, stmt| {
            if let Stmt::If { test, .. } | Stmt::Assert(test) = stmt {
                collect(model, &chain, *test, &mut questions);
            }
        });
        if !questions.is_empty() {
            self.questions.insert(id, questions);
        }
        let bound = definition.parameters.iter().enumerate();
        let positions: Vec<u16> =
            bound.filter(|(_, parameter)| chain.holds_statistic(parameter.name)).map(|(at, _)| at as u16).collect();
        if positions.len() <= self.parameters.get(&id).map_or(0, Vec::len) {
            return None;
        }
        self.parameters.insert(id, positions);
        Some(definition.name)
    }
}

/// The loss of a backward pass, which pools gradients where the model is wrapped: `loss.backward()`,
/// `engine.backward(loss)`.
fn loss(model: &File, call: Call) -> Option<ExprId> {
    let Expr::Attribute { value, name } = model.expr(call.callee) else { return None };
    let given = model.list(call.args).first().copied();
    (name.as_str() == BACKWARD).then_some(given.unwrap_or(value))
}

/// An operation that makes one of what each rank has of its own: it reduces, or gathers.
fn pools(entry: &Entry) -> Option<&Operation> {
    let Entry::Operation(operation) = entry else { return None };
    let gathers = operation.op.as_str().contains("gather");
    let pools = operation.kind == OperationKind::Collective
        && !operation.implicit
        && !operation.broadcast
        && (operation.reduce_operator.is_some() || gathers || operation.op.as_str() == "all_reduce");
    (pools && !operation.shaped.is_empty()).then_some(operation)
}

/// What a rank puts in.
fn payload(model: &File, call: Call, operation: &Operation) -> Option<ExprId> {
    let operand = operation.shaped.first()?;
    let by_name = model.keywords(call).iter().find(|keyword| keyword.name == Some(operand.parameter));
    let by_position = || model.list(call.args).get(usize::from(operand.position?)).copied();
    by_name.map(|keyword| keyword.value).or_else(by_position)
}

/// The arguments of a call of a function by the positions of its parameters.
fn given<'m>(
    program: &'m Program,
    model: &'m File,
    call: Call,
    callee: FunctionId,
) -> impl Iterator<Item = (u16, ExprId)> + 'm {
    let parameters = &program.function(callee).parameters;
    let named = model.keywords(call).iter().filter_map(move |keyword| {
        let at = parameters.iter().position(|parameter| Some(parameter.name) == keyword.name)?;
        Some((at as u16, keyword.value))
    });
    model.list(call.args).iter().enumerate().map(|(at, &expr)| (at as u16, expr)).chain(named)
}

/// The parts of a condition that ask how much there is of data whose statistic is pooled, or what it comes to.
fn collect(model: &File, chain: &Chain, test: ExprId, out: &mut FxHashSet<ExprId>) {
    match model.expr(test) {
        Expr::And(parts) | Expr::Or(parts) => {
            model.list(parts).iter().for_each(|&part| collect(model, chain, part, out));
        }
        Expr::Unary(UnaryOp::Not, inner) => collect(model, chain, inner, out),
        Expr::Compare(op, left, right) => {
            // A loss that is nothing at all is a part of the model that is switched off.
            let is_loss = |expr: ExprId| model.last_name(expr).is_some_and(|name| name.as_str().contains("loss"));
            let compares = match op {
                CompareOp::Is | CompareOp::IsNot | CompareOp::In | CompareOp::NotIn => false,
                CompareOp::Eq | CompareOp::NotEq => !is_loss(left) && !is_loss(right),
                _ => true,
            };
            let measured = is_number(model, right) && measures(model, chain, left)
                || is_number(model, left) && measures(model, chain, right);
            if compares && measured {
                out.insert(test);
            }
        }
        Expr::Name(_) if measures(model, chain, test) => drop(out.insert(test)),
        Expr::Call(call) => {
            let asks = |name: Symbol| matches!(name.as_str(), "any" | "all" | "isnan" | "isinf" | "isfinite");
            if model.last_name(model.call(call).callee).is_some_and(asks) && measures(model, chain, test) {
                out.insert(test);
            }
        }
        _ => {}
    }
}

/// A number that is written out; floats are not kept.
fn is_number(model: &File, expr: ExprId) -> bool {
    match model.expr(expr) {
        Expr::Int(_) | Expr::Missing => true,
        Expr::Unary(UnaryOp::Minus | UnaryOp::Plus, inner) => is_number(model, inner),
        _ => false,
    }
}

/// Whether an expression is a number made of such data: how many elements there are where only a statistic of them is
/// pooled, and what it comes to. How long a tensor is along any axis but the first is a matter of the model; so is, as a
/// rule, how many there are in a list of parameters, of gradients or of entries, but for a list that is called this rank's
/// and for what was picked from data.
fn measures(model: &File, chain: &Chain, expr: ExprId) -> bool {
    let counted = |expr: ExprId| matches!(model.expr(expr), Expr::Name(name) if chain.holds_statistic(name) && !is_parameter(name));
    let is_list = |expr: ExprId| counted(expr) && matches!(model.expr(expr), Expr::Name(name) if is_own(name));
    let is_picked = |expr: ExprId| matches!(model.expr(expr), Expr::Name(name) if chain.counts(name));
    match model.expr(expr) {
        Expr::Name(name) => chain.holds(name) && is_result(name) || is_list(expr),
        Expr::Subscript(whole, at) => {
            let sizes = match model.expr(whole) {
                Expr::Attribute { value, name } if name.as_str() == "shape" => Some(value),
                Expr::Call(call) => sized(model, model.call(call)),
                _ => None,
            };
            model.expr(at) == Expr::Int(0) && sizes.is_some_and(counted)
        }
        Expr::Call(call) => {
            let call = model.call(call);
            match (model.expr(call.callee), model.list(call.args)) {
                (Expr::Name(name), &[of]) if name.as_str() == "len" => is_list(of) || is_picked(of),
                (Expr::Name(name), &[of]) if matches!(name.as_str(), "abs" | "int" | "float") => {
                    measures(model, chain, of)
                }
                (Expr::Attribute { value, name }, &[at]) if name.as_str() == "size" => {
                    model.expr(at) == Expr::Int(0) && counted(value)
                }
                (Expr::Attribute { value, name }, &[]) if matches!(name.as_str(), "numel" | "nelement") => {
                    counted(value)
                }
                (Expr::Attribute { value, name }, args) if ANSWERS.contains(&name.as_str()) => {
                    // Which norm it is, is a setting.
                    let data = |name: Symbol| chain.holds(name) && !name.as_str().ends_with("type");
                    let known = |expr: ExprId| matches!(model.expr(expr), Expr::Name(name) if data(name));
                    let inner = |expr: ExprId| known(expr) || measures(model, chain, expr);
                    match *args {
                        [] => inner(value),
                        [of] => inner(of),
                        _ => false,
                    }
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// What `tensor.size()` is called on.
fn sized(model: &File, call: Call) -> Option<ExprId> {
    match model.expr(call.callee) {
        Expr::Attribute { value, name } if name.as_str() == "size" && model.list(call.args).is_empty() => Some(value),
        _ => None,
    }
}

/// Whether something is called a statistic, and not a number of steps or ranks.
fn is_result(name: Symbol) -> bool {
    let counts = ["size", "steps", "iters", "epochs", "batches", "type"].iter().any(|end| name.as_str().ends_with(end));
    names_statistic(name) && !is_count(name) && !counts
}

/// Whether something is called a parameter of a model, whose size the model sets.
fn is_parameter(name: Symbol) -> bool {
    !is_own(name) && name.as_str().split('_').any(|word| matches!(word, "param" | "parameter"))
}

/// Whether something is called this rank's own.
fn is_own(name: Symbol) -> bool {
    name.as_str().split('_').any(|word| matches!(word, "local" | "own" | "my" | "shard" | "sharded" | "shards"))
}
