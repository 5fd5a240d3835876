//! The fixtures of the rules: `testdata/rules/<group>/<rule>/`, each a script or a folder. Beside every `app.py` stand the files
//! of `testdata/rules/<group>/shared/`, unless the folder has its own.

use std::fs;
use std::path::Path;

use super::{Case, root, tree};

/// A fixture of a rule.
pub struct Fixture {
    /// Name of the rule's group.
    pub group: String,
    /// Name of the rule.
    pub rule: String,
    /// Its files.
    pub case: Case,
    /// Where its files lie, relative to the root of the crate, with a slash at the end.
    pub base: String,
}

/// The folder of a group with files for all its programs.
const SHARED: &str = "shared";

/// Names of the entries of a folder, sorted; none where there is no such folder.
pub fn entries(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != "__pycache__" && !name.starts_with('.'));
    names.sort();
    names
}

/// Group and name of every rule that has a folder of fixtures.
pub fn folders() -> Vec<(String, String)> {
    let rules = root().join("testdata/rules");
    let groups = entries(&rules).into_iter();
    let named =
        groups.flat_map(|group| entries(&rules.join(&group)).into_iter().map(move |rule| (group.clone(), rule)));
    named.filter(|(_, rule)| rule != SHARED).collect()
}

/// All fixtures, sorted.
pub fn fixtures() -> Vec<Fixture> {
    let mut fixtures = Vec::new();
    for (group, rule) in folders() {
        let base = format!("testdata/rules/{group}/{rule}/");
        let folder = root().join(&base);
        for name in entries(&folder) {
            let path = folder.join(&name);
            let read = |file: &Path| fs::read(file).expect("fixtures can be read");
            let (files, base) = if path.is_dir() {
                let mut files: Vec<(String, Vec<u8>)> =
                    tree(&path).into_iter().map(|file| (file.clone(), read(&path.join(&file)))).collect();
                if files.iter().any(|(name, _)| name == "app.py") {
                    let shared = root().join("testdata/rules").join(&group).join(SHARED);
                    let beside = entries(&shared).into_iter().filter(|name| files.iter().all(|(own, _)| own != name));
                    let beside: Vec<_> = beside.map(|name| (name.clone(), read(&shared.join(name)))).collect();
                    files.extend(beside);
                }
                (files, format!("{base}{name}/"))
            } else if name.ends_with(".py") || name.ends_with(".sh") {
                (vec![(name.clone(), read(&path))], base.clone())
            } else {
                continue;
            };
            let case = Case { name: format!("{group}/{rule}/{name}"), files };
            fixtures.push(Fixture { group: group.clone(), rule: rule.clone(), case, base });
        }
    }
    fixtures
}
