//! `ranklint check`: lint files and folders.

use std::io::{BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::analyze::{FileRecord, InternalError, Options, Progress, Workers, records};
use crate::base::FileId;
use crate::cache::{Cache, Key};
use crate::config::Config;
use crate::project::Verdicts;
use crate::report::{self, Report, Summary};
use crate::source::{Kind, SourceFile, shown};
use crate::triage::{self, Policy, Reasons, Triaged};

use super::args::CheckArguments;
use super::baseline::KnownFindings;
use super::project::{self, ConfigFrom};
use super::terminal::{self, Watch};
use super::{Exit, Failure, complain, output, statistics, written};

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
    let rules = crate::project::rules(&config, &arguments.select, &arguments.ignore)?;
    let exemptions = crate::project::exemptions(&config)?;
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
    let facts = project::facts(&config);
    let policy = Policy {
        cwd: &cwd,
        rules: &rules,
        exemptions: &exemptions,
        reasons: if config.require_reason { Reasons::Required } else { Reasons::Optional },
        min_confidence: arguments.min_confidence.unwrap_or(config.min_confidence),
        min_severity: arguments.min_severity.unwrap_or(config.min_severity),
    };
    let baseline = KnownFindings::open(arguments, &config, &cwd)?;
    let cache = if arguments.no_cache { None } else { Cache::of_user() };
    let key = cache.as_ref().map(|_| key(&sources, &config, &policy));
    let kept = cache.as_ref().zip(key).and_then(|(cache, key)| cache.get(key));
    let mut outcome = match kept {
        Some(triaged) => {
            let (files, lines) = records(sources);
            Outcome { triaged, files, lines, internal: Vec::new() }
        }
        None => {
            let options = Options { rules: &rules, facts, catalog, progress: &progress };
            let mut analysis = workers.analyze(sources, options);
            let triaged = triage::of(&mut analysis, &policy);
            if let (Some(cache), Some(key), true) = (&cache, key, analysis.internal.is_empty()) {
                cache.put(key, &triaged);
            }
            // The process is about to end, and everything with it.
            std::mem::forget(analysis.program.take());
            Outcome { triaged, files: analysis.files, lines: analysis.lines, internal: analysis.internal }
        }
    };
    drop(watch);

    if let Some(baseline) = baseline {
        baseline.apply(&mut outcome.triaged, &outcome.files, &policy)?;
    }
    if !arguments.no_cache {
        Verdicts::of_user().apply(&mut outcome.triaged.findings, &outcome.files, &cwd);
    }
    let outcome = std::mem::ManuallyDrop::new(outcome);
    show(arguments, &outcome, started)?;
    for error in &outcome.internal {
        let help = "this is a defect of ranklint; the other files are not affected";
        complain("internal error", &format!("{}: {}", error.path, error.message), Some(help));
    }
    Ok(if !outcome.internal.is_empty() {
        Exit::Internal
    } else if outcome.triaged.findings.is_empty() || arguments.exit_zero {
        Exit::Clean
    } else {
        Exit::Findings
    })
}

/// What a run comes to, whether it was computed or kept.
struct Outcome {
    triaged: Triaged,
    files: Vec<FileRecord>,
    lines: usize,
    internal: Vec<InternalError>,
}

/// Prints the report. How long the run took is for people who watch: elsewhere the same input gives the same bytes.
fn show(arguments: &CheckArguments, outcome: &Outcome, started: Instant) -> Result<(), Failure> {
    let triaged = &outcome.triaged;
    let report = Report {
        findings: &triaged.findings,
        files: &Records(&outcome.files),
        color: terminal::color(arguments.color),
        summary: Summary {
            files: outcome.files.len(),
            lines: outcome.lines,
            suppressed: triaged.suppressed,
            hidden: triaged.hidden,
            elapsed: terminal::is_watched().then(|| started.elapsed()),
        },
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let outcome = if arguments.statistics {
        statistics::render(arguments.output_format, &triaged.findings, &mut out)
    } else {
        report::render(arguments.output_format, &report, &mut out)
    };
    written(outcome.and_then(|()| out.flush()))?;
    output::write(&arguments.output, report)
}

/// The key of a run. The exemptions are in the texts of the configuration; where that lies decides what they match.
fn key(sources: &[SourceFile], config: &Config, policy: &Policy<'_>) -> Key {
    let thresholds = format!("{:?} {:?} {:?}", policy.reasons, policy.min_confidence, policy.min_severity);
    let facts = format!("{:?}", project::facts(config));
    let fixed =
        [thresholds, facts, policy.cwd.to_string_lossy().into_owned(), config.origin.clone().unwrap_or_default()];
    let rules = policy.rules.iter().map(|rule| rule.name);
    Key::new(sources, fixed.iter().chain(&config.texts).map(String::as_str).chain(rules))
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
pub(super) struct Records<'a>(pub &'a [FileRecord]);

impl report::Files for Records<'_> {
    fn path(&self, file: FileId) -> &str {
        &self.0[file.index()].path
    }

    fn text(&self, file: FileId) -> &str {
        &self.0[file.index()].text
    }
}
