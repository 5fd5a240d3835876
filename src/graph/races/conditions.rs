//! Conditions that may not hold on all ranks alike: by names in them, and by what those hold.

use super::names::{assigned, made_of, names_asked, names_told};
use super::words::{is_of_ranks, is_only_about_files};
use crate::base::{FileId, FunctionId, Symbol};
use crate::catalog::ValueKind;
use crate::graph::program::Program;
use crate::graph::resolve::Target;
use crate::graph::taint::Taint;
use crate::model::{Expr, ExprId, File, LocalFunction, each_expression};

/// Parts of names of questions that may be for the rank.
const OF_SOME: [&str; 13] =
    ["first", "last", "driver", "local", "node", "gpu", "device", "proc", "worker", "should", "writ", "owner", "root"];

/// What an object is asked for that knows whether this is the first process: `job.main`. A variable of that name may be
/// anything, and a part of a longer name says nothing: `domain`, `remains`.
const MAIN: &str = "main";

/// Parts of names that sound like those.
const OF_ALL: [&str; 5] = ["overwrit", "preproc", "postproc", "processor", "processed"];

/// Words of names of numbers: how many, how often.
const OF_COUNTS: [&str; 10] = ["n", "num", "keep", "max", "min", "limit", "total", "count", "every", "interval"];

/// Whether a condition may not hold on all ranks alike, by what it asks beside what lies at a path.
pub(super) fn asks_for_rank(
    program: &Program,
    taint: &Taint,
    (file, function): (FileId, LocalFunction),
    condition: ExprId,
) -> bool {
    parts_of(&program.file(file).model, condition).into_iter().any(|part| {
        !is_only_about_files(program, file, function, part) && may_ask_for_rank(program, taint, (file, function), part)
    })
}

/// What a condition asks, one after the other.
pub(in crate::graph) fn parts_of(model: &File, condition: ExprId) -> Vec<ExprId> {
    match model.expr(condition) {
        Expr::And(parts) | Expr::Or(parts) => {
            model.list(parts).iter().flat_map(|&part| parts_of(model, part)).collect()
        }
        Expr::Unary(_, inner) => parts_of(model, inner),
        _ => vec![condition],
    }
}

/// Whether a condition may not hold on all ranks alike: by a name in it, or by what such a name holds.
pub(in crate::graph) fn may_ask_for_rank(
    program: &Program,
    taint: &Taint,
    (file, function): (FileId, LocalFunction),
    condition: ExprId,
) -> bool {
    let model = &program.file(file).model;
    let of_some = |name: &Symbol| {
        let text = name.as_str().to_ascii_lowercase();
        text != "__name__"
            && OF_SOME.iter().any(|part| text.contains(part))
            && !OF_ALL.iter().any(|part| text.contains(part))
    };
    let of_rank = |name: &Symbol| {
        is_of_ranks(name.as_str())
            || program.catalog.is_rank_by_name(*name)
            || taint.started().names(model.function(function).name, *name)
    };
    let asked = names_asked(model, condition);
    // What a function of the program asks is known, whatever it is called: `should_prune(step, every)`.
    let is_known = |name: &Symbol| {
        let mut functions = Vec::new();
        each_expression(model, condition, &mut |_, expr| {
            if let Expr::Call(call) = expr
                && model.expr(model.call(call).callee) == Expr::Name(*name)
                && let Some(Target::Function(called)) = program.target(file, function, model.call(call).callee)
            {
                functions.push(called);
            }
        });
        let asks = |called: &FunctionId| {
            let mut mentions = program.function(*called).mentions.iter();
            mentions.any(|name| taint.holds(*name) || of_rank(name) || of_some(name))
        };
        !functions.is_empty() && !functions.iter().any(asks)
    };
    let counts = |name: &Symbol| name.as_str().split('_').any(|word| OF_COUNTS.contains(&word));
    let mut asks_environment = false;
    let values = asked.iter().flat_map(|&name| assigned(model, function, name));
    for root in values.chain([condition]) {
        each_expression(model, root, &mut |_, expr| {
            if let Expr::Str(key) = expr {
                let known = program.catalog.environment_key(key.as_str());
                asks_environment |= known.is_some_and(|value| value.kind == ValueKind::Rank);
            }
        });
    }
    let mut asks_for_main = false;
    each_expression(model, condition, &mut |_, expr| {
        asks_for_main |= matches!(expr, Expr::Attribute { name, .. } if name.as_str() == MAIN);
    });
    asks_environment
        || asks_for_main
        || asked.iter().any(|&name| taint.holds(name) || of_some(&name) && !counts(&name) && !is_known(&name))
        || asked.iter().any(|&name| is_decided(model, function, name, taint))
        || is_kept_by(model, function, condition, taint)
        || made_of(model, function, asked, names_told).iter().any(of_rank)
}

/// Whether a variable is there only where something holds: `path if is_main() else None`.
fn is_decided(model: &File, function: LocalFunction, name: Symbol, taint: &Taint) -> bool {
    assigned(model, function, name).into_iter().any(|value| match model.expr(value) {
        Expr::IfElse(at) => names_asked(model, model.if_else(at)[0]).into_iter().any(|by| taint.holds(by)),
        _ => false,
    })
}

/// Whether a condition asks for an entry of what a function has answered: `job["leads"]` behind `job = start()`.
fn is_kept_by(model: &File, function: LocalFunction, condition: ExprId, taint: &Taint) -> bool {
    let mut holders = Vec::new();
    each_expression(model, condition, &mut |_, expr| {
        if let Expr::Subscript(value, _) = expr
            && let Expr::Name(holder) = model.expr(value)
        {
            holders.push(holder);
        }
    });
    let answered = |value: ExprId| match model.expr(value) {
        Expr::Call(call) => model.last_name(model.call(call).callee).is_some_and(|by| taint.holds(by)),
        _ => false,
    };
    holders.into_iter().any(|holder| assigned(model, function, holder).into_iter().any(answered))
}
