//! `ranklint verify [PATHS]`: what the project has configured is run, and the findings are shown with what the runs say.

use std::path::{Path, PathBuf};

use clap::{Args, Command, FromArgMatches};

use crate::config::ConfiguredRun;
use crate::project::ConfigFrom;

use crate::cli::args::{CheckArguments, RunArguments};
use crate::cli::{Exit, Failure, check, complain, project};

use super::matrix;

/// What to put into a configuration without runs.
const HELP: &str = "name a program in ranklint.toml:\n  [[runs]]\n  command = [\"python\", \"train.py\"]\n  ranks = 2\nor run \
                    one program: `ranklint verify run -- python train.py`";

/// Runs the command: the configured runs, then `check` of the paths; without runs and paths the first tranche of the matrix.
pub(super) fn run(paths: &[PathBuf]) -> Result<Exit, Failure> {
    let cwd = project::working_directory()?;
    let start = paths.first().map_or(Path::new(""), PathBuf::as_path);
    let runs = project::config(ConfigFrom::Nearest(start), &cwd)?.runs;
    if runs.is_empty() {
        if paths.is_empty() {
            return matrix::run_default();
        }
        return Err(Failure::usage(
            "the project has no run that could judge findings".to_owned(),
            Some(HELP.to_owned()),
        ));
    }
    let mut worst = Exit::Clean;
    for (index, configured) in runs.iter().enumerate() {
        complain("verify", &format!("run {} of {}: {}", index + 1, runs.len(), configured.command.join(" ")), None);
        worst = worse(worst, super::run::run(&of_words::<RunArguments>(words(configured))?)?);
    }
    let checked = check::run(&of_words::<CheckArguments>(
        ["--".to_owned()].into_iter().chain(paths.iter().map(|path| path.display().to_string())),
    )?)?;
    Ok(worse(worst, checked))
}

fn words(run: &ConfiguredRun) -> impl Iterator<Item = String> {
    let options =
        ["-n".to_owned(), run.ranks.to_string(), "--timeout".to_owned(), run.timeout_s.to_string(), "--".to_owned()];
    options.into_iter().chain(run.command.iter().cloned())
}

/// The arguments of a command that is given these words; the rest has its defaults.
fn of_words<A: Args + FromArgMatches>(words: impl IntoIterator<Item = String>) -> Result<A, Failure> {
    let command = A::augment_args(Command::new("ranklint")).no_binary_name(true);
    let matches = command.try_get_matches_from(words).and_then(|matches| A::from_arg_matches(&matches));
    matches.map_err(|error| Failure::usage(error.to_string(), None))
}

/// The end that says more: what could not be run weighs more than what was found.
fn worse(one: Exit, other: Exit) -> Exit {
    if one as u8 >= other as u8 { one } else { other }
}
