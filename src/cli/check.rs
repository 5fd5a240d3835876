//! `ranklint check`: lint files and folders.

mod changes;
mod setup;
mod since;
mod watch;

use std::io::{BufWriter, Write as _};
use std::sync::Arc;
use std::time::Instant;

use crate::analyze::{FileRecord, InternalError, Progress, Workers};
use crate::base::FileId;
use crate::report::{self, Report, Summary};
use crate::source::SourceFile;
use crate::triage::Triaged;

use super::args::CheckArguments;
use super::baseline::KnownFindings;
use super::terminal::{self, Watch};
use super::{Exit, Failure, complain, output, statistics, written};

use changes::Change;
use setup::Setup;
use since::Since;

/// Runs the command.
pub(super) fn run(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let workers = Workers::start(arguments.jobs)
        .map_err(|error| Failure::usage(format!("cannot start {} threads: {error}", arguments.jobs), None))?;
    if arguments.watch { watch::run(arguments, &workers) } else { once(arguments, &workers) }
}

/// One run over everything.
fn once(arguments: &CheckArguments, workers: &Workers) -> Result<Exit, Failure> {
    let started = Instant::now();
    let setup = Setup::new(arguments)?;
    let change = Change::wanted(arguments, &setup)?;
    let progress = Arc::new(Progress::default());
    let watch = Watch::start(&progress);
    let found = setup.found(arguments)?;
    let since = match &arguments.diff_base {
        Some(revision) => Some(Since::new(revision, &setup, arguments, &found, workers, &progress)?),
        None => None,
    };
    let sources = setup.sources(found, workers)?;
    let baseline = KnownFindings::open(arguments, &setup.config, &setup.cwd)?;
    let look = |sources: Vec<SourceFile>| setup.outcome(sources, workers, &progress);
    let mut outcome = match &change {
        None => look(sources),
        Some(change) => {
            let news = |sources: Vec<SourceFile>| {
                let mut outcome = look(sources);
                let policy = setup.policy();
                if let Some(baseline) = &baseline {
                    baseline.leave_out(&mut outcome.triaged, &outcome.files, &policy);
                }
                if let Some(since) = &since {
                    since.leave_out(&mut outcome);
                }
                outcome
            };
            let settled = change.settle(sources, news);
            drop(watch);
            if arguments.diff {
                return settled.show(change);
            }
            settled.write(change, &setup.cwd)?;
            settled.outcome
        }
    };
    if change.is_none() {
        if let Some(baseline) = baseline {
            baseline.apply(&mut outcome.triaged, &outcome.files, &setup.policy())?;
        }
        if let Some(since) = &since {
            since.apply(&mut outcome);
        }
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
        silenced: &triaged.silenced,
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
