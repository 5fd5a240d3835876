//! Runs a job from its start to the end of its last process.
//!
//! One thread, one loop: it waits for signals, for logs that grow, for processes that end and for deadlines; hands what it
//! sees to a [`Watch`]; and ends everything when there is a verdict, or when none can be waited for any longer. Reading what
//! ranks print happens in threads beside, so that a flood delays nothing. Whatever happens, a panic included, no process is
//! left behind.

mod closing;
mod run;
mod table;

use std::path::PathBuf;
use std::time::Duration;

use super::folder;
use super::launch::{self, Guard, Job, LaunchError, Started, WarmParent};
use super::os::{self, signals::Signals, tree::Tree};
use super::outcome::{Ending, Outcome};
use super::output::{Output, Readers, Source, Stream, tail_of};
use super::watch::Watch;

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The whole run.
    pub timeout: Duration,
    /// Silence while some rank waits in a call.
    pub stall: Option<Duration>,
    /// From SIGTERM to SIGKILL.
    pub grace: Duration,
    /// The same after a verdict that is certain: ranks that wait for each other will not get any further.
    pub certain_grace: Duration,
    /// From the first rank that ends in failure until everything is ended: time for a better explanation.
    pub explain: Duration,
    /// From the end of the last rank until what is left counts as left behind.
    pub leak: Duration,
    /// How long stacks are waited for.
    pub stacks: Duration,
    /// From SIGKILL until a process counts as one that cannot be killed.
    pub kill: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            timeout: Duration::from_secs(1_800),
            stall: Some(Duration::from_secs(60)),
            grace: Duration::from_secs(5),
            certain_grace: Duration::from_millis(500),
            explain: Duration::from_secs(1),
            leak: Duration::from_secs(1),
            stacks: Duration::from_millis(200),
            kill: Duration::from_secs(10),
        }
    }
}

/// What has come of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supervised {
    /// How it ended.
    pub outcome: Outcome,
    /// When that was settled, on the monotonic clock in microseconds; ending everything comes after.
    pub decided_us: u64,
    /// From the start until nothing was left, in microseconds.
    pub wall_us: u64,
    /// The processes that were started or wrote logs, by number.
    pub processes: Vec<ProcessEnd>,
    /// Command lines of processes that outlived the ranks, or had to be killed.
    pub left_behind: Vec<String>,
    /// How many processes had to be killed by SIGKILL.
    pub killed: usize,
    /// How many could not be killed: none, unless the system itself hangs.
    pub survivors: usize,
    /// What is worth knowing beside.
    pub notes: Vec<String>,
    /// The folder of the run.
    pub folder: PathBuf,
}

/// One process of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessEnd {
    /// Its number.
    pub pid: u32,
    /// Its rank in the world, where it has one.
    pub rank: Option<u32>,
    /// Whether it is the process of that rank, and not a helper that it has started. Where a script starts the program, both
    /// are; the one with the log is of interest.
    pub main: bool,
    /// How it ended.
    pub ending: Ending,
    /// Its log, where it wrote one.
    pub log: Option<PathBuf>,
    /// The stacks it was asked for, where it has written them.
    pub stacks: Option<PathBuf>,
}

impl Supervised {
    /// The folder of the logs.
    pub fn logs(&self) -> PathBuf {
        self.folder.join("logs")
    }

    /// The end of what somebody has printed.
    pub fn output_tail(&self, source: Source, stream: Stream, bytes: u64) -> String {
        tail_of(&self.folder.join(format!("{}.{}", source.stem(), stream.extension())), bytes)
    }

    /// The stacks of a process as text; empty where there are none.
    pub fn stacks(&self, process: &ProcessEnd) -> String {
        process.stacks.as_deref().map(|path| tail_of(path, 256 * 1024)).unwrap_or_default()
    }
}

/// Runs jobs, one after the other. There is one such value in a process at a time, and while it lives, nobody else in the
/// process starts processes that are to survive a run.
#[derive(Debug)]
pub struct Supervisor {
    signals: Signals,
    tree: Tree,
    warm: Option<WarmParent>,
    guard: Option<Guard>,
}

