//! What the commands that read a project need, with refusals as failures of the command line.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::catalog::{Catalog, ProjectFacts};
use crate::config::Config;
use crate::project::{self, Refusal};
use crate::source::Found;

use super::{Exit, Failure};

pub(super) use crate::project::ConfigFrom;

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        Failure { exit: Exit::Usage, message: refusal.message, help: refusal.help }
    }
}

/// The working directory.
#[expect(clippy::disallowed_methods, reason = "the one place that asks where the process runs")]
pub(super) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| Failure::usage(format!("there is no working directory: {error}"), None))
}

/// The configuration of a run.
pub(super) fn config(from: ConfigFrom<'_>, cwd: &Path) -> Result<Config, Failure> {
    Ok(project::config(from, cwd)?)
}

/// What the project in a working directory declares about itself.
pub(super) fn facts(config: &Config, cwd: &Path) -> ProjectFacts {
    project::facts(config, cwd)
}

/// The catalogue, with the project's own models.
pub(super) fn catalog(config: &Config) -> Result<Arc<Catalog>, Failure> {
    Ok(project::catalog(config)?)
}

/// The files of a run.
pub(super) fn files(
    paths: &[PathBuf],
    cwd: &Path,
    config: &Config,
    force_exclude: bool,
) -> Result<Vec<Found>, Failure> {
    Ok(project::files(paths, cwd, config, force_exclude)?)
}
