//! One arm under the supervisor: its ranks are started, watched until they have ended or their time is over, and ended.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::super::event::{Event, Fact};
use super::super::launch::{Job, Launcher, Probe};
use super::super::os::monotonic_us;
use super::super::outcome::{Ending, Outcome};
use super::super::output::{KEPT, Output, Source, Stream, tail_of};
use super::super::supervise::{Limits, Supervised, Supervisor};
use super::super::watch::Watch;
use super::judge::{events, fault_us, judge};
use super::outcome::{ArmOutcome, ArmReport, Look, Miss, RankEnd};
use super::plan::{Arm, Expected};

/// Longer than anything: what the supervisor would decide by its own clock is decided here.
const NEVER: Duration = Duration::from_secs(24 * 3_600);

/// What a hang may take beyond its limit until it counts as one, in seconds.
const SLACK: f64 = 0.5;

/// Who starts the ranks of an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Starter {
    /// A process that has imported torch before forks them.
    Warm,
    /// ranklint, each with an interpreter of its own.
    Direct,
    /// `torchrun`.
    Torchrun,
}

impl Starter {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Starter::Warm => "warm",
            Starter::Direct => "direct",
            Starter::Torchrun => "torchrun",
        }
    }
}

/// What all arms of a run have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// The Python that runs the ranks.
    pub interpreter: PathBuf,
    /// The number of the signal that asks for stacks.
    pub stacks_signal: i32,
    /// The folder that holds the package `ranklint`.
    pub root: PathBuf,
    /// The working directory, from which a runtime of the user's is imported.
    pub cwd: PathBuf,
    /// `module:Class`.
    pub runtime: String,
    /// Who starts the ranks.
    pub starter: Starter,
    /// Whether what starts the ranks should have the compiler at hand.
    pub compiles: bool,
    /// Stretches every limit.
    pub scale: f64,
    /// Seconds until the first fault.
    pub start_limit: f64,
    /// Below it every arm gets a folder.
    pub folder: PathBuf,
}

/// What an arm does to the machine, or asks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Load {
    /// Nothing out of the ordinary.
    Works,
    /// It uses the compiler.
    Compiles,
    /// It measures, and what works beside it would be measured too.
    Measures,
}

/// One arm that is to be run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The harness of its row.
    pub harness: String,
    /// The arm.
    pub arm: Arm,
    /// What carries its collectives.
    pub backend: String,
    /// What it does to the machine.
    pub load: Load,
    /// How much longer simulated stages are than on a quiet machine.
    pub stage_scale: f64,
}

impl Order {
    /// The arm's name, with its backend where that is not gloo.
    pub fn name(&self) -> String {
        match self.backend.as_str() {
            "gloo" => self.arm.name.clone(),
            backend => format!("{}@{backend}", self.arm.name),
        }
    }

    /// Its report before anything is known.
    pub fn report(&self, outcome: ArmOutcome) -> ArmReport {
        ArmReport {
            name: self.name(),
            kind: self.arm.kind,
            mutant: self.arm.mutant.clone(),
            outcome,
            look: Look::None,
            ends: Vec::new(),
            wall_us: 0,
            survivors: 0,
            measurements: Vec::new(),
            folder: String::new(),
            notes: Vec::new(),
        }
    }
}

