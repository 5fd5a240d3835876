//! The loop: what it waits for, and what it makes of it.

use std::os::fd::AsFd as _;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use super::super::launch::{Job, Launcher, Started};
use super::super::os::notify::{Happened, Notify};
use super::super::os::process::Exit;
use super::super::os::signals::Signals;
use super::super::os::tree::Tree;
use super::super::os::{hostname, monotonic_us};
use super::super::outcome::Outcome;
use super::super::tail::Read;
use super::super::watch::Watch;
use super::closing::Closing;
use super::table::Table;
use super::{Limits, ProcessEnd, Supervised, micros};

/// At least this often everything is looked at.
const TICK_US: u64 = 50_000;

/// The same where the system does not tell that logs grow.
const BLIND_TICK_US: u64 = 4_000;

/// Logs are not read more often than this: a writer in a hurry wakes us once for many lines.
const BREATH_US: u64 = 1_000;

/// A gap this long between two rounds means that this process was stopped, or the machine asleep.
const GAP_US: u64 = 2_000_000;

/// How far a run has come.
#[derive(Debug)]
enum Phase {
    /// Ranks run.
    Running,
    /// A rank has ended in failure; there may be a better explanation than that.
    Explaining { outcome: Outcome, until_us: u64 },
    /// All ranks have ended well, and something is left.
    Leaving { until_us: u64 },
    /// It is settled how it ended, and what is left is being ended.
    Closing(Closing),
}

pub(super) struct Run<'r> {
    job: &'r Job,
    limits: &'r Limits,
    signals: &'r Signals,
    tree: &'r mut Tree,
    table: Table,
    notify: Option<Notify>,
    phase: Phase,
    began_us: u64,
    deadline_us: u64,
    /// When a silence began that counts.
    quiet_since_us: u64,
    read_us: u64,
    scanned_us: u64,
    more: Read,
}

