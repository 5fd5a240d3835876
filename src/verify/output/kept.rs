//! Keeps the beginning and the end of a stream in a file.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// How much of a stream is kept at most, in bytes: half of it from the beginning, half from the end.
pub const KEPT: u64 = 16 * 1024 * 1024;

/// A stream on its way into a file. While it is longer than the file may be, its end goes round in a second file beside it.
#[derive(Debug)]
pub(super) struct Kept {
    path: PathBuf,
    half: u64,
    head: Option<File>,
    ring: Option<File>,
    written: u64,
    /// Why nothing is kept any more.
    pub(super) failure: Option<String>,
}

impl Kept {
    pub(super) fn create(path: PathBuf, bound: u64) -> Kept {
        let mut kept = Kept { path, half: bound / 2, head: None, ring: None, written: 0, failure: None };
        match create(&kept.path) {
            Ok(file) => kept.head = Some(file),
            Err(error) => kept.fail(&error),
        }
        kept
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        if self.failure.is_none()
            && let Err(error) = self.try_write(bytes)
        {
            self.fail(&error);
        }
    }

    fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = usize::try_from(self.half.saturating_sub(self.written)).unwrap_or(usize::MAX);
        let (head, rest) = bytes.split_at(bytes.len().min(room));
        if let Some(file) = &mut self.head {
            file.write_all(head)?;
        }
        self.written += head.len() as u64;
        if rest.is_empty() {
            return Ok(());
        }
        let ring = match &mut self.ring {
            Some(ring) => ring,
            None => self.ring.insert(create(&self.ring_path())?),
        };
        let mut rest = rest;
        while !rest.is_empty() {
            let place = (self.written - self.half) % self.half;
            let fits = usize::try_from(self.half - place).unwrap_or(usize::MAX).min(rest.len());
            ring.write_all_at(&rest[..fits], place)?;
            self.written += fits as u64;
            rest = &rest[fits..];
        }
        Ok(())
    }

    /// Puts the end behind the beginning, with a word about what lies between.
    pub(super) fn finish(&mut self) {
        let Some(ring) = self.ring.take() else { return };
        if self.failure.is_none()
            && let Err(error) = self.append(&ring)
        {
            self.fail(&error);
        }
        #[expect(clippy::disallowed_methods, reason = "a file of our own, whose content was moved")]
        let _ = std::fs::remove_file(self.ring_path());
    }

    fn append(&mut self, ring: &File) -> io::Result<()> {
        let Some(head) = &mut self.head else { return Ok(()) };
        let beyond = self.written - self.half;
        let (from, length) = if beyond > self.half { (beyond % self.half, self.half) } else { (0, beyond) };
        if beyond > self.half {
            writeln!(head, "\n[ranklint: {} bytes are left out here]", beyond - self.half)?;
        }
        let mut buffer = vec![0; 64 * 1024];
        let mut done = 0;
        while done < length {
            let place = (from + done) % self.half;
            let fits = (self.half - place).min(length - done).min(buffer.len() as u64);
            let part = &mut buffer[..usize::try_from(fits).unwrap_or(0)];
            ring.read_exact_at(part, place)?;
            head.write_all(part)?;
            done += fits;
        }
        Ok(())
    }

    fn fail(&mut self, error: &io::Error) {
        self.failure = Some(format!("output is not kept in {}: {error}", self.path.display()));
        self.head = None;
    }

    fn ring_path(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".end");
        PathBuf::from(name)
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that creates files for output")]
fn create(path: &Path) -> io::Result<File> {
    std::fs::OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)
}

/// The last `bytes` bytes of a file as text, from the beginning of a line; empty when it cannot be read.
#[expect(clippy::disallowed_methods, reason = "reads what was kept here")]
pub fn tail_of(path: &Path, bytes: u64) -> String {
    let read = || -> io::Result<String> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let from = length.saturating_sub(bytes);
        file.seek(SeekFrom::Start(from))?;
        let mut content = Vec::new();
        file.take(bytes).read_to_end(&mut content)?;
        let text = String::from_utf8_lossy(&content);
        let start = if from == 0 { 0 } else { text.find('\n').map_or(0, |at| at + 1) };
        Ok(text[start..].to_owned())
    };
    read().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(name: &str, writes: &[&str]) -> String {
        let path = std::env::temp_dir().join(format!("ranklint-kept-{name}-{}", std::process::id()));
        let mut kept = Kept::create(path.clone(), 20);
        writes.iter().for_each(|text| kept.write(text.as_bytes()));
        kept.finish();
        let text = tail_of(&path, 1_000);
        #[expect(clippy::disallowed_methods, reason = "a test clears up")]
        std::fs::remove_file(&path).expect("removed");
        assert!(!kept.ring_path().exists());
        text
    }

    #[test]
    fn what_fits_is_kept_whole() {
        assert_eq!(kept("short", &["abc", "def"]), "abcdef");
        assert_eq!(kept("full", &["0123456789", "abcdefghij"]), "0123456789abcdefghij");
        assert_eq!(kept("across", &["01234567", "89abcd", "efg"]), "0123456789abcdefg");
    }

    #[test]
    fn of_what_is_longer_both_ends_are_kept() {
        let said = |bytes| format!("0123456789\n[ranklint: {bytes} bytes are left out here]\n");
        assert_eq!(kept("over", &["0123456789", "abcdefghij", "kl"]), said(2) + "cdefghijkl");
        assert_eq!(kept("once", &["0123456789abcdefghijklmnopqrstuvwxyz"]), said(16) + "qrstuvwxyz");
    }

    #[test]
    fn what_cannot_be_kept_is_said_once() {
        let mut kept = Kept::create(PathBuf::from("/dev/full"), 20);
        kept.write(b"abc");
        kept.write(b"def");
        assert!(kept.failure.is_some_and(|why| why.contains("/dev/full")));
    }

    #[test]
    fn a_tail_begins_with_a_line() {
        let path = std::env::temp_dir().join(format!("ranklint-tail-of-{}", std::process::id()));
        #[expect(clippy::disallowed_methods, reason = "a test writes what it reads")]
        std::fs::write(&path, "first line\nsecond\nthird\n").expect("written");
        assert_eq!(tail_of(&path, 15), "second\nthird\n");
        #[expect(clippy::disallowed_methods, reason = "a test clears up")]
        std::fs::remove_file(&path).expect("removed");
    }
}
