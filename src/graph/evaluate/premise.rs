//! What is taken for granted of a job: that its ranks were started with the same arguments, and not under MPI.

use crate::base::Symbol;
use crate::finding::Confidence;
use crate::flow::{Node, Value};
use crate::model::{Block, Expr, ExprId, Stmt};

use super::super::resolve::Target;
use super::{Engine, Frame};

/// Where a function asks which backend carries the default group.
pub(super) fn asks_for_backend(dotted: Symbol) -> bool {
    matches!(dotted.as_str(), "torch.distributed.get_backend" | "torch.distributed.distributed_c10d.get_backend")
}

impl<'p> Engine<'p> {
    /// Whether a comparison asks if the job runs over MPI, for which torch has to be built from source.
    pub(super) fn asks_for_mpi(&self, left: Value, right: Value) -> bool {
        let backend = |value: Value| matches!(self.values.node(value), Node::Apply(name, parts) if parts.is_empty() && asks_for_backend(*name));
        let mpi = |value: Value| matches!(self.values.node(value), Node::Str(text) if text.as_str() == "mpi");
        backend(left) && mpi(right) || mpi(left) && backend(right)
    }

    /// A test that refuses an argument of the wrong kind, `if os.path.isfile(folder): log.error(…); return`, is a mistake
    /// of the caller: every rank was called so.
    pub(super) fn weigh_refusal(&mut self, frame: &Frame<'p>, test: ExprId, value: Value, body: Block) {
        let model = frame.model;
        let Expr::Call(call) = model.expr(test) else { return };
        let asks_for_kind = match self.program.target(frame.file, frame.local, model.call(call).callee) {
            Some(Target::External(dotted)) => matches!(dotted.as_str(), "os.path.isfile" | "os.path.isdir"),
            _ => false,
        };
        let [told @ .., last] = model.block(body) else { return };
        let leaves = matches!(model.stmt(*last), Stmt::Return(result)
            if result.is_none_or(|result| matches!(model.expr(result), Expr::None)));
        let complains = told.iter().any(|&stmt| complains(model, model.stmt(stmt)));
        if asks_for_kind && leaves && complains && told.len() <= 2 {
            for birth in self.births.get_mut(&value).into_iter().flatten() {
                birth.confidence = Confidence::Low;
            }
        }
    }
}

/// Whether the statement logs an error.
fn complains(model: &crate::model::File, stmt: &Stmt) -> bool {
    let Stmt::Expr(expr) = stmt else { return false };
    let Expr::Call(call) = model.expr(*expr) else { return false };
    match model.expr(model.call(call).callee) {
        Expr::Attribute { name, .. } => matches!(name.as_str(), "error" | "critical" | "exception"),
        _ => false,
    }
}
