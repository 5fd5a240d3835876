//! How paths are shown: relative to the working directory, with forward slashes.

use std::path::{Component, Path, PathBuf};

/// The path as reports show it. Paths outside the working directory keep the form in which they were given.
pub fn shown(path: &Path, cwd: &Path) -> String {
    let absolute = normalised(&cwd.join(path));
    let relative = match absolute.strip_prefix(cwd) {
        Ok(relative) => relative.to_path_buf(),
        Err(_) if path.is_absolute() => absolute,
        Err(_) => normalised(path),
    };
    let mut text = String::new();
    for component in relative.components() {
        match component {
            Component::RootDir => text.push('/'),
            component => {
                if !text.is_empty() && !text.ends_with('/') {
                    text.push('/');
                }
                text.push_str(&component.as_os_str().to_string_lossy());
            }
        }
    }
    if text.is_empty() { ".".to_owned() } else { text }
}

/// The path without `.`, and without `..` where something stands before it.
pub(super) fn normalised(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match out.components().next_back() {
                Some(Component::Normal(_)) => {
                    out.pop();
                }
                Some(Component::RootDir) => {}
                _ => out.push(".."),
            },
            component => out.push(component),
        }
    }
    out
}

/// ranklint's folder below the user's cache folder, where one is known; the only place outside the working directory that is
/// written.
#[expect(clippy::disallowed_methods, reason = "the user's cache folder is told by the environment")]
pub fn user_cache() -> Option<PathBuf> {
    let from = |key: &str| std::env::var_os(key).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = from("XDG_CACHE_HOME").or_else(|| Some(from("HOME")?.join(".cache")))?;
    Some(base.join("ranklint"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_from_the_working_directory() {
        let cwd = Path::new("/home/me/project");
        assert_eq!(shown(Path::new("./a/../b.py"), cwd), "b.py");
        assert_eq!(shown(Path::new("/home/me/project/a/b.py"), cwd), "a/b.py");
        assert_eq!(shown(Path::new("/elsewhere/b.py"), cwd), "/elsewhere/b.py");
        assert_eq!(shown(Path::new("../other/b.py"), cwd), "../other/b.py");
        assert_eq!(shown(Path::new("../project/b.py"), cwd), "b.py");
        assert_eq!(shown(Path::new("."), cwd), ".");
    }
}
