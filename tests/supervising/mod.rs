//! Runs a case under a supervisor in a process of its own: the test program, started again.
//!
//! A supervisor owns the signals and the orphans of its process, so there can be one a process, and some tests kill it.

#![allow(dead_code, reason = "each test program uses its part")]
#![expect(clippy::disallowed_methods, reason = "tests start processes and look at files and at /proc")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use ranklint::verify::event::{Event, Fact, What};
use ranklint::verify::interpreter::{self, Interpreter, Surroundings};
use ranklint::verify::launch::{Job, Launcher, Probe};
use ranklint::verify::os::monotonic_us;
use ranklint::verify::outcome::{Divergence, Ending, GroupName, Outcome};
use ranklint::verify::output::{Output, Silent, Source, Stream};
use ranklint::verify::supervise::{Limits, Supervised, Supervisor};
use ranklint::verify::watch::Watch;
use serde::{Deserialize, Serialize};

/// The variable that holds the case for the process that runs it.
const CASE: &str = "RANKLINT_TEST_CASE";

/// The variable by which everything that a case starts can be found.
const MARK: &str = "RANKLINT_TEST_MARK";

/// How long a case may take on a machine that is busy with other things.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// What is to be run, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Case {
    pub command: Vec<String>,
    pub ranks: u32,
    pub launcher: String,
    pub environment: Vec<(String, String)>,
    pub probed: bool,
    pub guarded: bool,
    pub show: bool,
    pub timeout_ms: u64,
    pub stall_ms: u64,
    pub grace_ms: u64,
    pub explain_ms: u64,
    pub leak_ms: u64,
    pub folder: PathBuf,
    pub python: PathBuf,
    pub stacks_signal: i32,
    pub times: u32,
}

/// What has come of it, as the process that ran it tells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Told {
    pub outcome: String,
    pub details: String,
    pub rank: Option<u32>,
    pub number: Option<i32>,
    pub survivors: usize,
    pub killed: usize,
    pub left_behind: Vec<String>,
    pub notes: Vec<String>,
    pub wall_us: u64,
    /// From the writing of what the verdict rests on to the verdict.
    pub latency_us: Option<u64>,
    pub processes: Vec<ToldProcess>,
    /// What the watch was told in the wrong order.
    pub disorder: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ToldProcess {
    pub pid: u32,
    pub rank: Option<u32>,
    pub main: bool,
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub told: bool,
    pub exception: String,
    pub events: u64,
    pub stacks: String,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

pub fn python() -> &'static Interpreter {
    static PYTHON: OnceLock<Interpreter> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let surroundings = Surroundings::of_process(None, Path::new("/"));
        interpreter::choose(&surroundings).expect("Python is installed").ask().expect("it answers")
    })
}

pub fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/verify/programs")
}

impl Case {
    /// `rank.py` with these arguments, at so many ranks.
    pub fn ranks(ranks: u32, arguments: &[&str]) -> Case {
        let count = COUNT.fetch_add(1, Ordering::SeqCst);
        let folder = std::env::temp_dir().join(format!("ranklint-case-{}-{count}", std::process::id()));
        let python = python();
        let program = programs().join("rank.py").display().to_string();
        let mut command = vec![python.path.display().to_string(), "-S".to_owned(), program];
        command.extend(arguments.iter().map(|word| (*word).to_owned()));
        Case {
            command,
            ranks,
            launcher: "direct".to_owned(),
            environment: Vec::new(),
            probed: true,
            guarded: false,
            show: false,
            timeout_ms: 60_000,
            stall_ms: 1_500,
            grace_ms: 300,
            explain_ms: 300,
            leak_ms: 300,
            folder,
            python: python.path.clone(),
            stacks_signal: python.stacks_signal,
            times: 1,
        }
    }

    /// The same through a launcher that starts the ranks itself.
    pub fn launched(ranks: u32, how: &str, arguments: &[&str]) -> Case {
        let mut case = Case::ranks(ranks, arguments);
        let rest = case.command.split_off(2);
        case.command.push(programs().join("launcher.py").display().to_string());
        case.command.extend([ranks.to_string(), how.to_owned()]);
        case.command.extend(rest);
        case.launcher = "nothing".to_owned();
        case
    }

    /// The same with ranks that are forked by a warm parent.
    pub fn warm(ranks: u32, arguments: &[&str]) -> Case {
        let mut case = Case::ranks(ranks, arguments);
        case.launcher = "warm".to_owned();
        case.command.remove(1);
        case.command[0] = "python3".to_owned();
        case
    }

    /// Starts the process that runs it.
    pub fn start(&self) -> Running {
        self.start_with(Stdio::null())
    }

