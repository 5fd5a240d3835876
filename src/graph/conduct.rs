//! What the program does beside its main order of collectives: in handlers and threads, on signals, with handles.
//!
//! One search answers for all of it, so that what it learns about a function is learnt once.

use crate::base::{FileId, FunctionId};
use crate::model::{Expr, FunctionKind, LocalFunction, Stmt, each_expression, each_statement};

use super::aside::{Aside, asides};
use super::awaited::{Unawaited, unawaited};
use super::communication::{Communication, Issue, Wanted};
use super::handed_apart::{HandedApart, handed_apart};
use super::last_group::{LastGroup, last_groups};
use super::missized::{Missized, missized};
use super::nothing_to_send::{NothingToSend, nothing_to_send};
use super::program::Program;
use super::protected::{Cleanup, Swallowed, protected};
use super::signals::{Signalled, signalled};
use super::some_inputs::{SomeInputs, some_inputs};
use super::stopped_alone::{StoppedAlone, stopped_alone};
use super::taken_down::{TakenDown, taken_down};
use super::unpadded::{Unpadded, unpadded};
use super::unpassed::{Unpassed, unpassed};
use super::unused::{PartlyUsed, partly_used};

/// What stands beside the main sequence, in order of files.
pub struct Conduct {
    /// Collectives in handlers that only a failing rank issues.
    pub cleanups: Vec<Cleanup>,
    /// Handlers that hide the failure of one rank and skip a collective.
    pub swallowed: Vec<Swallowed>,
    /// Collectives from threads, exit hooks, finalizers.
    pub asides: Vec<Aside>,
    /// Asynchronous operations that nobody waits on in time.
    pub unawaited: Vec<Unawaited>,
    /// Collectives inside `assert`, with the function they stand in.
    pub asserted: Vec<(FunctionId, Issue)>,
    /// Decisions on a flag that a signal handler sets.
    pub signalled: Vec<Signalled>,
    /// Groups that a function is handed and does not hand on.
    pub unpassed: Vec<Unpassed>,
    /// Collectives of all ranks whose result is counted for one group.
    pub missized: Vec<Missized>,
    /// Groups that are the last one of a loop on every rank.
    pub last_groups: Vec<LastGroup>,
    /// Functions that are called back on some ranks only.
    pub handed_apart: Vec<HandedApart>,
    /// Sharded parts of a model that some batches do not come to.
    pub some_inputs: Vec<SomeInputs>,
    /// Ranks that leave before an exchange, with nothing in hand.
    pub nothing_to_send: Vec<NothingToSend>,
    /// Gatherings of buffers that are as long as what they hold.
    pub unpadded: Vec<Unpadded>,
    /// Parts of models under DDP that only some ranks use.
    pub partly_used: Vec<PartlyUsed>,
    /// Groups that one rank alone takes down.
    pub taken_down: Vec<TakenDown>,
    /// Flags that end a framework's loop, set on some ranks only.
    pub stopped_alone: Vec<StoppedAlone>,
}

impl Conduct {
    /// Looks through the program, of which it must be known which functions reach a collective.
    pub fn of(program: &Program) -> Conduct {
        let mut communication = Communication::new(program);
        let (cleanups, swallowed) = protected(program, &mut communication);
        Conduct {
            cleanups,
            swallowed,
            asides: asides(program, &mut communication),
            unawaited: unawaited(program, &mut communication),
            asserted: asserted(program, &mut communication),
            signalled: signalled(program, &mut communication),
            unpassed: unpassed(program, &mut communication),
            missized: missized(program, &mut communication),
            last_groups: last_groups(program, &mut communication),
            handed_apart: handed_apart(program, &mut communication),
            some_inputs: some_inputs(program),
            nothing_to_send: nothing_to_send(program, &mut communication),
            unpadded: unpadded(program, &mut communication),
            partly_used: partly_used(program),
            taken_down: taken_down(program, &mut communication),
            stopped_alone: stopped_alone(program),
        }
    }
}

fn asserted(program: &Program, communication: &mut Communication<'_>) -> Vec<(FunctionId, Issue)> {
    let mut out = Vec::new();
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        let definition = model.function(function);
        // Test runners need assertions, and no test runs without them.
        if definition.name.as_str().starts_with("test") || !communication.may_reach(file, function) {
            continue;
        }
        let mut calls = Vec::new();
        each_statement(model, definition.body, &mut |_, stmt| {
            let Stmt::Assert(test) = stmt else { return };
            each_expression(model, *test, &mut |id, expr| {
                if let Expr::Call(call) = expr {
                    calls.push((id, model.call(call)));
                }
            });
        });
        for (expr, call) in calls {
            let issue = communication.issued(file, function, expr, call, Wanted::Common);
            out.extend(issue.map(|issue| (program.function_id(file, function), issue)));
        }
    }
    out
}

/// The functions whose bodies were read, in order.
pub(super) fn bodies(program: &Program) -> impl Iterator<Item = (FileId, LocalFunction)> + '_ {
    program.file_ids().filter(|&file| program.in_focus(file)).flat_map(move |file| {
        let model = &program.file(file).model;
        model.functions.iter().enumerate().filter_map(move |(index, function)| {
            let body = matches!(function.kind, FunctionKind::Def | FunctionKind::Module) && !function.skeleton;
            body.then_some((file, LocalFunction(index as u32)))
        })
    })
}
