//! Reads files that grow: the logs of the probe, one a process, in a folder where new ones appear at any time.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// How much is read at once.
const CHUNK: usize = 256 * 1024;

/// A line longer than this is no line of ours.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// One growing file.
#[derive(Debug)]
pub struct Tail {
    file: File,
    path: PathBuf,
    /// A line whose end has not been written yet.
    partial: Vec<u8>,
}

/// Whether there may be more to read by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Everything there is was read.
    All,
    /// The limit was reached.
    More,
}

impl Tail {
    /// Opens a file, to read it from its beginning.
    ///
    /// # Errors
    /// It cannot be opened.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads logs")]
    pub fn open(path: &Path) -> std::io::Result<Tail> {
        Ok(Tail { file: File::open(path)?, path: path.to_owned(), partial: Vec::new() })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Hands over the whole lines that were added, without their line ends; about `limit` bytes of them at most.
    pub fn read(&mut self, limit: usize, sink: &mut dyn FnMut(&[u8])) -> Read {
        let mut done = 0;
        let mut buffer = vec![0; CHUNK.min(limit.max(1))];
        while done < limit {
            let Ok(count) = self.file.read(&mut buffer) else { return Read::All };
            if count == 0 {
                return Read::All;
            }
            done += count;
            self.split(&buffer[..count], sink);
        }
        Read::More
    }

    /// Hands over what is left, a last line without an end included: its writer is gone.
    pub fn finish(&mut self, sink: &mut dyn FnMut(&[u8])) {
        while self.read(CHUNK, sink) == Read::More {}
        if !self.partial.is_empty() {
            sink(&std::mem::take(&mut self.partial));
        }
    }

    fn split(&mut self, mut bytes: &[u8], sink: &mut dyn FnMut(&[u8])) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            if self.partial.is_empty() {
                sink(&bytes[..end]);
            } else {
                self.partial.extend_from_slice(&bytes[..end]);
                sink(&self.partial);
                self.partial.clear();
            }
            bytes = &bytes[end + 1..];
        }
        if self.partial.len() < LONGEST_LINE {
            self.partial.extend_from_slice(bytes);
        }
    }
}

/// The folder in which the processes of a run write their logs, `r<rank>-<pid>.jsonl`.
#[derive(Debug)]
pub struct LogFolder {
    path: PathBuf,
    seen: BTreeSet<OsString>,
}

impl LogFolder {
    /// The logs in this folder, none of which were read yet.
    pub fn new(path: &Path) -> LogFolder {
        LogFolder { path: path.to_owned(), seen: BTreeSet::new() }
    }

    /// Opens the logs that have appeared since the last time, with the numbers of their processes.
    #[expect(clippy::disallowed_methods, reason = "the one place that looks for logs")]
    pub fn appeared(&mut self) -> Vec<(u32, Tail)> {
        let Ok(entries) = std::fs::read_dir(&self.path) else { return Vec::new() };
        let mut names: Vec<OsString> =
            entries.flatten().map(|entry| entry.file_name()).filter(|name| !self.seen.contains(name)).collect();
        names.sort();
        let mut found = Vec::new();
        for name in names {
            if let Some(pid) = pid_of(&name.to_string_lossy())
                && let Ok(tail) = Tail::open(&self.path.join(&name))
            {
                found.push((pid, tail));
            }
            self.seen.insert(name);
        }
        found
    }
}

/// 71 of `r0-71.jsonl`.
fn pid_of(name: &str) -> Option<u32> {
    name.strip_prefix('r')?.strip_suffix(".jsonl")?.rsplit_once('-')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn lines_are_handed_over_when_they_are_whole() {
        let folder = std::env::temp_dir().join(format!("ranklint-tail-{}", std::process::id()));
        #[expect(clippy::disallowed_methods, reason = "a test writes what it reads")]
        let mut file = {
            std::fs::create_dir_all(&folder).expect("a folder");
            File::create(folder.join("r0-71.jsonl")).expect("a file")
        };
        let mut logs = LogFolder::new(&folder);
        let (pid, mut tail) = logs.appeared().pop().expect("one log");
        assert_eq!(pid, 71);
        assert!(logs.appeared().is_empty());
        let take = |tail: &mut Tail, finish: bool| {
            let mut lines = Vec::new();
            let mut sink = |line: &[u8]| lines.push(String::from_utf8_lossy(line).into_owned());
            if finish {
                tail.finish(&mut sink)
            } else {
                _ = tail.read(usize::MAX, &mut sink)
            }
            lines
        };
        file.write_all(b"one\ntw").expect("written");
        assert_eq!(take(&mut tail, false), ["one"]);
        file.write_all(b"o\n\nthree").expect("written");
        assert_eq!(take(&mut tail, false), ["two", ""]);
        std::fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(take(&mut tail, true), ["three"], "a file that is open can be read though it has no name");
    }

    #[test]
    fn names_hold_process_numbers() {
        assert_eq!(pid_of("r0-71.jsonl"), Some(71));
        assert_eq!(pid_of("r-none-71.jsonl"), Some(71));
        for name in ["r0-71.stacks", "0-71.jsonl", "r0.jsonl", "rank0-x.jsonl"] {
            assert_eq!(pid_of(name), None, "{name}");
        }
    }
}
