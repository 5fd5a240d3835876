//! `check --diff-base`: what was found at an earlier commit already is left out.
//!
//! Both trees are looked at whole, so a finding counts where it arises, also in a caller that the change did not touch.

use std::collections::{BTreeMap, BTreeSet};

use crate::analyze::{FileRecord, Progress, Workers};
use crate::base::FileId;
use crate::cli::args::CheckArguments;
use crate::cli::{Failure, complain};
use crate::report::{Files, Places, fingerprints};
use crate::source::{Base, Kind, base_of};

use super::setup::{Input, Setup, paths};
use super::{Outcome, Records};

/// What was found at an earlier commit.
pub(super) struct Since {
    revision: String,
    names: BTreeSet<String>,
}

impl Since {
    /// Looks at the tree of an earlier commit, without touching the files that lie there now.
    pub fn new(
        revision: &str,
        setup: &Setup,
        arguments: &CheckArguments,
        input: &Input,
        workers: &Workers,
        progress: &Progress,
    ) -> Result<Since, Failure> {
        let Input::Files(found) = input else {
            return Err(Failure::usage("`--diff-base` compares files, and standard input is none", None));
        };
        let here = paths(arguments);
        let kinds: BTreeMap<&str, Kind> = found.iter().map(|file| (file.path.as_str(), file.kind)).collect();
        let wanted = |path: &str| {
            if let Some(kind) = kinds.get(path) {
                return Some(*kind);
            }
            // A file that is gone: callers of what it held may have changed with it.
            let kind = Kind::of(path.as_ref())?;
            let location = setup.cwd.join(path);
            let asked = here.iter().any(|given| location.starts_with(setup.cwd.join(given).components().as_path()));
            let excluded = setup.config.exclude.matches(path.as_ref(), &setup.cwd);
            (asked && !excluded && !location.exists()).then_some(kind)
        };
        let base = base_of(&setup.cwd, revision, &wanted).map_err(|problem| {
            Failure::usage(format!("`--diff-base {revision}`: {}", problem.message), Some(problem.help))
        })?;
        let Base { sources, renamed, is_fork, .. } = base;
        if !is_fork {
            let message =
                format!("where the branch left `{revision}` is not known here; `{revision}` itself is compared");
            complain(
                "note",
                &message,
                Some("a shallow clone lacks it: check out with more history (`fetch-depth: 0`)"),
            );
        }
        let outcome = setup.outcome(sources, workers, progress);
        let path = |file: &FileRecord| renamed.get(&file.path).unwrap_or(&file.path).clone();
        let paths = outcome.files.iter().map(path).collect();
        let then = Renamed { files: &outcome.files, paths };
        let names = fingerprints(&outcome.triaged.findings, &Places::new(&then)).into_iter().collect();
        Ok(Since { revision: revision.to_owned(), names })
    }

    /// Leaves out what is known, and says so.
    pub fn apply(&self, outcome: &mut Outcome) {
        let known = self.leave_out(outcome);
        if known > 0 {
            let (findings, were) = if known == 1 { ("finding", "was") } else { ("findings", "were") };
            let message = format!("{known} {findings} {were} there at `{}` already", self.revision);
            complain("note", &message, None);
        }
    }

    /// Leaves out what is known; how much that is.
    pub fn leave_out(&self, outcome: &mut Outcome) -> usize {
        let names = fingerprints(&outcome.triaged.findings, &Places::new(&Records(&outcome.files)));
        let before = outcome.triaged.findings.len();
        let mut names = names.iter();
        outcome.triaged.findings.retain(|_| names.next().is_none_or(|name| !self.names.contains(name)));
        let known = before - outcome.triaged.findings.len();
        outcome.triaged.suppressed += known;
        known
    }
}

/// Files of then under the names that they have now.
struct Renamed<'a> {
    files: &'a [FileRecord],
    paths: Vec<String>,
}

impl Files for Renamed<'_> {
    fn path(&self, file: FileId) -> &str {
        &self.paths[file.index()]
    }

    fn text(&self, file: FileId) -> &str {
        &self.files[file.index()].text
    }
}
