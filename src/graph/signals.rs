//! Decisions on a flag that a signal handler sets: a signal comes to one process at a time, and at another moment to each.

mod flags;

use rustc_hash::FxHashSet;

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::catalog::Entry;
use crate::model::{Block, Expr, LocalFunction, Stmt, each_statement};

use super::communication::{Communication, Issue, Wanted, class_around};
use super::conduct::bodies;
use super::program::Program;
use super::runners::started_on_threads;
use flags::{Flags, Kept};

/// A rank that goes another way than its peers because it got a signal.
#[derive(Clone, Debug)]
pub struct Signalled {
    /// The function that asks.
    pub function: FunctionId,
    /// The flag.
    pub flag: Symbol,
    /// The condition.
    pub test: Site,
    /// Where the handler sets the flag.
    pub set: Site,
    /// What it does alone.
    pub then: Alone,
}

/// What a rank does that got a signal.
#[derive(Clone, Debug)]
pub enum Alone {
    /// It leaves.
    Leaves(Site),
    /// It communicates.
    Issues(Issue),
}

/// Where functions that reach a collective decide on flags that nobody has agreed on: the first place for each flag.
pub(super) fn signalled(program: &Program, communication: &mut Communication<'_>) -> Vec<Signalled> {
    let flags = Flags::of(program, communication);
    let mut out = Vec::new();
    if flags.is_empty() {
        return out;
    }
    // A thread that waits for work, or tells how far the job is, takes no part in its steps.
    let aside = started_on_threads(program);
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        let definition = model.function(function);
        let here = program.function_id(file, function);
        if !flags.are_mentioned(&definition.mentions) || program.file(file).is_test() || aside.contains(&here) {
            continue;
        }
        if !communicates(communication, here) && !class_communicates(program, communication, file, function) {
            continue;
        }
        let mut told: FxHashSet<Kept> = FxHashSet::default();
        each_statement(model, definition.body, &mut |_, stmt| {
            let (test, arms, holds) = match stmt {
                Stmt::If { test, body, orelse } => (*test, Some((*body, *orelse)), true),
                Stmt::While { test, .. } => (*test, None, false),
                _ => return,
            };
            let Some((kept, flag)) = flags.asked_for(communication, (file, function), test, holds) else { return };
            if flag.handler == here || is_agreed_on(program, communication, file, function, kept) {
                return;
            }
            let then = match arms {
                Some((body, otherwise)) => alone(program, communication, (file, function), body, otherwise),
                None => Some(Alone::Leaves(Site { file, span: model.span(test) })),
            };
            let Some(then) = then.filter(|_| told.insert(kept)) else { return };
            let test = Site { file, span: model.span(test) };
            out.push(Signalled { function: here, flag: kept.name(), test, set: flag.set, then });
        });
    }
    out
}

/// Whether a flag is what the ranks have agreed on when it is asked for: the function puts there what a call has told it,
/// or a property of that name asks the peers.
fn is_agreed_on(
    program: &Program,
    communication: &Communication<'_>,
    file: FileId,
    function: LocalFunction,
    kept: Kept,
) -> bool {
    let model = &program.file(file).model;
    let (name, is_attribute) = match kept {
        Kept::Attribute(name) => (name, true),
        Kept::Variable(name) => (name, false),
        Kept::Entry(..) => return false,
    };
    let asks = |&method: &FunctionId| {
        let (home, local) = program.locate(method);
        program.same_tree(home, file) && communication.may_reach(home, local)
    };
    if is_attribute && program.methods_named(name).iter().any(asks) {
        return true;
    }
    let mut told = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Some((targets, value)) = model.assigned(stmt)
            && matches!(model.expr(value), Expr::Call(_))
        {
            told |= targets.iter().any(|&target| match model.expr(target) {
                Expr::Name(target) => !is_attribute && target == name,
                Expr::Attribute { name: target, .. } => is_attribute && target == name,
                _ => false,
            });
        }
    });
    told
}

/// What a rank does alone that takes the arm: it leaves, or it communicates as nobody does who takes the other.
fn alone(
    program: &Program,
    communication: &mut Communication<'_>,
    (file, function): (FileId, LocalFunction),
    body: Block,
    otherwise: Block,
) -> Option<Alone> {
    if let Some(exit) = leaving(program, file, function, body) {
        return Some(Alone::Leaves(exit));
    }
    let issue = communication.issued_in(file, function, body, Wanted::Collective).into_iter().next()?;
    let mut others = communication.issued_in(file, function, otherwise, Wanted::Collective).into_iter();
    (!others.any(|other| other.op == issue.op)).then_some(Alone::Issues(issue))
}

/// Where the block leaves the function or its loop, if that is how it ends.
fn leaving(program: &Program, file: FileId, function: LocalFunction, block: Block) -> Option<Site> {
    let model = &program.file(file).model;
    let &last = model.block(block).last()?;
    let leaves = match model.stmt(last) {
        Stmt::Return(_) | Stmt::Break | Stmt::Raise(_) => true,
        Stmt::Expr(value) => match model.expr(*value) {
            Expr::Call(call) => program
                .resolve(file, function, model.call(call).callee)
                .is_some_and(|name| matches!(program.catalog.entry(name), Some(Entry::Exit))),
            _ => false,
        },
        _ => false,
    };
    leaves.then(|| Site { file, span: model.stmt_span(last) })
}

/// Whether a function issues something that peers must issue as well, itself or through what it surely calls.
fn communicates(communication: &mut Communication<'_>, function: FunctionId) -> bool {
    communication.issue_of(function, Wanted::Collective).is_some()
}

/// Whether another method of the same class communicates: the function is a step of what they do.
fn class_communicates(
    program: &Program,
    communication: &mut Communication<'_>,
    file: FileId,
    function: LocalFunction,
) -> bool {
    let Some(class) = class_around(program, file, function) else { return false };
    let home = program.locate_class(class).0;
    let mut methods = program.class(class).methods.iter().map(|&(_, method)| program.function_id(home, method));
    methods.any(|method| communicates(communication, method))
}
