//! Starts processes; the only home of `Command`.
//!
//! A job says what to run and how ranks are started; [`start`] starts it and tells the numbers and the pipes. Nothing here
//! waits for a rank or ends one: that is the supervisor's.

mod ask;
mod command;
mod guard;
mod helper;
mod warm;

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::os;
use super::output::{Pipe, Source, Stream};

pub use ask::{Answer, NoAnswer, ask, signal_by_number};
pub use command::{names_python, starts_ranks_itself, words};
pub use guard::Guard;
pub use helper::Helper;
pub use warm::WarmParent;

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The command, as the user gave it.
    pub command: Vec<String>,
    /// How many ranks there are on this machine.
    pub ranks: u32,
    /// Who starts them.
    pub launcher: Launcher,
    /// The Python that runs them.
    pub interpreter: PathBuf,
    /// The working directory.
    pub cwd: PathBuf,
    /// Variables that are set beside those this process has.
    pub environment: Vec<(String, String)>,
    /// What one rank has beside that; the first entry is rank 0's, and ranks without an entry have nothing. Launchers that
    /// start the ranks themselves do not hand it on.
    pub rank_environment: Vec<Vec<(String, String)>>,
    /// The probe, where there is to be one.
    pub probe: Option<Probe>,
    /// The folder for logs and output; see [`super::folder::RunFolder`].
    pub folder: PathBuf,
    /// The number of the signal that asks the probe for stacks; [`super::interpreter::Interpreter`] knows it.
    pub stacks_signal: i32,
}

impl Job {
    /// Where processes write their logs.
    pub fn logs(&self) -> PathBuf {
        self.folder.join("logs")
    }
}

/// The probe in the processes of a job.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The folder that holds the package `ranklint`.
    pub root: PathBuf,
    /// What `RANKLINT_PROBE_KEYS` says.
    pub keys: Option<String>,
}

/// Who starts the ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// ranklint, each as a process of its own.
    Direct,
    /// `python -m torch.distributed.run`, with these options besides.
    Torchrun(Vec<String>),
    /// `srun`, with these options besides.
    Srun(Vec<String>),
    /// The command itself.
    Nothing,
    /// A process that has imported torch before and forks them.
    Warm,
}

impl Launcher {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Launcher::Direct => "direct",
            Launcher::Torchrun(_) => "torchrun",
            Launcher::Srun(_) => "srun",
            Launcher::Nothing => "none",
            Launcher::Warm => "warm",
        }
    }

    /// Whether a rank that fails may be started again by the launcher, so that only the launcher's end counts.
    pub fn restarts(&self) -> bool {
        let Launcher::Torchrun(options) = self else { return false };
        let mut options = options.iter().map(|option| option.replace('_', "-"));
        options.any(|option| {
            option == "--max-restarts" || option.starts_with("--max-restarts=") && option != "--max-restarts=0"
        })
    }
}

/// Why nothing could be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// There is no command.
    #[error("there is no command to run")]
    Empty,
    /// The system did not start it.
    #[error("`{command}` cannot be started: {why}")]
    NotStarted {
        /// What was to be started.
        command: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// Something that a launch needs was not to be had.
    #[error("{what}: {why}")]
    Lacking {
        /// What.
        what: &'static str,
        /// What the system says.
        why: std::io::Error,
    },
    /// The warm parent runs Python programs only.
    #[error("a warm parent runs `FILE.py`, `python FILE.py`, `python -m MODULE` and `python -c CODE` only, not `{0}`")]
    NotWarm(String),
    /// The warm parent does not answer as it should.
    #[error("the warm parent has failed: {0}")]
    Warm(String),
}

impl LaunchError {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            LaunchError::Empty => "give the command after `--`",
            LaunchError::NotStarted { .. } => {
                "check that the command exists, can be executed, and is written as in a shell"
            }
            LaunchError::Lacking { .. } => "free the resource and try again",
            LaunchError::NotWarm(_) | LaunchError::Warm(_) => "use `--launcher direct`",
        }
    }
}

/// What was started.
#[derive(Debug, Default)]
pub struct Started {
    /// The processes, with their ranks where each is one.
    pub processes: Vec<(u32, Option<u32>)>,
    /// What they print.
    pub pipes: Vec<Pipe>,
}

/// Starts a job. What was started before something failed is in `started`, and has to be ended.
///
/// # Errors
/// It cannot be started.
pub fn start(job: &Job, tag: &str, warm: Option<&mut WarmParent>, started: &mut Started) -> Result<(), LaunchError> {
    if job.command.is_empty() {
        return Err(LaunchError::Empty);
    }
    match &job.launcher {
        Launcher::Warm => {
            let warm = warm.ok_or_else(|| LaunchError::Warm("it was not started".to_owned()))?;
            warm.launch(job, &rank_environments(job, tag)?, started)
        }
        Launcher::Direct => {
            let words = words(&job.command, &job.interpreter);
            for (rank, environment) in (0..).zip(rank_environments(job, tag)?) {
                spawn(job, &words, environment, Some(rank), started)?;
            }
            Ok(())
        }
        launcher => {
            let words = command::launcher_words(launcher, job);
            let mut environment = job_environment(job, tag);
            if matches!(launcher, Launcher::Torchrun(_)) {
                // torchrun must be through with its own ladder before ours comes to its end.
                environment.push(("TORCH_ELASTIC_SHUTDOWN_TIMEOUT".to_owned(), "2".into()));
            }
            spawn(job, &words, environment, None, started)
        }
    }
}

