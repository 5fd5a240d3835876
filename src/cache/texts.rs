//! Small texts beside the results: what runs have said about findings.

use std::path::PathBuf;

use crate::source::user_cache;

/// The text kept under a name; absent where there is none, or no home.
#[expect(clippy::disallowed_methods, reason = "entries of the cache are read here only")]
pub fn kept_text(name: &str) -> Option<String> {
    std::fs::read_to_string(place(name)?).ok()
}

/// Keeps a text under a name. Whatever goes wrong is silent: what cannot be kept is not there.
#[expect(clippy::disallowed_methods, reason = "the one place that writes such texts")]
pub fn keep_text(name: &str, text: &str) {
    let Some(file) = place(name) else { return };
    let Some(folder) = file.parent() else { return };
    let beside = file.with_extension(format!("{}.new", std::process::id()));
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&beside, text))
        .and_then(|()| std::fs::rename(&beside, &file));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
}

fn place(name: &str) -> Option<PathBuf> {
    Some(user_cache()?.join(name))
}
