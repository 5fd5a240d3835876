//! The Python package `ranklint`: it lies in this binary, and is unpacked into the user's cache folder to be used.

use std::hash::Hasher as _;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use crate::source::user_cache;

mod files;

use files::FILES;

/// The variable that names a folder with the package in its place, for those who work on it.
pub const ROOT: &str = "RANKLINT_PYTHON_ROOT";

/// Why the package is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// No cache folder is known.
    #[error("no folder to unpack the probe into: neither XDG_CACHE_HOME nor HOME is set")]
    NoFolder,
    /// It cannot be written.
    #[error("the probe cannot be unpacked to {}: {why}", folder.display())]
    NotWritten {
        /// Where to.
        folder: PathBuf,
        /// What the system says.
        why: io::Error,
    },
}

impl PackageError {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            PackageError::NoFolder => "set XDG_CACHE_HOME to a folder of your own",
            PackageError::NotWritten { .. } => "make the folder writable, or set XDG_CACHE_HOME to another one",
        }
    }
}

/// The folder that holds the package, unpacked if need be.
///
/// # Errors
/// It cannot be unpacked.
#[expect(clippy::disallowed_methods, reason = "those who work on the package run it from their tree")]
pub fn root() -> Result<PathBuf, PackageError> {
    if let Some(root) = std::env::var_os(ROOT).filter(|root| !root.is_empty()) {
        return Ok(PathBuf::from(root));
    }
    unpack(&user_cache().ok_or(PackageError::NoFolder)?)
}

/// Unpacks into a cache folder, under a name that stands for the content.
///
/// # Errors
/// It cannot be written.
pub fn unpack(cache: &Path) -> Result<PathBuf, PackageError> {
    let mut hash = Xxh3::new();
    for (path, text) in FILES {
        for part in [path, text] {
            hash.write_u64(part.len() as u64);
            hash.update(part.as_bytes());
        }
    }
    let root = cache.join("python").join(format!("{:032x}", hash.digest128()));
    if !is_whole(&root) {
        write(&root).map_err(|why| PackageError::NotWritten { folder: root.clone(), why })?;
    }
    Ok(root)
}

/// Whether every file is there. Whatever clears up caches may have taken some.
fn is_whole(root: &Path) -> bool {
    FILES.iter().all(|(path, text)| {
        let metadata = root.join("ranklint").join(path).metadata();
        metadata.is_ok_and(|metadata| metadata.is_file() && metadata.len() == text.len() as u64)
    })
}

/// Writes every file beside its place and renames it, so that others who use or write the same never see half of one.
#[expect(clippy::disallowed_methods, reason = "the one place that writes the package")]
fn write(root: &Path) -> io::Result<()> {
    for (path, text) in FILES {
        let path = root.join("ranklint").join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let beside = path.with_extension(format!("{}-{:?}.new", std::process::id(), std::thread::current().id()));
        let outcome = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, &path));
        if outcome.is_err() {
            let _ = std::fs::remove_file(&beside);
        }
        outcome?;
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at files")]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn python_files(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            if entry.path().is_dir() {
                if !name.starts_with(['.', '_']) {
                    python_files(&entry.path(), &format!("{path}/"), found);
                }
            } else if name.ends_with(".py") || name.ends_with(".patch") {
                found.insert(path);
            }
        }
    }

    #[test]
    fn no_file_is_missing() {
        let mut there = BTreeSet::new();
        python_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("python").join("ranklint"), "", &mut there);
        let listed: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
        let missing: Vec<_> = there.difference(&listed).collect();
        assert!(missing.is_empty(), "add these to FILES in src/verify/package/files.rs: {missing:?}");
    }

    #[test]
    fn many_unpack_at_once_and_what_is_lost_comes_back() {
        let cache = std::env::temp_dir().join(format!("ranklint-package-{}", std::process::id()));
        std::thread::scope(|scope| {
            (0..8).for_each(|_| _ = scope.spawn(|| assert!(is_whole(&unpack(&cache).expect("unpacked")))));
        });
        let root = unpack(&cache).expect("unpacked");
        std::fs::remove_file(root.join("ranklint/warm.py")).expect("removed");
        assert!(!is_whole(&root));
        assert!(is_whole(&unpack(&cache).expect("unpacked")));
        let names: Vec<_> = std::fs::read_dir(root.join("ranklint")).expect("listed").flatten().collect();
        assert!(names.iter().all(|entry| !entry.file_name().to_string_lossy().ends_with(".new")));
        std::fs::remove_dir_all(&cache).expect("removed");
    }
}
