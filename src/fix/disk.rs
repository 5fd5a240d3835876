//! A new text in the place of a file: in its encoding, with its owner and permissions, at once.

use std::fs::Metadata;
use std::io;
use std::path::Path;

use crate::source::{self, Kind};

/// Replaces the text of a file. `from` is the text that was read: a file that is another by now is left alone, and so are one
/// that is read-only and a symbolic link, which may lead out of the project. Whoever reads the file meanwhile sees the old text
/// or the new one.
pub fn replace(location: &Path, kind: Kind, from: &str, to: &str) -> Result<(), String> {
    let metadata = std::fs::symlink_metadata(location).map_err(|error| error.to_string())?;
    if metadata.is_symlink() {
        return Err("it is a symbolic link; name the file that it leads to".to_owned());
    }
    if metadata.permissions().readonly() {
        return Err("it is read-only".to_owned());
    }
    let bytes = source::bytes(location).map_err(|problem| problem.message)?;
    if source::decode(bytes.clone(), kind).ok().as_deref() != Some(from) {
        return Err("it has been changed since it was read".to_owned());
    }
    let encoded = source::encode(to, &bytes, kind).ok_or("its encoding has no room for the new text")?;
    put(location, &encoded).map_err(|error| error.to_string())
}

/// Puts bytes in the place of a file, or makes it. It is the old file or the new one, also where the disk is full; where only
/// its content can be another, since it has other names, lies behind a link, is no plain file, or its folder or owner do not
/// allow for more, it is overwritten.
#[expect(clippy::disallowed_methods, reason = "the user asked for the file to be written")]
pub fn put(location: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = match std::fs::symlink_metadata(location) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if old.as_ref().is_some_and(|old| !old.is_file() || has_other_names(old)) {
        return std::fs::write(location, bytes);
    }
    let name = location.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let beside = location.with_file_name(format!(".{name}.{}.ranklint", std::process::id()));
    let outcome = std::fs::write(&beside, bytes)
        .and_then(|()| old.as_ref().map_or(Ok(()), |old| pass_on(old, &beside)))
        .and_then(|()| std::fs::rename(&beside, location));
    let Err(error) = outcome else { return Ok(()) };
    // What is left of the attempt; the error that matters is the first.
    let _ = std::fs::remove_file(&beside);
    match error.kind() {
        io::ErrorKind::PermissionDenied => std::fs::write(location, bytes),
        _ => Err(error),
    }
}

/// Gives a new file the owner and the permissions of the old one.
#[cfg(unix)]
fn pass_on(old: &Metadata, new: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let made = std::fs::symlink_metadata(new)?;
    if (made.uid(), made.gid()) != (old.uid(), old.gid()) {
        chown(new, Some(old.uid()), Some(old.gid()))?;
    }
    std::fs::set_permissions(new, old.permissions())
}

#[cfg(not(unix))]
fn pass_on(old: &Metadata, new: &Path) -> io::Result<()> {
    std::fs::set_permissions(new, old.permissions())
}

#[cfg(unix)]
fn has_other_names(file: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    file.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a file is changed behind the fix's back")]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let folder = std::env::temp_dir().join(format!("ranklint-disk-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("it can be made");
        let file = folder.join("job.py");
        std::fs::write(&file, "y = 1\n").expect("it can be written");
        let refused = replace(&file, Kind::Python, "x = 1\n", "z = 1\n");
        assert_eq!(refused, Err("it has been changed since it was read".to_owned()));
        assert_eq!(source::bytes(&file).expect("it is there"), b"y = 1\n");
        assert_eq!(replace(&file, Kind::Python, "y = 1\n", "z = 1\n"), Ok(()));
        assert_eq!(source::bytes(&file).expect("it is there"), b"z = 1\n");
        std::fs::remove_dir_all(&folder).expect("it is ours");
        assert!(replace(&file, Kind::Python, "z = 1\n", "").is_err());
    }
}