    pub fn start_with(&self, out: Stdio) -> Running {
        std::fs::create_dir_all(&self.folder).expect("a folder");
        let mark = self.folder.display().to_string();
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(["runs_one_case", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env(CASE, serde_json::to_string(self).expect("plain data"))
            .env(MARK, &mark)
            .env("PIDS", self.folder.join("pids"))
            .env("MEETING", &self.folder)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(std::fs::File::create(self.folder.join("errors")).expect("a file"))
            .spawn()
            .expect("the test program starts again");
        Running { child, case: self.clone(), began: Instant::now() }
    }

    /// Runs it, and looks for survivors.
    pub fn run(&self) -> Told {
        self.start().finish()
    }
}

/// A process that runs a case.
pub struct Running {
    pub child: Child,
    pub case: Case,
    began: Instant,
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until every rank has come to the meeting.
    pub fn wait_for_ranks(&mut self) {
        let ranks = self.case.ranks;
        self.wait_for("the ranks", |folder| (0..ranks).all(|rank| folder.join(format!("ready{rank}")).exists()));
    }

    pub fn wait_for(&mut self, what: &str, is_so: impl Fn(&Path) -> bool) {
        while !is_so(&self.case.folder) {
            assert!(self.began.elapsed() < PATIENCE, "{what}: not in time");
            if let Some(status) = self.child.try_wait().expect("our child") {
                panic!("{what}: {status} came first: {}", self.errors());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub fn signal(&self, signal: &str) {
        signal_process(self.pid(), signal);
    }

    /// Waits for the process and tells what it says. Nothing may survive it.
    pub fn finish(mut self) -> Told {
        self.wait();
        let text = std::fs::read(self.case.folder.join("told")).unwrap_or_default();
        let told: Told = serde_json::from_slice(&text)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.errors(), self.case.name()));
        self.expect_no_survivors(Duration::ZERO);
        assert_eq!(told.survivors, 0, "{told:?}");
        assert!(told.disorder.is_empty(), "{told:?}");
        let _ = std::fs::remove_dir_all(&self.case.folder);
        told
    }

    /// Waits for the process to end.
    pub fn wait(&mut self) {
        while self.child.try_wait().expect("our child").is_none() {
            if self.began.elapsed() >= PATIENCE {
                let _ = self.child.kill();
                let _ = self.child.wait();
                let left = self.survivors();
                left.keys().for_each(|pid| signal_process(*pid, "KILL"));
                panic!("{}: not in time; left: {left:?}\n{}", self.case.name(), self.errors());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub fn errors(&self) -> String {
        std::fs::read_to_string(self.case.folder.join("errors")).unwrap_or_default()
    }

    /// Panics when something that the case has started still runs after so long.
    pub fn expect_no_survivors(&self, patience: Duration) {
        let end = Instant::now() + patience;
        loop {
            let left = self.survivors();
            if left.is_empty() {
                return;
            }
            if Instant::now() >= end {
                left.keys().for_each(|pid| signal_process(*pid, "KILL"));
                panic!("{}: these survive: {left:?}", self.case.name());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Processes that bear the mark or have written down their numbers, with their command lines.
    fn survivors(&self) -> BTreeMap<u32, String> {
        let mark = format!("{MARK}={}", self.case.folder.display());
        let pids = std::fs::read_to_string(self.case.folder.join("pids")).unwrap_or_default();
        let mut suspects: BTreeSet<u32> = pids.lines().filter_map(|line| line.parse().ok()).collect();
        for entry in std::fs::read_dir("/proc").expect("there is /proc").flatten() {
            if let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok())
                && let Ok(environment) = std::fs::read(entry.path().join("environ"))
                && environment.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes())
            {
                suspects.insert(pid);
            }
        }
        let line = |pid: u32| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let state = stat.rsplit(')').next()?.trim_start().chars().next()?;
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            (state != 'Z' && state != 'X')
                .then(|| format!("{state} {}", String::from_utf8_lossy(&line).replace('\0', " ")))
        };
        suspects.into_iter().filter_map(|pid| Some((pid, line(pid)?))).collect()
    }
}

impl Case {
    pub fn name(&self) -> String {
        format!("{} x{} {}", self.launcher, self.ranks, self.command[1..].join(" "))
    }
}

pub fn signal_process(pid: u32, signal: &str) {
    let _ = Command::new("/bin/sh").args(["-c", &format!("kill -{signal} {pid}")]).stderr(Stdio::null()).status();
}

/// The body of the test `runs_one_case`, which is run in a process of its own.
pub fn run_case() {
    let Some(case) = std::env::var_os(CASE) else { return };
    let case: Case = serde_json::from_str(&case.to_string_lossy()).expect("a case");
    let mut supervisor = Supervisor::start().expect("a supervisor");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    if case.launcher == "warm" {
        supervisor.warm_up(&case.python, &root, &["json", "socket"], PATIENCE).expect("a warm parent");
    }
    if case.guarded {
        supervisor.guard(&case.python, &root).expect("a guard");
    }
    let job = Job {
        command: case.command.clone(),
        ranks: case.ranks,
        launcher: match case.launcher.as_str() {
            "direct" => Launcher::Direct,
            "nothing" => Launcher::Nothing,
            "warm" => Launcher::Warm,
            other => panic!("no launcher `{other}`"),
        },
        interpreter: case.python.clone(),
        cwd: std::env::temp_dir(),
        environment: case.environment.clone(),
        rank_environment: Vec::new(),
        probe: case.probed.then(|| Probe { root: root.clone(), keys: None }),
        folder: case.folder.join("run"),
        stacks_signal: case.stacks_signal,
    };
    let limits = Limits {
        timeout: Duration::from_millis(case.timeout_ms),
        stall: Some(Duration::from_millis(case.stall_ms)),
        grace: Duration::from_millis(case.grace_ms),
        certain_grace: Duration::from_millis(case.grace_ms / 2),
        explain: Duration::from_millis(case.explain_ms),
        leak: Duration::from_millis(case.leak_ms),
        ..Limits::default()
    };
    for _ in 0..case.times {
        let mut watch = Fake::default();
        let supervised = if case.show {
            supervisor.run(&job, &limits, &mut watch, &mut Shown)
        } else {
            supervisor.run(&job, &limits, &mut watch, &mut Silent)
        };
        let told = tell(supervised, watch);
        let text = serde_json::to_vec(&told).expect("plain data");
        std::fs::write(case.folder.join("told.new"), text).expect("written");
        std::fs::rename(case.folder.join("told.new"), case.folder.join("told")).expect("renamed");
    }
}

fn tell(supervised: Supervised, watch: Fake) -> Told {
    let (rank, number) = match &supervised.outcome {
        Outcome::Failed { rank, code } => (Some(*rank), Some(*code)),
        Outcome::Signalled { rank, signal } => (Some(*rank), Some(*signal)),
        Outcome::Interrupted { signal } => (None, Some(*signal)),
        _ => (None, None),
    };
    let process = |process: &ranklint::verify::supervise::ProcessEnd| ToldProcess {
        pid: process.pid,
        rank: process.rank,
        main: process.main,
        code: process.ending.code,
        signal: process.ending.signal,
        told: process.ending.told,
        exception: process.ending.exception.clone(),
        events: watch.events.get(&process.pid).copied().unwrap_or(0),
        stacks: supervised.stacks(process),
    };
    Told {
        outcome: supervised.outcome.name().to_owned(),
        details: format!("{:?}", supervised.outcome),
        rank,
        number,
        survivors: supervised.survivors,
        killed: supervised.killed,
        processes: supervised.processes.iter().map(process).collect(),
        left_behind: supervised.left_behind.clone(),
        notes: supervised.notes.clone(),
        wall_us: supervised.wall_us,
        latency_us: watch.seen_us.map(|seen_us| supervised.decided_us - seen_us),
        disorder: watch.disorder,
    }
}

/// Prints lines as they come.
struct Shown;

impl Output for Shown {
    fn lines(&mut self, _: Source, _: Stream, text: &[u8]) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        out.write_all(text)?;
        out.flush()
    }

    fn left_out(&mut self, source: Source, _: Stream, lines: u64) -> std::io::Result<()> {
        writeln!(std::io::stdout(), "[{lines} lines of {} left out]", source.stem())
    }
}

/// Believes what ranks say about themselves.
#[derive(Default)]
struct Fake {
    events: BTreeMap<u32, u64>,
    waiting: BTreeSet<(u32, u64)>,
    ended: BTreeSet<u32>,
    last_us: Option<u64>,
    verdict: Option<String>,
    seen_us: Option<u64>,
    disorder: Vec<String>,
}

impl Watch for Fake {
    fn event(&mut self, pid: u32, event: &Event) {
        self.last_us = Some(monotonic_us());
        *self.events.entry(pid).or_default() += 1;
        if self.ended.contains(&pid) {
            self.disorder.push(format!("{pid} has ended, and then: {event:?}"));
        }
        match event {
            Event::Fact(fact) => {
                if let Fact::Lost(lost) = fact.as_ref()
                    && let Some((name, time_us)) = lost.why.split_once(' ')
                {
                    self.verdict = Some(name.to_owned());
                    self.seen_us = time_us.parse().ok();
                }
            }
            Event::Moment(moment) => match moment.what {
                What::Enter { .. } => _ = self.waiting.insert((pid, moment.call)),
                _ => _ = self.waiting.remove(&(pid, moment.call)),
            },
        }
    }

    fn ended(&mut self, pid: u32, _: &Ending) {
        self.waiting.retain(|(other, _)| *other != pid);
        if !self.ended.insert(pid) {
            self.disorder.push(format!("{pid} has ended twice"));
        }
    }

    fn verdict(&mut self, _: u64) -> Option<Outcome> {
        match self.verdict.as_deref()? {
            "diverged" => Some(Outcome::Diverged(Box::new(Divergence {
                message: "they part".to_owned(),
                differs: "operation",
                group: GroupName { ranks: Vec::new(), ordinal: 0, label: String::new(), world: true },
                position: 1,
                sides: Vec::new(),
                time_us: 0,
            }))),
            other => panic!("told to {other}"),
        }
    }

    fn is_anyone_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn last_event_us(&self) -> Option<u64> {
        self.last_us
    }
}
