//! Recordings of runs that are over: PyTorch Flight Recorder dumps of a real job, or logs of our own probe.
//!
//! Both become what the probe writes, a list of events a process, so that the same matcher judges them.

mod dump;
mod logs;
pub mod pickle;
mod recorder;
mod tree;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::event::{Event, Malformed};
use super::matcher::ranks;
use super::outcome::{Ending, Outcome};
use super::watch::Watch;

/// A file that is larger is no recording.
const LARGEST: u64 = 1 << 30;

/// What was recorded of one process.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Number of the process; no two of a replay are the same, although processes of different machines may have been.
    pub pid: u32,
    /// Its rank, where it is known.
    pub rank: Option<u32>,
    /// What it did, in order.
    pub events: Vec<Event>,
    /// How it ended, where that is known.
    pub ending: Option<Ending>,
}

/// What was recorded of a run.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The processes, by rank.
    pub processes: Vec<Recorded>,
    /// Number of ranks.
    pub world: u32,
    /// What is worth knowing: ranks without a recording, calls that were lost.
    pub notes: Vec<String>,
}

/// Why a folder cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// It cannot be listed.
    #[error("cannot list {}: {why}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        why: std::io::Error,
    },
    /// There is no recording in it.
    #[error(
        "{} holds no recording: neither logs of ranklint (r*.jsonl) nor Flight Recorder dumps (one file a rank, with the \
         rank at the end of its name)", folder.display()
    )]
    Nothing {
        /// The folder.
        folder: PathBuf,
    },
    /// A file is not what it seems to be, and no other one is.
    #[error("{name}: {why}")]
    File {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: Unreadable,
    },
    /// Two files are of one rank.
    #[error("{one} and {other} are both of rank {rank}: keep the dumps of one moment only")]
    Twice {
        /// The rank.
        rank: u32,
        /// A file.
        one: String,
        /// Another one.
        other: String,
    },
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The system does not hand it out.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It is too large.
    #[error("{0} bytes are more than any recording has")]
    TooLarge(u64),
    /// It is a pickle that is not plain.
    #[error(transparent)]
    Pickle(#[from] pickle::NotPlain),
    /// It is no JSON.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// It holds something else.
    #[error("it is no Flight Recorder dump: {0}")]
    Other(String),
    /// It is a log of another version.
    #[error(transparent)]
    Log(#[from] Malformed),
}

/// Reads a folder: logs of our own where there are any (also in its folder `logs`, or in the folders of several machines
/// below it), dumps otherwise.
///
/// # Errors
/// It cannot be read, or holds no recording.
pub fn read(folder: &Path) -> Result<Replay, ReplayError> {
    let here = logs_in(folder)?;
    let machines: Vec<PathBuf> = if here.is_empty() { folders(folder)? } else { Vec::new() };
    let mut logs = here;
    for machine in machines {
        logs.extend(logs_in(&machine)?);
    }
    if !logs.is_empty() {
        return logs::read(&logs);
    }
    let names = listed(folder)?;
    let mut dumps: BTreeMap<u32, (String, dump::Dump)> = BTreeMap::new();
    let mut notes = Vec::new();
    let mut failed = None;
    for (rank, name) in chosen(&names)? {
        match bytes(&folder.join(&name)).and_then(|bytes| dump::read(&bytes)) {
            Ok(Some(dump)) => _ = dumps.insert(rank, (name, dump)),
            // Something else that ends in a number.
            Ok(None) => {}
            Err(why) => {
                notes.push(format!("the dump of rank {rank} ({name}) cannot be read: {why}"));
                failed.get_or_insert((name, why));
            }
        }
    }
    match (dumps.is_empty(), failed) {
        (true, Some((name, why))) => Err(ReplayError::File { name, why }),
        (true, None) => Err(ReplayError::Nothing { folder: folder.to_owned() }),
        (false, _) => Ok(recorder::replay(dumps.into_iter().map(|(rank, (_, dump))| (rank, dump)).collect(), notes)),
    }
}

impl Replay {
    /// Hands everything to whoever judges, and asks for the verdict. Processes take turns, as they did in the run. Who waits
    /// for a process whose recording just stops waits in vain: nothing more will come.
    pub fn judge(&self, watch: &mut dyn Watch) -> Option<Outcome> {
        let longest = self.processes.iter().map(|process| process.events.len()).max().unwrap_or(0);
        for index in 0..longest {
            for process in &self.processes {
                if let Some(event) = process.events.get(index) {
                    watch.event(process.pid, event);
                }
            }
        }
        for process in &self.processes {
            if let Some(ending) = &process.ending {
                watch.ended(process.pid, ending);
            }
        }
        if let Some(outcome) = watch.verdict(u64::MAX) {
            return Some(outcome);
        }
        let time_us = watch.last_event_us().unwrap_or(0);
        let stops = |process: &&Recorded| process.ending.is_none() && !process.waits();
        let stopping: Vec<&Recorded> = self.processes.iter().filter(stops).collect();
        if !watch.is_anyone_waiting() {
            return None;
        }
        for process in stopping {
            let ending = Ending { code: None, signal: None, told: false, exception: String::new(), time_us };
            watch.ended(process.pid, &ending);
        }
        watch.verdict(u64::MAX)
    }
}

impl Recorded {
    /// Whether the recording ends within a call.
    fn waits(&self) -> bool {
        use super::event::What;
        let mut open = std::collections::BTreeSet::new();
        for event in &self.events {
            if let Event::Moment(moment) = event {
                match moment.what {
                    What::Enter { .. } | What::Wait => _ = open.insert(moment.call),
                    What::Return | What::Raise | What::Waited => _ = open.remove(&moment.call),
                    What::Drop => {}
                }
            }
        }
        !open.is_empty()
    }
}

/// The logs of a folder, or of its folder `logs`.
fn logs_in(folder: &Path) -> Result<Vec<PathBuf>, ReplayError> {
    for place in [folder.to_owned(), folder.join("logs")] {
        let names = if place.is_dir() { listed(&place)? } else { Vec::new() };
        let logs: Vec<PathBuf> = names.iter().filter(|name| logs::is_log(name)).map(|name| place.join(name)).collect();
        if !logs.is_empty() {
            return Ok(logs);
        }
    }
    Ok(Vec::new())
}

/// The folders in a folder, sorted.
#[expect(clippy::disallowed_methods, reason = "recordings of several machines lie in folders of their own")]
fn folders(folder: &Path) -> Result<Vec<PathBuf>, ReplayError> {
    let failed = |why| ReplayError::Folder { folder: folder.to_owned(), why };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        found.push(entry.map_err(failed)?.path());
    }
    found.retain(|path| path.is_dir());
    found.sort();
    Ok(found)
}

