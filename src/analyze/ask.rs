//! The rules, asked of a linked program, with every thread at work to the end: first what all tracing needs to know, then
//! tree by tree, the largest first, and last the rules of single files, which are small enough to fill what is left.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as Atomic};

use rayon::prelude::*;

use super::{InternalError, Options, defect_text};
use crate::base::FileId;
use crate::finding::Finding;
use crate::graph::{Divergence, Prepared, Program, divergence, orders};
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
    /// Look for a control plane.
    Protocol,
    /// Look at what functions do beside communicating.
    Conduct,
    /// Trace a tree.
    Trace(usize, &'a [FileId], &'a Prepared),
    /// Look for loops whose order is each process's own.
    Orders(usize, &'a [FileId], &'a Prepared),
    /// Ask the rules that look at one file, from this file on.
    Ask(usize),
}

/// What came of it.
#[derive(Default)]
struct Done {
    answers: Vec<Answer>,
    /// What a tree shows, and where that stands among the others; nothing after a defect.
    traced: Option<(usize, Option<Divergence>)>,
}

/// Runs the rules that look at the program: per file, then as a whole.
pub(super) fn ask(program: &Program, paths: &[String], options: &Options<'_>, stop: &Arc<AtomicBool>) -> Answers {
    let work = Work { program, paths, options, stop };
    let whole = options.rules.iter().any(|rule| matches!(rule.check, Check::Program(_)));
    let begun = (whole && !work.is_given_up()).then(|| caught(|| prepare(program, stop)));
    let mut prepared = begun.flatten();

    let trees = program.trees();
    let asks = (0..paths.len()).step_by(FILES_AT_ONCE).map(Task::Ask);
    let tasks = tracing(&trees, prepared.as_ref()).into_iter().chain(asks);
    let done: Vec<Done> = tasks.par_bridge().map(|task| work.on(task)).collect();

    let mut answers: Vec<Answer> = Vec::new();
    let mut parts: Vec<(usize, Option<Divergence>)> = Vec::new();
    for done in done {
        answers.extend(done.answers);
        parts.extend(done.traced);
    }
    parts.sort_by_key(|(at, _)| *at);
    // After a defect nothing is kept: it is met again, and named, by whichever rule asks for the traces.
    match parts.into_iter().map(|(_, part)| part).collect::<Option<Vec<Divergence>>>() {
        Some(parts) if prepared.is_some() => program.keep(parts),
        _ => prepared = None,
    }
    answers.par_extend(options.rules.par_iter().filter_map(|rule| {
        let Check::Program(check) = rule.check else { return None };
        if work.is_given_up() {
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

/// The tasks of tracing: the longest begin first. Traces take the most memory, and the more the longer they run: the others
/// are done with theirs before that of the largest tree has grown.
fn tracing<'a>(trees: &'a [Vec<FileId>], prepared: Option<&'a Prepared>) -> Vec<Task<'a>> {
    let Some(prepared) = prepared else { return Vec::new() };
    let mut order: Vec<(usize, &[FileId])> = trees.iter().map(Vec::as_slice).enumerate().collect();
    order.sort_by_key(|(at, files)| (std::cmp::Reverse(files.len()), *at));
    let traces = order.iter().map(|&(at, files)| Task::Trace(at, files, prepared));
    let orders = order.iter().map(|&(at, files)| Task::Orders(trees.len() + at, files, prepared));
    traces.chain([Task::Protocol, Task::Conduct]).chain(orders).collect()
}

/// What the tasks work on.
struct Work<'a> {
    program: &'a Program,
    paths: &'a [String],
    options: &'a Options<'a>,
    stop: &'a AtomicBool,
}

impl Work<'_> {
    fn is_given_up(&self) -> bool {
        self.stop.load(Atomic::Relaxed)
    }

    fn on(&self, task: Task<'_>) -> Done {
        let traced = |at: usize, part: Option<Divergence>| Done { traced: Some((at, part)), ..Done::default() };
        match task {
            Task::Trace(at, files, prepared) => {
                traced(at, caught(|| divergence(self.program, prepared, files, spread)))
            }
            Task::Orders(at, ..) if self.is_given_up() => traced(at, Some(Divergence::default())),
            Task::Orders(at, files, prepared) => traced(at, caught(|| orders(self.program, prepared, files))),
            Task::Protocol => {
                // A defect is met again where it is asked for.
                let _ = caught(|| (!self.is_given_up()).then(|| self.program.protocol()));
                Done::default()
            }
            Task::Conduct => {
                let _ = caught(|| (!self.is_given_up()).then(|| self.program.conduct()));
                Done::default()
            }
            Task::Ask(from) => Done { answers: self.ask_files(from), ..Done::default() },
        }
    }

    /// Runs the rules that look at one file, for some files.
    fn ask_files(&self, from: usize) -> Vec<Answer> {
        let mut answers = Vec::new();
        for (index, path) in self.paths.iter().enumerate().skip(from).take(FILES_AT_ONCE) {
            let file = FileId(index as u32);
            for rule in self.options.rules.iter().take_while(|_| !self.is_given_up()) {
                let (Check::File(check) | Check::FileAndScript(check, _)) = rule.check else { continue };
                let answer = guarded(|findings| check(self.program, file, findings));
                answers.push(answer.map_err(|defect| in_rule(rule, path, defect)));
            }
            self.options.progress.step();
        }
        answers
    }
}

/// What is found out, unless it meets a defect.
fn caught<T>(find: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(find)).ok()
}

/// Finds out what all tracing needs to know.
fn prepare(program: &Program, stop: &Arc<AtomicBool>) -> Prepared {
    let prepared = Prepared::of(program, |one, other| {
        rayon::join(one, other);
    });
    prepared.announce(program);
    prepared.until(stop.clone())
}

/// Does the tasks on whichever threads are free.
pub(super) fn spread(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(task);
}

pub(super) fn guarded(check: impl FnOnce(&mut Findings)) -> Result<Vec<Finding>, String> {
    let mut findings = Findings::default();
    catch_unwind(AssertUnwindSafe(|| check(&mut findings))).map_err(|defect| defect_text(&*defect))?;
    Ok(findings.into_vec())
}

pub(super) fn in_rule(rule: &Rule, path: &str, defect: String) -> InternalError {
    InternalError { path: path.to_owned(), message: format!("{}: {defect}", rule.name) }
}
