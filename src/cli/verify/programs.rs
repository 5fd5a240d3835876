//! `ranklint verify programs`: many small programs, forked from one interpreter that has imported torch.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::verify::launch::{Job, Launcher, Probe};
use crate::verify::observe::{Observer, Telling};
use crate::verify::outcome::{Outcome, RunReport};
use crate::verify::output::Silent;
use crate::verify::supervise::Limits;
use crate::verify::{folder, interpreter::Interpreter};

use crate::cli::args::{ListFormat, ProgramsArguments};
use crate::cli::{Exit, Failure, print, project};

use super::predict::predict;
use super::run::{Started, report};
use super::{exit_of, interpreter_with_torch, package_root, supervisor};

/// What is imported once: what programs commonly use, also behind the scenes.
const WARM_MODULES: [&str; 4] = ["torch", "torch.distributed", "torch.distributed.tensor", "torch._dynamo"];

/// How long importing torch may take.
const WARM_UP: Duration = Duration::from_secs(120);

/// Runs the command.
pub(super) fn run(arguments: &ProgramsArguments) -> Result<Exit, Failure> {
    let cwd = project::working_directory()?;
    for program in &arguments.programs {
        if !cwd.join(program).is_file() {
            return Err(Failure::usage(format!("there is no file `{}`", program.display()), None));
        }
    }
    let interpreter = interpreter_with_torch(arguments.python.as_deref(), &[], &cwd)?;
    let root = package_root()?;
    let cannot =
        |what: &str, error: String| Failure { exit: Exit::CannotRun, message: format!("{what}: {error}"), help: None };
    let mut supervisor = supervisor(&interpreter, &root)?;
    supervisor
        .warm_up(&interpreter.path, &root, &WARM_MODULES, WARM_UP)
        .map_err(|error| cannot("cannot start the parent of the ranks", error.to_string()))?;
    let mut reports = Vec::new();
    for program in &arguments.programs {
        let folder = folder::make().map_err(|error| cannot("there is no place for the logs", error.to_string()))?;
        let job = job(arguments, program, &interpreter, &root, &cwd, &folder);
        let limits = Limits {
            timeout: Duration::from_secs(arguments.timeout),
            stall: Some(Duration::from_secs(arguments.stall_timeout)),
            ..Limits::default()
        };
        let mut observer = Observer::new(arguments.ranks, Telling::AtOnce);
        let supervised = supervisor.run(&job, &limits, &mut observer, &mut Silent);
        let started = Started {
            command: &job.command,
            again: again(arguments, program),
            launcher: job.launcher.name(),
            ranks: arguments.ranks,
        };
        let mut report = report(observer, &supervised, started, &interpreter);
        if arguments.lint {
            predict(&mut report, &cwd);
        }
        if arguments.output_format == ListFormat::Text {
            print(&line(program, &report))?;
        }
        let is_over = matches!(report.outcome, Outcome::Interrupted { .. });
        reports.push((program.display().to_string(), report));
        if is_over {
            break;
        }
    }
    if arguments.output_format == ListFormat::Json {
        let programs = reports.iter().map(|(program, report)| ProgramReport { program, report }).collect();
        let text = serde_json::to_string(&Programs { version: 1, programs })
            .map_err(|error| Failure::internal(error.to_string()))?;
        print(&format!("{text}\n"))?;
    }
    let worst = reports.iter().map(|(_, report)| exit_of(&report.outcome)).max_by_key(|exit| *exit as u8);
    Ok(worst.unwrap_or(Exit::Clean))
}

#[derive(Serialize)]
struct Programs<'a> {
    version: u32,
    programs: Vec<ProgramReport<'a>>,
}

#[derive(Serialize)]
struct ProgramReport<'a> {
    program: &'a str,
    report: &'a RunReport,
}

fn job(
    arguments: &ProgramsArguments,
    program: &Path,
    interpreter: &Interpreter,
    root: &Path,
    cwd: &Path,
    folder: &Path,
) -> Job {
    Job {
        command: vec![program.display().to_string()],
        ranks: arguments.ranks,
        launcher: Launcher::Warm,
        interpreter: interpreter.path.clone(),
        cwd: cwd.to_owned(),
        environment: Vec::new(),
        rank_environment: Vec::new(),
        probe: Some(Probe { root: root.to_owned(), keys: None }),
        folder: folder.to_owned(),
        stacks_signal: interpreter.stacks_signal,
    }
}

/// The command line that does one of the programs again.
fn again(arguments: &ProgramsArguments, program: &Path) -> Vec<String> {
    let (ranks, program) = (arguments.ranks.to_string(), program.display().to_string());
    ["ranklint", "verify", "programs", "-n", &ranks, &program].map(str::to_owned).to_vec()
}

/// The program, how it ended, how long that took, and why.
fn line(program: &Path, report: &RunReport) -> String {
    let mut line =
        format!("{:<10} {:>7.2} s  {}", report.outcome.name(), report.wall_us as f64 / 1e6, program.display());
    if let Some(divergence) = report.outcome.divergence() {
        let _ = write!(line, "\n             {}", divergence.message);
    }
    line.push('\n');
    line
}
