//! What a file calls functions and modules of libraries.

use rustc_hash::FxHashMap;

use super::Taint;
use crate::base::{FileId, Symbol};
use crate::catalog::{Entry, ValueKind};
use crate::graph::program::Program;

impl Taint {
    /// Functions that a file has imported by themselves and that answer differently on each rank.
    pub(in crate::graph) fn imported(&self, file: FileId) -> &[Symbol] {
        self.imported.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Adds names that files have given to what differs, and to modules of it.
    pub(super) fn add_imported(&mut self, program: &Program) {
        let mut members: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for (name, entry) in program.catalog.entries() {
            if let Entry::Value(value) = entry
                && matches!(value.kind, ValueKind::Local(_))
                && let Some((module, member)) = name.as_str().rsplit_once('.')
            {
                members.entry(module).or_default().push(member);
            }
        }
        for file in program.file_ids() {
            for (_, import) in &program.file(file).model.imports {
                for alias in &import.names {
                    let module = import.module.filter(|_| import.from && import.level == 0);
                    if import.from && self.names.contains(&alias.name) {
                        self.names.extend(alias.alias);
                    }
                    let known = module.and_then(|module| members.get(module.as_str()));
                    if known.is_some_and(|known| known.contains(&alias.name.as_str())) {
                        self.imported.entry(file).or_default().push(alias.alias.unwrap_or(alias.name));
                    }
                    let Some(bound) = alias.alias else { continue };
                    let known = match module {
                        Some(module) => members.get(format!("{module}.{}", alias.name).as_str()),
                        None => members.get(alias.name.as_str()),
                    };
                    let known = known.into_iter().flatten();
                    self.pairs.extend(known.map(|member| (bound, Symbol::new(member))));
                }
            }
        }
    }
}
