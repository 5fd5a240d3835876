//! What is taken for granted of a job: it does not run under MPI.

use crate::base::Symbol;
use crate::flow::{Node, Value};

use super::Engine;

/// Where a function asks which backend carries the default group.
pub(super) fn asks_for_backend(dotted: Symbol) -> bool {
    matches!(dotted.as_str(), "torch.distributed.get_backend" | "torch.distributed.distributed_c10d.get_backend")
}

impl Engine<'_> {
    /// Whether a comparison asks if the job runs over MPI, for which torch has to be built from source.
    pub(super) fn asks_for_mpi(&self, left: Value, right: Value) -> bool {
        let backend = |value: Value| matches!(self.values.node(value), Node::Apply(name, parts) if parts.is_empty() && asks_for_backend(*name));
        let mpi = |value: Value| matches!(self.values.node(value), Node::Str(text) if text.as_str() == "mpi");
        backend(left) && mpi(right) || mpi(left) && backend(right)
    }
}
