//! Ill-behaved children, one by one: each run ends as it should, in time, and leaves nothing behind.

#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests look at files")]

mod supervising;

use std::process::Stdio;
use std::time::Duration;

use supervising::{Case, Told, signal_process};

#[test]
#[ignore = "the other tests run it, in a process of its own"]
fn runs_one_case() {
    supervising::run_case();
}

fn run(ranks: u32, arguments: &[&str]) -> Told {
    Case::ranks(ranks, arguments).run()
}

#[test]
fn ranks_that_end_well_pass() {
    let told = run(3, &["finish", "0", "finish"]);
    assert_eq!(told.outcome, "passed", "{told:?}");
    assert_eq!(told.killed, 0);
    assert_eq!(told.processes.len(), 3);
    for process in &told.processes {
        assert_eq!((process.code, process.told, process.events), (Some(0), false, 3), "{told:?}");
    }
}

#[test]
fn the_first_to_fail_is_named_and_not_the_one_that_follows() {
    let told = run(2, &["exit7", "1", "follow1"]);
    assert_eq!((told.outcome.as_str(), told.rank, told.number), ("failed", Some(1), Some(7)), "{told:?}");
    let told = run(2, &["raise", "1"]);
    assert_eq!((told.outcome.as_str(), told.rank, told.number), ("failed", Some(1), Some(1)), "{told:?}");
    assert!(told.processes.iter().any(|process| process.exception == "ValueError: no"), "{told:?}");
    assert!(told.processes.iter().any(|process| process.rank == Some(0) && process.told), "{told:?}");
}

#[test]
fn a_signal_is_told_as_such() {
    for (fault, signal) in [("kill", 9), ("segv", 11), ("abort", 6), ("torn", 9)] {
        let told = run(2, &[fault, "0"]);
        assert_eq!((told.outcome.as_str(), told.rank, told.number), ("signalled", Some(0), Some(signal)), "{told:?}");
    }
}

#[test]
fn a_verdict_comes_fast_and_with_stacks() {
    let told = run(2, &["diverge", "1"]);
    assert_eq!(told.outcome, "diverged", "{told:?}");
    assert!(told.latency_us.is_some_and(|latency| latency < 500_000), "{told:?}");
    for process in &told.processes {
        assert!(process.stacks.contains("rank.py"), "{told:?}");
        assert_eq!((process.signal, process.told), (Some(15), true), "{told:?}");
    }
}

#[test]
fn those_that_ignore_signals_are_killed() {
    let told = run(2, &["diverge-stubborn", "1", "stubborn"]);
    assert_eq!(told.outcome, "diverged", "{told:?}");
    assert_eq!(told.killed, 2, "{told:?}");
}

#[test]
fn silence_while_somebody_waits_is_a_stall() {
    for fault in ["stop", "stop-stubborn", "sleep"] {
        let told = run(2, &[fault, "1"]);
        assert_eq!(told.outcome, "stalled", "{told:?}");
        let stacks = |rank| told.processes.iter().find(|p| p.rank == Some(rank)).map(|p| !p.stacks.is_empty());
        assert_eq!(
            (stacks(0), stacks(1)),
            (Some(true), Some(fault == "sleep")),
            "a stopped rank cannot answer: {told:?}"
        );
    }
}

#[test]
fn silence_while_nobody_waits_ends_at_the_timeout() {
    let mut case = Case::ranks(2, &["sleep", "1", "sleep"]);
    case.timeout_ms = 2_500;
    assert_eq!(case.run().outcome, "timed_out");
}

#[test]
fn a_signal_never_goes_to_what_has_no_probe() {
    // The default action of the signal for stacks would end it, and it would not end as it was told to.
    let mut case = Case::ranks(1, &[]);
    let program = "import os, signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: os._exit(0)); time.sleep(60)";
    case.command = vec![case.python.display().to_string(), "-S".to_owned(), "-c".to_owned(), program.to_owned()];
    case.timeout_ms = 1_500;
    let told = case.run();
    assert_eq!(told.outcome, "timed_out");
    assert_eq!(told.processes[0].code, Some(0), "{told:?}");
}

#[test]
fn what_forks_while_it_is_ended_is_outrun() {
    for fault in ["diverge-forking", "diverge-forking-on"] {
        let told = run(2, &[fault, "0"]);
        assert_eq!(told.outcome, "diverged", "{told:?}");
        assert!(told.killed >= 2, "{told:?}");
    }
    for fault in ["hopper-raise", "child-raise", "session-raise", "handed"] {
        let told = run(2, &[fault, "0"]);
        assert_eq!((told.outcome.as_str(), told.rank), ("failed", Some(0)), "{fault}: {told:?}");
    }
}

#[test]
fn what_is_left_behind_is_told_and_ended() {
    for fault in ["leak-child", "leak-session", "leak-daemon", "hopper-session"] {
        let told = run(2, &[fault, "0", "finish"]);
        assert_eq!(told.outcome, "leaked", "{fault}: {told:?}");
        assert!(!told.left_behind.is_empty(), "{told:?}");
    }
    let told = run(2, &["leak-daemon", "0", "finish"]);
    assert!(told.left_behind.iter().any(|line| line.ends_with("sleep 60")), "{told:?}");
}

