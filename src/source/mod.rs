//! Finds, reads and decodes the files of a run: the only file reads of the static half.
//!
//! Knows paths, bytes and encodings; must not know what the text means. A file that cannot be read is not an
//! error of the run: it travels on as [`Content::Unreadable`], and one finding speaks of it.

mod decode;
mod discover;
mod git;
mod paths;
mod patterns;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use decode::{decode, encode};
pub use discover::{Missing, Walk, discover};
pub use git::{Base, base_of, submodules};
pub use paths::{shown, user_cache};
pub use patterns::{BadPattern, PathPatterns};

/// Files larger than this are not source code that somebody wrote.
const MAX_BYTES: u64 = 64 << 20;

/// The language of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Python.
    Python,
    /// A shell script.
    Shell,
}

impl Kind {
    /// The kind that a file's extension tells.
    pub fn of(path: &Path) -> Option<Kind> {
        match path.extension()?.to_str()? {
            "py" => Some(Kind::Python),
            "sh" | "bash" => Some(Kind::Shell),
            _ => None,
        }
    }
}

/// Why a file's text is not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, lower case, no full stop.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// A file that discovery found, not read yet.
#[derive(Clone, Debug)]
pub struct Found {
    /// The path as it is shown: relative to the working directory, with forward slashes.
    pub path: String,
    /// Where it is read from.
    pub location: PathBuf,
    /// Its language.
    pub kind: Kind,
    /// What discovery already knows to be wrong with it.
    pub problem: Option<Problem>,
}

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// Its text, without a byte order mark.
    Text(Arc<str>),
    /// Nothing that can be used.
    Unreadable(Problem),
}

/// A file of the run.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as it is shown.
    pub path: String,
    /// Its language.
    pub kind: Kind,
    /// What it holds.
    pub content: Content,
}

impl SourceFile {
    /// A file whose text is at hand: a test's, an editor's.
    pub fn from_text(path: impl Into<String>, kind: Kind, text: impl Into<Arc<str>>) -> SourceFile {
        SourceFile { path: path.into(), kind, content: Content::Text(text.into()) }
    }

    /// A file whose bytes are at hand: standard input.
    pub fn from_bytes(path: impl Into<String>, kind: Kind, bytes: Vec<u8>) -> SourceFile {
        let content = match decode(bytes, kind) {
            Ok(text) => Content::Text(text.into()),
            Err(problem) => Content::Unreadable(problem),
        };
        SourceFile { path: path.into(), kind, content }
    }
}

/// Reads one found file. Never fails: what cannot be read says why.
pub fn read(found: Found) -> SourceFile {
    let Found { path, location, kind, problem } = found;
    let bytes = match problem {
        Some(problem) => Err(problem),
        None => read_bytes(&location),
    };
    match bytes {
        Ok(bytes) => SourceFile::from_bytes(path, kind, bytes),
        Err(problem) => SourceFile { path, kind, content: Content::Unreadable(problem) },
    }
}

/// What lies in the root of a project.
const ROOTS: [&str; 4] = [".git", "pyproject.toml", "setup.py", "setup.cfg"];

/// Whether a folder is the root of one project, and not a folder of several.
pub fn is_root(folder: &Path) -> bool {
    ROOTS.iter().any(|file| folder.join(file).exists())
}

/// The text of a configuration file; absent where there is no such file.
pub fn read_optional(path: &Path) -> Result<Option<String>, Problem> {
    if !path.is_file() {
        return Ok(None);
    }
    decode(read_bytes(path)?, Kind::Shell).map(Some)
}

/// How shell scripts end, those for a scheduler as well.
const SHELL_SCRIPTS: [&str; 4] = ["sh", "bash", "slurm", "sbatch"];

/// The shell scripts that lie in a folder, by their names; none where it cannot be read.
#[expect(clippy::disallowed_methods, reason = "this is where folders are listed")]
pub fn scripts_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut scripts: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|found| SHELL_SCRIPTS.iter().any(|known| found == *known)))
        .collect();
    scripts.sort();
    scripts
}

/// The bytes of a file.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    read_bytes(path)
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the files of a run")]
fn read_bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    let file = std::fs::File::open(path).map_err(|error| unreadable(&error))?;
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    let mut bytes = Vec::with_capacity(size.min(MAX_BYTES) as usize + 1);
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Problem {
            message: format!("the file is larger than {} MiB and was not read", MAX_BYTES >> 20),
            help: "exclude it, or split it".to_owned(),
        });
    }
    Ok(bytes)
}

/// What the operating system says, without its error number.
fn unreadable(error: &std::io::Error) -> Problem {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut message = "the file cannot be read: ".to_owned();
    let mut letters = text.chars();
    message.extend(letters.next().map(|first| first.to_ascii_lowercase()));
    message.push_str(letters.as_str());
    Problem { message, help: "make it readable, or exclude it".to_owned() }
}
