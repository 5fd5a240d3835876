//! `check --baseline` and `check --update-baseline`.

use std::path::{Path, PathBuf};

use crate::analyze::FileRecord;
use crate::config::Config;
use crate::fix::put;
use crate::project::Baseline;
use crate::source::shown;
use crate::triage::{Policy, Triaged};

use super::args::CheckArguments;
use super::{Failure, complain};

/// What a run does with its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Honour,
    Update,
}

/// The baseline of a run.
pub(super) struct KnownFindings {
    file: PathBuf,
    baseline: Baseline,
    purpose: Use,
    /// What to do so that every run honours a file that is written for the first time.
    advice: Option<String>,
}

impl KnownFindings {
    /// The baseline that the command line names, or else the configuration.
    pub fn open(arguments: &CheckArguments, config: &Config, cwd: &Path) -> Result<Option<KnownFindings>, Failure> {
        let purpose = if arguments.update_baseline { Use::Update } else { Use::Honour };
        let Some(file) = arguments.baseline.clone().or_else(|| config.baseline.clone()) else {
            return match purpose {
                Use::Honour => Ok(None),
                Use::Update => {
                    let help = "add `--baseline FILE`, or the key `baseline` to the configuration".to_owned();
                    Err(Failure::usage("`--update-baseline` does not know which file to write", Some(help)))
                }
            };
        };
        let file = cwd.join(file);
        let is_new = purpose == Use::Update && !file.exists();
        let baseline = if is_new { Baseline::empty(&file, cwd) } else { Baseline::load(&file, cwd)? };
        let advice = (is_new && config.baseline.is_none()).then(|| {
            let home = config.origin.as_deref().unwrap_or("ranklint.toml");
            format!("the key `baseline` in `{home}` makes every run and the editor honour it")
        });
        Ok(Some(KnownFindings { file, baseline, purpose, advice }))
    }

    /// Takes known findings away, and nothing more.
    pub fn leave_out(&self, triaged: &mut Triaged, files: &[FileRecord], policy: &Policy<'_>) {
        self.baseline.apply(triaged, files, policy);
    }

    /// Takes known findings away, and says what became of the baseline.
    pub fn apply(mut self, triaged: &mut Triaged, files: &[FileRecord], policy: &Policy<'_>) -> Result<(), Failure> {
        let name = shown(&self.file, policy.cwd);
        if self.purpose == Use::Update {
            let updated = self.baseline.updated(triaged, files, policy);
            put(&self.file, updated.text().as_bytes())
                .map_err(|error| Failure::usage(format!("cannot write the baseline `{name}`: {error}"), None))?;
            let (added, removed) = (updated.beyond(&self.baseline), self.baseline.beyond(&updated));
            let message = format!("the baseline `{name}` knows {} ({added} new, {removed} gone)", updated.len());
            complain("note", &message, self.advice.as_deref());
            self.baseline = updated;
        }
        let applied = self.baseline.apply(triaged, files, policy);
        if applied.stale > 0 {
            let count = applied.stale;
            let (entries, fit) = if count == 1 { ("entry", "fits") } else { ("entries", "fit") };
            let message = format!("{count} {entries} of the baseline `{name}` {fit} nothing any more");
            complain("note", &message, Some("`ranklint check --update-baseline` removes them"));
        }
        Ok(())
    }
}
