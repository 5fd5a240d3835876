//! From the command line and the configuration to what a run needs; shared by the commands that read a project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::catalog::{AllowedWrite, Catalog, ProjectFacts};
use crate::config::{Config, Mistake};
use crate::source::{Found, Missing, Walk, discover};

use super::{Exit, Failure};

/// The working directory.
#[expect(clippy::disallowed_methods, reason = "the one place that asks where the process runs")]
pub(super) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| Failure::usage(format!("there is no working directory: {error}"), None))
}

/// Where the configuration comes from.
pub(super) enum ConfigFrom<'a> {
    /// From the nearest file, seen from this path.
    Nearest(&'a Path),
    /// From this file.
    File(&'a Path),
    /// From nowhere.
    Nowhere,
}

/// The configuration of a run.
pub(super) fn config(from: ConfigFrom<'_>, cwd: &Path) -> Result<Config, Failure> {
    match from {
        ConfigFrom::Nearest(path) => Config::discover(path, cwd),
        ConfigFrom::File(path) => Config::load(path, cwd),
        ConfigFrom::Nowhere => Ok(Config::default()),
    }
    .map_err(|mistake| misconfigured(&mistake))
}

/// The failure that a mistake in the configuration leads to.
pub(super) fn misconfigured(mistake: &Mistake) -> Failure {
    Failure { exit: Exit::Usage, message: mistake.to_string(), help: None }
}

/// What the project declares about itself.
pub(super) fn facts(config: &Config) -> ProjectFacts {
    let allowed = config.allowed_writes.iter();
    let default = ProjectFacts::default();
    ProjectFacts {
        test_keys: config.test_keys.clone().unwrap_or(default.test_keys),
        parity_keys: config.parity_keys.clone(),
        allowed_writes: allowed
            .map(|write| AllowedWrite { path: write.path.clone(), reason: write.reason.clone() })
            .collect(),
        envelope_modules: config.envelope_modules.clone(),
    }
}

/// The catalogue, with the project's own models.
pub(super) fn catalog(config: &Config) -> Result<Arc<Catalog>, Failure> {
    let mut catalog = Catalog::builtin().clone();
    for models in &config.models {
        catalog = catalog.extended_at(&models.path, &models.text, models.keys).map_err(|error| {
            misconfigured(&models.mistake(error.line, error.column, &error.message, error.help.clone()))
        })?;
    }
    Ok(Arc::new(catalog))
}

/// The files of a run.
pub(super) fn files(
    paths: &[PathBuf],
    cwd: &Path,
    config: &Config,
    force_exclude: bool,
) -> Result<Vec<Found>, Failure> {
    let walk = Walk {
        cwd,
        include: &config.include,
        exclude: &config.exclude,
        respect_gitignore: config.respect_gitignore,
        force_exclude: force_exclude || config.force_exclude,
    };
    discover(paths, &walk).map_err(|missing| {
        let Missing { path, exists, suggestion } = missing;
        let help = match suggestion {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("`{exists}` exists, but nothing in it has a similar name"),
        };
        Failure::usage(format!("there is no file or folder `{path}`"), Some(help))
    })
}
