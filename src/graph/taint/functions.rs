//! Functions that part ranks by what they do, not by what they hold: those that raise on some ranks, that answer otherwise
//! where a request has failed, or that a decorator runs on some ranks only.

use rustc_hash::FxHashSet;

use super::{Frequency, Taint};
use crate::base::{FileId, Symbol};
use crate::graph::evaluate::BACKWARD;
use crate::graph::hazard::may_go_otherwise;
use crate::graph::program::Program;
use crate::graph::suspects::Suspects;
use crate::model::{Flow, Function, FunctionKind, Guard, Sink};

impl Taint {
    /// Functions that answer otherwise where a request has failed: it may fail on one rank alone.
    pub(super) fn add_answers_of_requests(&mut self, program: &Program, frequency: &Frequency) {
        for file in program.file_ids() {
            for function in program.file(file).model.functions.iter().filter(|function| !function.guards.is_empty()) {
                let asks = |guard: &Guard| {
                    let tried = &function.mentions[guard.start as usize..guard.end as usize];
                    guard.tried && tried.iter().any(|&name| may_go_otherwise(name))
                };
                if !frequency.is_generic(function.name) && function.guards.iter().any(asks) {
                    self.names.insert(function.name);
                }
            }
        }
    }

    /// Functions that go back through a model and return something: what the loss was made of is this rank's own.
    pub(super) fn add_passes(&mut self, program: &Program, frequency: &Frequency) {
        let backward = Symbol::new(BACKWARD);
        for file in program.file_ids() {
            let model = &program.file(file).model;
            if !model.names().may_hold_any(&[backward]) {
                continue;
            }
            for function in model.functions.iter().filter(|function| function.mentions.contains(&backward)) {
                let returns = |flow: &Flow| flow.to == Sink::Return && flow.start != flow.end;
                if !frequency.is_generic(function.name) && function.flows.iter().any(returns) {
                    self.names.insert(function.name);
                }
            }
        }
    }

    /// Functions that raise under a condition that may differ, and who calls them without more ado.
    pub(super) fn raising(&self, program: &Program, frequency: &Frequency) -> FxHashSet<Symbol> {
        let functions = || {
            program
                .file_ids()
                .flat_map(|file| program.file(file).model.functions.iter().map(move |function| (file, function)))
        };
        let named = |(_, function): &(FileId, &Function)| {
            function.kind == FunctionKind::Def && !frequency.is_generic(function.name)
        };
        let raises = |&(file, function): &(FileId, &Function)| {
            function.guards.iter().any(|guard| guard.raises) && {
                let suspects = Suspects::of(self, function, self.imported(file).to_vec());
                let mut guards = function.guards.iter().filter(|guard| guard.raises);
                guards.any(|guard| suspects.within(guard.start, guard.end))
            }
        };
        let mut out: FxHashSet<Symbol> =
            functions().filter(named).filter(raises).map(|(_, function)| function.name).collect();
        let calls = |(_, function): &(FileId, &Function)| function.mentions.iter().any(|name| out.contains(name));
        let callers: Vec<Symbol> = functions().filter(named).filter(calls).map(|(_, function)| function.name).collect();
        out.extend(callers);
        out
    }

    /// Functions that make another one, and classes whose objects are called, which ask something that may differ, such as
    /// the rank: decorators.
    pub(super) fn deciding(&self, program: &Program) -> FxHashSet<Symbol> {
        let mut deciding: FxHashSet<Symbol> = FxHashSet::default();
        for file in program.file_ids() {
            let model = &program.file(file).model;
            let outer = |function: &Function| {
                function.parent.map(|parent| model.function(parent)).filter(|outer| outer.kind == FunctionKind::Def)
            };
            for function in &model.functions {
                // What is called in place of the function: one inside a decorator, or an object of a class that is one.
                let called = function.class.filter(|_| function.name.as_str() == "__call__");
                let home = outer(function);
                if function.kind != FunctionKind::Def || home.is_none() && called.is_none() {
                    continue;
                }
                let suspects = Suspects::of(self, function, self.imported(file).to_vec());
                if !function.guards.iter().any(|guard| !guard.tried && suspects.within(guard.start, guard.end)) {
                    continue;
                }
                deciding.extend(called.map(|class| model.class(class).name));
                deciding
                    .extend(std::iter::successors(home, |&home| outer(home)).last().map(|outermost| outermost.name));
            }
        }
        deciding
    }
}

/// Functions that shard a model in place: those of libraries, and those that call one.
pub(super) fn sharding(program: &Program, frequency: &Frequency) -> FxHashSet<Symbol> {
    let mut out = program.catalog.shards_in_place();
    let functions = program.file_ids().flat_map(|file| &program.file(file).model.functions);
    let shards = |function: &&Function| {
        let called = |at: u32| function.mentions.get(at as usize);
        function.callees.iter().any(|callee| called(callee.at).is_some_and(|name| out.contains(name)))
    };
    let found: Vec<Symbol> = functions
        .filter(|function| function.kind == FunctionKind::Def && !frequency.is_generic(function.name))
        .filter(shards)
        .map(|function| function.name)
        .collect();
    out.extend(found);
    out
}
