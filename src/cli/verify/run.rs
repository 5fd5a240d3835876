//! `ranklint verify run`: a program at N ranks under the probe.

use std::path::Path;
use std::time::Duration;

use clap::ValueEnum as _;

use crate::verify::folder;
use crate::verify::launch::{Job, Launcher, Probe, names_python};
use crate::verify::observe::{Circumstances, Observer, Telling};
use crate::verify::outcome::RunReport;
use crate::verify::supervise::{Limits, Supervised};
use crate::verify::{interpreter::Interpreter, output::Source, output::Stream};

use crate::cli::args::{LauncherName, RunArguments};
use crate::cli::{Exit, Failure, complain, project};

use super::predict::predict;
use super::show::{self, Printer};
use super::{exit_of, interpreter_with_torch, package_root, supervisor};

/// How much of what a rank printed last is put into reports, in bytes.
const OUTPUT_TAIL: u64 = 4_096;

/// Runs the command.
pub(super) fn run(arguments: &RunArguments) -> Result<Exit, Failure> {
    let cwd = project::working_directory()?;
    let interpreter = interpreter_with_torch(arguments.python.as_deref(), &arguments.command, &cwd)?;
    let root = package_root()?;
    let folder = match &arguments.log_dir {
        Some(folder) => cwd.join(folder),
        None => folder::make().map_err(|error| Failure {
            exit: Exit::CannotRun,
            message: format!("there is no place for the logs: {error}"),
            help: Some("name a folder with --log-dir".to_owned()),
        })?,
    };
    announce(&interpreter, arguments);

    let job = job(arguments, &interpreter, &root, &cwd, &folder);
    let limits = Limits {
        timeout: Duration::from_secs(arguments.timeout),
        stall: Some(Duration::from_secs(arguments.stall_timeout)),
        grace: Duration::from_secs(arguments.grace),
        ..Limits::default()
    };
    let mut supervisor = supervisor(&interpreter, &root)?;
    let telling = if arguments.dry { Telling::AtTheEnd } else { Telling::AtOnce };
    let mut observer = Observer::new(arguments.ranks, telling);
    let mut printer = Printer::new(&arguments.output);
    let supervised = supervisor.run(&job, &limits, &mut observer, &mut printer);

    let launcher = if arguments.dry { "dry" } else { job.launcher.name() };
    let started = Started { command: &arguments.command, again: again(arguments), launcher, ranks: arguments.ranks };
    let mut report = report(observer, &supervised, started, &interpreter);
    if !arguments.no_lint {
        predict(&mut report, &cwd);
    }
    show::show(&arguments.output, &report, &cwd)?;
    Ok(exit_of(&report.outcome))
}

/// Which interpreter runs the ranks, and why that one.
fn announce(interpreter: &Interpreter, arguments: &RunArguments) {
    let (major, minor, patch) = interpreter.version;
    let torch = interpreter.torch.as_deref().unwrap_or_default();
    let message = format!(
        "{} ranks with {} ({}), Python {major}.{minor}.{patch}, torch {torch}",
        arguments.ranks,
        interpreter.path.display(),
        interpreter.why.text(),
    );
    complain("run", &message, None);
}

fn job(arguments: &RunArguments, interpreter: &Interpreter, root: &Path, cwd: &Path, folder: &Path) -> Job {
    let options = arguments.launcher_option.clone();
    let launcher = match arguments.launcher {
        LauncherName::Direct if arguments.dry => Launcher::Nothing,
        LauncherName::Direct => Launcher::Direct,
        LauncherName::Torchrun => Launcher::Torchrun(options),
        LauncherName::Srun => Launcher::Srun(options),
        LauncherName::None => Launcher::Nothing,
    };
    let mut command = arguments.command.clone();
    if arguments.dry {
        let dry = root.join("ranklint").join("dry.py");
        let logs = folder.join("logs");
        let before = [
            interpreter.path.as_os_str(),
            dry.as_os_str(),
            "--world".as_ref(),
            arguments.ranks.to_string().as_ref(),
            "--log".as_ref(),
            logs.as_os_str(),
            "--".as_ref(),
        ]
        .map(|word| word.to_string_lossy().into_owned());
        // The program is named without its interpreter: the ranks are forks of the one that runs `dry.py`.
        let is_python = command.first().is_some_and(|word| names_python(word));
        command.drain(..usize::from(is_python));
        command.splice(0..0, before);
    }
    Job {
        command,
        ranks: arguments.ranks,
        launcher,
        interpreter: interpreter.path.clone(),
        cwd: cwd.to_owned(),
        environment: Vec::new(),
        rank_environment: Vec::new(),
        probe: Some(Probe { root: root.to_owned(), keys: None }),
        folder: folder.to_owned(),
        stacks_signal: interpreter.stacks_signal,
    }
}

