//! The processes of a run as the supervisor knows them: those it has started, and those that write logs.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use super::super::event::{Event, Fact, Lost, parse};
use super::super::os::process::{self, Doing, Exit, ProcessId};
use super::super::outcome::Ending;
use super::super::tail::{Appeared, LogFolder, Read, Tail};
use super::super::watch::Watch;

/// How much is read from one log before others have their turn.
const TURN: usize = 1024 * 1024;

/// One process.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) pid: u32,
    /// Absent when it was gone before it could be looked at.
    pub(super) id: Option<ProcessId>,
    pub(super) rank: Option<u32>,
    /// Whether ranklint has started it itself.
    pub(super) launched: bool,
    /// Whether it runs on this machine, so that its number means something here.
    local: bool,
    /// Parent and rank as its log tells them.
    parent: Option<u32>,
    /// Whether its log tells that the probe is in it, and so understands the signal for stacks.
    pub(super) probed: bool,
    tail: Option<Tail>,
    /// Why its log ends too early, until that is told.
    lost: Option<String>,
    exception: String,
    /// The latest moment its log tells of, on the monotonic clock.
    last_us: u64,
    pub(super) told: bool,
    pub(super) ending: Option<Ending>,
    /// Becomes readable when it ends; for those that are not our children.
    pub(super) end: Option<OwnedFd>,
}

impl Process {
    pub(super) fn log(&self) -> Option<PathBuf> {
        Some(self.tail.as_ref()?.path().to_owned())
    }

    pub(super) fn stacks(&self) -> Option<PathBuf> {
        Some(self.log()?.with_extension("stacks"))
    }

    /// Orders processes whose ends were seen at once by who was first, as far as it can be told: what breaks off a
    /// connection comes before those that complain about it, and what was silent before what still did something.
    pub(super) fn order(&self) -> (bool, u64) {
        let complaint = ["onnection", "roken pipe", "eset by peer", "emote process"];
        (complaint.iter().any(|part| self.exception.contains(part)), self.last_us)
    }

    pub(super) fn lives(&self) -> bool {
        self.ending.is_none()
    }
}

/// All of them.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) processes: BTreeMap<u32, Process>,
    logs: LogFolder,
    host: String,
    /// Ends of children that have not written a log by then.
    reaped: BTreeMap<u32, Exit>,
    /// Lines that were no events, and the last of them.
    malformed: (u64, String),
}

impl Table {
    pub(super) fn new(logs: &std::path::Path, host: String) -> Table {
        Table {
            processes: BTreeMap::new(),
            logs: LogFolder::new(logs),
            host,
            reaped: BTreeMap::new(),
            malformed: (0, String::new()),
        }
    }

    /// A process that ranklint has started.
    pub(super) fn launched(&mut self, pid: u32, id: Option<ProcessId>, rank: Option<u32>) {
        self.processes.insert(pid, Process { id, rank, launched: true, ..unknown(pid) });
    }

    /// Looks for new logs.
    pub(super) fn discover(&mut self, watch: &mut dyn Watch) {
        let Appeared { logs, lost } = self.logs.appeared();
        for (pid, tail) in logs {
            let reaped = &self.reaped;
            let process = self.processes.entry(pid).or_insert_with(|| {
                let stat = process::stat(pid).filter(|_| !reaped.contains_key(&pid));
                Process { id: stat.map(|stat| stat.id), end: process::end_descriptor(pid), ..unknown(pid) }
            });
            // Two logs of one process: a program that replaces itself keeps its number, and has written all of the first.
            if let Some(mut before) = process.tail.replace(tail) {
                before.finish(&mut |line| line_read(process, &self.host, &mut self.malformed, line, watch));
            }
        }
        for (pid, why) in lost {
            if let Some(process) = self.processes.get_mut(&pid) {
                process.lost = Some(why);
            }
        }
    }

    /// Reads what was added to the logs, and hands it over.
    pub(super) fn read(&mut self, watch: &mut dyn Watch) -> Read {
        let mut more = Read::All;
        for process in self.processes.values_mut().filter(|process| process.ending.is_none()) {
            if let Some(mut tail) = process.tail.take() {
                let read =
                    tail.read(TURN, &mut |line| line_read(process, &self.host, &mut self.malformed, line, watch));
                process.tail = Some(tail);
                match read {
                    Read::More => more = Read::More,
                    Read::All => tell_lost(process, watch),
                }
            }
        }
        more
    }

