//! The folder of one run: its logs, its output, and the reports that people ask for later.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{os, tail};
use crate::source::user_cache;

/// How many folders of earlier runs are kept.
pub const KEPT: usize = 10;

/// Makes a folder for a run below the user's cache folder and removes all but the newest of the others.
///
/// # Errors
/// There is no cache folder, or it cannot be written.
pub fn make() -> io::Result<PathBuf> {
    let cache = user_cache()
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "neither XDG_CACHE_HOME nor HOME is set"))?;
    make_in(&cache.join("runs"))
}

/// Makes the folders of a run at a place that the caller has chosen. What an earlier run has left there is removed, and nothing
/// else: people have folders called `logs`.
///
/// # Errors
/// It cannot be written.
#[expect(clippy::disallowed_methods, reason = "the one place that makes the folders of runs")]
pub fn prepare(folder: &Path) -> io::Result<()> {
    let logs = folder.join("logs");
    std::fs::create_dir_all(&logs)?;
    for entry in std::fs::read_dir(&logs)? {
        let entry = entry?;
        if tail::is_of_probe(&entry.file_name().to_string_lossy()) && !entry.file_type()?.is_dir() {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the one place that makes the folders of runs")]
fn make_in(runs: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(runs)?;
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let name = format!("{}-{}", timestamp(seconds), std::process::id());
    let mut folder = runs.join(&name);
    let mut count = 1;
    while let Err(error) = std::fs::create_dir(&folder) {
        if error.kind() != io::ErrorKind::AlreadyExists {
            return Err(error);
        }
        count += 1;
        folder = runs.join(format!("{name}-{count}"));
    }
    prepare(&folder)?;
    prune(runs);
    Ok(folder)
}

/// Removes the oldest. Names sort by time; those of processes that still run are in use.
#[expect(clippy::disallowed_methods, reason = "the one place that removes the folders of runs")]
fn prune(runs: &Path) {
    let Ok(entries) = std::fs::read_dir(runs) else { return };
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    for name in names.iter().rev().skip(KEPT) {
        let pid = name.split('-').nth(2).and_then(|pid| pid.parse().ok());
        if pid.is_some_and(|pid| os::process::stat(pid).is_none()) {
            let _ = std::fs::remove_dir_all(runs.join(name));
        }
    }
}

/// `20260901-101112` in UTC.
fn timestamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days since 1970 to a date, by eras of 400 years that begin in March.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year:04}{month:02}{day:02}-{:02}{:02}{:02}", rest / 3_600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_readable() {
        assert_eq!(timestamp(0), "19700101-000000");
        assert_eq!(timestamp(951_782_400), "20000229-000000");
        assert_eq!(timestamp(1_767_225_599), "20251231-235959");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test looks at folders")]
    fn what_others_keep_beside_the_logs_stays() {
        let folder = std::env::temp_dir().join(format!("ranklint-logs-{}", std::process::id()));
        let logs = folder.join("logs");
        std::fs::create_dir_all(logs.join("deep")).expect("made");
        let mine = ["epoch-1.jsonl", "results-3.csv", "deep/r0-71.jsonl"];
        let ours = ["r0-71.jsonl", "rx-72.2.jsonl", "r0-71.stacks", "r0-71.lost"];
        for name in mine.iter().chain(&ours) {
            std::fs::write(logs.join(name), "").expect("written");
        }
        prepare(&folder).expect("prepared");
        assert!(mine.iter().all(|name| logs.join(name).exists()), "people have folders called `logs` too");
        assert!(ours.iter().all(|name| !logs.join(name).exists()), "they would be read as logs of this run");
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test looks at folders")]
    fn old_folders_go_and_those_in_use_stay() {
        let runs = std::env::temp_dir().join(format!("ranklint-runs-{}", std::process::id()));
        for index in 0..20 {
            std::fs::create_dir_all(runs.join(format!("20200101-0000{index:02}-4294967{index:02}"))).expect("made");
        }
        let first = make_in(&runs).expect("made");
        let mine: Vec<PathBuf> = (0..KEPT + 2).map(|_| make_in(&runs).expect("made")).collect();
        assert!(first.join("logs").is_dir() && mine.iter().all(|folder| folder.is_dir()), "this process still runs");
        let count = std::fs::read_dir(&runs).expect("listed").count();
        assert_eq!(count, KEPT + 3);
        std::fs::remove_dir_all(&runs).expect("removed");
    }
}
