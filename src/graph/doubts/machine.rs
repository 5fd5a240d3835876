//! Doubts about facts of the machine that a process runs on: the nodes of a job are as a rule alike.

use crate::model::{Expr, ExprId, File};

use super::super::confidence::Evidence;

/// Functions that run another program, and give what it prints or how it ends.
const RUNS: [&str; 7] = ["run", "call", "check_call", "check_output", "getoutput", "getstatusoutput", "popen"];

impl Evidence<'_, '_> {
    /// Whether what differs is what another program says that is asked in the same words everywhere: `nvidia-smi topo -m`.
    pub(in crate::graph) fn asks_the_machine(&self) -> bool {
        let Some((model, asked)) = self.birth.and_then(|birth| self.engine.written_at(birth.site)) else {
            return false;
        };
        let Expr::Call(call) = model.expr(asked) else { return false };
        let call = model.call(call);
        let runs = model.last_name(call.callee).is_some_and(|name| RUNS.contains(&name.as_str()));
        runs && model.list(call.args).first().is_some_and(|&command| is_written_out(model, command))
    }
}

fn is_written_out(model: &File, command: ExprId) -> bool {
    match model.expr(command) {
        Expr::Str(_) => true,
        Expr::ListDisplay(words) | Expr::Tuple(words) => {
            model.list(words).iter().all(|&word| matches!(model.expr(word), Expr::Str(_)))
        }
        _ => false,
    }
}
