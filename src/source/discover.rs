//! Which files a run looks at.
//!
//! Links are not followed while walking: what they point to is met where it lies, and a loop cannot arise.
//! A link that leads nowhere is reported when its name is that of a source file.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::paths::{normalised, shown};
use super::{Found, Kind, PathPatterns, Problem, unreadable};

/// Folders nobody means, unless they are given by name. (`dist` is not among them: it is a common package name.)
const SKIPPED: &[&str] =
    &[".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", "build", "site-packages", ".tox", ".nox", ".eggs"];

/// How to walk.
pub struct Walk<'a> {
    /// The working directory; absolute.
    pub cwd: &'a Path,
    /// Files to take; all source files when empty.
    pub include: &'a PathPatterns,
    /// Files and folders to leave out.
    pub exclude: &'a PathPatterns,
    /// Whether files that git ignores are left out.
    pub respect_gitignore: bool,
    /// Whether `exclude` holds for files given by name as well.
    pub force_exclude: bool,
}

/// A path that was given and does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// As it was given.
    pub path: String,
    /// The nearest part of it that exists.
    pub exists: String,
    /// A path that does exist and looks alike.
    pub suggestion: Option<String>,
}

/// The files under `paths`, sorted by the path shown, each once.
pub fn discover(paths: &[PathBuf], walk: &Walk<'_>) -> Result<Vec<Found>, Missing> {
    let mut found = Vec::new();
    for path in paths {
        let location = walk.cwd.join(path);
        if location.symlink_metadata().is_err() {
            return Err(missing(path, walk.cwd));
        }
        match location.metadata() {
            Ok(metadata) if metadata.is_dir() => folder(path, walk, &mut found),
            Ok(_) => given(path, walk, None, &mut found),
            Err(error) => given(path, walk, Some(link_problem(&error)), &mut found),
        }
    }
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found.dedup_by(|left, right| left.path == right.path);
    Ok(found)
}

/// A file given by name is always taken, whatever its extension.
fn given(path: &Path, walk: &Walk<'_>, problem: Option<Problem>, found: &mut Vec<Found>) {
    if walk.force_exclude && (walk.exclude.matches(path, walk.cwd) || lies_in_skipped(path, walk.cwd)) {
        return;
    }
    found.push(Found {
        path: shown(path, walk.cwd),
        location: walk.cwd.join(path),
        kind: Kind::of(path).unwrap_or(Kind::Python),
        problem,
    });
}

fn lies_in_skipped(path: &Path, cwd: &Path) -> bool {
    let absolute = normalised(&cwd.join(path));
    let relative = absolute.strip_prefix(cwd).unwrap_or(&absolute);
    relative.components().any(|part| SKIPPED.iter().any(|skipped| part.as_os_str() == *skipped))
}

fn folder(path: &Path, walk: &Walk<'_>, found: &mut Vec<Found>) {
    if walk.force_exclude && walk.exclude.matches(path, walk.cwd) {
        return;
    }
    let start = walk.cwd.join(path);
    let (exclude, cwd) = (walk.exclude.clone(), walk.cwd.to_path_buf());
    let mut builder = WalkBuilder::new(&start);
    builder
        .standard_filters(walk.respect_gitignore)
        .hidden(true)
        .ignore(false)
        .follow_links(false)
        .require_git(false)
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let skipped = is_folder && SKIPPED.iter().any(|skipped| entry.file_name() == *skipped);
            entry.depth() == 0 || !(skipped || exclude.matches(entry.path(), &cwd))
        });
    for entry in builder.build() {
        match entry {
            Ok(entry) => {
                let Some(kind) = kind_of(entry.path(), walk) else { continue };
                let problem = match entry.file_type() {
                    Some(file_type) if file_type.is_file() => None,
                    Some(file_type) if file_type.is_symlink() => match entry.path().metadata() {
                        Ok(_) => continue,
                        Err(error) => Some(link_problem(&error)),
                    },
                    _ => continue,
                };
                found.push(Found { path: shown(entry.path(), walk.cwd), location: entry.into_path(), kind, problem });
            }
            Err(error) => {
                let Some((location, error)) = place_of(&error) else { continue };
                let mut problem = unreadable(error);
                problem.message = problem.message.replacen("the file", "the folder", 1);
                let path = shown(location, walk.cwd);
                found.push(Found { path, location: location.to_path_buf(), kind: Kind::Shell, problem: Some(problem) });
            }
        }
    }
}

fn kind_of(path: &Path, walk: &Walk<'_>) -> Option<Kind> {
    if walk.include.is_empty() {
        return Kind::of(path);
    }
    walk.include.matches(path, walk.cwd).then(|| Kind::of(path).unwrap_or(Kind::Python))
}

/// The path and the system's error inside an error of the walk; absent for mistakes in ignore files.
fn place_of(error: &ignore::Error) -> Option<(&Path, &std::io::Error)> {
    match error {
        ignore::Error::WithPath { path, err } => Some((path, io_error(err)?)),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => place_of(err),
        ignore::Error::Partial(errors) => errors.iter().find_map(place_of),
        _ => None,
    }
}

fn io_error(error: &ignore::Error) -> Option<&std::io::Error> {
    match error {
        ignore::Error::Io(error) => Some(error),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithPath { err, .. } => io_error(err),
        _ => None,
    }
}

fn link_problem(error: &std::io::Error) -> Problem {
    let message = match error.kind() {
        std::io::ErrorKind::NotFound => "the link points to a file that does not exist",
        std::io::ErrorKind::PermissionDenied => "the link points to a place that may not be read",
        _ => "the link leads in a circle",
    };
    Problem { message: message.to_owned(), help: "mend the link, or remove it".to_owned() }
}

#[expect(clippy::disallowed_methods, reason = "looks for a name that resembles the missing one")]
fn missing(path: &Path, cwd: &Path) -> Missing {
    let absolute = normalised(&cwd.join(path));
    let mut wanted = absolute.as_path();
    let mut parent = wanted.parent().unwrap_or(wanted);
    while !parent.exists() {
        wanted = parent;
        parent = wanted.parent().unwrap_or(wanted);
    }
    let name = wanted.file_name().unwrap_or_default().to_string_lossy();
    let rest = absolute.strip_prefix(wanted).unwrap_or(Path::new(""));
    let mut names: Vec<String> = std::fs::read_dir(parent)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    names.sort();
    let suggestion = names
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&candidate, &name), candidate))
        .filter(|(likeness, _)| *likeness > 0.85)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, candidate)| {
            let with_rest = parent.join(&candidate).join(rest);
            let candidate = if with_rest.exists() { with_rest } else { parent.join(candidate) };
            shown(&candidate, cwd)
        });
    Missing { path: path.to_string_lossy().into_owned(), exists: shown(parent, cwd), suggestion }
}
