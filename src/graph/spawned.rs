//! Programs that start their ranks themselves: what stands around that runs once, in the process that starts them.

use crate::base::Symbol;
use crate::model::{Call, Expr, ExprId, File};

use super::communication::{argument, calls_in};
use super::confidence::Evidence;
use super::started::{PROCESSES, SPAWNERS, starter};

/// What starts all processes of a job, in the process that is none of them.
const LAUNCHERS: [&str; 4] = [
    "torch.distributed.launch.main",
    "torch.distributed.launch.launch",
    "torch.distributed.run.main",
    "torch.distributed.run.run",
];

impl Evidence<'_, '_> {
    /// Whether the operation is reached by a call of just the function that is otherwise handed to new processes, or in a
    /// function that otherwise runs the launcher: who goes on without starting any is the only rank.
    pub(super) fn starts_ranks_otherwise(&self) -> bool {
        let program = self.engine.program;
        let (file, local) = program.locate(self.function);
        let model = &program.file(file).model;
        let started = |call: Call| -> Option<Symbol> {
            let dotted = starter(program, file, local, call.callee)?;
            let handed = match dotted.as_str() {
                spawner if SPAWNERS.contains(&spawner) => argument(model, call, Some(0), Symbol::new("fn")),
                process if PROCESSES.contains(&process) => argument(model, call, None, Symbol::new("target")),
                _ => None,
            };
            named(model, handed?)
        };
        let is_called = |worker: Symbol| self.calls.iter().any(|(site, called)| site.file == file && *called == worker);
        let launches = |call: Call| {
            program.resolve(file, local, call.callee).is_some_and(|dotted| LAUNCHERS.contains(&dotted.as_str()))
        };
        let mut calls = calls_in(model, model.function(local).body).into_iter();
        calls.any(|(_, call)| launches(call) || started(call).is_some_and(is_called))
    }
}

fn named(model: &File, function: ExprId) -> Option<Symbol> {
    match model.expr(function) {
        Expr::Name(name) => Some(name),
        _ => None,
    }
}
