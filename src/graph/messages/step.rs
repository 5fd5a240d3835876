//! One thing that a rank does about messages.

use crate::base::Site;

/// What it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepKind {
    /// `send`: returns when the buffer may be used again, which may be when the receiver has come.
    Send,
    /// `isend`
    Isend,
    /// `recv`
    Recv,
    /// `irecv`
    Irecv,
    /// An operation of a batch: which one is an argument.
    Batched,
    /// `wait` on the step of that number.
    Wait(usize),
}

impl StepKind {
    /// The names of the operations.
    pub const NAMES: [&str; 6] = ["send", "send_object_list", "isend", "recv", "recv_object_list", "irecv"];

    /// The operation of that name.
    pub fn named(name: &str) -> Option<StepKind> {
        Some(match name {
            "send" | "send_object_list" => StepKind::Send,
            "isend" => StepKind::Isend,
            "recv" | "recv_object_list" => StepKind::Recv,
            "irecv" => StepKind::Irecv,
            _ => return None,
        })
    }

    /// Whether it sends.
    pub fn sends(self) -> bool {
        matches!(self, StepKind::Send | StepKind::Isend)
    }

    /// Whether it receives.
    pub fn receives(self) -> bool {
        matches!(self, StepKind::Recv | StepKind::Irecv)
    }

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            StepKind::Send => "send",
            StepKind::Isend => "isend",
            StepKind::Recv => "recv",
            StepKind::Irecv => "irecv",
            StepKind::Batched => "batch_isend_irecv",
            StepKind::Wait(_) => "wait",
        }
    }
}

/// One step of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does.
    pub kind: StepKind,
    /// The other rank; none for waits.
    pub peer: Option<i64>,
    /// Where it stands.
    pub site: Site,
}
