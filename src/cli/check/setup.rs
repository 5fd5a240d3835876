//! What a run needs before it looks: configuration, rules, files; and the look itself, computed or kept.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::analyze::{Options, Progress, Workers, records};
use crate::cache::{Cache, Key};
use crate::catalog::Catalog;
use crate::cli::args::CheckArguments;
use crate::cli::project::{self, ConfigFrom};
use crate::cli::{Failure, complain};
use crate::config::Config;
use crate::project::Verdicts;
use crate::rules::Rule;
use crate::source::{Found, Kind, SourceFile, shown};
use crate::triage::{self, Exemption, Policy, Reasons};

use super::Outcome;

/// Where the texts come from.
pub(super) enum Input {
    /// From these files.
    Files(Vec<Found>),
    /// From standard input, under this name.
    Standard(PathBuf),
}

/// What a run needs.
pub(super) struct Setup {
    pub cwd: PathBuf,
    pub config: Config,
    pub rules: Vec<&'static Rule>,
    exemptions: Vec<Exemption>,
    catalog: Arc<Catalog>,
    min_confidence: crate::finding::Confidence,
    min_severity: crate::finding::Severity,
    cache: Option<Cache>,
    looks_once: bool,
}

impl Setup {
    /// Reads the configuration.
    pub fn new(arguments: &CheckArguments) -> Result<Setup, Failure> {
        let cwd = project::working_directory()?;
        let from = match &arguments.config {
            _ if arguments.isolated => ConfigFrom::Nowhere,
            Some(path) => ConfigFrom::File(path),
            None => ConfigFrom::Nearest(start_of(arguments)),
        };
        let config = project::config(from, &cwd)?;
        Ok(Setup {
            rules: crate::project::rules(&config, &arguments.select, &arguments.ignore)?,
            exemptions: crate::project::exemptions(&config)?,
            catalog: project::catalog(&config)?,
            min_confidence: arguments.min_confidence.unwrap_or(config.min_confidence),
            min_severity: arguments.min_severity.unwrap_or(config.min_severity),
            looks_once: !arguments.watch,
            cache: if arguments.no_cache { None } else { Cache::of_user() },
            cwd,
            config,
        })
    }

    /// What is to be shown.
    pub fn policy(&self) -> Policy<'_> {
        Policy {
            cwd: &self.cwd,
            rules: &self.rules,
            exemptions: &self.exemptions,
            reasons: if self.config.require_reason { Reasons::Required } else { Reasons::Optional },
            min_confidence: self.min_confidence,
            min_severity: self.min_severity,
        }
    }

    /// Where the texts come from.
    pub fn found(&self, arguments: &CheckArguments) -> Result<Input, Failure> {
        if let Some(name) = stdin_name(arguments) {
            return Ok(Input::Standard(name));
        }
        let found = project::files(&paths(arguments), &self.cwd, &self.config, arguments.force_exclude)?;
        if found.is_empty() {
            complain("warning", "no Python file or shell script found", None);
        }
        Ok(Input::Files(found))
    }

    /// The texts.
    pub fn sources(&self, input: Input, workers: &Workers) -> Result<Vec<SourceFile>, Failure> {
        match input {
            Input::Files(found) => Ok(workers.read(found)),
            Input::Standard(name) => Ok(vec![standard_input(&name, &self.cwd)?]),
        }
    }

    /// Looks at the texts, and at what runs have said about what is found there.
    pub fn outcome(&self, sources: Vec<SourceFile>, workers: &Workers, progress: &Progress) -> Outcome {
        let mut outcome = self.found_in(sources, workers, progress);
        if self.cache.is_some() {
            Verdicts::of_user().apply(&mut outcome.triaged.findings, &outcome.files, &self.cwd);
        }
        outcome
    }

    /// Looks at the texts, unless it is known already what comes of that.
    fn found_in(&self, sources: Vec<SourceFile>, workers: &Workers, progress: &Progress) -> Outcome {
        let policy = self.policy();
        let key = self.cache.as_ref().map(|_| self.key(&sources, &policy));
        if let Some(triaged) = self.cache.as_ref().zip(key).and_then(|(cache, key)| cache.get(key)) {
            let (files, lines) = records(sources);
            return Outcome { triaged, files, lines, internal: Vec::new() };
        }
        let facts = project::facts(&self.config, &self.cwd);
        let options = Options { rules: &self.rules, facts, catalog: self.catalog.clone(), progress };
        let mut analysis = workers.analyze(sources, options);
        let triaged = triage::of(&mut analysis, &policy);
        if let (Some(cache), Some(key), true) = (&self.cache, key, analysis.internal.is_empty()) {
            cache.put(key, &triaged);
        }
        if self.looks_once {
            // The process is about to end, and everything with it.
            std::mem::forget(analysis.program.take());
        }
        Outcome { triaged, files: analysis.files, lines: analysis.lines, internal: analysis.internal }
    }

    /// The key of a run. The exemptions are in the texts of the configuration; where that lies decides what they match.
    fn key(&self, sources: &[SourceFile], policy: &Policy<'_>) -> Key {
        let config = &self.config;
        let thresholds = format!("{:?} {:?} {:?}", policy.reasons, policy.min_confidence, policy.min_severity);
        let facts = format!("{:?}", project::facts(config, &self.cwd));
        let fixed =
            [thresholds, facts, policy.cwd.to_string_lossy().into_owned(), config.origin.clone().unwrap_or_default()];
        let rules = policy.rules.iter().map(|rule| rule.name);
        Key::new(sources, fixed.iter().chain(&config.texts).map(String::as_str).chain(rules))
    }
}

/// The paths that are looked at.
pub(super) fn paths(arguments: &CheckArguments) -> Vec<PathBuf> {
    if arguments.paths.is_empty() { vec![PathBuf::from(".")] } else { arguments.paths.clone() }
}

/// The path from which the configuration is looked for.
fn start_of(arguments: &CheckArguments) -> &Path {
    let given = arguments.stdin_filename.as_deref().or(arguments.paths.first().map(PathBuf::as_path));
    match given {
        Some(path) if path != Path::new("-") => path,
        _ => Path::new(""),
    }
}

/// What standard input is called; absent when it is not to be read.
pub(super) fn stdin_name(arguments: &CheckArguments) -> Option<PathBuf> {
    let dash = arguments.paths.iter().any(|path| path == Path::new("-"));
    match &arguments.stdin_filename {
        Some(name) => Some(name.clone()),
        None => dash.then(|| PathBuf::from("-")),
    }
}

fn standard_input(name: &Path, cwd: &Path) -> Result<SourceFile, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::usage(format!("cannot read standard input: {error}"), None))?;
    let kind = Kind::of(name).unwrap_or(Kind::Python);
    Ok(SourceFile::from_bytes(shown(name, cwd), kind, bytes))
}
