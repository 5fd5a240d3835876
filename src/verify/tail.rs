//! Reads files that grow: the logs of the probe, one a process, in a folder where new ones appear at any time.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// What has appeared in the folder of the logs.
#[derive(Debug, Default)]
pub struct Appeared {
    /// Logs, with the numbers of their processes; of several of one process the earlier ones come first.
    pub logs: Vec<(u32, Tail)>,
    /// Processes that log no more, and why.
    pub lost: Vec<(u32, String)>,
}

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

/// The folder in which the processes of a run write their logs, `r<rank>-<pid>.jsonl`. One that becomes another program begins
/// `r<rank>-<pid>.2.jsonl`; one that cannot write its log any more leaves `r<rank>-<pid>.lost`, a link to the reason.
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

    /// Opens the logs that have appeared since the last time.
    #[expect(clippy::disallowed_methods, reason = "the one place that looks for logs")]
    pub fn appeared(&mut self) -> Appeared {
        let mut found = Appeared::default();
        let Ok(entries) = std::fs::read_dir(&self.path) else { return found };
        let new = entries.flatten().map(|entry| entry.file_name()).filter(|name| !self.seen.contains(name));
        let mut names: Vec<(u32, OsString)> =
            new.map(|name| (name_of(&name.to_string_lossy()).map_or(0, |(_, count, _)| count), name)).collect();
        names.sort();
        for (_, name) in names {
            let path = self.path.join(&name);
            match name_of(&name.to_string_lossy()) {
                Some((pid, _, LOG)) => match Tail::open(&path) {
                    Ok(tail) => found.logs.push((pid, tail)),
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    // No descriptor may be left; there will be one.
                    Err(_) => continue,
                },
                Some((pid, _, LOST)) => found.lost.push((pid, reason(&path))),
                _ => {}
            }
            self.seen.insert(name);
        }
        found
    }
}

/// Why a log was given up, as the link beside it says; absent where there is none.
pub fn lost(log: &Path) -> Option<String> {
    let link = log.with_extension(LOST);
    std::fs::symlink_metadata(&link).is_ok().then(|| reason(&link))
}

fn reason(link: &Path) -> String {
    std::fs::read_link(link).map_or_else(|_| "it cannot be written".into(), |why| why.to_string_lossy().into_owned())
}

/// Whether a file is named as the probe names its own.
pub fn is_of_probe(name: &str) -> bool {
    name_of(name).is_some_and(|(_, _, kind)| [LOG, LOST, "stacks"].contains(&kind))
}

const LOG: &str = "jsonl";
const LOST: &str = "lost";

/// Process, number and kind: 71, 1 and `jsonl` of `r0-71.jsonl`, and 71, 2 and `jsonl` of `r0-71.2.jsonl`.
fn name_of(name: &str) -> Option<(u32, u32, &str)> {
    let (stem, kind) = name.strip_prefix('r')?.rsplit_once('.')?;
    let numbers = stem.rsplit_once('-')?.1;
    let (pid, count) = numbers.split_once('.').unwrap_or((numbers, "1"));
    Some((pid.parse().ok()?, count.parse().ok()?, kind))
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
        let (pid, mut tail) = logs.appeared().logs.pop().expect("one log");
        assert_eq!(pid, 71);
        assert!(logs.appeared().logs.is_empty());
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
        assert_eq!(name_of("r0-71.jsonl"), Some((71, 1, "jsonl")));
        assert_eq!(name_of("r-none-71.jsonl"), Some((71, 1, "jsonl")));
        assert_eq!(name_of("r0-71.12.lost"), Some((71, 12, "lost")));
        for name in ["0-71.jsonl", "r0.jsonl", "rank0-x.jsonl", "r0-71", "r0-71.x.jsonl"] {
            assert_eq!(name_of(name), None, "{name}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test writes what it reads")]
    fn logs_of_one_process_come_in_order_and_its_last_word_with_them() {
        let folder = std::env::temp_dir().join(format!("ranklint-tails-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        for name in ["r0-71.10.jsonl", "r0-71.2.jsonl", "r0-71.jsonl", "r0-71.stacks"] {
            std::fs::write(folder.join(name), "").expect("written");
        }
        std::os::unix::fs::symlink("no space left", folder.join("r0-71.10.lost")).expect("linked");
        let appeared = LogFolder::new(&folder).appeared();
        let name = |tail: &Tail| tail.path().file_name().map(|name| name.to_string_lossy().into_owned());
        let names: Vec<String> = appeared.logs.iter().filter_map(|(_, tail)| name(tail)).collect();
        assert_eq!(names, ["r0-71.jsonl", "r0-71.2.jsonl", "r0-71.10.jsonl"]);
        assert_eq!(appeared.lost, [(71, "no space left".to_owned())]);
        assert_eq!(lost(&folder.join("r0-71.10.jsonl")).as_deref(), Some("no space left"));
        assert_eq!(lost(&folder.join("r0-71.jsonl")), None);
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
