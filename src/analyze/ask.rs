//! The rules, asked of a linked program, with every thread at work to the end: first what all tracing needs to know, then
//! tree by tree, the largest first, and last the rules of single files, which are small enough to fill what is left.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as Atomic};

use rayon::prelude::*;

use super::{InternalError, Options, defect_text};
use crate::base::FileId;
use crate::finding::Finding;
use crate::graph::{Begun, Divergence, Prepared, Program, divergence, orders};
use crate::rules::{Check, Findings, Rule};

/// Files that one thread asks the rules about before it looks for other work.
const FILES_AT_ONCE: usize = 32;

/// What the rules answer.
#[derive(Default)]
pub(super) struct Answers {
    pub found: Vec<Finding>,
    pub internal: Vec<InternalError>,
    /// What tracing had to know beforehand; absent where nothing was traced.
    pub prepared: Option<Prepared>,
}

type Answer = Result<Vec<Finding>, InternalError>;

/// A part of the work that needs nothing of the others.
#[derive(Clone, Copy)]
enum Task<'a> {
    /// Trace a tree.
    Trace(usize, &'a [FileId]),
    /// Look for loops whose order is each process's own.
    Orders(usize, &'a [FileId]),
    /// Look for a control plane.
    Protocol,
    /// Ask the rules that look at one file, from this file on.
    Ask(usize),
}

/// What came of it.
enum Done {
    /// What a tree shows, by its place; nothing after a defect.
    Traced(usize, Option<Divergence>),
    /// What the program keeps for whoever asks.
    Kept,
    /// What the rules of single files answer.
    Asked(Vec<Answer>),
}

/// Runs the rules that look at the program: per file, then as a whole.
pub(super) fn ask(program: &Program, paths: &[String], options: &Options<'_>, stop: &Arc<AtomicBool>) -> Answers {
    let is_given_up = || stop.load(Atomic::Relaxed);
    let whole = options.rules.iter().any(|rule| matches!(rule.check, Check::Program(_)));
    let begun = (whole && !is_given_up()).then(|| catch_unwind(AssertUnwindSafe(|| prepare(program, stop))));
    let mut prepared = begun.and_then(Result::ok);

    let trees = program.trees();
    let mut traces: Vec<Task<'_>> = Vec::new();
    if prepared.is_some() {
        for (at, files) in trees.iter().enumerate() {
            traces.extend([Task::Trace(at, files), Task::Orders(at, files)]);
        }
        let size = |task: &Task<'_>| match task {
            Task::Trace(_, files) | Task::Orders(_, files) => files.len(),
            Task::Protocol | Task::Ask(_) => usize::MAX,
        };
        traces.sort_by_key(|task| std::cmp::Reverse(size(task)));
        traces.insert(0, Task::Protocol);
    }
    let asks = (0..paths.len()).step_by(FILES_AT_ONCE).map(Task::Ask);
    let done: Vec<Done> = traces
        .into_iter()
        .chain(asks)
        .par_bridge()
        .map(|task| match (task, &prepared) {
            (Task::Ask(from), _) => Done::Asked(ask_files(program, paths, from, options, stop)),
            (Task::Trace(at, files), Some(prepared)) => {
                let traced = catch_unwind(AssertUnwindSafe(|| divergence(program, prepared, files, spread)));
                Done::Traced(at, traced.ok())
            }
            (Task::Orders(at, files), Some(prepared)) => {
                let ordered = catch_unwind(AssertUnwindSafe(|| match is_given_up() {
                    true => Divergence::default(),
                    false => orders(program, prepared, files),
                }));
                Done::Traced(trees.len() + at, ordered.ok())
            }
            (Task::Protocol, _) => {
                // A defect is met again where it is asked for.
                let _ = catch_unwind(AssertUnwindSafe(|| (!is_given_up()).then(|| program.protocol())));
                Done::Kept
            }
            (Task::Trace(at, _) | Task::Orders(at, _), None) => Done::Traced(at, None),
        })
        .collect();

    let mut answers: Vec<Answer> = Vec::new();
    let mut parts: Vec<(usize, Divergence)> = Vec::new();
    for done in done {
        match done {
            Done::Asked(asked) => answers.extend(asked),
            Done::Kept => {}
            Done::Traced(at, Some(part)) => parts.push((at, part)),
            // A defect is met again, and named, by whichever rule asks for the traces.
            Done::Traced(_, None) => prepared = None,
        }
    }
    if prepared.is_some() {
        parts.sort_by_key(|(at, _)| *at);
        program.keep(parts.into_iter().map(|(_, part)| part).collect());
    }
    answers.par_extend(options.rules.par_iter().filter_map(|rule| {
        let Check::Program(check) = rule.check else { return None };
        if is_given_up() {
            return None;
        }
        Some(guarded(|findings| check(program, findings)).map_err(|defect| in_rule(rule, "(all files)", defect)))
    }));
    let mut out = Answers { prepared, ..Answers::default() };
    for answer in answers {
        match answer {
            Ok(findings) => out.found.extend(findings),
            Err(error) => out.internal.push(error),
        }
    }
    out
}

/// Finds out what all tracing needs to know, and beside it what waits for no traces.
fn prepare(program: &Program, stop: &Arc<AtomicBool>) -> Prepared {
    let begun = Begun::of(program, |one, other| {
        rayon::join(one, other);
    });
    begun.announce(program);
    let conduct = || {
        // A defect is met again where it is asked for.
        let _ = catch_unwind(AssertUnwindSafe(|| (!stop.load(Atomic::Relaxed)).then(|| program.conduct())));
    };
    let (prepared, ()) = rayon::join(|| begun.prepared(program), conduct);
    prepared.until(stop.clone())
}

/// Does the tasks on whichever threads are free.
pub(super) fn spread(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(task);
}

/// Runs the rules that look at one file, for some files.
fn ask_files(
    program: &Program,
    paths: &[String],
    from: usize,
    options: &Options<'_>,
    stop: &AtomicBool,
) -> Vec<Answer> {
    let mut answers = Vec::new();
    for (index, path) in paths.iter().enumerate().skip(from).take(FILES_AT_ONCE) {
        let file = FileId(index as u32);
        for rule in options.rules.iter().take_while(|_| !stop.load(Atomic::Relaxed)) {
            let (Check::File(check) | Check::FileAndScript(check, _)) = rule.check else { continue };
            let answer = guarded(|findings| check(program, file, findings));
            answers.push(answer.map_err(|defect| in_rule(rule, path, defect)));
        }
        options.progress.step();
    }
    answers
}

pub(super) fn guarded(check: impl FnOnce(&mut Findings)) -> Result<Vec<Finding>, String> {
    let mut findings = Findings::default();
    catch_unwind(AssertUnwindSafe(|| check(&mut findings))).map_err(|defect| defect_text(&*defect))?;
    Ok(findings.into_vec())
}

pub(super) fn in_rule(rule: &Rule, path: &str, defect: String) -> InternalError {
    InternalError { path: path.to_owned(), message: format!("{}: {defect}", rule.name) }
}
