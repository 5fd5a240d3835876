//! `ranklint check`: lint files and folders.

use std::io::{BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::analyze::{FileRecord, Options, Progress, Workers};
use crate::base::FileId;
use crate::report::{self, Report, Summary};
use crate::source::{Kind, SourceFile, shown};
use crate::triage::{self, Policy, Reasons};

use super::args::CheckArguments;
use super::project::{self, ConfigFrom};
use super::terminal::{self, Watch};
use super::{Exit, Failure, complain, select, statistics, written};

/// Runs the command.
pub(super) fn run(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let started = Instant::now();
    let cwd = project::working_directory()?;
    let from = match &arguments.config {
        _ if arguments.isolated => ConfigFrom::Nowhere,
        Some(path) => ConfigFrom::File(path),
        None => ConfigFrom::Nearest(start_of(arguments)),
    };
    let config = project::config(from, &cwd)?;
    let rules = select::rules(&config, &arguments.select, &arguments.ignore)?;
    let exemptions = select::exemptions(&config)?;
    let catalog = project::catalog(&config)?;
    let workers = Workers::start(arguments.jobs)
        .map_err(|error| Failure::usage(format!("cannot start {} threads: {error}", arguments.jobs), None))?;

    let progress = Arc::new(Progress::default());
    let watch = Watch::start(&progress);
    let sources = match stdin_name(arguments) {
        Some(name) => vec![standard_input(&name, &cwd)?],
        None => {
            let here = [PathBuf::from(".")];
            let paths = if arguments.paths.is_empty() { &here[..] } else { &arguments.paths };
            let found = project::files(paths, &cwd, &config, arguments.force_exclude)?;
            if found.is_empty() {
                complain("warning", "no Python file or shell script found", None);
            }
            workers.read(found)
        }
    };
    let options = Options { rules: &rules, facts: project::facts(&config), catalog, progress: &progress };
    let mut analysis = workers.analyze(sources, options);
    let policy = Policy {
        cwd: &cwd,
        rules: &rules,
        exemptions: &exemptions,
        reasons: if config.require_reason { Reasons::Required } else { Reasons::Optional },
        min_confidence: arguments.min_confidence.unwrap_or(config.min_confidence),
        min_severity: arguments.min_severity.unwrap_or(config.min_severity),
    };
    let triaged = triage::of(&mut analysis, &policy);
    drop(watch);

    let report = Report {
        findings: &triaged.findings,
        files: &Records(&analysis.files),
        color: terminal::color(arguments.color),
        summary: Summary {
            files: analysis.files.len(),
            lines: analysis.lines,
            suppressed: triaged.suppressed,
            hidden: triaged.hidden,
            elapsed: Some(started.elapsed()),
        },
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let outcome = if arguments.statistics {
        statistics::render(arguments.output_format, &triaged.findings, &mut out)
    } else {
        report::render(arguments.output_format, &report, &mut out)
    };
    written(outcome.and_then(|()| out.flush()))?;

    for error in &analysis.internal {
        let help = "this is a defect of ranklint; the other files are not affected";
        complain("internal error", &format!("{}: {}", error.path, error.message), Some(help));
    }
    Ok(if !analysis.internal.is_empty() {
        Exit::Internal
    } else if triaged.findings.is_empty() || arguments.exit_zero {
        Exit::Clean
    } else {
        Exit::Findings
    })
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
fn stdin_name(arguments: &CheckArguments) -> Option<PathBuf> {
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

/// The files of an analysis, for the report.
struct Records<'a>(&'a [FileRecord]);

impl report::Files for Records<'_> {
    fn path(&self, file: FileId) -> &str {
        &self.0[file.index()].path
    }

    fn text(&self, file: FileId) -> &str {
        &self.0[file.index()].text
    }
}