#[test]
fn what_ends_soon_after_is_no_leak() {
    let mut case = Case::ranks(2, &["leak-short", "0", "finish"]);
    case.leak_ms = 20_000;
    assert_eq!(case.run().outcome, "passed");
}

#[test]
fn a_flood_is_kept_within_bounds_and_delays_nothing() {
    let case = Case::ranks(2, &["flood100", "0", "finish"]);
    let mut running = case.start();
    running.wait();
    let file = case.folder.join("run/rank0.out");
    let kept = std::fs::metadata(&file).expect("it is kept").len();
    assert!((16 << 20..17 << 20).contains(&kept), "{kept}");
    assert_eq!(running.finish().outcome, "passed");
    let told = run(2, &["diverge-flood", "0"]);
    assert_eq!(told.outcome, "diverged", "{told:?}");
    assert!(told.latency_us.is_some_and(|latency| latency < 1_000_000), "{told:?}");
}

#[test]
fn a_reader_that_takes_nothing_delays_nothing() {
    let mut case = Case::ranks(2, &["flood60", "0", "finish"]);
    case.show = true;
    // Our own output goes into a pipe that nobody reads until the ranks are through.
    let mut running = case.start_with(Stdio::piped());
    let pids = case.folder.join("pids");
    running.wait_for("the ranks to end", |folder| {
        let text = std::fs::read_to_string(&pids).unwrap_or_default();
        let gone = |pid: &str| std::fs::read(format!("/proc/{pid}/stat")).is_err();
        folder.join("ready1").exists() && text.lines().all(gone)
    });
    let mut out = running.child.stdout.take().expect("it is piped");
    let read = std::thread::spawn(move || {
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut out, &mut text).expect("read");
        text
    });
    assert_eq!(running.finish().outcome, "passed");
    let text = read.join().expect("read");
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains("lines of rank0 left out]"), "{} bytes", text.len());
}

#[test]
fn our_own_output_may_be_closed() {
    let mut case = Case::ranks(2, &["flood5", "0", "finish"]);
    case.show = true;
    case.environment.push(("DELAY".to_owned(), "0.3".to_owned()));
    let mut running = case.start_with(Stdio::piped());
    running.wait_for_ranks();
    drop(running.child.stdout.take());
    running.wait();
    let kept = std::fs::metadata(case.folder.join("run/rank0.out")).expect("it is kept").len();
    assert_eq!(kept, 5 * 16 * 800 * 80, "all of it");
    let told = running.finish();
    assert_eq!(told.outcome, "passed");
    assert!(told.notes.iter().any(|note| note.starts_with("output is no longer shown")), "{told:?}");
}

#[test]
fn output_is_kept_and_shown_in_lines() {
    let mut case = Case::ranks(2, &["print", "0", "finish"]);
    case.show = true;
    let mut running = case.start_with(Stdio::piped());
    running.wait();
    let kept = |name: &str| std::fs::read_to_string(case.folder.join("run").join(name)).expect("it is kept");
    assert_eq!((kept("rank0.out"), kept("rank0.err")), ("hello from 0\n".to_owned(), "no end of line".to_owned()));
    assert_eq!(running.finish().outcome, "passed");
}

#[test]
fn closed_descriptors_change_nothing() {
    assert_eq!(run(2, &["closed", "0", "finish"]).outcome, "passed");
    let told = run(2, &["closed-exit", "1"]);
    assert_eq!((told.outcome.as_str(), told.rank, told.number), ("failed", Some(1), Some(5)));
    let told = run(2, &["closed-stubborn", "1"]);
    assert_eq!(told.outcome, "stalled", "{told:?}");
}

#[test]
fn logs_may_be_damaged_deleted_or_long() {
    let told = run(2, &["delete", "0"]);
    assert_eq!((told.outcome.as_str(), told.rank, told.number), ("failed", Some(0), Some(6)));
    assert!(told.processes.iter().any(|process| process.rank == Some(0) && process.events == 2), "{told:?}");
    let told = run(2, &["garbage", "0", "finish"]);
    assert_eq!(told.outcome, "passed");
    assert!(told.notes.iter().any(|note| note.contains("lines of the logs cannot be read")), "{told:?}");
    let told = run(2, &["lines", "0"]);
    assert_eq!((told.outcome.as_str(), told.number), ("signalled", Some(9)));
    assert!(told.processes.iter().any(|process| process.events == 20_001), "read to its end first: {told:?}");
}