/// The environments of the ranks, those of the job included.
fn rank_environments(job: &Job, tag: &str) -> Result<Vec<Vec<(String, OsString)>>, LaunchError> {
    let port = os::free_port().map_err(|why| LaunchError::Lacking { what: "no free port", why })?.to_string();
    let world = job.ranks.to_string();
    let of_rank = |rank: u32| {
        let mut environment = job_environment(job, tag);
        let rank = rank.to_string();
        let values = [
            ("RANK", &rank),
            ("LOCAL_RANK", &rank),
            ("WORLD_SIZE", &world),
            ("LOCAL_WORLD_SIZE", &world),
            ("MASTER_PORT", &port),
        ];
        environment.extend(values.map(|(key, value)| (key.to_owned(), OsString::from(value))));
        environment.push(("MASTER_ADDR".to_owned(), "127.0.0.1".into()));
        environment
    };
    let mut environments: Vec<_> = (0..job.ranks).map(of_rank).collect();
    for (environment, own) in environments.iter_mut().zip(&job.rank_environment) {
        environment.extend(own.iter().map(|(key, value)| (key.clone(), value.into())));
    }
    Ok(environments)
}

/// What every process of a job has in its environment beside what this process has.
fn job_environment(job: &Job, tag: &str) -> Vec<(String, OsString)> {
    let mut environment: Vec<(String, OsString)> = vec![
        ("PYTHONUNBUFFERED".to_owned(), "1".into()),
        (os::tree::TAG.to_owned(), tag.into()),
        ("RANKLINT_SUPERVISOR".to_owned(), std::process::id().to_string().into()),
    ];
    if !is_set("OMP_NUM_THREADS") {
        environment.push(("OMP_NUM_THREADS".to_owned(), "1".into()));
    }
    environment.extend(job.environment.iter().map(|(key, value)| (key.clone(), value.into())));
    if let Some(probe) = &job.probe {
        environment.push(("RANKLINT_PROBE_LOG".to_owned(), job.logs().into()));
        environment.extend(probe.keys.iter().map(|keys| ("RANKLINT_PROBE_KEYS".to_owned(), keys.into())));
        let given = job.environment.iter().rev().find(|(key, _)| key == "PYTHONPATH").map(|(_, value)| value.into());
        let old = given.or_else(|| inherited("PYTHONPATH")).filter(|old| !old.is_empty());
        let mut path = probe.root.join("ranklint").join("probe").join("site").into_os_string();
        if let Some(old) = old {
            path.push(":");
            path.push(old);
        }
        environment.push(("PYTHONPATH".to_owned(), path));
    }
    environment
}

/// `PYTHONPATH` with a folder before what this process has there.
pub fn with_python_path(folder: &str) -> String {
    match inherited("PYTHONPATH").filter(|old| !old.is_empty()) {
        Some(old) => format!("{folder}:{}", old.to_string_lossy()),
        None => folder.to_owned(),
    }
}

/// What processes inherit.
#[expect(clippy::disallowed_methods, reason = "processes inherit the environment; what is set there is respected")]
fn inherited(key: &str) -> Option<OsString> {
    std::env::var_os(key)
}

fn is_set(key: &str) -> bool {
    inherited(key).is_some()
}

/// Variables of a job that ranklint itself may be part of; they would mislead ranks that it starts.
fn misleading() -> Vec<OsString> {
    let is_misleading = |name: &str| {
        name.starts_with("TORCHELASTIC_")
            || matches!(name, "GROUP_RANK" | "GROUP_WORLD_SIZE" | "ROLE_RANK" | "ROLE_WORLD_SIZE" | "ROLE_NAME")
    };
    std::env::vars_os().map(|(key, _)| key).filter(|key| key.to_str().is_some_and(is_misleading)).collect()
}

fn spawn(
    job: &Job,
    words: &[OsString],
    environment: Vec<(String, OsString)>,
    rank: Option<u32>,
    started: &mut Started,
) -> Result<(), LaunchError> {
    let mut command = command(&words[0]);
    command.args(&words[1..]).current_dir(&job.cwd).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if !matches!(job.launcher, Launcher::Nothing) {
        misleading().iter().for_each(|key| _ = command.env_remove(key));
    }
    command.envs(environment);
    // The supervisor waits for it by its number.
    let child = command.spawn().map_err(|why| not_started(&words[0], &job.cwd, why))?;
    started.processes.push((child.id(), rank));
    let source = rank.map_or(Source::Launcher, Source::Rank);
    let ends = [(Stream::Out, child.stdout.map(OwnedFd::from)), (Stream::Err, child.stderr.map(OwnedFd::from))];
    for (stream, end) in ends {
        started.pipes.extend(end.map(|end| Pipe { source, stream, end }));
    }
    Ok(())
}

fn not_started(word: &OsString, cwd: &Path, why: std::io::Error) -> LaunchError {
    let mut command = word.to_string_lossy().into_owned();
    if !cwd.is_dir() {
        command = format!("{command}` in `{}", cwd.display());
    }
    LaunchError::NotStarted { command, why }
}

/// A command that does not get our input.
#[expect(clippy::disallowed_methods, reason = "the home of processes")]
fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(program)
}
