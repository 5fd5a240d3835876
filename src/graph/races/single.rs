//! What one rank runs alone, and questions whether this is that one.

use super::hooks::is_of_who_writes;
use super::words::speaks_of_turns;
use crate::base::{FileId, Symbol};
use crate::catalog::ValueKind;
use crate::graph::program::Program;
use crate::model::{CompareOp, Expr, ExprId, File, LocalFunction, Stmt, UnaryOp};

/// The axis along which nodes differ.
pub(super) const NODES: &str = "host";

/// The axis of all ranks.
const WORLD: &str = "world";

/// What says, where it holds, that there is a job of several processes.
const OF_SEVERAL: [&str; 5] =
    ["is_initialized", "is_distributed", "distributed", "is_dist_initialized", "is_dist_avail_and_initialized"];

/// By what torch knows how many processes there are.
const JOB_SIZE: &str = "WORLD_SIZE";

/// The last name of what is read or called: `rank` and `get_rank` of `self.rank` and `int(dist.get_rank())`.
pub(super) fn read_or_called(model: &File, expr: ExprId) -> Option<Symbol> {
    let Expr::Call(call) = model.expr(expr) else { return model.last_name(expr) };
    let call = model.call(call);
    match (model.expr(call.callee), model.list(call.args)) {
        (Expr::Name(name), &[inner]) if name.as_str() == "int" => read_or_called(model, inner),
        _ => model.last_name(call.callee),
    }
}

/// Whether a condition asks, among other things, whether this is the first rank of all.
pub(in crate::graph) fn asks_for_first_among(program: &Program, model: &File, condition: ExprId) -> bool {
    let is_first = |expr: ExprId| {
        let value = read_or_called(model, expr)
            .and_then(|name| program.catalog.convention(name))
            .map(|convention| &convention.value);
        value.is_some_and(|value| value.kind == ValueKind::First && value.axis.as_str() != NODES)
    };
    match model.expr(condition) {
        Expr::And(parts) => model.list(parts).iter().any(|&part| asks_for_first_among(program, model, part)),
        _ => {
            is_first(condition) || asks_for_first(program, model, condition).is_some_and(|axis| axis.as_str() != NODES)
        }
    }
}

/// Whether a condition leaves one process in the job, if it comes out so: `world_size > 1` where it does not hold, or
/// `is_initialized()`.
pub(super) fn leaves_one(program: &Program, model: &File, condition: ExprId, answer: bool) -> bool {
    let leaves = |part: ExprId, answer: bool| leaves_one(program, model, part, answer);
    match model.expr(condition) {
        Expr::Unary(UnaryOp::Not, inner) => leaves(inner, !answer),
        Expr::And(parts) if answer => model.list(parts).iter().any(|&part| leaves(part, true)),
        Expr::Or(parts) if !answer => model.list(parts).iter().any(|&part| leaves(part, false)),
        Expr::Compare(op, left, right) => {
            let size = read_or_called(model, left).and_then(|name| program.catalog.convention(name));
            let is_size =
                size.is_some_and(|known| known.value.kind == ValueKind::Size && known.value.axis.as_str() == WORLD);
            let Expr::Int(number) = model.expr(right) else { return false };
            // A rank of -1 is that of a process without others.
            if number == -1 {
                let is_rank = |name: Symbol| program.catalog.is_rank_by_name(name);
                return op == CompareOp::Eq && answer && read_or_called(model, left).is_some_and(is_rank);
            }
            is_size
                && match op {
                    CompareOp::Greater => !answer && number <= 1,
                    CompareOp::GreaterEq => !answer && number <= 2,
                    CompareOp::NotEq => !answer && number <= 1,
                    CompareOp::Eq | CompareOp::LessEq => answer && number <= 1,
                    CompareOp::Less => answer && number <= 2,
                    _ => false,
                }
        }
        _ => !answer && read_or_called(model, condition).is_some_and(|name| OF_SEVERAL.contains(&name.as_str())),
    }
}

/// Along which axis a condition asks for rank 0, and for nothing else.
pub(super) fn asks_for_first(program: &Program, model: &File, condition: ExprId) -> Option<Symbol> {
    let Expr::Compare(CompareOp::Eq, left, right) = model.expr(condition) else { return None };
    let name = read_or_called(model, left)
        .filter(|&name| model.expr(right) == Expr::Int(0) && program.catalog.is_rank_by_name(name))?;
    program.catalog.convention(name).map(|convention| convention.value.axis)
}

