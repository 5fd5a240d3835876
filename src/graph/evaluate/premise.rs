//! What is taken for granted of a job: it does not run under MPI, its processes have ranks, and its machines are alike.

use crate::base::Symbol;
use crate::flow::{DEVICE_COUNT, Node, Value};
use crate::model::{CompareOp, ExprId};

use super::{Engine, Frame};

/// Where a function asks which backend carries the default group.
pub(super) fn asks_for_backend(dotted: Symbol) -> bool {
    matches!(dotted.as_str(), "torch.distributed.get_backend" | "torch.distributed.distributed_c10d.get_backend")
}

/// Where a function asks what its machine has: the same wherever it asks.
pub(super) fn asks_for_hardware(dotted: Symbol) -> bool {
    let asked = dotted.as_str().strip_prefix("torch.").and_then(|of_torch| of_torch.split_once('.'));
    asked.is_some_and(|(kind, name)| {
        matches!(kind, "cuda" | "npu" | "xpu" | "accelerator") && matches!(name, "is_available" | DEVICE_COUNT)
    })
}

impl Engine<'_> {
    /// Whether a comparison asks if the job runs over MPI, for which torch has to be built from source.
    pub(super) fn asks_for_mpi(&self, left: Value, right: Value) -> bool {
        let backend = |value: Value| matches!(self.values.node(value), Node::Apply(name, parts) if parts.is_empty() && asks_for_backend(*name));
        let mpi = |value: Value| matches!(self.values.node(value), Node::Str(text) if text.as_str() == "mpi");
        backend(left) && mpi(right) || mpi(left) && backend(right)
    }

    /// What a comparison asks that wants to know whether there is a rank at all: `local_rank != -1` holds in every process
    /// of a job, by whatever way they have come to their numbers.
    pub(super) fn asks_for_no_rank(
        &mut self,
        frame: &Frame<'_>,
        asked: ExprId,
        (left, op, right): (Value, CompareOp, Value),
    ) -> Option<Value> {
        let limit = match self.values.node(right) {
            Node::Int(number) => *number,
            _ => return None,
        };
        let there = match (op, limit) {
            (CompareOp::NotEq | CompareOp::Greater, -1) | (CompareOp::GreaterEq, 0) => true,
            (CompareOp::Eq | CompareOp::LessEq, -1) | (CompareOp::Less, 0) => false,
            _ => return None,
        };
        // What is known to be a rank answers that by itself.
        let is_open = !matches!(self.values.node(left), Node::Rank(_) | Node::Parameter(..) | Node::Int(_));
        let model = &self.program.file(frame.file).model;
        let name = model.last_name(asked).filter(|_| is_open && !self.values.vary(left).is_empty())?;
        if !self.program.catalog.is_rank_by_name(name) {
            return None;
        }
        let initialized = self.values.make(Node::Apply(Symbol::new(crate::flow::INITIALIZED), Box::from([])));
        Some(if there { initialized } else { self.values.make(Node::Not(initialized)) })
    }
}
