//! What the ranks read, wrote and imported beside their calls: contracts that need no common order.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::event::{Event, Fact, Frame};
use super::outcome::{EnvironmentDifference, OutsideWrite};

/// Paths that every process may write: they keep nothing.
const HARMLESS: [&str; 4] = ["/dev/", "/proc/self/", "/sys/", "pipe:"];

/// What the processes of a run told.
#[derive(Debug, Default)]
pub struct Ledger {
    processes: BTreeMap<u32, Entries>,
    torch: Option<String>,
}

/// What one process told.
#[derive(Debug, Default)]
struct Entries {
    rank: Option<u32>,
    cwd: String,
    sites: FxHashMap<u32, Vec<Frame>>,
    snapshot: Option<BTreeMap<String, String>>,
    reads: Vec<(String, u32)>,
    writes: Vec<(String, String, u32)>,
}

impl Ledger {
    /// Process `pid` has written this to its log.
    pub fn event(&mut self, pid: u32, event: &Event) {
        let Event::Fact(fact) = event else { return };
        let entries = self.processes.entry(pid).or_default();
        match &**fact {
            Fact::Start(start) => {
                entries.rank = start.rank;
                entries.cwd = start.cwd.clone();
            }
            Fact::Torch(torch) => self.torch = Some(torch.version.clone()),
            Fact::Joined(joined) => entries.rank = Some(joined.rank),
            Fact::Site(site) => _ = entries.sites.insert(site.id, site.frames.clone()),
            Fact::Snapshot(snapshot) => entries.snapshot = Some(snapshot.values.clone()),
            Fact::Environment(read) => entries.reads.push((read.key.clone(), read.site)),
            Fact::Write(write) => entries.writes.push((write.path.clone(), write.how.clone(), write.site)),
            Fact::Group(_) | Fact::Signature(_) | Fact::Import(_) | Fact::Raised(_) | Fact::End(_) | Fact::Lost(_) => {}
        }
    }

    /// Version of torch, where the program imported it.
    pub fn torch(&self) -> Option<&str> {
        self.torch.as_deref()
    }

    /// Variables of the parity set whose values differ between ranks when they join.
    pub fn environment(&self) -> Vec<EnvironmentDifference> {
        let snapshots: BTreeMap<u32, &BTreeMap<String, String>> =
            self.processes.values().filter_map(|entries| Some((entries.rank?, entries.snapshot.as_ref()?))).collect();
        let keys: BTreeSet<&String> = snapshots.values().flat_map(|values| values.keys()).collect();
        let differing = keys.into_iter().filter(|key| {
            let mut values = snapshots.values().map(|values| values.get(*key));
            let first = values.next();
            values.any(|value| Some(value) != first)
        });
        let difference = |key: &String| EnvironmentDifference {
            key: key.clone(),
            values: snapshots.iter().map(|(rank, values)| (*rank, values.get(key).cloned())).collect(),
            frames: self.read_at(key),
        };
        differing.map(difference).collect()
    }

    /// Where a variable is read first, in the lowest rank that reads it.
    fn read_at(&self, key: &str) -> Vec<Frame> {
        let reads = self.processes.values().flat_map(|entries| {
            let reads = entries.reads.iter().filter(|(read, _)| read == key);
            reads.filter_map(|(_, site)| Some((entries.rank, entries.sites.get(site)?)))
        });
        reads.min_by_key(|(rank, _)| *rank).map(|(_, frames)| frames.clone()).unwrap_or_default()
    }

    /// Paths outside the working directory that were written, by path.
    pub fn writes(&self) -> Vec<OutsideWrite> {
        let mut found: BTreeMap<(&str, &str), OutsideWrite> = BTreeMap::new();
        for entries in self.processes.values() {
            for (path, how, site) in &entries.writes {
                let inside = path == &entries.cwd || path.starts_with(&format!("{}/", entries.cwd));
                if inside || HARMLESS.iter().any(|prefix| path.starts_with(prefix)) {
                    continue;
                }
                let write = found.entry((path, how)).or_insert_with(|| OutsideWrite {
                    path: path.clone(),
                    how: how.clone(),
                    ranks: Vec::new(),
                    frames: entries.sites.get(site).cloned().unwrap_or_default(),
                });
                if let Some(rank) = entries.rank
                    && !write.ranks.contains(&rank)
                {
                    write.ranks.push(rank);
                }
            }
        }
        let mut writes: Vec<OutsideWrite> = found.into_values().collect();
        writes.iter_mut().for_each(|write| write.ranks.sort_unstable());
        writes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::event::parse;

    fn told(lines: &[(u32, &str)]) -> Ledger {
        let mut ledger = Ledger::default();
        for (pid, line) in lines {
            ledger.event(*pid, &parse(line.as_bytes()).expect("the lines of the test are well formed"));
        }
        ledger
    }

    #[test]
    fn values_that_differ_are_named_with_the_place_that_reads_them() {
        let ledger = told(&[
            (1, r#"{"joined": {"rank": 0, "world": 2}}"#),
            (2, r#"{"joined": {"rank": 1, "world": 2}}"#),
            (1, r#"{"snapshot": {"values": {"SCOPE_TEST_A": "11", "SCOPE_TEST_B": "5"}}}"#),
            (2, r#"{"snapshot": {"values": {"SCOPE_TEST_A": "22", "SCOPE_TEST_B": "5"}}}"#),
            (1, r#"{"site": {"id": 4, "frames": [{"path": "/w/a.py", "line": 3, "function": "f"}]}}"#),
            (1, r#"{"environment": {"key": "SCOPE_TEST_A", "hash": "11", "site": 4, "after_join": true}}"#),
        ]);
        let differences = ledger.environment();
        assert_eq!(differences.len(), 1);
        assert_eq!(differences[0].key, "SCOPE_TEST_A");
        assert_eq!(differences[0].values, [(0, Some("11".to_owned())), (1, Some("22".to_owned()))]);
        assert_eq!(differences[0].frames[0].line, 3);
    }

    #[test]
    fn only_writes_outside_the_working_directory_count() {
        let start = r#"{"start": {"version": 1, "pid": 1, "ppid": 0, "rank": 3, "world": 4, "host": "h", "argv": [],
            "executable": "", "python": "", "cwd": "/work", "time_us": 0, "monotonic_us": 0}}"#;
        let write = |path: &str| format!(r#"{{"write": {{"path": "{path}", "how": "open", "site": 0}}}}"#);
        let paths = ["/work/a", "/dev/null", "/workshop/b", "/tmp/c"].map(write);
        let lines: Vec<(u32, &str)> =
            std::iter::once(start).chain(paths.iter().map(String::as_str)).map(|line| (1, line)).collect();
        let written: Vec<(String, Vec<u32>)> =
            told(&lines).writes().into_iter().map(|write| (write.path, write.ranks)).collect();
        assert_eq!(written, [("/tmp/c".to_owned(), vec![3]), ("/workshop/b".to_owned(), vec![3])]);
    }
}