/// Runs one arm to the end of its last process.
pub fn run_arm(supervisor: &mut Supervisor, settings: &Settings, order: &Order) -> ArmReport {
    let folder = settings.folder.join(format!("{}-{}", order.harness, order.name()));
    let job = job(settings, order, &folder);
    let limits = Limits {
        timeout: NEVER,
        stall: None,
        // Nobody has anything left to say; torchrun needs a moment to see that its ranks are gone.
        grace: Duration::from_millis(if settings.starter == Starter::Torchrun { 4_000 } else { 100 }),
        explain: NEVER,
        ..Limits::default()
    };
    let faults = Faults::default();
    let mut watch = ArmWatch::new(settings, &order.arm, &faults);
    let supervised = supervisor.run(&job, &limits, &mut watch, &mut faults.clone());
    let texts: Vec<String> =
        order.arm.processes.iter().map(|process| output(settings.starter, &supervised, process.rank)).collect();
    let since_us = texts.iter().filter_map(|text| fault_us(text)).min().unwrap_or(watch.began_us);
    let end = |(rank, output): (u32, String)| {
        let ending = watch.ends.get(&rank).filter(|ending| !ending.told);
        let ended_us = ending.map_or(supervised.decided_us, |ending| ending.time_us);
        RankEnd { code: ending.and_then(code), seconds: seconds(ended_us.saturating_sub(since_us)), output }
    };
    let ends: Vec<RankEnd> = (0..).zip(texts).map(end).collect();
    let (outcome, look) = match &supervised.outcome {
        Outcome::Blocked { tried, remedy } => {
            (ArmOutcome::Blocked { tried: tried.clone(), remedy: remedy.clone() }, Look::None)
        }
        Outcome::Interrupted { signal } => {
            let tried = vec![format!("interrupted by signal {signal}")];
            (ArmOutcome::Blocked { tried, remedy: "run it again".to_owned() }, Look::None)
        }
        _ => judge(&order.arm, &ends, settings.scale),
    };
    let measurements = ends.iter().flat_map(|end| events(&end.output, "measurement")).collect();
    ArmReport {
        look,
        measurements,
        ends,
        wall_us: supervised.wall_us,
        survivors: supervised.survivors,
        folder: folder.display().to_string(),
        notes: supervised.notes.clone(),
        ..order.report(without_leftovers(outcome, &supervised))
    }
}

/// An arm that leaves processes behind has not ended as it must, whatever its ranks have said.
fn without_leftovers(outcome: ArmOutcome, supervised: &Supervised) -> ArmOutcome {
    let left = match &supervised.outcome {
        Outcome::Leaked { processes } => processes.clone(),
        _ if supervised.survivors > 0 => supervised.left_behind.clone(),
        _ => return outcome,
    };
    let mut missed = match outcome {
        ArmOutcome::Failed { missed } => missed,
        ArmOutcome::Passed { .. } => Vec::new(),
        ArmOutcome::Skipped { .. } | ArmOutcome::Blocked { .. } => return outcome,
    };
    missed.push(Miss { rank: None, what: format!("left behind: {}", left.join(", ")) });
    ArmOutcome::Failed { missed }
}

fn job(settings: &Settings, order: &Order, folder: &Path) -> Job {
    let mut command = vec!["python".to_owned()];
    command.extend(order.arm.command().iter().cloned());
    command.extend(["--runtime".to_owned(), settings.runtime.clone()]);
    let launcher = match settings.starter {
        Starter::Warm => Launcher::Warm,
        Starter::Direct => Launcher::Direct,
        Starter::Torchrun => {
            // torchrun would end the others as soon as one has failed, and they could not show how they end by themselves.
            // So it does not look; it is told to leave when all have ended.
            let logs = format!("--log-dir={}", folder.join("torchrun").display());
            Launcher::Torchrun(vec!["--monitor-interval=86400".to_owned(), "--tee=3".to_owned(), logs])
        }
    };
    let own = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let stage_scale = format!("{:.1}", order.stage_scale);
    let fixed = [
        ("RANKLINT_BACKEND", &*order.backend),
        ("SCOPE_DIST_BACKEND", &order.backend),
        ("RANKLINT_STAGE_SCALE", &stage_scale),
    ];
    let of_rank = |env: &BTreeMap<String, String>| {
        env.iter().map(|(key, value)| (key.clone(), value.clone())).chain(fixed.map(own)).collect()
    };
    let root = settings.root.to_string_lossy();
    let path = super::super::launch::with_python_path(&root);
    Job {
        command,
        ranks: u32::try_from(order.arm.processes.len()).unwrap_or(u32::MAX),
        launcher,
        interpreter: settings.interpreter.clone(),
        cwd: settings.cwd.clone(),
        environment: [vec![("PYTHONPATH".to_owned(), path)], fixed.map(own).to_vec()].concat(),
        rank_environment: order.arm.processes.iter().map(|process| of_rank(&process.env)).collect(),
        // The ends of ranks that others have started are seen by their logs.
        probe: (settings.starter == Starter::Torchrun).then(|| Probe { root: settings.root.clone(), keys: None }),
        folder: folder.to_owned(),
        stacks_signal: settings.stacks_signal,
    }
}

/// What a rank has printed, standard output first.
fn output(starter: Starter, supervised: &Supervised, rank: u32) -> String {
    match starter {
        Starter::Warm | Starter::Direct => {
            let of = |stream| supervised.output_tail(Source::Rank(rank), stream, KEPT);
            [of(Stream::Out), of(Stream::Err)].concat()
        }
        Starter::Torchrun => {
            let folders = below(&supervised.folder.join("torchrun"), 2);
            let files = folders
                .iter()
                .flat_map(|folder| ["stdout.log", "stderr.log"].map(|name| folder.join(rank.to_string()).join(name)));
            files.map(|file| tail_of(&file, KEPT)).collect()
        }
    }
}

