//! The pages of rules as files, so that editors can open them without a network.

use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

use crate::rules::Rule;
use crate::source::user_cache;

/// The file that holds the page of a rule, written when it is not there yet. None where there is no home to write to.
#[expect(clippy::disallowed_methods, reason = "pages are written beside the cache only")]
pub fn page_file(rule: &Rule) -> Option<PathBuf> {
    let folder = user_cache()?.join("pages").join(format!("{:016x}", xxh3_64(rule.page.as_bytes())));
    let file = folder.join(format!("{}.md", rule.name));
    if !file.is_file() {
        std::fs::create_dir_all(&folder).ok()?;
        let beside = file.with_extension(format!("{}.new", std::process::id()));
        std::fs::write(&beside, rule.page).ok()?;
        std::fs::rename(&beside, &file).ok()?;
    }
    Some(file)
}
