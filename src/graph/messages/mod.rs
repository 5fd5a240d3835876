//! Point-to-point messages: what each rank of a small job sends and receives, and whether every message arrives.
//!
//! A function that sends and receives is run for every rank of a few small jobs, as far as everything that decides about
//! its messages is known: ranks, the size of the job, constants. The words of the ranks are then delivered. Where
//! something is not known there is no verdict.

mod deliver;
mod filters;
mod known;
mod run;
mod step;

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::base::{FileId, Site, Symbol};
use crate::catalog::{Entry, OperationKind};
use crate::model::{Expr, ExprId, Function, FunctionKind, LocalFunction, each_call, each_expression};

use super::context::each_in_context;
use super::program::Program;
use super::resolve::Target;

use deliver::deliver;
pub use deliver::{Fault, FaultKind};
pub use filters::{Sieve, sieves};
use run::{Halt, steps_of};
pub use step::{Step, StepKind};

/// Sizes of the jobs that are tried.
const SIZES: [i64; 5] = [2, 3, 4, 6, 8];

/// Sizes in which messages that arrive in a job of two ranks must get lost, though every rank sends and receives: it is
/// written for any number, not for two.
const MANY: usize = 3;

/// Functions of a file that are tried at most.
const MAX_TRIED: usize = 60;

/// A message that does not arrive, in every size of job in which the function can run, but for one of two ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// The function that was run.
    pub function: LocalFunction,
    /// How many ranks the job has.
    pub size: i64,
    /// What goes wrong.
    pub fault: Fault,
    /// What each of the two ranks concerned does.
    pub words: Vec<(i64, Vec<Step>)>,
}

/// Messages of a file that do not arrive.
pub fn undelivered(program: &Program, file: FileId) -> Vec<Undelivered> {
    let model = &program.file(file).model;
    let speaks = |function: &Function| function.mentions.iter().any(|&name| is_message_name(name));
    if !model.names().may_hold_any(&*NAMES) || !model.functions.iter().any(speaks) {
        return Vec::new();
    }
    let mut out: Vec<Undelivered> = Vec::new();
    let mut sites: FxHashSet<Site> = FxHashSet::default();
    // Callers come first: what they decide about their callees' messages is known there.
    let tried: Vec<LocalFunction> = candidates(program, file);
    let mut settled: FxHashSet<LocalFunction> = FxHashSet::default();
    for &function in tried.iter().rev().take(MAX_TRIED) {
        if settled.contains(&function) {
            continue;
        }
        let Some(found) = verdict(program, file, function) else { continue };
        // Whoever calls it under a condition decides which ranks run it.
        if found.undelivered.is_some() && under_condition(program, file, function) {
            continue;
        }
        settled.extend(found.ran);
        if let Some(undelivered) = found.undelivered
            && sites.insert(undelivered.fault.site)
        {
            out.push(undelivered);
        }
    }
    out.sort_by_key(|found| found.fault.site);
    out
}

struct Verdict {
    undelivered: Option<Undelivered>,
    /// The functions of the file that were run.
    ran: Vec<LocalFunction>,
}

fn verdict(program: &Program, file: FileId, function: LocalFunction) -> Option<Verdict> {
    let mut first: Option<Undelivered> = None;
    let mut ran: Vec<LocalFunction> = Vec::new();
    let (mut any, mut two) = (false, false);
    let mut failed = 0usize;
    for size in SIZES {
        let mut words: Vec<Vec<Step>> = Vec::new();
        let mut impossible = false;
        for rank in 0..size {
            match steps_of(program, file, function, rank, size) {
                Ok((steps, functions)) => {
                    let foreign =
                        |step: &Step| step.peer.is_some_and(|peer| peer == rank || !(0..size).contains(&peer));
                    impossible |= steps.iter().any(foreign);
                    words.push(steps);
                    ran.extend(functions);
                }
                // No job of this size runs it.
                Err(Halt::Raised) => impossible = true,
                Err(Halt::Unknown) => return None,
            }
        }
        let sends = words.iter().flatten().any(|step| step.kind.sends());
        let receives = words.iter().flatten().any(|step| step.kind.receives());
        if impossible || !sends || !receives {
            continue;
        }
        any = true;
        match deliver(&words) {
            // Of two ranks each one's neighbour is the other, whichever is meant.
            None if size == 2 => two = true,
            None => return Some(Verdict { undelivered: None, ran }),
            Some(fault) => {
                let both = |steps: &Vec<Step>| {
                    steps.iter().any(|step| step.kind.sends()) && steps.iter().any(|step| step.kind.receives())
                };
                failed += usize::from(words.iter().all(both));
                let shown = [fault.rank, fault.peer];
                let words = shown.iter().map(|&rank| (rank, words[rank as usize].clone())).collect();
                first = first.or(Some(Undelivered { function, size, fault, words }));
            }
        }
    }
    let first = first.filter(|_| !two || failed >= MANY);
    any.then_some(Verdict { undelivered: first, ran })
}

