//! The configuration of a run.
//!
//! One file holds for a whole run: the nearest `ranklint.toml`, or `pyproject.toml` with a `[tool.ranklint]` table,
//! upwards from the first path given (from the working directory when none is). Its path patterns are relative to the
//! folder it lies in. Rule names are checked by whoever knows the rules; [`Named`] keeps where each was written.

mod file;
mod mistake;
mod models;

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use crate::finding::{Confidence, Severity};
use crate::source::{self, PathPatterns, shown};

pub use file::{FileConfig, schema};
pub use mistake::Mistake;
pub use models::Models;

use file::PyProject;

/// A rule or group named in a configuration.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name.
    pub name: String,
    /// What to say if it means nothing: a mistake at its place, without a message yet.
    pub place: Mistake,
}

/// Rules and groups that are silent in some files.
#[derive(Clone, Debug)]
pub struct PerFile {
    /// The files.
    pub files: PathPatterns,
    /// The rules and groups.
    pub rules: Vec<Named>,
}

/// A place outside the working directory that the project may write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedWrite {
    /// A path or path prefix.
    pub path: String,
    /// Why it is allowed.
    pub reason: String,
}

/// A program that `ranklint verify` runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredRun {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Number of ranks.
    pub ranks: u32,
    /// Seconds after which it is ended.
    pub timeout_s: u64,
}

/// The resolved configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file it comes from, as it is shown; absent without one.
    pub origin: Option<String>,
    /// Texts of the files it was made of, for the cache.
    pub texts: Vec<String>,
    /// Those files, extended ones first.
    pub files: Vec<PathBuf>,
    /// Rules and groups to run; all when absent.
    pub select: Option<Vec<Named>>,
    /// Rules and groups not to run.
    pub ignore: Vec<Named>,
    /// Rules and groups that are silent in some files.
    pub per_file_ignores: Vec<PerFile>,
    /// Files to look at; all source files when empty.
    pub include: PathPatterns,
    /// Files and folders to leave out.
    pub exclude: PathPatterns,
    /// Whether files that git ignores are left out.
    pub respect_gitignore: bool,
    /// Whether `exclude` holds for files given by name.
    pub force_exclude: bool,
    /// The least confidence that is shown.
    pub min_confidence: Confidence,
    /// The least severity that is shown.
    pub min_severity: Severity,
    /// Whether every suppression must say why.
    pub require_reason: bool,
    /// The file with the findings that are known.
    pub baseline: Option<PathBuf>,
    /// Patterns of environment keys that only tests set; the default where absent.
    pub test_keys: Option<Vec<String>>,
    /// Environment keys that are compared across ranks.
    pub parity_keys: Vec<String>,
    /// Path patterns of the modules that own the control-plane envelope.
    pub envelope_modules: Vec<String>,
    /// Places outside the working directory that the project may write to.
    pub allowed_writes: Vec<AllowedWrite>,
    /// Programs that `ranklint verify` runs.
    pub runs: Vec<ConfiguredRun>,
    /// The project's own models, those of extended files first.
    pub models: Vec<Models>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            origin: None,
            texts: Vec::new(),
            files: Vec::new(),
            select: None,
            ignore: Vec::new(),
            per_file_ignores: Vec::new(),
            include: PathPatterns::default(),
            exclude: PathPatterns::default(),
            respect_gitignore: true,
            force_exclude: false,
            min_confidence: Confidence::Medium,
            min_severity: Severity::Note,
            require_reason: false,
            baseline: None,
            test_keys: None,
            parity_keys: Vec::new(),
            envelope_modules: Vec::new(),
            allowed_writes: Vec::new(),
            runs: Vec::new(),
            models: Vec::new(),
        }
    }
}

impl Config {
    /// The configuration that holds for a run that starts at `start`.
    pub fn discover(start: &Path, cwd: &Path) -> Result<Config, Mistake> {
        let start = cwd.join(start);
        for folder in start.ancestors() {
            for name in ["ranklint.toml", "pyproject.toml"] {
                let path = folder.join(name);
                if let Some(config) = read(&path, cwd)? {
                    return config.resolve(cwd);
                }
            }
        }
        Ok(Config::default())
    }

    /// The configuration in the file at `path`.
    pub fn load(path: &Path, cwd: &Path) -> Result<Config, Mistake> {
        match read(&cwd.join(path), cwd)? {
            Some(config) => config.resolve(cwd),
            None if cwd.join(path).is_file() => {
                Err(Mistake::whole(&shown(path, cwd), "there is no `[tool.ranklint]` table"))
            }
            None => Err(Mistake::whole(&shown(path, cwd), "there is no such file")),
        }
    }
}

/// A file that was read, not resolved yet.
struct Raw {
    path: PathBuf,
    shown: String,
    text: String,
    config: FileConfig,
}

/// Reads a configuration file; absent where there is none, or where a `pyproject.toml` does not speak of ranklint.
fn read(path: &Path, cwd: &Path) -> Result<Option<Raw>, Mistake> {
    let shown = shown(path, cwd);
    let text = match source::read_optional(path) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(None),
        Err(problem) => return Err(Mistake::whole(&shown, problem.message).help(Some(problem.help))),
    };
    let mistake = |error: &toml::de::Error| Mistake::of_toml(&shown, &text, error);
    let config = if path.file_name().is_some_and(|name| name == "pyproject.toml") {
        match toml::from_str::<PyProject>(&text) {
            Ok(project) => project.tool.ranklint,
            Err(error) if text.contains("ranklint") => return Err(mistake(&error)),
            Err(_) => None,
        }
    } else {
        Some(toml::from_str::<FileConfig>(&text).map_err(|error| mistake(&error))?)
    };
    Ok(config.map(|config| Raw { path: path.to_path_buf(), shown, text, config }))
}