#[test]
fn ranks_of_a_launcher_are_followed_and_ended() {
    let told = Case::launched(2, "wait", &["diverge", "1"]).run();
    assert_eq!(told.outcome, "diverged", "{told:?}");
    let stacks = told.processes.iter().filter(|process| process.stacks.contains("rank.py")).count();
    assert_eq!((told.processes.len(), stacks), (3, 2), "{told:?}");
    let told = Case::launched(2, "wait", &["finish", "1", "finish"]).run();
    assert_eq!(told.outcome, "passed", "{told:?}");
    for fault in ["exit4", "handed"] {
        let told = Case::launched(2, "wait", &[fault, "1"]).run();
        assert_eq!((told.outcome.as_str(), told.rank), ("failed", Some(1)), "{told:?}");
    }
}

#[test]
fn a_launcher_that_is_killed_leaves_nothing() {
    for others in ["wait", "stubborn"] {
        let told = Case::launched(2, "killed", &["stubborn", "1", others]).run();
        assert_eq!((told.outcome.as_str(), told.number), ("signalled", Some(9)), "{told:?}");
        assert!(told.killed >= 1, "{told:?}");
    }
    let told = Case::launched(2, "leaves", &["stubborn", "1"]).run();
    assert_eq!(told.outcome, "leaked", "{told:?}");
}

#[test]
fn an_interrupt_ends_everything_and_a_second_one_at_once() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let mut running = Case::ranks(2, &["wait", "0"]).start();
        running.wait_for_ranks();
        running.signal(signal);
        let told = running.finish();
        assert_eq!((told.outcome.as_str(), told.number), ("interrupted", Some(number)), "{told:?}");
    }
    let mut case = Case::ranks(2, &["stubborn", "0", "stubborn"]);
    case.grace_ms = 80_000;
    let mut running = case.start();
    running.wait_for_ranks();
    running.signal("INT");
    std::thread::sleep(Duration::from_millis(300));
    running.signal("INT");
    let told = running.finish();
    assert_eq!((told.outcome.as_str(), told.killed), ("interrupted", 2), "{told:?}");
    assert!(told.wall_us < 40_000_000, "{told:?}");
}

#[test]
fn when_ranklint_is_killed_the_guard_ends_the_rest() {
    for launcher in ["direct", "nothing", "warm"] {
        let arguments = ["stubborn", "0", "stubborn"];
        let mut case = match launcher {
            "nothing" => Case::launched(2, "wait", &arguments),
            "warm" => Case::warm(2, &arguments),
            _ => Case::ranks(2, &arguments),
        };
        case.guarded = true;
        let mut running = case.start();
        running.wait_for_ranks();
        signal_process(running.pid(), "KILL");
        running.wait();
        running.expect_no_survivors(Duration::from_secs(20));
        let _ = std::fs::remove_dir_all(&case.folder);
    }
}

#[test]
fn a_judge_that_panics_leaves_nothing() {
    let case = Case::ranks(2, &["panic", "0", "stubborn"]);
    let mut running = case.start();
    running.wait();
    running.expect_no_survivors(Duration::ZERO);
    assert!(running.errors().contains("told to panic"), "{}", running.errors());
    let _ = std::fs::remove_dir_all(&case.folder);
}

#[test]
fn what_cannot_be_started_is_blocked() {
    let mut case = Case::ranks(2, &[]);
    case.command = vec!["no-such-program".to_owned(), String::new(), String::new()];
    let told = case.run();
    assert_eq!(told.outcome, "blocked");
    assert!(told.details.contains("`no-such-program` cannot be started"), "{told:?}");
}

#[test]
fn warm_ranks_are_ranks_like_others() {
    let warm = |arguments| Case::warm(2, arguments);
    let mut case = warm(&["finish", "0", "finish"]);
    assert_eq!(case.run().outcome, "passed");
    case = warm(&["raise", "1"]);
    let mut running = case.start();
    running.wait();
    let errors = std::fs::read_to_string(case.folder.join("run/rank1.err")).expect("it is kept");
    assert!(errors.starts_with("Traceback") && errors.ends_with("ValueError: no\n"), "{errors}");
    assert!(!errors.contains("warm.py"), "{errors}");
    let told = running.finish();
    assert_eq!((told.outcome.as_str(), told.rank, told.number), ("failed", Some(1), Some(1)), "{told:?}");
    let told = warm(&["diverge-stubborn", "1", "stubborn"]).run();
    assert_eq!((told.outcome.as_str(), told.killed), ("diverged", 2), "{told:?}");
    let told = warm(&["kill", "1"]).run();
    assert_eq!((told.outcome.as_str(), told.rank, told.number), ("signalled", Some(1), Some(9)), "{told:?}");
    assert_eq!(warm(&["leak-session", "0", "finish"]).run().outcome, "leaked");
    let mut case = Case::ranks(2, &[]);
    case.launcher = "warm".to_owned();
    case.command = ["bash", "-c", "true"].map(str::to_owned).to_vec();
    assert_eq!(case.run().outcome, "blocked");
}

#[test]
fn one_supervisor_runs_many_jobs() {
    let mut case = Case::ranks(2, &["leak-session", "0", "finish"]);
    case.times = 3;
    assert_eq!(case.run().outcome, "leaked");
}
