//! A new text in the place of a file: in its encoding, with its permissions, at once.

use std::path::Path;

use crate::source::{self, Kind};

/// Replaces the text of a file. `from` is the text that was read: a file that is another by now is left alone, and so is a
/// symbolic link, which may lead out of the project. Whoever reads the file meanwhile sees the old text or the new one.
#[expect(clippy::disallowed_methods, reason = "the user asked for the file to be changed")]
pub fn replace(location: &Path, kind: Kind, from: &str, to: &str) -> Result<(), String> {
    let metadata = std::fs::symlink_metadata(location).map_err(|error| error.to_string())?;
    if metadata.is_symlink() {
        return Err("it is a symbolic link; name the file that it leads to".to_owned());
    }
    let bytes = source::bytes(location).map_err(|problem| problem.message)?;
    if source::decode(bytes.clone(), kind).ok().as_deref() != Some(from) {
        return Err("it has been changed since it was read".to_owned());
    }
    let encoded = source::encode(to, &bytes, kind).ok_or("its encoding has no room for the new text")?;
    let name = location.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let beside = location.with_file_name(format!(".{name}.{}.ranklint", std::process::id()));
    let outcome = std::fs::write(&beside, encoded)
        .and_then(|()| std::fs::set_permissions(&beside, metadata.permissions()))
        .and_then(|()| std::fs::rename(&beside, location));
    if outcome.is_err() {
        // What is left of the attempt; the error that matters is the first.
        let _ = std::fs::remove_file(&beside);
    }
    outcome.map_err(|error| error.to_string())
}
