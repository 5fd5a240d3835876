//! The arguments; the only door to clap.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

use crate::finding::{Confidence, Severity};
use crate::report::Format;

use super::exit::TABLE;
use super::hook::HELP as HOOK;

mod generated;
mod verify;

pub(in crate::cli) use generated::{CompletionsArguments, ManArguments, completions, manual};
pub(in crate::cli) use verify::{
    DoctorArguments, LauncherName, MatrixArguments, MatrixLauncherName, ProgramsArguments, ReplayArguments,
    RunArguments, RunOutput, VerifyArguments, VerifyCommand,
};

/// Keeps the ranks of a distributed PyTorch program in step.
#[derive(Debug, Parser)]
#[command(name = "ranklint", version, after_help = TABLE)]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Command {
    /// Look for places where ranks part ways.
    Check(CheckArguments),
    /// Print the page of a rule, or the pages of a group.
    Explain(ExplainArguments),
    /// Print what a function issues, and why a condition differs between ranks.
    Graph(GraphArguments),
    /// Write a configuration with what the project tells about itself.
    Init(InitArguments),
    /// Tell a coding assistant whether the file it has just edited keeps the ranks in step.
    #[command(after_help = HOOK)]
    Hook,
    /// Serve an editor: the language server protocol on standard input and output.
    Server(ServerArguments),
    /// List the rules.
    Rules(RulesArguments),
    /// Run programs at N ranks and tell where the ranks part ways.
    Verify(VerifyArguments),
    /// Print completions for a shell.
    Completions(CompletionsArguments),
    /// Print a manual page.
    Man(ManArguments),
    /// Print the version.
    Version(VersionArguments),
    /// Print the JSON schema of the configuration.
    #[command(hide = true)]
    ConfigSchema,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = TABLE)]
#[command(group = ArgGroup::new("changing").args(["fix", "diff"]).multiple(true))]
pub(in crate::cli) struct CheckArguments {
    /// Files and folders to look at; `-` is standard input [default: .]
    #[arg(value_name = "PATHS")]
    pub paths: Vec<PathBuf>,
    /// Run these rules and groups only (`all` is every rule)
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Do not run these rules and groups
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats())]
    pub output_format: Format,
    /// Write a report to a file as well, such as `sarif:ranklint.sarif`; may be given more than once
    #[arg(long, value_name = "FORMAT:FILE", value_parser = output)]
    pub output: Vec<Output>,
    /// Apply the fixes that keep what the program does for certain
    #[arg(long, conflicts_with_all = ["update_baseline", "watch"])]
    pub fix: bool,
    /// With `--fix` or `--diff`: those as well that may change what the program does
    #[arg(long, requires = "changing")]
    pub unsafe_fixes: bool,
    /// Print what `--fix` or `--add-ignore` would change, and change nothing
    #[arg(long, conflicts_with_all = ["update_baseline", "watch", "statistics"])]
    pub diff: bool,
    /// Silence each finding with a comment that gives this reason
    #[arg(
        long, value_name = "REASON", num_args = 0..=1, require_equals = true, default_missing_value = "",
        conflicts_with_all = ["fix", "update_baseline", "watch"]
    )]
    pub add_ignore: Option<String>,
    /// Show only what has been introduced since this commit, in callers that did not change too
    #[arg(long, value_name = "REV", conflicts_with = "update_baseline")]
    pub diff_base: Option<String>,
    /// Look again whenever a file changes
    #[arg(long)]
    pub watch: bool,
    /// Do not show the findings that this file knows
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the findings to the baseline, which then knows them
    #[arg(long)]
    pub update_baseline: bool,
    /// Show findings of this confidence and above
    #[arg(long, value_name = "LEVEL", value_parser = confidences())]
    pub min_confidence: Option<Confidence>,
    /// Show findings of this severity and above
    #[arg(long, value_name = "LEVEL", value_parser = severities())]
    pub min_severity: Option<Severity>,
    /// Exit with 0 even when there are findings
    #[arg(long)]
    pub exit_zero: bool,
    /// Use this configuration file
    #[arg(long, value_name = "FILE", conflicts_with = "isolated")]
    pub config: Option<PathBuf>,
    /// Use no configuration file
    #[arg(long)]
    pub isolated: bool,
    /// Neither read nor write the result cache
    #[arg(long)]
    pub no_cache: bool,
    /// Read one file from standard input and call it this
    #[arg(long, value_name = "PATH")]
    pub stdin_filename: Option<PathBuf>,
    /// Apply `exclude` to files given by name as well
    #[arg(long)]
    pub force_exclude: bool,
    /// Print how many findings each rule has instead of the findings
    #[arg(long)]
    pub statistics: bool,
    /// When to use colour
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
    /// Number of threads [default: one for each core]
    #[arg(short = 'j', long = "jobs", value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub jobs: usize,
}