/// The names of the files of a folder, sorted.
#[expect(clippy::disallowed_methods, reason = "the one place that lists recordings")]
fn listed(folder: &Path) -> Result<Vec<String>, ReplayError> {
    let failed = |why| ReplayError::Folder { folder: folder.to_owned(), why };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().is_file() {
            names.extend(entry.file_name().into_string());
        }
    }
    names.sort();
    Ok(names)
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads recordings")]
fn bytes(path: &Path) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = Vec::new();
    let mut file = std::fs::File::open(path)?.take(LARGEST + 1);
    file.read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(Unreadable::TooLarge(bytes.len() as u64)) } else { Ok(bytes) }
}

/// One file a rank. Of a pickle and a JSON file of the same name the pickle is taken: only that one has stacks.
fn chosen(names: &[String]) -> Result<BTreeMap<u32, String>, ReplayError> {
    let mut chosen: BTreeMap<u32, String> = BTreeMap::new();
    for name in names {
        let stem = stem(name);
        let Some(rank) = rank_of(stem) else { continue };
        match chosen.get(&rank) {
            Some(known) if self::stem(known) != stem => {
                return Err(ReplayError::Twice { rank, one: known.clone(), other: name.clone() });
            }
            Some(known) if !known.ends_with(".json") => {}
            _ => _ = chosen.insert(rank, name.clone()),
        }
    }
    Ok(chosen)
}

/// The name without the endings that dumps have.
fn stem(name: &str) -> &str {
    let endings = [".json", ".pickle", ".pkl", ".pt", ".bin", ".trace"];
    endings.into_iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// The number at the end of a name.
fn rank_of(stem: &str) -> Option<u32> {
    let name = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    stem[name.len()..].parse().ok()
}
