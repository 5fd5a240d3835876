//! Path patterns of a configuration: matched against paths relative to the configuration's own folder.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::paths::normalised;

/// A pattern that is no pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    /// Which of the patterns, from 0.
    pub index: usize,
    /// What is wrong with it.
    pub message: String,
}

/// A set of path patterns. A pattern without a slash matches a name at any depth; one with a slash is anchored
/// at the root; either matches a folder together with all that is in it.
#[derive(Clone, Debug, Default)]
pub struct PathPatterns {
    root: PathBuf,
    set: GlobSet,
}

impl PathPatterns {
    /// Compiles patterns that are relative to `root`.
    pub fn new<'p>(root: &Path, patterns: impl IntoIterator<Item = &'p str>) -> Result<PathPatterns, BadPattern> {
        let mut set = GlobSetBuilder::new();
        for (index, pattern) in patterns.into_iter().enumerate() {
            let bad = |error: globset::Error| BadPattern { index, message: error.kind().to_string() };
            let trimmed = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
            let anchored = match trimmed.strip_prefix('/') {
                Some(rest) => rest.to_owned(),
                None if trimmed.contains('/') => trimmed.to_owned(),
                None => format!("**/{trimmed}"),
            };
            for glob in [anchored.clone(), format!("{anchored}/**")] {
                set.add(GlobBuilder::new(&glob).literal_separator(true).build().map_err(bad)?);
            }
        }
        let set = set.build().map_err(|error| BadPattern { index: 0, message: error.kind().to_string() })?;
        Ok(PathPatterns { root: root.to_path_buf(), set })
    }

    /// Whether there is no pattern at all.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Whether one of them matches `path`, which is absolute or relative to `cwd`.
    pub fn matches(&self, path: &Path, cwd: &Path) -> bool {
        if self.set.is_empty() {
            return false;
        }
        let absolute = normalised(&cwd.join(path));
        self.set.is_match(absolute.strip_prefix(&self.root).unwrap_or(&absolute))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names_paths_and_folders() {
        let root = Path::new("/p");
        let patterns = PathPatterns::new(root, ["gen_*.py", "third_party/", "a/*.py"]).expect("they are patterns");
        let matches = |path: &str| patterns.matches(Path::new(path), Path::new("/p/sub"));
        assert!(matches("/p/x/gen_1.py"));
        assert!(matches("/p/x/third_party/y/z.py"));
        assert!(matches("../a/b.py"));
        assert!(!matches("/p/a/c/b.py"));
        assert!(!matches("a/b.py"));
        assert_eq!(PathPatterns::new(root, ["ok", "["]).map(|_| ()).map_err(|bad| bad.index), Err(1));
    }
}
