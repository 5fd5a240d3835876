//! Which files belong together: what lies in one top-level folder, and in a project whatever imports from each other.

use rustc_hash::FxHashMap;

use crate::base::{FileId, Symbol};

use super::modules::Modules;
use super::program::FileEntry;

/// The tree of each file, by the name of a top-level folder. In the root of a project, or where files lie in no folder, all is
/// one project: folders that import from each other are one tree. Otherwise each folder is a project of its own.
pub(super) fn trees_of(files: &[FileEntry], modules: &Modules, is_root: bool) -> Vec<Symbol> {
    let top = |file: &FileEntry| Symbol::new(file.path.split_once('/').map_or("", |parts| parts.0));
    let tops: Vec<Symbol> = files.iter().map(top).collect();
    let mut numbers: FxHashMap<Symbol, usize> = FxHashMap::default();
    let mut names = Vec::new();
    for &top in &tops {
        numbers.entry(top).or_insert_with(|| {
            names.push(top);
            names.len() - 1
        });
    }
    if !is_root && !numbers.contains_key(&Symbol::new("")) {
        return tops;
    }
    let mut joined: Vec<usize> = (0..names.len()).collect();
    for (index, file) in files.iter().enumerate() {
        let own = numbers[&tops[index]];
        for module in imported_by(file) {
            let first = module.as_str().split('.').next().map(Symbol::new);
            let named = first.and_then(|first| numbers.get(&first).copied());
            let found = || modules.find(FileId(index as u32), module).map(|found| numbers[&tops[found.index()]]);
            if let Some(other) = named.or_else(found) {
                let (one, other) = (leader(&joined, own), leader(&joined, other));
                joined[one.max(other)] = one.min(other);
            }
        }
    }
    tops.iter().map(|top| names[leader(&joined, numbers[top])]).collect()
}

/// The first of the folders that one is joined with.
fn leader(joined: &[usize], mut folder: usize) -> usize {
    while joined[folder] != folder {
        folder = joined[folder];
    }
    folder
}

/// The modules that a file imports by their whole names.
fn imported_by(file: &FileEntry) -> impl Iterator<Item = Symbol> + '_ {
    let imports = file.model.imports.iter().map(|(_, import)| import).filter(|import| import.level == 0);
    imports.flat_map(|import| match import.module {
        Some(module) => vec![module],
        None => import.names.iter().map(|alias| alias.name).collect(),
    })
}