impl<'r> Run<'r> {
    pub(super) fn new(
        job: &'r Job,
        limits: &'r Limits,
        signals: &'r Signals,
        tree: &'r mut Tree,
        started: &Started,
        began_us: u64,
    ) -> Run<'r> {
        let logs = job.logs();
        let mut table = Table::new(&logs, hostname());
        for &(pid, rank) in &started.processes {
            let id = tree.add(pid);
            table.launched(pid, id, rank);
        }
        Run {
            job,
            limits,
            signals,
            tree,
            table,
            notify: Notify::on(&logs),
            phase: Phase::Running,
            began_us,
            deadline_us: began_us.saturating_add(micros(limits.timeout)),
            quiet_since_us: began_us,
            read_us: 0,
            scanned_us: 0,
            more: Read::All,
        }
    }

    pub(super) fn until_over(mut self, watch: &mut dyn Watch) -> Supervised {
        self.table.processes.values().for_each(|process| watch.started(process.pid, process.rank));
        let mut last_us = monotonic_us();
        // The first round looks for logs that were there before we watched.
        let mut happened = Happened::Appeared;
        loop {
            self.round(happened, watch);
            let now_us = monotonic_us();
            if let Phase::Closing(closing) = &mut self.phase
                && closing.step(self.tree, &mut self.table, now_us)
            {
                break;
            }
            happened = self.wait();
            let now_us = monotonic_us();
            if now_us - last_us > GAP_US {
                self.forgive(now_us - last_us, now_us);
            }
            last_us = now_us;
        }
        self.finish(watch)
    }

    /// One round: everything that has happened is taken, in the order in which it makes sense.
    fn round(&mut self, happened: Happened, watch: &mut dyn Watch) {
        if let Some(signal) = self.signals.take() {
            self.interrupted(signal);
        }
        // Ends first: what is read from a log after its writer's end is all there is.
        let reaped = self.tree.take_ended();
        let now_us = monotonic_us();
        if happened == Happened::Appeared || now_us - self.scanned_us >= TICK_US {
            self.table.discover(watch);
            self.scanned_us = now_us;
        }
        let ended = self.table.look(reaped);
        if !ended.is_empty() {
            self.table.discover(watch);
        }
        self.more = self.table.read(watch);
        self.read_us = monotonic_us();
        if !matches!(self.phase, Phase::Closing(_))
            && let Some(outcome) = watch.verdict(self.read_us)
        {
            self.close(outcome, true);
        }
        self.table.settle(&ended, self.read_us, watch);
        if !matches!(self.phase, Phase::Closing(_)) {
            self.judge(&ended, watch);
        }
    }

    /// What follows from ends and from the clock.
    fn judge(&mut self, ended: &[(u32, Exit)], watch: &mut dyn Watch) {
        let now_us = monotonic_us();
        if matches!(self.phase, Phase::Running)
            && let Some(outcome) = self.failure(ended)
        {
            self.phase = Phase::Explaining { outcome, until_us: now_us + micros(self.limits.explain) };
        }
        let all_ended = self.table.all_launched_ended();
        if (all_ended || !ended.is_empty())
            && let Some(outcome) = watch.verdict(now_us)
        {
            return self.close(outcome, !all_ended);
        }
        match &self.phase {
            Phase::Running if all_ended => self.all_went_well(now_us),
            Phase::Running => self.clock(now_us, watch),
            Phase::Explaining { outcome, until_us } if all_ended || now_us >= *until_us => {
                let outcome = outcome.clone();
                self.close(outcome, !all_ended);
            }
            Phase::Leaving { until_us } => {
                let until_us = *until_us;
                self.leaving(now_us, until_us);
            }
            Phase::Explaining { .. } | Phase::Closing(_) => {}
        }
    }

    /// The first end in failure among these, if it is one that decides the run.
    fn failure(&self, ended: &[(u32, Exit)]) -> Option<Outcome> {
        let of_exit = |rank: u32, exit: Exit| match exit {
            Exit::Signal(signal) => Outcome::Signalled { rank, signal },
            Exit::Code(code) => Outcome::Failed { rank, code },
            Exit::Unknown => Outcome::Failed { rank, code: 1 },
        };
        let starts_ranks = matches!(self.job.launcher, Launcher::Direct | Launcher::Warm);
        let process = |pid: &u32| self.table.processes.get(pid);
        // A rank whose end nobody could take has failed when it has said so.
        let is_bad = |(pid, exit): &&(u32, Exit)| {
            exit.is_bad() || (*exit == Exit::Unknown && process(pid).is_some_and(has_raised))
        };
        let mut bad: Vec<&(u32, Exit)> = ended.iter().filter(is_bad).collect();
        bad.sort_by_key(|(pid, _)| process(pid).map(super::table::Process::order));
        let mut launcher = None;
        let mut first = None;
        for (pid, exit) in bad {
            let Some(process) = process(pid) else { continue };
            match process.rank {
                Some(rank) if process.launched => return Some(of_exit(rank, *exit)),
                Some(rank) if !starts_ranks && self.table.is_main(process) => {
                    first = first.or(Some(of_exit(rank, *exit)));
                }
                None if process.launched => launcher = Some(*exit),
                _ => {}
            }
        }
        if let Some(exit) = launcher {
            return Some(self.blamed().or(first).unwrap_or_else(|| of_exit(0, exit)));
        }
        first.filter(|_| !self.job.launcher.restarts())
    }

    /// The rank that was the first to end in failure before its launcher did.
    fn blamed(&self) -> Option<Outcome> {
        let ended = self.table.processes.values().filter(|p| !p.launched && self.table.is_main(p));
        let bad = ended.filter_map(|p| {
            let ending = p.ending.as_ref()?;
            let rank = p.rank?;
            let outcome = match (ending.code, ending.signal) {
                (_, Some(signal)) => Outcome::Signalled { rank, signal },
                (Some(0), None) => return None,
                (Some(code), None) => Outcome::Failed { rank, code },
                (None, None) if has_raised(p) => Outcome::Failed { rank, code: 1 },
                (None, None) => return None,
            };
            Some(((ending.time_us, p.order(), rank), outcome))
        });
        bad.min_by_key(|(order, _)| *order).map(|(_, outcome)| outcome)
    }

    fn all_went_well(&mut self, now_us: u64) {
        self.tree.sweep();
        if self.tree.walk().is_empty() {
            self.close(Outcome::Passed, false);
        } else {
            self.phase = Phase::Leaving { until_us: now_us + micros(self.limits.leak) };
        }
    }

    fn leaving(&mut self, now_us: u64, until_us: u64) {
        self.tree.sweep();
        let left = self.tree.walk();
        if left.is_empty() {
            self.close(Outcome::Passed, false);
        } else if now_us >= until_us {
            let describe = |pid: u32, name: &str| format!("{pid} {name}").trim_end().to_owned();
            let processes = left.iter().map(|stat| describe(stat.id.pid, &self.tree.name(stat.id))).collect();
            self.close(Outcome::Leaked { processes }, false);
        }
    }

    fn clock(&mut self, now_us: u64, watch: &dyn Watch) {
        if now_us >= self.deadline_us {
            return self.close(Outcome::TimedOut { seconds: self.limits.timeout.as_secs() }, true);
        }
        if let Some(stall) = self.limits.stall
            && watch.is_anyone_waiting()
        {
            let since_us = watch.last_event_us().unwrap_or(0).max(self.quiet_since_us);
            if now_us.saturating_sub(since_us) >= micros(stall) {
                self.close(Outcome::Stalled { seconds: stall.as_secs() }, true);
            }
        }
    }

    fn interrupted(&mut self, signal: i32) {
        match &mut self.phase {
            Phase::Running | Phase::Leaving { .. } => self.close(Outcome::Interrupted { signal }, true),
            Phase::Explaining { outcome, .. } => {
                let outcome = outcome.clone();
                self.close(outcome, false);
            }
            Phase::Closing(closing) => closing.hurry(),
        }
    }

    fn close(&mut self, outcome: Outcome, with_stacks: bool) {
        let now_us = monotonic_us();
        let mut closing = Closing::new(outcome, now_us, self.limits);
        if with_stacks {
            closing.ask_for_stacks(&self.table, self.job.stacks_signal);
        }
        self.phase = Phase::Closing(closing);
    }

    /// Time during which this process was stopped does not count.
    fn forgive(&mut self, gap_us: u64, now_us: u64) {
        self.deadline_us = self.deadline_us.saturating_add(gap_us);
        self.quiet_since_us = now_us;
    }

    /// Waits until something happens or is due.
    fn wait(&mut self) -> Happened {
        let now_us = monotonic_us();
        let tick_us = if self.notify.is_some() { TICK_US } else { BLIND_TICK_US };
        let due_us = match &self.phase {
            _ if self.more == Read::More => now_us,
            Phase::Running => self.deadline_us.min(now_us + tick_us),
            Phase::Explaining { until_us, .. } => (*until_us).min(now_us + tick_us),
            Phase::Leaving { until_us } => (*until_us).min(now_us + 10_000),
            Phase::Closing(closing) => closing.due_us(now_us),
        };
        let timeout = Duration::from_micros(due_us.saturating_sub(now_us));
        let timeout = rustix::time::Timespec::try_from(timeout).ok();
        let mut waiting = vec![PollFd::from_borrowed_fd(self.signals.descriptor(), PollFlags::IN)];
        waiting.extend(self.notify.iter().map(|notify| PollFd::from_borrowed_fd(notify.descriptor(), PollFlags::IN)));
        let ends = self.table.processes.values().filter(|process| process.lives()).filter_map(|p| p.end.as_ref());
        waiting.extend(ends.map(|end| PollFd::from_borrowed_fd(end.as_fd(), PollFlags::IN)));
        // An interruption is as good as a time-out.
        let _ = poll(&mut waiting, timeout.as_ref());
        let others = waiting.iter().enumerate().any(|(index, one)| index != 1 && !one.revents().is_empty());
        let since_us = monotonic_us() - self.read_us;
        if !others && since_us < BREATH_US && self.more == Read::All {
            std::thread::sleep(Duration::from_micros(BREATH_US - since_us));
        }
        match &self.notify {
            Some(notify) if !waiting[1].revents().is_empty() => notify.take(),
            Some(_) => Happened::Written,
            // Without a word from the system, every round looks for new logs.
            None => Happened::Appeared,
        }
    }

    fn finish(mut self, watch: &mut dyn Watch) -> Supervised {
        // What lives by now does so elsewhere, or not at all.
        self.table.discover(watch);
        self.table.read(watch);
        let ended = self.table.look(self.tree.take_ended());
        self.table.settle(&ended, monotonic_us(), watch);
        let left: Vec<(u32, Exit)> =
            self.table.processes.values().filter(|p| p.lives()).map(|p| (p.pid, Exit::Unknown)).collect();
        self.table.settle(&left, monotonic_us(), watch);
        let Phase::Closing(closing) = self.phase else { unreachable!("only what is closed is finished") };
        let mut notes = self.table.notes();
        notes.extend(closing.notes());
        let end = |process: &super::table::Process| ProcessEnd {
            pid: process.pid,
            rank: process.rank,
            main: self.table.is_main(process),
            ending: process.ending.clone().expect("all of them were settled"),
            log: process.log(),
            stacks: process.stacks().filter(|path| path.metadata().is_ok_and(|metadata| metadata.len() > 0)),
        };
        Supervised {
            processes: self.table.processes.values().map(end).collect(),
            decided_us: closing.decided_us,
            wall_us: monotonic_us() - self.began_us,
            left_behind: closing.left_behind(),
            killed: closing.killed(),
            survivors: closing.survivors,
            outcome: closing.outcome,
            notes,
            folder: self.job.folder.clone(),
        }
    }
}

fn has_raised(process: &super::table::Process) -> bool {
    process.ending.as_ref().is_some_and(|ending| !ending.exception.is_empty())
}
