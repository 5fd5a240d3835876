//! Chaos: hundreds of seeded faults, each against a run of its own. Every run is told as what it was, and nothing survives.
//!
//! `RANKLINT_CHAOS_SEED` repeats one, `RANKLINT_CHAOS_COUNT` runs more.

#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests look at files, and are steered by the environment")]

mod supervising;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use supervising::{Case, Told, signal_process};

/// How many faults, unless the environment says otherwise.
const COUNT: u64 = 240;

/// How many at once: they wait more than they work.
const AT_ONCE: usize = 6;

/// What a run has to be told as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Passed,
    /// The victim, with this code.
    Failed(i32),
    /// The victim, by this signal.
    Signalled(i32),
    Diverged,
    Stalled,
    TimedOut,
    Leaked,
    /// By this signal.
    Interrupted(i32),
    /// The launcher, by this signal.
    LauncherKilled,
    /// Nothing is told, since whoever would tell was killed.
    Killed,
}

/// What is done from outside once the ranks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outside {
    Nothing,
    /// A signal for the victim.
    Rank(&'static str),
    /// A signal for ranklint.
    Ranklint(&'static str),
    /// ranklint is stopped for a while.
    Pause,
}

use Expected::{Diverged, Failed, Interrupted, Killed, Leaked, Passed, Signalled, Stalled, TimedOut};
use Outside::{Nothing, Pause, Rank, Ranklint};

/// What the victim does, what the others do, what comes from outside, and how the run has to end.
const FAULTS: &[(&str, &[&str], Outside, Expected)] = &[
    ("kill", &["wait", "stubborn", "follow"], Nothing, Signalled(9)),
    ("segv", &["wait", "stop", "follow"], Nothing, Signalled(11)),
    ("abort", &["wait", "sleep", "follow"], Nothing, Signalled(6)),
    ("torn", &["wait", "stubborn", "follow"], Nothing, Signalled(9)),
    ("lines", &["wait"], Nothing, Signalled(9)),
    ("exit3", &["wait", "stubborn", "follow", "finish"], Nothing, Failed(3)),
    ("raise", &["wait", "stop-stubborn", "follow", "finish"], Nothing, Failed(1)),
    ("exit0", &["wait", "stubborn"], Nothing, Stalled),
    ("stop", &["wait", "stubborn"], Nothing, Stalled),
    ("stop-stubborn", &["wait", "stop"], Nothing, Stalled),
    ("stubborn", &["wait", "stubborn", "sleep", "finish"], Nothing, Stalled),
    ("sleep", &["sleep", "stop", "finish"], Nothing, TimedOut),
    ("diverge", &["wait", "stubborn", "stop", "stop-stubborn", "finish"], Nothing, Diverged),
    ("diverge-stubborn", &["wait", "sleep"], Nothing, Diverged),
    ("diverge-forking", &["wait", "stubborn"], Nothing, Diverged),
    ("diverge-forking-on", &["wait", "stop-stubborn"], Nothing, Diverged),
    ("diverge-flood", &["wait", "stubborn"], Nothing, Diverged),
    ("child-raise", &["wait", "finish"], Nothing, Failed(1)),
    ("session-raise", &["wait", "finish"], Nothing, Failed(1)),
    ("hopper-raise", &["wait", "finish"], Nothing, Failed(1)),
    ("handed", &["wait", "follow"], Nothing, Failed(3)),
    ("leak-child", &["finish"], Nothing, Leaked),
    ("leak-session", &["finish"], Nothing, Leaked),
    ("leak-daemon", &["finish"], Nothing, Leaked),
    ("hopper-session", &["finish"], Nothing, Leaked),
    ("flood20", &["finish", "flood5"], Nothing, Passed),
    ("closed", &["finish"], Nothing, Passed),
    ("closed-exit", &["wait", "follow"], Nothing, Failed(5)),
    ("closed-stubborn", &["wait"], Nothing, Stalled),
    ("delete", &["wait", "stubborn"], Nothing, Failed(6)),
    ("garbage", &["finish"], Nothing, Passed),
    ("print", &["finish", "print"], Nothing, Passed),
    ("finish", &["finish"], Pause, Passed),
    ("stubborn", &["wait", "stubborn"], Rank("KILL"), Signalled(9)),
    ("wait", &["wait", "stubborn"], Rank("TERM"), Signalled(15)),
    ("wait", &["wait", "stubborn"], Rank("STOP"), Stalled),
    ("wait", &["wait", "stubborn", "stop"], Ranklint("INT"), Interrupted(2)),
    ("stubborn", &["wait", "finish"], Ranklint("TERM"), Interrupted(15)),
    ("wait", &["wait", "stubborn"], Ranklint("KILL"), Killed),
];

/// A sequence that a seed decides.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn one_of<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[usize::try_from(self.roll(things.len() as u64)).expect("a small number")]
    }
}

#[test]
#[ignore = "the other test runs it, in a process of its own"]
fn runs_one_case() {
    supervising::run_case();
}

