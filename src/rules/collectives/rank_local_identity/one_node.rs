//! Whether a program is for one node: where the ranks meet, and which of its ranks it knows.

use rustc_hash::FxHashSet;

use crate::base::{FileId, Symbol};
use crate::catalog::launches_on_one_node;
use crate::graph::Program;
use crate::model::{Expr, ExprId, File, Stmt, calls_by_name, each_statement};
use crate::rules::calls::bodies;

use super::ranks::is_local_name;
use super::{FUEL, Place};

/// How this very node is spelled.
const HERE: [&str; 3] = ["localhost", "127.0.0.1", "0.0.0.0"];

/// Whether the file sets up a job whose ranks meet on this very node, or says that it is launched so and in no other way.
pub(super) fn on_one_node(text: &str, model: &File) -> bool {
    let spelled = |host: &str| memchr::memmem::find(text.as_bytes(), host.as_bytes()).is_some();
    if launches_on_one_node(text) {
        return true;
    }
    if !HERE.into_iter().any(spelled) {
        return false;
    }
    (0..model.expr_count() as u32).any(|id| match model.expr(ExprId(id)) {
        Expr::Str(text) => {
            let host = text.as_str().strip_prefix("tcp://").unwrap_or(text.as_str());
            let host = host.split(':').next().unwrap_or_default();
            HERE.contains(&host)
        }
        _ => false,
    })
}

/// Whether wherever the program joins its job, the ranks meet on this very node, or its description launches it on one.
pub(super) fn is_job_of_one_node(program: &Program) -> bool {
    if program.facts.is_for_one_node {
        return true;
    }
    let join = Symbol::new("init_process_group");
    let mut joins = program.file_ids().map(|file| program.file(file)).filter(|entry| {
        entry.model.names().may_hold(join)
            && !entry.is_test()
            && entry.model.functions.iter().any(|function| function.mentions.contains(&join))
    });
    let Some(first) = joins.next() else { return false };
    std::iter::once(first).chain(joins).all(|entry| on_one_node(&entry.text, &entry.model))
}

/// Names of the rank of the job.
const OF_THE_JOB: [&str; 5] = ["get_rank", "global_rank", "process_index", "RANK", "node_rank"];

/// Whether the program is for one node alone: nothing in it asks for the rank of the job, or in what the file knows of it a
/// device is chosen by that, or it is called the rank within the node.
pub(super) fn is_designed_for_one_node(program: &Program, around: FileId) -> bool {
    let files = || program.file_ids().filter(|&file| !program.file(file).is_test());
    let mut known = files().filter(|&file| program.knows(around, file));
    !files().any(|file| asks_for_the_rank(&program.file(file).model))
        || known.any(|file| chooses_a_device_by_it(program, file) || calls_it_local(program, file))
}

fn asks_for_the_rank(model: &File) -> bool {
    OF_THE_JOB.map(Symbol::new).into_iter().any(|name| {
        let is_key = |id: u32| model.expr(ExprId(id)) == Expr::Str(name);
        model.names().may_hold(name) && model.functions.iter().any(|function| function.mentions.contains(&name))
            || name.as_str() == "RANK" && (0..model.expr_count() as u32).any(is_key)
    })
}

fn chooses_a_device_by_it(program: &Program, file: FileId) -> bool {
    let model = &program.file(file).model;
    let sets = FxHashSet::from_iter([Symbol::new("set_device")]);
    let mut calls = calls_by_name(model, &sets).into_iter();
    calls.any(|(function, _, call)| Place { program, file, model, function }.device(call).is_some())
}

/// `local_rank = dist.get_rank()`
fn calls_it_local(program: &Program, file: FileId) -> bool {
    let model = &program.file(file).model;
    let is_local = |&target: &ExprId| model.last_name(target).is_some_and(|name| is_local_name(program, name));
    model.names().may_hold(Symbol::new("get_rank"))
        && bodies(model).any(|function| {
            let place = Place { program, file, model, function };
            let mut found = false;
            each_statement(model, model.function(function).body, &mut |_, stmt| {
                if let Stmt::Assign { targets, value } = stmt {
                    found |= model.list(*targets).iter().any(is_local) && place.is_the_rank(*value, FUEL);
                }
            });
            found
        })
}