impl Supervisor {
    /// Takes over signals and orphans of this process.
    ///
    /// # Errors
    /// The system refuses.
    pub fn start() -> std::io::Result<Supervisor> {
        os::adopt_orphans()?;
        let tree = Tree::new(format!("{}-{}", std::process::id(), os::monotonic_us()));
        Ok(Supervisor { signals: Signals::install()?, tree, warm: None, guard: None })
    }

    /// Starts the parent that [`Launcher::Warm`] needs, with these modules imported; does nothing when it is there.
    ///
    /// # Errors
    /// It cannot be started, or takes longer than the deadline.
    pub fn warm_up(
        &mut self,
        interpreter: &std::path::Path,
        root: &std::path::Path,
        modules: &[&str],
        deadline: Duration,
    ) -> Result<(), LaunchError> {
        if self.warm.as_ref().is_some_and(|warm| warm.interpreter() == interpreter) {
            return Ok(());
        }
        self.warm = None;
        let warm = WarmParent::start(interpreter, root, modules, self.tree.tag(), deadline)?;
        self.tree.spare(warm.pid());
        self.warm = Some(warm);
        Ok(())
    }

    /// Starts a guard, which ends what this process has started when this process is killed. It costs nothing to wait for.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn guard(&mut self, interpreter: &std::path::Path, root: &std::path::Path) -> Result<(), LaunchError> {
        if self.guard.is_none() {
            let guard = Guard::start(interpreter, root, self.tree.tag())?;
            self.tree.spare(guard.pid());
            self.guard = Some(guard);
        }
        Ok(())
    }

    /// Runs a job. A job that cannot be started is [`Outcome::Blocked`].
    pub fn run(&mut self, job: &Job, limits: &Limits, watch: &mut dyn Watch, output: &mut dyn Output) -> Supervised {
        let held = self.signals.hold();
        let began_us = os::monotonic_us();
        let mut started = Started::default();
        let launched = folder::prepare(&job.folder)
            .map_err(|why| LaunchError::Lacking { what: "no folder for the run", why })
            .and_then(|()| launch::start(job, self.tree.tag(), self.warm.as_mut(), &mut started))
            .and_then(|()| {
                Readers::new(started.pipes.len()).map_err(|why| LaunchError::Lacking { what: "no pipe", why })
            });
        // From here on, whatever happens, the tree is cleared.
        let mut clearing = Clearing { tree: &mut self.tree, kill: limits.kill };
        let mut is_warm_lost = false;
        let supervised = match launched {
            Err(error) => {
                is_warm_lost = matches!(error, LaunchError::Warm(_));
                let survivors = clearing.clear();
                blocked(job, &error, began_us, survivors)
            }
            Ok((readers, going_on)) => std::thread::scope(|scope| {
                let pipes = std::mem::take(&mut started.pipes);
                let reading = readers.start(scope, going_on, pipes, &job.folder, output);
                let run = run::Run::new(job, limits, &self.signals, clearing.tree, &started, began_us);
                let mut supervised = run.until_over(watch);
                reading.finish();
                supervised.notes.extend(readers.notes());
                supervised
            }),
        };
        drop(clearing);
        self.tree.forget();
        if is_warm_lost {
            self.warm = None;
        }
        drop(held);
        supervised
    }
}

/// Clears the tree when it goes, be it by a panic.
struct Clearing<'t> {
    tree: &'t mut Tree,
    kill: Duration,
}

impl Clearing<'_> {
    fn clear(&mut self) -> usize {
        self.tree.clear(os::monotonic_us() + micros(self.kill))
    }
}

impl Drop for Clearing<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.clear();
        }
    }
}

fn blocked(job: &Job, error: &LaunchError, began_us: u64, survivors: usize) -> Supervised {
    let now = os::monotonic_us();
    Supervised {
        outcome: Outcome::Blocked { tried: vec![error.to_string()], remedy: error.remedy().to_owned() },
        decided_us: now,
        wall_us: now - began_us,
        processes: Vec::new(),
        left_behind: Vec::new(),
        killed: 0,
        survivors,
        notes: Vec::new(),
        folder: job.folder.clone(),
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX / 4)
}