/// The command line of a run that is the same, as far as it decides what is run.
fn again(arguments: &RunArguments) -> Vec<String> {
    let mut words: Vec<String> = ["ranklint", "verify", "run"].map(str::to_owned).to_vec();
    if arguments.dry {
        words.push("--dry".into());
    }
    if let Some(launcher) =
        arguments.launcher.to_possible_value().filter(|_| arguments.launcher != LauncherName::Direct)
    {
        words.extend(["--launcher".to_owned(), launcher.get_name().to_owned()]);
    }
    words.extend(arguments.launcher_option.iter().map(|option| format!("--launcher-option={option}")));
    words.extend(["-n".to_owned(), arguments.ranks.to_string()]);
    if let Some(python) = &arguments.python {
        words.extend(["--python".to_owned(), python.display().to_string()]);
    }
    words.push("--".into());
    words.extend(arguments.command.iter().cloned());
    words
}

/// What was started.
pub(super) struct Started<'a> {
    /// The command, as given.
    pub command: &'a [String],
    /// The command line that does the same again.
    pub again: Vec<String>,
    /// What started the ranks.
    pub launcher: &'a str,
    /// Number of ranks on this machine.
    pub ranks: u32,
}

/// The report of a run that was supervised.
pub(super) fn report(
    observer: Observer,
    supervised: &Supervised,
    started: Started<'_>,
    interpreter: &Interpreter,
) -> RunReport {
    let Started { command, again, launcher, ranks } = started;
    let mut report = observer.report(
        supervised.outcome.clone(),
        Circumstances {
            command: command.to_vec(),
            again,
            launcher: launcher.to_owned(),
            world: ranks,
            interpreter: interpreter.path.display().to_string(),
            torch: interpreter.torch.clone(),
            wall_us: supervised.wall_us,
            decided_us: supervised.decided_us,
            folder: supervised.folder.display().to_string(),
        },
    );
    for lane in &mut report.lanes {
        let Some(process) = supervised.processes.iter().find(|process| process.pid == lane.pid) else { continue };
        lane.stacks = supervised.stacks(process);
        let tail = |stream| supervised.output_tail(Source::Rank(lane.rank), stream, OUTPUT_TAIL);
        lane.output_tail = [tail(Stream::Out), tail(Stream::Err)].concat();
        lane.end.get_or_insert_with(|| process.ending.clone());
    }
    if matches!(launcher, "torchrun" | "srun") {
        // What only the launcher writes is not the program's.
        report.writes.retain(|write| !write.ranks.is_empty());
    }
    let seen: Vec<u32> = report.lanes.iter().map(|lane| lane.rank).collect();
    let unseen = supervised.processes.iter().filter_map(|process| process.rank).find(|rank| !seen.contains(rank));
    if let Some(rank) = unseen {
        report
            .notes
            .push(format!("rank {rank} wrote no log: its interpreter does not read PYTHONPATH (`-I`, `-E` or `-S`)"));
    }
    let elsewhere: Vec<u32> = (0..report.world).filter(|rank| report.world > ranks && !seen.contains(rank)).collect();
    if !elsewhere.is_empty() {
        report.notes.push(format!(
            "{} run on other machines and were not watched here; put the log folders of all machines into one folder and \
             give that to `ranklint verify replay`",
            crate::verify::matcher::ranks(&elsewhere)
        ));
    }
    report.notes.extend(supervised.notes.iter().cloned());
    report
}