/// The functions that send or receive, and those of the same file that call them, callees before callers.
fn candidates(program: &Program, file: FileId) -> Vec<LocalFunction> {
    let model = &program.file(file).model;
    let bodies = || {
        (0..model.functions.len() as u32)
            .map(LocalFunction)
            .filter(|&local| matches!(model.function(local).kind, FunctionKind::Def | FunctionKind::Module))
    };
    let mut out: Vec<LocalFunction> = bodies().filter(|&local| messages_in(program, file, local)).collect();
    for _ in 0..2 {
        let known = out.clone();
        for local in bodies().filter(|local| !known.contains(local)) {
            let mut calls = false;
            each_call(model, local, &mut |_, call| {
                calls |= callee_in(program, file, local, call.callee).is_some_and(|callee| known.contains(&callee));
            });
            if calls {
                out.push(local);
            }
        }
    }
    out
}

/// Whether the function itself sends or receives.
fn messages_in(program: &Program, file: FileId, function: LocalFunction) -> bool {
    let model = &program.file(file).model;
    let mut found = false;
    each_call(model, function, &mut |_, call| {
        found = found || message(program, file, function, call.callee).is_some();
    });
    found
}

/// The function of the same file that is called, by name or on `self`.
fn callee_in(program: &Program, file: FileId, function: LocalFunction, callee: ExprId) -> Option<LocalFunction> {
    let found = called(program, file, function, callee)?;
    let (home, local) = program.locate(found);
    (home == file).then_some(local)
}

/// The function of the program that is called, by name or on `self`.
fn called(program: &Program, file: FileId, function: LocalFunction, callee: ExprId) -> Option<crate::base::FunctionId> {
    let model = &program.file(file).model;
    if let Expr::Attribute { value, name } = model.expr(callee)
        && let Expr::Name(object) = model.expr(value)
        && let Some(class) = model.function(function).class
        && model.function(function).parameters.first().is_some_and(|first| first.name == object)
    {
        return program.method(program.class_id(file, class), name);
    }
    match program.target(file, function, callee)? {
        Target::Function(found) => Some(found),
        _ => None,
    }
}

/// Whether some call of the function stands under a condition: its callers decide who runs it.
fn under_condition(program: &Program, file: FileId, function: LocalFunction) -> bool {
    let model = &program.file(file).model;
    let name = model.function(function).name;
    if model.function(function).kind == FunctionKind::Module {
        return false;
    }
    let mut found = false;
    for caller_file in program.file_ids() {
        let caller_model = &program.file(caller_file).model;
        for (index, caller) in caller_model.functions.iter().enumerate() {
            if !caller.mentions.contains(&name) || caller.skeleton {
                continue;
            }
            let mentions = |expr: ExprId| {
                let mut hit = false;
                each_expression(caller_model, expr, &mut |_, part| {
                    hit |= matches!(part, Expr::Name(known) | Expr::Attribute { name: known, .. } if known == name);
                });
                hit
            };
            each_in_context(caller_model, LocalFunction(index as u32), &mut |_, stmt, context| {
                let parts = crate::model::expressions_of(caller_model, stmt);
                found |= context.conditions.iter().any(|&test| !is_main_test(caller_model, test))
                    && parts.iter().any(|&part| mentions(part));
                // Decided within one expression, or handed on to somebody who may decide.
                found |= parts.iter().any(|&part| {
                    let mut conditional = false;
                    each_expression(caller_model, part, &mut |_, inner| {
                        conditional |= match inner {
                            Expr::IfElse(at) => caller_model.if_else(at)[1..].iter().any(|&arm| mentions(arm)),
                            Expr::Dict(_) | Expr::And(_) | Expr::Or(_) => mentions(part),
                            _ => false,
                        };
                    });
                    conditional
                });
            });
        }
    }
    found
}

/// `__name__ == "__main__"`
pub(in crate::graph) fn is_main_test(model: &crate::model::File, test: ExprId) -> bool {
    match model.expr(test) {
        Expr::Compare(_, left, right) => [left, right]
            .into_iter()
            .any(|side| matches!(model.expr(side), Expr::Name(name) if name.as_str() == "__name__")),
        _ => false,
    }
}

/// The point-to-point operation that a callee is.
fn message(program: &Program, file: FileId, function: LocalFunction, callee: ExprId) -> Option<StepKind> {
    let model = &program.file(file).model;
    let (Expr::Name(last) | Expr::Attribute { name: last, .. }) = model.expr(callee) else { return None };
    if !is_message_name(last) && !matches!(model.expr(callee), Expr::Name(_)) {
        return None;
    }
    kind_of(program, program.resolve(file, function, callee)?)
}

/// The point-to-point operation of that dotted name, of torch's own module.
fn kind_of(program: &Program, dotted: Symbol) -> Option<StepKind> {
    if !dotted.as_str().contains("distributed") && !dotted.as_str().contains("deepspeed.comm") {
        return None;
    }
    match program.catalog.entry(dotted) {
        Some(Entry::Operation(operation)) if operation.kind == OperationKind::PointToPoint => {
            StepKind::named(dotted.as_str().rsplit('.').next().unwrap_or_default())
        }
        _ if dotted.as_str().ends_with("distributed.P2POp") => Some(StepKind::Batched),
        _ => None,
    }
}

/// The last names of operations: every mention of a program is compared with them, as symbols.
static NAMES: LazyLock<Vec<Symbol>> =
    LazyLock::new(|| StepKind::NAMES.iter().chain(&["P2POp"]).map(|name| Symbol::new(name)).collect());

fn is_message_name(name: Symbol) -> bool {
    NAMES.contains(&name)
}
