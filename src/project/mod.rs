//! From the configuration to what a run over a project needs: what the command line and the editor share.
//!
//! Knows nothing of either: why something cannot be had is a [`Refusal`], in words for a person.

mod baseline;
mod detect;
mod select;
mod verdicts;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::analyze::FileRecord;
use crate::catalog::{AllowedWrite, Catalog, Launches, ProjectFacts, launched};
use crate::config::{Config, Mistake};
use crate::finding::Finding;
use crate::rules::Rule;
use crate::source::{Found, Missing, Walk, discover, is_root, read_optional, scripts_in, shown, submodules};
use crate::triage::{Exemption, Policy, Reasons, Triaged, triage};

pub use baseline::{Applied, Baseline};
pub use detect::{Detail, Detected};
pub use select::{exemptions, rules, unknown};
pub use verdicts::Verdicts;

/// Why something cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Refusal {
    /// A refusal.
    pub fn new(message: impl Into<String>, help: Option<String>) -> Refusal {
        Refusal { message: message.into(), help }
    }
}

/// Where the configuration comes from.
pub enum ConfigFrom<'a> {
    /// From the nearest file, seen from this path.
    Nearest(&'a Path),
    /// From this file.
    File(&'a Path),
    /// From nowhere.
    Nowhere,
}

/// The configuration of a run.
pub fn config(from: ConfigFrom<'_>, cwd: &Path) -> Result<Config, Refusal> {
    match from {
        ConfigFrom::Nearest(path) => Config::discover(path, cwd),
        ConfigFrom::File(path) => Config::load(path, cwd),
        ConfigFrom::Nowhere => Ok(Config::default()),
    }
    .map_err(|mistake| misconfigured(&mistake))
}

/// The refusal that a mistake in the configuration leads to.
pub fn misconfigured(mistake: &Mistake) -> Refusal {
    Refusal::new(mistake.to_string(), None)
}

/// What the project in a working directory declares about itself.
pub fn facts(config: &Config, cwd: &Path) -> ProjectFacts {
    let allowed = config.allowed_writes.iter();
    let default = ProjectFacts::default();
    ProjectFacts {
        test_keys: config.test_keys.clone().unwrap_or(default.test_keys),
        parity_keys: config.parity_keys.clone(),
        allowed_writes: allowed
            .map(|write| AllowedWrite { path: write.path.clone(), reason: write.reason.clone() })
            .collect(),
        envelope_modules: config.envelope_modules.clone(),
        submodules: submodules(cwd),
        is_root: is_root(cwd),
        is_for_one_node: is_for_one_node(cwd),
    }
}

/// Where a project says how it is run.
const DESCRIPTIONS: [&str; 3] = ["README.md", "README.rst", "README"];

/// Folders with the scripts that run it, beside itself.
const SCRIPTS: [&str; 2] = ["scripts", "script"];

/// Whether the description in a folder and the scripts there launch what is there on one node, in every command.
fn is_for_one_node(folder: &Path) -> bool {
    let text = |path: PathBuf| read_optional(&path).ok().flatten();
    let description = DESCRIPTIONS.iter().find_map(|name| text(folder.join(name)));
    let folders = std::iter::once(folder.to_owned()).chain(SCRIPTS.iter().map(|name| folder.join(name)));
    let scripts = folders.flat_map(|folder| scripts_in(&folder)).filter_map(text);
    let mut launches = description.into_iter().chain(scripts).filter_map(|text| launched(&text)).peekable();
    launches.peek().is_some() && launches.all(|launches| launches == Launches::OnOneNode)
}

/// The catalogue, with the project's own models.
pub fn catalog(config: &Config) -> Result<Arc<Catalog>, Refusal> {
    let mut catalog = Catalog::builtin().clone();
    for models in &config.models {
        catalog = catalog.extended_at(&models.path, &models.text, models.keys).map_err(|error| {
            misconfigured(&models.mistake(error.line, error.column, &error.message, error.help.clone()))
        })?;
    }
    Ok(Arc::new(catalog))
}

/// The files of a run.
pub fn files(paths: &[PathBuf], cwd: &Path, config: &Config, force_exclude: bool) -> Result<Vec<Found>, Refusal> {
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
        Refusal::new(format!("there is no file or folder `{path}`"), Some(help))
    })
}

/// Everything that a configuration comes to, where nothing else has a say.
pub struct Project {
    /// The working directory; absolute.
    pub cwd: PathBuf,
    /// The configuration.
    pub config: Config,
    /// The rules to ask.
    pub rules: Vec<&'static Rule>,
    /// Rules that are silent in some files.
    pub exemptions: Vec<Exemption>,
    /// What library calls do.
    pub catalog: Arc<Catalog>,
    /// What the project declares.
    pub facts: ProjectFacts,
    /// Findings that are known; absent where the configuration names no baseline.
    pub baseline: Option<Baseline>,
    /// What runs have said about findings.
    pub verdicts: Verdicts,
}

impl Project {
    /// The project that a configuration describes.
    pub fn open(from: ConfigFrom<'_>, cwd: &Path) -> Result<Project, Refusal> {
        let config = config(from, cwd)?;
        Ok(Project {
            cwd: cwd.to_path_buf(),
            rules: rules(&config, &[], &[])?,
            exemptions: exemptions(&config)?,
            catalog: catalog(&config)?,
            facts: facts(&config, cwd),
            baseline: config.baseline.as_deref().map(|file| Baseline::load_if_there(file, cwd)).transpose()?,
            verdicts: Verdicts::of_user(),
            config,
        })
    }

    /// What is left of the findings: without those that are suppressed, and without those that the baseline knows; what
    /// a run has said about them stands on them.
    pub fn triage(&self, findings: Vec<Finding>, files: &[FileRecord]) -> Triaged {
        let mut triaged = triage(findings, files, &self.policy());
        if let Some(baseline) = &self.baseline {
            baseline.apply(&mut triaged, files, &self.policy());
        }
        self.verdicts.apply(&mut triaged.findings, files, &self.cwd);
        triaged
    }

    /// The files beside the sources that the findings depend on, by their paths from the root: the configuration with what it
    /// extends, and the baseline, be it there or not.
    pub fn depends_on(&self) -> Vec<PathBuf> {
        let files = self.config.files.iter().chain(&self.config.baseline);
        files.map(|file| PathBuf::from(shown(&self.cwd.join(file), Path::new("")))).collect()
    }

    /// What is to be shown.
    pub fn policy(&self) -> Policy<'_> {
        Policy {
            cwd: &self.cwd,
            rules: &self.rules,
            exemptions: &self.exemptions,
            reasons: if self.config.require_reason { Reasons::Required } else { Reasons::Optional },
            min_confidence: self.config.min_confidence,
            min_severity: self.config.min_severity,
        }
    }
}
