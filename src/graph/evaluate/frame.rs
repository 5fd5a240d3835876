//! The state of one function's evaluation: its variables, and a log by which an arm is taken back.

use rustc_hash::FxHashMap;

use super::failures::Failing;
use super::job::Job;
use super::passed::Passed;
use super::skipped::CutShort;
use crate::base::{ClassId, FileId, FunctionId, Site, Span, Symbol};
use crate::flow::{EffectId, Value};
use crate::model::{File, LocalFunction};

/// The state of one function's evaluation.
pub(in crate::graph) struct Frame<'p> {
    pub(super) function: FunctionId,
    pub(super) file: FileId,
    pub(super) local: LocalFunction,
    pub(super) model: &'p File,
    pub(super) class: Option<ClassId>,
    pub(super) receiver: Option<Symbol>,
    pub(super) env: FxHashMap<Symbol, Value>,
    pub(super) paths: FxHashMap<Symbol, Vec<Symbol>>,
    pub(super) log: Vec<(Symbol, Option<Value>)>,
    pub(super) sequence: Vec<EffectId>,
    pub(super) guards: Vec<Value>,
    pub(super) returns: Vec<(Option<Value>, Value)>,
    /// What the object holds where some ranks return: under which condition, and what by then.
    pub(super) left: Vec<(Value, Vec<(Symbol, Value)>)>,
    /// Generators that the call being evaluated is handed.
    pub(super) handed: Vec<(Value, Span)>,
    pub(super) dead: bool,
    /// How many contexts around suspend what a wrapped module's backward issues.
    pub(super) quiet: u32,
    /// Contexts around that do so on some ranks only: where, and the condition under which they do.
    pub(super) quiet_on_some: Vec<(Span, Value)>,
    /// Whether the job's process group has been taken down: nothing communicates any more.
    pub(super) parted: bool,
    /// Which job it is in.
    pub(super) job: Job,
    /// Whether one of the arms just left has taken it down.
    pub(super) parts: bool,
    /// What one rank has handed out so far.
    pub(super) passed: Vec<Passed>,
    /// The request whose failure the innermost handler around takes.
    pub(super) failing: Option<Failing>,
    /// Whether the body of a `try` with handlers is around.
    pub(super) is_protected: bool,
    /// Arms of the loop at hand that have cut a turn short.
    pub(super) cuts: Vec<CutShort>,
    /// Whether a loop is around.
    pub(super) turning: bool,
    /// Whether the function asks for data that it pools.
    pub(super) pools: bool,
    /// The variable whose attributes the last call has set that set any.
    pub(super) prepared: Option<Symbol>,
}

impl<'p> Frame<'p> {
    /// The state in which nothing is known yet.
    pub(super) fn empty(function: FunctionId, file: FileId, local: LocalFunction, model: &'p File) -> Self {
        Frame {
            function,
            file,
            local,
            model,
            class: None,
            receiver: None,
            env: FxHashMap::default(),
            paths: FxHashMap::default(),
            log: Vec::new(),
            sequence: Vec::new(),
            guards: Vec::new(),
            returns: Vec::new(),
            left: Vec::new(),
            handed: Vec::new(),
            dead: false,
            quiet: 0,
            quiet_on_some: Vec::new(),
            parted: false,
            job: Job::default(),
            parts: false,
            passed: Vec::new(),
            failing: None,
            is_protected: false,
            cuts: Vec::new(),
            turning: false,
            pools: false,
            prepared: None,
        }
    }

    pub(super) fn get(&self, name: Symbol) -> Option<Value> {
        self.env.get(&name).copied()
    }

    pub(super) fn set(&mut self, name: Symbol, value: Value) {
        let old = self.env.insert(name, value);
        self.log.push((name, old));
    }

    /// Sets the value of an attribute path that begins at `root`.
    pub(super) fn set_path(&mut self, root: Symbol, path: Symbol, value: Value) {
        if root != path {
            let paths = self.paths.entry(root).or_default();
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        self.set(path, value);
    }

    /// Forgets attribute paths that begin with `name`, whose object has been replaced or changed.
    pub(super) fn forget_paths(&mut self, name: Symbol) {
        for key in self.paths.get(&name).cloned().unwrap_or_default() {
            let old = self.env.remove(&key);
            self.log.push((key, old));
        }
    }

    /// What changed since `mark`, and back to the state of then.
    pub(super) fn rollback(&mut self, mark: usize) -> Vec<(Symbol, Option<Value>)> {
        let mut changed: Vec<(Symbol, Option<Value>)> = Vec::new();
        for &(name, _) in &self.log[mark..] {
            if !changed.iter().any(|(known, _)| *known == name) {
                changed.push((name, self.env.get(&name).copied()));
            }
        }
        while self.log.len() > mark {
            let Some((name, old)) = self.log.pop() else { break };
            match old {
                Some(value) => self.env.insert(name, value),
                None => self.env.remove(&name),
            };
        }
        changed
    }

    pub(super) fn site(&self, span: Span) -> Site {
        Site { file: self.file, span }
    }
}