/// A report that goes to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Output {
    /// How it is written.
    pub format: Format,
    /// Where to.
    pub file: PathBuf,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ExplainArguments {
    /// A rule or a group
    #[arg(value_name = "RULE", required_unless_present = "site", conflicts_with = "site")]
    pub name: Option<String>,
    /// Write the pages of all rules to this folder, for a browser
    #[arg(long, value_name = "DIR")]
    pub site: Option<PathBuf>,
}

/// Arguments of `graph`.
#[derive(Debug, Args)]
pub(in crate::cli) struct GraphArguments {
    /// A function: its dotted name, the end of one, or `path.py::Class.method`; a path alone is the file's top level
    #[arg(value_name = "FUNCTION")]
    pub function: String,
    /// Files and folders to read [default: .]
    #[arg(value_name = "PATHS")]
    pub paths: Vec<PathBuf>,
    /// Print so many lines of a function at most
    #[arg(long, value_name = "COUNT", default_value_t = crate::graph::OUTLINE_LINES)]
    pub lines: usize,
    /// Use this configuration file
    #[arg(long, value_name = "FILE", conflicts_with = "isolated")]
    pub config: Option<PathBuf>,
    /// Use no configuration file
    #[arg(long)]
    pub isolated: bool,
}

/// Arguments of `server`.
#[derive(Debug, Args)]
pub(super) struct ServerArguments {
    /// Accepted, and of no effect: standard input and output are all there is
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Arguments of `rules`.
#[derive(Debug, Args)]
pub(in crate::cli) struct RulesArguments {
    /// How to print
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub output_format: ListFormat,
}

/// Arguments of `init`.
#[derive(Debug, Args)]
pub(in crate::cli) struct InitArguments {
    /// The folder of the project [default: .]
    #[arg(value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Replace the configuration that is there
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `version`.
#[derive(Debug, Args)]
pub(super) struct VersionArguments {
    /// How to print
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub output_format: ListFormat,
    /// The same as `--output-format json`
    #[arg(long)]
    pub json: bool,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Color {
    /// On a terminal, unless the environment says otherwise.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How lists are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ListFormat {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

/// Reads `FORMAT:FILE`.
fn output(text: &str) -> Result<Output, String> {
    let (name, file) = text.split_once(':').ok_or("it has the form FORMAT:FILE, such as `sarif:ranklint.sarif`")?;
    let format = Format::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        format!("`{name}` is no format; there are {names}")
    })?;
    match file {
        "" => Err(format!("`{name}:` names no file")),
        "-" => Err(format!("it writes to files; `--output-format {name}` is for standard output")),
        file => Ok(Output { format, file: PathBuf::from(file) }),
    }
}

fn formats() -> impl clap::builder::TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).map(|name| {
        Format::ALL.into_iter().find(|format| format.name() == name).expect("only names of formats are possible")
    })
}

fn confidences() -> impl clap::builder::TypedValueParser<Value = Confidence> {
    PossibleValuesParser::new(["low", "medium", "high"]).map(|name| match name.as_str() {
        "low" => Confidence::Low,
        "medium" => Confidence::Medium,
        _ => Confidence::High,
    })
}

fn severities() -> impl clap::builder::TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(["note", "warning", "error"]).map(|name| match name.as_str() {
        "note" => Severity::Note,
        "warning" => Severity::Warning,
        _ => Severity::Error,
    })
}