/// Whether a condition lets in the first ranks, but more than one of them, if it comes out so: `rank > 1` where it does not
/// hold.
pub(super) fn lets_in_few(program: &Program, model: &File, condition: ExprId, answer: bool) -> bool {
    let lets = |part: ExprId| lets_in_few(program, model, part, answer);
    match model.expr(condition) {
        Expr::Unary(UnaryOp::Not, inner) => lets_in_few(program, model, inner, !answer),
        Expr::And(parts) if !answer => model.list(parts).iter().any(|&part| lets(part)),
        Expr::Or(parts) if answer => model.list(parts).iter().any(|&part| lets(part)),
        Expr::Compare(op, left, right) => {
            let last = match (op, answer, model.expr(right)) {
                (CompareOp::Greater, false, Expr::Int(last)) | (CompareOp::LessEq, true, Expr::Int(last)) => last,
                (CompareOp::GreaterEq, false, Expr::Int(next)) | (CompareOp::Less, true, Expr::Int(next)) => next - 1,
                _ => return false,
            };
            last > 0 && read_or_called(model, left).is_some_and(|name| program.catalog.is_rank_by_name(name))
        }
        _ => false,
    }
}

/// Whether a function starts the processes of the job itself: before that there is one. A file that does is run by one
/// process first.
pub(super) fn launches(model: &File, function: LocalFunction) -> bool {
    let starts = |name: &Symbol| matches!(name.as_str(), "spawn" | "Process" | "start_processes" | "Popen" | "launch");
    let of_job = |name: &Symbol| matches!(name.as_str(), "spawn" | "start_processes");
    model.function(function).mentions.iter().any(starts)
        || function == model.module() && model.functions.iter().any(|function| function.mentions.iter().any(of_job))
}

/// Whether the function says, whatever the launcher has said, that the job has one process.
pub(super) fn makes_job_of_one(model: &File, function: LocalFunction) -> bool {
    let is_one = |expr: ExprId| match model.expr(expr) {
        Expr::Int(number) => number == 1,
        Expr::Str(text) => text.as_str() == "1",
        _ => false,
    };
    model.block(model.function(function).body).iter().any(|&stmt| match model.stmt(stmt) {
        Stmt::Assign { targets, value } => model.list(*targets).iter().any(|&target| match model.expr(target) {
            Expr::Subscript(_, key) => {
                matches!(model.expr(key), Expr::Str(key) if key.as_str() == JOB_SIZE) && is_one(*value)
            }
            _ => false,
        }),
        _ => false,
    })
}

/// Whether a decorator of the function lets some ranks in only, or a framework calls it on one.
pub(super) fn is_of_one_rank(program: &Program, file: FileId, function: LocalFunction) -> bool {
    let model = &program.file(file).model;
    model.list(model.function(function).decorators).iter().any(|&decorator| speaks_of_turns(model, decorator))
        || is_of_who_writes(program, program.function_id(file, function))
}

/// Whether a condition lets in the first rank alone, if it comes out so: `rank == 0`, or `rank != 0` where it does not hold.
pub(in crate::graph) fn lets_in_first(program: &Program, model: &File, condition: ExprId, answer: bool) -> bool {
    let lets = |part: ExprId, answer: bool| lets_in_first(program, model, part, answer);
    let is_rank = |expr: ExprId| {
        let known = read_or_called(model, expr).and_then(|name| program.catalog.convention(name));
        known.is_some_and(|known| known.value.kind == ValueKind::Rank && known.value.axis.as_str() != NODES)
    };
    let is_int = |expr: ExprId, number: i32| model.expr(expr) == Expr::Int(number);
    match model.expr(condition) {
        Expr::Unary(UnaryOp::Not, inner) => lets(inner, !answer),
        Expr::And(parts) if answer => model.list(parts).iter().any(|&part| lets(part, true)),
        Expr::Or(parts) if !answer => model.list(parts).iter().any(|&part| lets(part, false)),
        // `local_rank == -1 or rank == 0`: where there is one process, that is the first.
        Expr::Or(parts) => {
            let is_alone = |part: ExprId| match model.expr(part) {
                Expr::Compare(CompareOp::Eq, rank, number) => is_rank(rank) && is_int(number, -1),
                _ => false,
            };
            model.list(parts).iter().all(|&part| lets(part, true) || is_alone(part))
        }
        Expr::Compare(CompareOp::NotEq | CompareOp::Greater, left, right) => {
            !answer && is_rank(left) && is_int(right, 0)
        }
        Expr::Compare(op @ (CompareOp::In | CompareOp::NotIn), left, right) => {
            let numbers = match model.expr(right) {
                Expr::Tuple(numbers) | Expr::ListDisplay(numbers) | Expr::Set(numbers) => model.list(numbers),
                _ => &[],
            };
            let is_first = numbers.iter().any(|&number| is_int(number, 0));
            answer == (op == CompareOp::In)
                && is_rank(left)
                && is_first
                && numbers.iter().all(|&number| is_int(number, 0) || is_int(number, -1))
        }
        _ => answer && asks_for_first_among(program, model, condition),
    }
}