/// Runs what the seed says; the delay of the verdict, where there was one.
fn run(seed: u64) -> (Expected, Option<u64>, u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..8).for_each(|_| _ = dice.roll(2));
    let count = FAULTS.len() as u64;
    let (fault, others, outside, expected) = FAULTS[usize::try_from(seed % count).expect("a small number")];
    let ranks = 1 + u32::try_from(dice.roll(4)).expect("a small number");
    let victim = u32::try_from(dice.roll(u64::from(ranks))).expect("a small number");
    let mut other = (*dice.one_of(others)).to_owned();
    if other == "follow" {
        other = format!("follow{victim}");
    }
    // Silence counts only while somebody waits.
    let ranks = if expected == Stalled && fault != "stubborn" { ranks.max(2) } else { ranks };
    let waits = ["wait", "stubborn"].contains(&other.as_str()) || ["stubborn", "wait"].contains(&fault);
    let expected = if expected == Stalled && !waits { TimedOut } else { expected };
    let arguments = [fault, &victim.to_string(), &other];
    // A launcher that forwards failures tells no signals, and a rank that ends well while others hang keeps it waiting.
    let can_be_launched = matches!(expected, Diverged | Stalled | TimedOut | Passed | Interrupted(_) | Killed);
    let (mut case, expected) = match dice.roll(5) {
        0 if can_be_launched && outside == Nothing => (Case::launched(ranks, "wait", &arguments), expected),
        0 if expected == Stalled => (Case::launched(ranks, "killed", &arguments), Expected::LauncherKilled),
        1 | 2 => (Case::warm(ranks, &arguments), expected),
        _ => (Case::ranks(ranks, &arguments), expected),
    };
    case.environment.push(("DELAY".to_owned(), format!("0.{:03}", dice.roll(30))));
    case.timeout_ms = if expected == TimedOut { 3_000 } else { 60_000 };
    case.guarded = expected == Killed;
    let mut running = case.start();
    if outside != Nothing {
        running.wait_for_ranks();
        std::thread::sleep(Duration::from_millis(dice.roll(20)));
    }
    let name = format!("seed {seed}: {} ({outside:?})", case.name());
    match outside {
        Nothing => {}
        Rank(signal) => {
            let pid = std::fs::read_to_string(case.folder.join(format!("pid{victim}"))).expect("it was there");
            signal_process(pid.parse().expect("a number"), signal);
        }
        Ranklint("KILL") => {
            signal_process(running.pid(), "KILL");
            running.wait();
            running.expect_no_survivors(Duration::from_secs(30));
            let _ = std::fs::remove_dir_all(&case.folder);
            return (expected, None, 0);
        }
        Ranklint(signal) => signal_process(running.pid(), signal),
        Pause => {
            signal_process(running.pid(), "STOP");
            std::thread::sleep(Duration::from_millis(dice.roll(200)));
            signal_process(running.pid(), "CONT");
        }
    }
    let told = running.finish();
    assert!(is_expected(&told, expected, victim), "{name}: expected {expected:?}: {told:#?}");
    (expected, told.latency_us, told.wall_us)
}

fn is_expected(told: &Told, expected: Expected, victim: u32) -> bool {
    let blamed = (told.rank == Some(victim)).then_some(told.number).flatten();
    match (told.outcome.as_str(), expected) {
        ("passed", Passed) | ("diverged", Diverged) | ("stalled", Stalled) => true,
        ("timed_out", TimedOut) | ("leaked", Leaked) => true,
        ("failed", Failed(code)) => blamed == Some(code),
        ("signalled", Signalled(signal)) => blamed == Some(signal),
        ("signalled", Expected::LauncherKilled) => told.number == Some(9),
        ("interrupted", Interrupted(signal)) => told.number == Some(signal),
        _ => false,
    }
}

#[test]
fn every_fault_is_told_and_nothing_survives() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (first, count) = match number("RANKLINT_CHAOS_SEED") {
        Some(seed) => (seed, 1),
        None => (1, number("RANKLINT_CHAOS_COUNT").unwrap_or(COUNT)),
    };
    let began = Instant::now();
    let next = AtomicU64::new(first);
    let failures = Mutex::new(BTreeMap::new());
    let latencies = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed >= first + count {
                        return;
                    }
                    match catch_unwind(AssertUnwindSafe(|| run(seed))) {
                        Ok((_, latency, _)) => latencies.lock().expect("no panic holds it").extend(latency),
                        Err(panic) => {
                            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                            failures.lock().expect("no panic holds it").insert(seed, text);
                        }
                    }
                }
            });
        }
    });
    let mut latencies = latencies.into_inner().expect("no panic holds it");
    latencies.sort_unstable();
    let at = |share: usize| latencies.get(latencies.len() * share / 100).copied().unwrap_or(0);
    println!(
        "{count} faults in {:.1} s; {} verdicts after {} µs (median), {} µs (90 of 100), {} µs (the last)",
        began.elapsed().as_secs_f64(),
        latencies.len(),
        at(50),
        at(90),
        latencies.last().copied().unwrap_or(0),
    );
    let failures = failures.into_inner().expect("no panic holds it");
    let texts: Vec<&String> = failures.values().collect();
    assert!(failures.is_empty(), "{} of {count} failed, seeds {:?}: {texts:#?}", failures.len(), failures.keys());
}
