//! Arguments of `verify` and of the commands below it.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Subcommand, ValueEnum};

use crate::cli::exit::TABLE;
use crate::report::matrix::MatrixFormat;
use crate::report::run::RunFormat;

use super::{Color, ListFormat};

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = TABLE, args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct VerifyArguments {
    /// Files and folders whose findings the configured runs judge [default: ., or without runs: the operator matrix]
    #[arg(value_name = "PATHS")]
    pub paths: Vec<PathBuf>,
    #[command(subcommand)]
    pub command: Option<VerifyCommand>,
}

/// The commands of `verify`.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum VerifyCommand {
    /// Run a program at N ranks and tell where the ranks part ways
    Run(RunArguments),
    /// Run many small programs, each at N ranks, from one interpreter that has imported torch
    Programs(ProgramsArguments),
    /// Run the operator matrix: faults in a control plane, and how every rank must end
    Matrix(MatrixArguments),
    /// A helper of `matrix`
    #[command(hide = true)]
    MatrixHelper,
    /// Judge recorded logs, or Flight Recorder dumps, again
    Replay(ReplayArguments),
    /// Tell what `verify` can run here, and what it lacks
    Doctor(DoctorArguments),
}

/// What starts the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum LauncherName {
    /// ranklint itself, on this machine.
    Direct,
    /// `torchrun`.
    Torchrun,
    /// Slurm's `srun`.
    Srun,
    /// The command starts them itself.
    None,
}

/// How the result is printed, and where else it goes.
#[derive(Debug, Args)]
pub(in crate::cli) struct RunOutput {
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = run_formats())]
    pub output_format: RunFormat,
    /// Also write the report to a file in another format, as `FORMAT:FILE`; may be repeated
    #[arg(long, value_name = "FORMAT:FILE", value_parser = report_file)]
    pub output: Vec<(RunFormat, PathBuf)>,
    /// When to use colour
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// Arguments of `verify run`.
#[derive(Debug, Args)]
#[command(after_help = TABLE)]
pub(in crate::cli) struct RunArguments {
    /// Number of ranks (of each machine, with a launcher)
    #[arg(short = 'n', long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub ranks: u32,
    /// The interpreter [default: of the active environment, of `.venv`, or `python3`]
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
    /// What starts the ranks
    #[arg(long, value_enum, default_value_t = LauncherName::Direct, value_name = "NAME")]
    pub launcher: LauncherName,
    /// An option for the launcher, such as `--nnodes=2`; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub launcher_option: Vec<String>,
    /// End the run after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    pub timeout: u64,
    /// End the run when a rank waits and nothing has happened for so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub stall_timeout: u64,
    /// Seconds between asking a process to end and killing it
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub grace: u64,
    /// Run one rank after the other on a fake process group: what would each issue?
    #[arg(long, conflicts_with_all = ["launcher", "launcher_option"])]
    pub dry: bool,
    /// Do not lint the program's files
    #[arg(long)]
    pub no_lint: bool,
    /// Keep logs and output in this folder [default: below the user's cache folder]
    #[arg(long, value_name = "DIR")]
    pub log_dir: Option<PathBuf>,
    #[command(flatten)]
    pub output: RunOutput,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Arguments of `verify programs`.
#[derive(Debug, Args)]
#[command(after_help = TABLE)]
pub(in crate::cli) struct ProgramsArguments {
    /// Number of ranks
    #[arg(short = 'n', long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub ranks: u32,
    /// The interpreter [default: of the active environment, of `.venv`, or `python3`]
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
    /// End a program after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u64,
    /// End a program when a rank waits and nothing has happened for so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub stall_timeout: u64,
    /// Lint the programs too, and let the runs judge the findings
    #[arg(long)]
    pub lint: bool,
    /// How to print: one line a program, or one JSON object
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub output_format: ListFormat,
    /// The programs
    #[arg(required = true, value_name = "FILES")]
    pub programs: Vec<PathBuf>,
}

/// What starts the ranks of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum MatrixLauncherName {
    /// Forks of a process that has imported torch.
    Warm,
    /// ranklint itself, an interpreter for each rank.
    Direct,
    /// `torchrun`.
    Torchrun,
}

