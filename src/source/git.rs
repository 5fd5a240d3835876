//! The files of an earlier commit, read from git's objects: the files that lie there now are neither read nor touched.

use std::collections::BTreeMap;
use std::io::{BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use super::{Kind, Problem, SourceFile};

/// The sources of an earlier commit.
#[derive(Debug)]
pub struct Base {
    /// The commit.
    pub commit: String,
    /// Its files, with the paths that they had.
    pub sources: Vec<SourceFile>,
    /// Paths that are others now.
    pub renamed: BTreeMap<String, String>,
}

/// The sources of the commit at which the present state and `revision` part, or of `revision` itself where that is not known.
/// `wanted` tells which paths, relative to the working directory, are read, and as what.
pub fn base_of(cwd: &Path, revision: &str, wanted: &dyn Fn(&str) -> Option<Kind>) -> Result<Base, Problem> {
    let inside = git(cwd, &["rev-parse", "--show-prefix"]).map_err(|why| {
        problem(
            &format!("the working directory is in no git repository ({why})"),
            "run it where the project's `.git` is",
        )
    })?;
    let prefix = text(inside).trim_end_matches('\n').to_owned();
    let named = format!("{revision}^{{commit}}");
    let tip = git(cwd, &["rev-parse", "--verify", "--quiet", "--end-of-options", &named]).map_err(|_| {
        problem("git knows no such commit", "fetch it first; in CI, check out with enough history (`fetch-depth: 0`)")
    })?;
    let tip = text(tip).trim().to_owned();
    let commit = git(cwd, &["merge-base", "HEAD", &tip]).map_or(tip, |base| text(base).trim().to_owned());
    let unreadable = |why: String| problem(&why, "`git fsck` tells whether the repository is whole");
    let renames = git(
        cwd,
        &[
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-relative",
            "--name-status",
            "-z",
            "-M",
            "--diff-filter=R",
            &commit,
        ],
    )
    .map_err(unreadable)?;
    let renamed = renames_in(&text(renames), &prefix);
    let listing = git(cwd, &["ls-tree", "-r", "-z", "--full-tree", &commit]).map_err(unreadable)?;
    let mut wanted_files = Vec::new();
    for entry in listing.split(|&byte| byte == 0) {
        let entry = String::from_utf8_lossy(entry);
        let Some((meta, path)) = entry.split_once('\t') else { continue };
        let mut words = meta.split(' ');
        let (Some(mode), Some("blob"), Some(object)) = (words.next(), words.next(), words.next()) else { continue };
        let path = relative(path, &prefix);
        let kind = wanted(&path).or_else(|| renamed.get(&path).and_then(|now| wanted(now)));
        if let (Some(kind), true) = (kind, mode.starts_with("100")) {
            wanted_files.push((path, kind, object.to_owned()));
        }
    }
    let sources = blobs(cwd, wanted_files).map_err(|error| unreadable(error.to_string()))?;
    Ok(Base { commit, sources, renamed })
}

fn problem(message: &str, help: &str) -> Problem {
    Problem { message: message.to_owned(), help: help.to_owned() }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A path from the top of the repository as it is called in the working directory.
fn relative(path: &str, prefix: &str) -> String {
    match path.strip_prefix(prefix) {
        Some(inside) => inside.to_owned(),
        None => format!("{}{path}", "../".repeat(prefix.matches('/').count())),
    }
}

fn renames_in(listing: &str, prefix: &str) -> BTreeMap<String, String> {
    let mut parts = listing.split('\0');
    let mut out = BTreeMap::new();
    while let (Some(_), Some(old), Some(new)) = (parts.next(), parts.next(), parts.next()) {
        out.insert(relative(old, prefix), relative(new, prefix));
    }
    out
}

#[expect(clippy::disallowed_methods, reason = "git is asked for what was")]
fn command(cwd: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    // It may not write on the way, not even to refresh its index.
    command.args(arguments).current_dir(cwd).env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null());
    command
}

/// What git prints; what it says where it fails.
fn git(cwd: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let output = command(cwd, arguments).output().map_err(|error| format!("git cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.lines().next().unwrap_or("git failed").trim_start_matches("fatal: ").to_owned())
}

/// Reads objects, all from one process.
fn blobs(cwd: &Path, files: Vec<(String, Kind, String)>) -> std::io::Result<Vec<SourceFile>> {
    let mut child = command(cwd, &["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (Some(mut questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(std::io::Error::other("git has no pipes"));
    };
    let objects: String = files.iter().map(|(_, _, object)| format!("{object}\n")).collect();
    // Beside the reading, or both would wait once the pipes are full. It ends when all is asked, or nobody answers.
    let asking = std::thread::spawn(move || questions.write_all(objects.as_bytes()));
    let read = read_all(BufReader::new(answers), files);
    let _ = asking.join();
    child.wait()?;
    read
}

fn read_all(
    mut answers: impl std::io::BufRead,
    files: Vec<(String, Kind, String)>,
) -> std::io::Result<Vec<SourceFile>> {
    let mut out = Vec::new();
    for (path, kind, _) in files {
        let mut head = String::new();
        answers.read_line(&mut head)?;
        let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
        let size = size.ok_or_else(|| std::io::Error::other(format!("git has no text of `{path}`")))?;
        let mut bytes = Vec::new();
        answers.by_ref().take(size + 1).read_to_end(&mut bytes)?;
        bytes.pop();
        out.push(SourceFile::from_bytes(path, kind, bytes));
    }
    Ok(out)
}
