//! What the two threads say to each other.

use std::path::PathBuf;
use std::sync::Arc;

use lsp_server::RequestId;

use super::outcome::{Key, Outcome};
use crate::base::Span;
use crate::source::Kind;

/// What the analyst is told. Tickets count up; an answer names the last one it took into account.
pub(super) enum Task {
    /// These are the folders of the workspace now.
    Folders(Vec<PathBuf>),
    /// A file is open with this text, or is no longer open.
    Buffer { path: PathBuf, content: Option<(Kind, Arc<str>)> },
    /// These files were created, changed or deleted on disk.
    Disk(Vec<PathBuf>),
    /// The configuration may say something else now.
    Reload,
    /// What does the function around this place issue?
    Outline { id: RequestId, path: PathBuf, offset: u32 },
    /// What do the functions of this file issue?
    Traces { id: RequestId, path: PathBuf },
}

/// What a function issues.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    /// Its definition.
    pub span: Span,
    /// The outline, the function's name first.
    pub text: String,
}

/// What the analyst says.
pub(super) enum News {
    /// The findings of a project as they are now.
    Outcome(Arc<Outcome>),
    /// A project is no more.
    Gone(Key),
    /// Everything up to this ticket is taken into account, at least quickly.
    Settled(u64),
    /// A whole analysis that a person may have to wait for has begun, has come so far (per cent), or has ended.
    Begun(Key, PathBuf),
    Progress(Key, u32),
    Ended(Key),
    /// The findings depend on these files, beside the sources.
    Depends(std::collections::BTreeSet<PathBuf>),
    /// Something is wrong with a configuration, or inside.
    Complaint(String),
    /// The answer to [`Task::Outline`].
    Outline {
        id: RequestId,
        trace: Option<Trace>,
    },
    /// The answer to [`Task::Traces`], with the text it speaks of.
    Traces {
        id: RequestId,
        text: Arc<str>,
        traces: Vec<Trace>,
    },
}
