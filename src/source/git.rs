//! The files of an earlier commit, read from git's objects: the files that lie there now are neither read nor touched.

use std::collections::BTreeMap;
use std::io::{BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Kind, Problem, SourceFile, read_optional};

/// What is said where git is missing.
const NO_GIT: &str = "git cannot be started";

/// The sources of an earlier commit.
#[derive(Debug)]
pub struct Base {
    /// The commit.
    pub commit: String,
    /// Its files, with the paths that they had.
    pub sources: Vec<SourceFile>,
    /// Paths that are others now.
    pub renamed: BTreeMap<String, String>,
    /// Whether it is the commit at which the present state left the revision, and not the revision itself.
    pub is_fork: bool,
}

/// The folders into which git fetches other repositories, as the working directory says; none where it does not say.
pub fn submodules(cwd: &Path) -> Vec<String> {
    let text = read_optional(&cwd.join(".gitmodules")).ok().flatten().unwrap_or_default();
    let path = |line: &str| {
        let (key, path) = line.split_once('=')?;
        (key.trim() == "path").then(|| path.trim().trim_matches('"').trim_end_matches('/').to_owned())
    };
    text.lines().filter_map(path).filter(|path| !path.is_empty()).collect()
}

/// The sources of the commit at which the present state and `revision` part, or of `revision` itself where that is not known.
/// `wanted` tells which paths, relative to the working directory, are read, and as what.
pub fn base_of(cwd: &Path, revision: &str, wanted: &dyn Fn(&str) -> Option<Kind>) -> Result<Base, Problem> {
    let inside = git(cwd, &["rev-parse", "--show-prefix"]).map_err(|why| outside(&why))?;
    let prefix = text(inside).trim_end_matches('\n').to_owned();
    let named = format!("{revision}^{{commit}}");
    let tip = git(cwd, &["rev-parse", "--verify", "--quiet", "--end-of-options", &named]).map_err(|_| {
        problem("git knows no such commit", "fetch it first; in CI, check out with enough history (`fetch-depth: 0`)")
    })?;
    let tip = text(tip).trim().to_owned();
    let fork = git(cwd, &["merge-base", "HEAD", &tip]).ok().map(|base| text(base).trim().to_owned());
    let is_fork = fork.is_some();
    let commit = fork.unwrap_or(tip);
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
    let mut sources = Vec::new();
    let mut trees = vec![Tree { folder: cwd.to_path_buf(), commit: commit.clone(), place: Place::Above(prefix) }];
    while let Some(tree) = trees.pop() {
        let listing = match git(&tree.folder, &["ls-tree", "-r", "-z", "--full-tree", &tree.commit]) {
            Ok(listing) => listing,
            // A submodule whose commit of then was not fetched: what is there now is new.
            Err(_) if matches!(tree.place, Place::Below(_)) => continue,
            Err(why) => return Err(unreadable(why)),
        };
        let mut wanted_files = Vec::new();
        for entry in listing.split(|&byte| byte == 0) {
            let entry = String::from_utf8_lossy(entry);
            let Some((meta, path)) = entry.split_once('\t') else { continue };
            let mut words = meta.split(' ');
            let (Some(mode), Some(what), Some(object)) = (words.next(), words.next(), words.next()) else { continue };
            let path = tree.place.named(path);
            if what == "commit" && cwd.join(&path).join(".git").exists() {
                trees.push(Tree {
                    folder: cwd.join(&path),
                    commit: object.to_owned(),
                    place: Place::Below(path.clone()),
                });
            }
            let kind = wanted(&path).or_else(|| renamed.get(&path).and_then(|now| wanted(now)));
            if let (Some(kind), true) = (kind, mode.starts_with("100")) {
                wanted_files.push((path, kind, object.to_owned()));
            }
        }
        sources.extend(blobs(&tree.folder, wanted_files).map_err(|error| unreadable(error.to_string()))?);
    }
    Ok(Base { commit, sources, renamed, is_fork })
}

/// A tree that is read: the project's, or that of a submodule.
struct Tree {
    folder: PathBuf,
    commit: String,
    place: Place,
}

/// Where the paths of a tree begin, seen from the working directory.
enum Place {
    /// So many folders above: the way down from there to here.
    Above(String),
    /// In a folder below.
    Below(String),
}

impl Place {
    fn named(&self, path: &str) -> String {
        match self {
            Place::Above(prefix) => relative(path, prefix),
            Place::Below(folder) => format!("{folder}/{path}"),
        }
    }
}

/// Why nothing can be said about commits here, by what git says.
fn outside(why: &str) -> Problem {
    if why.starts_with(NO_GIT) {
        return problem(why, "install git, which keeps the earlier commits");
    }
    if why.contains("dubious ownership") {
        let help = "`git config --global --add safe.directory FOLDER` says that you trust it";
        return problem(&format!("git does not read a repository that somebody else owns ({why})"), help);
    }
    problem(&format!("the working directory is in no git repository ({why})"), "run it where the project's `.git` is")
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
    command.args(arguments).current_dir(cwd).env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C").stdin(Stdio::null());
    command
}

/// What git prints; what it says where it fails.
fn git(cwd: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let output = command(cwd, arguments).output().map_err(|error| format!("{NO_GIT}: {error}"))?;
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