/// The folders so many levels below one.
#[expect(clippy::disallowed_methods, reason = "torchrun chooses the names of its folders")]
fn below(folder: &Path, levels: u32) -> Vec<PathBuf> {
    if levels == 0 {
        return vec![folder.to_owned()];
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.iter().flat_map(|folder| below(folder, levels - 1)).collect()
}

fn code(ending: &Ending) -> Option<i32> {
    ending.code.or(ending.signal.map(|signal| -signal))
}

fn seconds(micros: u64) -> f64 {
    (micros as f64 / 1e3).round() / 1e3
}

/// The moment of the first fault, as what ranks print tells it; 0 until then.
#[derive(Clone, Debug, Default)]
struct Faults(Arc<AtomicU64>);

impl Faults {
    fn us(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|us| *us > 0)
    }
}

impl Output for Faults {
    fn lines(&mut self, _: Source, _: Stream, text: &[u8]) -> io::Result<()> {
        if self.us().is_none()
            && let Some(us) = fault_us(&String::from_utf8_lossy(text))
        {
            self.0.store(us, Ordering::Relaxed);
        }
        Ok(())
    }

    fn left_out(&mut self, _: Source, _: Stream, _: u64) -> io::Result<()> {
        Ok(())
    }
}

/// Ends the run when every rank that is waited for has ended, or the time of the arm is over.
struct ArmWatch<'f> {
    faults: &'f Faults,
    began_us: u64,
    start_us: u64,
    limit_us: u64,
    ranks: BTreeMap<u32, u32>,
    ends: BTreeMap<u32, Ending>,
    /// Those that must end by themselves.
    awaited: BTreeSet<u32>,
    /// Whether everything is over once the ranks are, so that the supervisor sees what is left behind.
    are_all: bool,
}

impl<'f> ArmWatch<'f> {
    fn new(settings: &Settings, arm: &Arm, faults: &'f Faults) -> ArmWatch<'f> {
        let micros = |seconds: f64| (seconds * 1e6) as u64;
        let still = |rank: &u32| arm.processes[*rank as usize].expect.exit == Expected::HoldsStill;
        let ranks = 0..u32::try_from(arm.processes.len()).unwrap_or(u32::MAX);
        let awaited: BTreeSet<u32> = ranks.filter(|rank| !still(rank)).collect();
        ArmWatch {
            faults,
            began_us: monotonic_us(),
            start_us: micros(settings.start_limit * settings.scale),
            limit_us: micros(arm.limit * settings.scale + SLACK),
            ranks: BTreeMap::new(),
            ends: BTreeMap::new(),
            are_all: awaited.len() == arm.processes.len() && settings.starter != Starter::Torchrun,
            awaited,
        }
    }
}

impl Watch for ArmWatch<'_> {
    fn started(&mut self, pid: u32, rank: Option<u32>) {
        self.ranks.extend(rank.map(|rank| (pid, rank)));
    }

    fn event(&mut self, pid: u32, event: &Event) {
        // Helpers of a rank have its number too, and come later.
        if let Event::Fact(fact) = event
            && let Fact::Start(start) = fact.as_ref()
            && let Some(rank) = start.rank
            && self.ranks.values().all(|known| *known != rank)
        {
            self.ranks.insert(pid, rank);
        }
    }

    fn ended(&mut self, pid: u32, ending: &Ending) {
        if let Some(rank) = self.ranks.get(&pid) {
            self.ends.insert(*rank, ending.clone());
        }
    }

    fn verdict(&mut self, now_us: u64) -> Option<Outcome> {
        if self.awaited.iter().all(|rank| self.ends.contains_key(rank)) {
            return (!self.are_all).then_some(Outcome::Passed);
        }
        let until_us = self.faults.us().map_or(self.began_us + self.start_us, |us| us + self.limit_us);
        (now_us >= until_us).then(|| Outcome::TimedOut { seconds: now_us.saturating_sub(self.began_us) / 1_000_000 })
    }

    fn is_anyone_waiting(&self) -> bool {
        false
    }

    fn last_event_us(&self) -> Option<u64> {
        None
    }
}
