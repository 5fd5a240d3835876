//! The raw shape of `ranklint.toml` and of `[tool.ranklint]` in `pyproject.toml`. The JSON schema comes from here.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use crate::finding::{Confidence, Severity};

/// Configuration of ranklint.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[schemars(title = "ranklint")]
pub struct FileConfig {
    /// Another configuration file, relative to this one, whose values hold where this one says nothing. Lists replace lists.
    #[schemars(with = "Option<String>")]
    pub extend: Option<Spanned<String>>,
    /// Rules and groups to run; `all` is every rule. Default: all.
    #[schemars(with = "Option<Vec<String>>")]
    pub select: Option<Vec<Spanned<String>>>,
    /// Rules and groups not to run. A rule's own name weighs more than its group's.
    #[schemars(with = "Option<Vec<String>>")]
    pub ignore: Option<Vec<Spanned<String>>>,
    /// Rules and groups that are silent in the files that match a path pattern.
    #[schemars(with = "Option<BTreeMap<String, Vec<String>>>")]
    pub per_file_ignores: Option<BTreeMap<Spanned<String>, Vec<Spanned<String>>>>,
    /// Path patterns of the files to look at. Default: `*.py`, `*.sh`, `*.bash`.
    #[schemars(with = "Option<Vec<String>>")]
    pub include: Option<Vec<Spanned<String>>>,
    /// Path patterns of files and folders to leave out, beside virtual environments, caches and build folders.
    #[schemars(with = "Option<Vec<String>>")]
    pub exclude: Option<Vec<Spanned<String>>>,
    /// Whether files that git ignores are left out. Default: true.
    pub respect_gitignore: Option<bool>,
    /// Whether `exclude` holds for files given on the command line as well. Default: false.
    pub force_exclude: Option<bool>,
    /// The least confidence that is shown. Default: medium.
    pub min_confidence: Option<Confidence>,
    /// The least severity that is shown. Default: note.
    pub min_severity: Option<Severity>,
    /// Whether every suppression must say why. Default: false.
    pub require_reason: Option<bool>,
    /// A file with findings that are known and not shown, relative to this one; `check --update-baseline` writes it.
    pub baseline: Option<String>,
    /// Patterns of environment keys that only tests set. Default: `SCOPE_TEST_*`.
    pub test_keys: Option<Vec<String>>,
    /// Environment keys that are compared across ranks before anything starts, beside those found in the source.
    pub parity_keys: Option<Vec<String>>,
    /// Path patterns of the modules that own the control-plane envelope.
    pub envelope_modules: Option<Vec<String>>,
    /// Places outside the working directory that the project may write to.
    pub allowed_writes: Option<Vec<AllowedWrite>>,
    /// Programs that `ranklint verify` runs, for the verdicts on findings.
    pub runs: Option<Vec<ConfiguredRun>>,
    /// What the project's own wrappers, groups and names do, in the shape of the built-in model files.
    #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
    pub models: Option<toml::Table>,
}

/// A place outside the working directory that the project may write to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AllowedWrite {
    /// A path or path prefix.
    #[schemars(with = "String")]
    pub path: Spanned<String>,
    /// Why it is allowed.
    #[schemars(with = "String")]
    pub reason: Spanned<String>,
}

/// A program that `ranklint verify` runs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConfiguredRun {
    /// The program and its arguments, such as `["python", "tests/steps.py"]`.
    #[schemars(with = "Vec<String>")]
    pub command: Spanned<Vec<String>>,
    /// Number of ranks. Default: 2.
    pub ranks: Option<NonZeroU32>,
    /// Seconds after which it is ended. Default: 600.
    pub timeout: Option<u64>,
}

/// The part of `pyproject.toml` that is read here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PyProject {
    pub tool: Tool,
}

/// The `tool` table.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tool {
    pub ranklint: Option<FileConfig>,
}

/// The JSON schema of a configuration file.
pub fn schema() -> String {
    let mut text = serde_json::to_string_pretty(&schemars::schema_for!(FileConfig)).unwrap_or_default();
    text.push('\n');
    text
}