impl Raw {
    fn resolve(self, cwd: &Path) -> Result<Config, Mistake> {
        let origin = self.shown.clone();
        let mut chain = vec![self];
        while let Some(last) = chain.last()
            && let Some(extend) = &last.config.extend
        {
            let at = |message: String| Mistake::at(&last.shown, &last.text, extend.span(), message);
            let path = last.path.parent().unwrap_or(cwd).join(extend.get_ref());
            let next = read(&path, cwd)?.ok_or_else(|| {
                at(format!("`{}` is no configuration of ranklint, or does not exist", shown(&path, cwd)))
            })?;
            if chain.iter().any(|earlier| earlier.shown == next.shown) {
                return Err(at(format!("`extend` leads back to `{}`", next.shown)));
            }
            chain.push(next);
        }
        let mut config = Config { origin: Some(origin), ..Config::default() };
        for raw in chain.into_iter().rev() {
            raw.apply(&mut config)?;
        }
        Ok(config)
    }

    /// Lays this file's values over what the files it extends have said.
    fn apply(self, into: &mut Config) -> Result<(), Mistake> {
        let place = Place { shown: &self.shown, text: &self.text, root: self.path.parent().unwrap_or(Path::new("")) };
        let config = self.config;
        if let Some(select) = config.select {
            into.select = Some(place.named(select));
        }
        if let Some(ignore) = config.ignore {
            into.ignore = place.named(ignore);
        }
        if let Some(per_file) = config.per_file_ignores {
            into.per_file_ignores = per_file
                .into_iter()
                .map(|(pattern, rules)| Ok(PerFile { files: place.patterns(&[pattern])?, rules: place.named(rules) }))
                .collect::<Result<_, Mistake>>()?;
        }
        if let Some(include) = config.include {
            into.include = place.patterns(&include)?;
        }
        if let Some(exclude) = config.exclude {
            into.exclude = place.patterns(&exclude)?;
        }
        if let Some(allowed) = config.allowed_writes {
            into.allowed_writes =
                allowed.into_iter().map(|allowed| place.allowed(allowed)).collect::<Result<_, _>>()?;
        }
        if let Some(runs) = config.runs {
            into.runs = runs.into_iter().map(|run| place.run(run)).collect::<Result<_, _>>()?;
        }
        if config.models.is_some() {
            let is_project = self.path.file_name().is_some_and(|name| name == "pyproject.toml");
            let keys: &[&str] = if is_project { &["tool", "ranklint", "models"] } else { &["models"] };
            into.models.push(Models { path: self.shown.clone(), text: self.text.clone(), keys });
        }
        set(&mut into.respect_gitignore, config.respect_gitignore);
        set(&mut into.force_exclude, config.force_exclude);
        set(&mut into.min_confidence, config.min_confidence);
        set(&mut into.min_severity, config.min_severity);
        set(&mut into.require_reason, config.require_reason);
        if let Some(baseline) = config.baseline {
            into.baseline = Some(place.root.join(baseline));
        }
        set(&mut into.parity_keys, config.parity_keys);
        set(&mut into.envelope_modules, config.envelope_modules);
        into.test_keys = config.test_keys.or(into.test_keys.take());
        into.texts.push(self.text);
        into.files.push(self.path);
        Ok(())
    }
}

fn set<T>(slot: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *slot = value;
    }
}

/// The file that values come from.
struct Place<'a> {
    shown: &'a str,
    text: &'a str,
    root: &'a Path,
}

impl Place<'_> {
    fn named(&self, names: Vec<toml::Spanned<String>>) -> Vec<Named> {
        names
            .into_iter()
            .map(|name| {
                let place = Mistake::at(self.shown, self.text, name.span(), "");
                Named { name: name.into_inner(), place }
            })
            .collect()
    }

    fn patterns(&self, patterns: &[toml::Spanned<String>]) -> Result<PathPatterns, Mistake> {
        PathPatterns::new(self.root, patterns.iter().map(|pattern| pattern.get_ref().as_str())).map_err(|bad| {
            let pattern = &patterns[bad.index];
            let message = format!("`{}` is no path pattern: {}", pattern.get_ref(), bad.message);
            Mistake::at(self.shown, self.text, pattern.span(), message)
        })
    }

    fn run(&self, run: file::ConfiguredRun) -> Result<ConfiguredRun, Mistake> {
        if run.command.get_ref().iter().all(|word| word.trim().is_empty()) {
            let message = "a run needs a `command`, and this one is empty".to_owned();
            return Err(Mistake::at(self.shown, self.text, run.command.span(), message));
        }
        Ok(ConfiguredRun {
            command: run.command.into_inner(),
            ranks: run.ranks.map_or(2, NonZeroU32::get),
            timeout_s: run.timeout.unwrap_or(600),
        })
    }

    fn allowed(&self, allowed: file::AllowedWrite) -> Result<AllowedWrite, Mistake> {
        for (value, key) in [(&allowed.path, "path"), (&allowed.reason, "reason")] {
            if value.get_ref().trim().is_empty() {
                let message = format!("an allowed write needs a `{key}`, and this one is empty");
                return Err(Mistake::at(self.shown, self.text, value.span(), message));
            }
        }
        Ok(AllowedWrite { path: allowed.path.into_inner(), reason: allowed.reason.into_inner() })
    }
}