    /// Takes what the system tells about ends: of our children, and of the others by looking.
    pub(super) fn look(&mut self, reaped: Vec<(u32, Exit)>) -> Vec<(u32, Exit)> {
        let mut ended = Vec::new();
        for (pid, exit) in reaped {
            match self.processes.get(&pid) {
                Some(process) if process.lives() => ended.push((pid, exit)),
                Some(_) => {}
                None => _ = self.reaped.insert(pid, exit),
            }
        }
        for process in self.processes.values().filter(|process| process.lives() && process.local) {
            if ended.iter().any(|(pid, _)| *pid == process.pid) {
                continue;
            }
            if process.launched
                && let Some(exit) = process::reap(process.pid)
            {
                ended.push((process.pid, exit));
                continue;
            }
            let now = process::stat(process.pid).filter(|stat| Some(stat.id) == process.id);
            match now {
                Some(stat) if stat.doing == Doing::Ended && !process.launched => {
                    ended.push((process.pid, stat.exit.unwrap_or(Exit::Unknown)));
                }
                Some(_) => {}
                None => {
                    let exit = self.reaped.get(&process.pid).copied();
                    ended.push((process.pid, exit.unwrap_or(Exit::Unknown)));
                }
            }
        }
        ended
    }

    /// Reads the logs of those that have ended to their ends, and tells of the ends.
    pub(super) fn settle(&mut self, ended: &[(u32, Exit)], now_us: u64, watch: &mut dyn Watch) {
        for &(pid, exit) in ended {
            let Some(process) = self.processes.get_mut(&pid) else { continue };
            if let Some(mut tail) = process.tail.take() {
                tail.finish(&mut |line| line_read(process, &self.host, &mut self.malformed, line, watch));
                process.tail = Some(tail);
            }
            tell_lost(process, watch);
            let (code, signal) = match exit {
                Exit::Code(code) => (Some(code), None),
                Exit::Signal(signal) => (None, Some(signal)),
                Exit::Unknown => (None, None),
            };
            let exception = process.exception.clone();
            let ending = Ending { code, signal, told: process.told, exception, time_us: now_us };
            watch.ended(pid, &ending);
            process.ending = Some(ending);
            process.end = None;
        }
    }

    /// Whether every process that ranklint has started has ended.
    pub(super) fn all_launched_ended(&self) -> bool {
        self.processes.values().all(|process| !process.launched || !process.lives())
    }

    /// Whether it is the process of its rank, and not a helper of it: the outermost one that writes a log.
    pub(super) fn is_main(&self, process: &Process) -> bool {
        let parent = process.parent.and_then(|parent| self.processes.get(&parent));
        process.rank.is_some() && !parent.is_some_and(|parent| parent.tail.is_some() && parent.rank == process.rank)
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let (count, last) = &self.malformed;
        if *count == 0 { Vec::new() } else { vec![format!("{count} lines of the logs cannot be read: {last}")] }
    }
}

fn unknown(pid: u32) -> Process {
    Process {
        pid,
        id: None,
        rank: None,
        launched: false,
        local: true,
        parent: None,
        probed: false,
        tail: None,
        lost: None,
        exception: String::new(),
        last_us: 0,
        told: false,
        ending: None,
        end: None,
    }
}

/// Tells, after everything that its log holds, that there is more than that.
fn tell_lost(process: &mut Process, watch: &mut dyn Watch) {
    if let Some(why) = process.lost.take() {
        watch.event(process.pid, &Event::Fact(Box::new(Fact::Lost(Lost { why }))));
    }
}

fn line_read(process: &mut Process, host: &str, malformed: &mut (u64, String), line: &[u8], watch: &mut dyn Watch) {
    let event = match parse(line) {
        Ok(event) => event,
        Err(error) => {
            malformed.0 += 1;
            malformed.1 = error.to_string();
            return;
        }
    };
    if let Event::Moment(moment) = &event {
        process.last_us = process.last_us.max(moment.time_us);
    }
    if let Event::Fact(fact) = &event {
        match fact.as_ref() {
            Fact::End(end) => process.last_us = process.last_us.max(end.monotonic_us),
            Fact::Start(start) => {
                process.probed = true;
                process.local = start.host == host || process.launched;
                process.parent = Some(start.ppid);
                process.rank = process.rank.or(start.rank);
            }
            Fact::Joined(joined) => process.rank = Some(joined.rank),
            Fact::Raised(raised) if raised.thread == "MainThread" || process.exception.is_empty() => {
                process.exception = match raised.message.as_str() {
                    "" => raised.class.clone(),
                    message => format!("{}: {message}", raised.class),
                };
            }
            _ => {}
        }
    }
    watch.event(process.pid, &event);
}
