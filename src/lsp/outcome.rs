//! What is known about a project at one moment, as the thread that speaks with the client sees it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::analyze::FileRecord;
use crate::base::FileId;
use crate::finding::Finding;
use crate::report;
use crate::source::shown;

/// The identity of a project within a session.
pub(super) type Key = u32;

/// The findings of a project, and the texts they speak of.
pub(super) struct Outcome {
    pub key: Key,
    pub cwd: PathBuf,
    /// What is to be shown, in order.
    pub findings: Vec<Finding>,
    pub files: Vec<FileRecord>,
    pub by_path: Arc<FxHashMap<String, FileId>>,
}

impl Outcome {
    /// The file at an absolute path.
    pub(super) fn file(&self, path: &Path) -> Option<FileId> {
        self.by_path.get(&shown(path, &self.cwd)).copied()
    }

    /// Where a file lies.
    pub(super) fn path(&self, file: FileId) -> PathBuf {
        self.cwd.join(&self.files[file.index()].path)
    }

    /// The text that was analysed.
    pub(super) fn text(&self, file: FileId) -> &Arc<str> {
        &self.files[file.index()].text
    }

    /// The findings in a file, in order.
    pub(super) fn findings_in(&self, file: FileId) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.site.file == file)
    }
}

impl report::Files for Outcome {
    fn path(&self, file: FileId) -> &str {
        &self.files[file.index()].path
    }

    fn text(&self, file: FileId) -> &str {
        &self.files[file.index()].text
    }
}