/// Arguments of `verify matrix`.
#[derive(Debug, Args)]
#[command(after_help = TABLE)]
pub(in crate::cli) struct MatrixArguments {
    /// Run this row only, by its id or the name of its harness; may be repeated
    #[arg(long, value_name = "ID")]
    pub row: Vec<String>,
    /// Run the rows of this tranche only; may be repeated
    #[arg(long, value_name = "N")]
    pub tranche: Vec<u32>,
    /// Run arms of this kind (`clean`, `fault`, `mutant`, `baseline`) or name only; may be repeated
    #[arg(long, value_name = "KIND")]
    pub arm: Vec<String>,
    /// Print how each rank has ended
    #[arg(long)]
    pub ranks: bool,
    /// The runtime that is put through the matrix [default: the reference runtime]
    #[arg(long, value_name = "MODULE:CLASS")]
    pub runtime: Option<String>,
    /// What starts the ranks [default: warm on Linux, direct elsewhere]
    #[arg(long, value_enum, value_name = "NAME")]
    pub launcher: Option<MatrixLauncherName>,
    /// Multiply every time limit by this
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = scale)]
    pub timeout_scale: f64,
    /// Number of arms that run at once [default: twice the cores]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub jobs: Option<u32>,
    /// List the rows and their arms, and run nothing
    #[arg(long)]
    pub list: bool,
    /// The interpreter [default: of the active environment, of `.venv`, or `python3`]
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
    /// Keep logs and output in this folder [default: below the user's cache folder]
    #[arg(long, value_name = "DIR")]
    pub log_dir: Option<PathBuf>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = matrix_formats())]
    pub output_format: MatrixFormat,
    /// Also write the report to a file in another format, as `FORMAT:FILE`; may be repeated
    #[arg(long, value_name = "FORMAT:FILE", value_parser = matrix_file)]
    pub output: Vec<(MatrixFormat, PathBuf)>,
    /// When to use colour
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// Arguments of `verify replay`.
#[derive(Debug, Args)]
#[command(after_help = TABLE)]
pub(in crate::cli) struct ReplayArguments {
    /// Folder with logs of `verify run`, or with one Flight Recorder dump a rank
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub output: RunOutput,
}

/// Arguments of `verify doctor`.
#[derive(Debug, Args)]
pub(in crate::cli) struct DoctorArguments {
    /// The interpreter [default: of the active environment, of `.venv`, or `python3`]
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub output_format: ListFormat,
}

fn run_formats() -> impl clap::builder::TypedValueParser<Value = RunFormat> {
    PossibleValuesParser::new(RunFormat::ALL.map(RunFormat::name))
        .map(|name| named(&name).expect("only names of formats are possible"))
}

fn report_file(text: &str) -> Result<(RunFormat, PathBuf), String> {
    format_and_file(text, named, &RunFormat::ALL.map(RunFormat::name))
}

fn format_and_file<F>(
    text: &str,
    named: fn(&str) -> Option<F>,
    formats: &[&'static str],
) -> Result<(F, PathBuf), String> {
    let formats = || formats.join(", ");
    let (format, file) =
        text.split_once(':').ok_or_else(|| format!("expected `FORMAT:FILE`, FORMAT one of {}", formats()))?;
    let format = named(format).ok_or_else(|| format!("unknown format `{format}`: it is one of {}", formats()))?;
    match file {
        "" => Err("the name of the file is missing after the colon".to_owned()),
        file => Ok((format, PathBuf::from(file))),
    }
}

fn matrix_formats() -> impl clap::builder::TypedValueParser<Value = MatrixFormat> {
    PossibleValuesParser::new(MatrixFormat::ALL.map(MatrixFormat::name))
        .map(|name| matrix_named(&name).expect("only names of formats are possible"))
}

fn matrix_file(text: &str) -> Result<(MatrixFormat, PathBuf), String> {
    format_and_file(text, matrix_named, &MatrixFormat::ALL.map(MatrixFormat::name))
}

fn matrix_named(name: &str) -> Option<MatrixFormat> {
    MatrixFormat::ALL.into_iter().find(|format| format.name() == name)
}

fn scale(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    if number > 0.0 && number <= 1_000.0 { Ok(number) } else { Err("it must be above 0 and at most 1000".to_owned()) }
}

fn named(name: &str) -> Option<RunFormat> {
    RunFormat::ALL.into_iter().find(|format| format.name() == name)
}
