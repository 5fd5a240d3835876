//! Logs of our own probe, read after the run.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use super::{Recorded, Replay, ReplayError, Unreadable, ranks};
use crate::verify::event::{self, Event, Fact, Lost, Malformed};
use crate::verify::outcome::Ending;
use crate::verify::tail;

/// Whether a file bears the name of a log: `r0-4711.jsonl`.
pub(super) fn is_log(name: &str) -> bool {
    name.starts_with('r') && name.ends_with(".jsonl")
}

/// Reads logs of one run. Those of several machines have clocks of their own: what came first is told by the order in each
/// process alone.
pub(super) fn read(paths: &[PathBuf]) -> Result<Replay, ReplayError> {
    let mut processes: Vec<Recorded> = Vec::new();
    let mut notes = Vec::new();
    let mut pids = BTreeSet::new();
    let mut world = 0;
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let log = log(path).map_err(|why| ReplayError::File { name: name.clone().into_owned(), why })?;
        let mut pid = log.pid;
        while !pids.insert(pid) {
            pid = pid.wrapping_add(1);
        }
        world = world.max(log.world).max(log.rank.map_or(0, |rank| rank.saturating_add(1)));
        if log.damaged > 0 {
            let lines = if log.damaged == 1 { "1 line".to_owned() } else { format!("{} lines", log.damaged) };
            notes.push(format!("{lines} of {name} cannot be read and were left out"));
        }
        processes.push(Recorded { pid, rank: log.rank, events: log.events, ending: log.ending });
    }
    let seen: BTreeSet<u32> = processes.iter().filter_map(|process| process.rank).collect();
    let missing: Vec<u32> = (0..world).filter(|rank| !seen.contains(rank)).collect();
    if !missing.is_empty() {
        notes.push(format!("there is no log of {}", ranks(&missing)));
    }
    processes.sort_by_key(|process| (process.rank.is_none(), process.rank, process.pid));
    Ok(Replay { processes, world, notes })
}

#[derive(Default)]
struct Log {
    pid: u32,
    rank: Option<u32>,
    world: u32,
    events: Vec<Event>,
    ending: Option<Ending>,
    damaged: u64,
}

#[expect(clippy::disallowed_methods, reason = "logs are too long to be read at once")]
fn log(path: &Path) -> Result<Log, Unreadable> {
    let mut reader = BufReader::new(std::fs::File::open(path)?);
    let mut log = Log::default();
    let mut exception = String::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            if let Some(why) = tail::lost(path) {
                log.events.push(Event::Fact(Box::new(Fact::Lost(Lost { why }))));
            }
            return Ok(log);
        }
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() {
            continue;
        }
        let event = match event::parse(trimmed) {
            Ok(event) => event,
            Err(Malformed::Version(version)) => return Err(Malformed::Version(version).into()),
            // The last line of a process that was killed.
            Err(Malformed::Line(_)) => {
                log.damaged += u64::from(line.ends_with(b"\n"));
                continue;
            }
        };
        if let Event::Fact(fact) = &event {
            match &**fact {
                Fact::Start(start) => {
                    log.pid = start.pid;
                    log.rank = start.rank;
                    log.world = start.world.unwrap_or(0);
                }
                Fact::Joined(joined) => {
                    log.rank = Some(joined.rank);
                    log.world = joined.world;
                }
                Fact::Raised(raised) => exception = format!("{}: {}", raised.class, raised.message),
                Fact::End(end) => {
                    let code = Some(i32::from(!exception.is_empty()));
                    let exception = exception.clone();
                    log.ending = Some(Ending { code, signal: None, told: false, exception, time_us: end.monotonic_us });
                }
                _ => {}
            }
        }
        log.events.push(event);
    }
}
