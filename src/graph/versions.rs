//! Which version of a library a program is written for, as far as it speaks of what only some versions have.

use rustc_hash::FxHashSet;

use super::program::Program;
use crate::base::{FileId, Symbol};
use crate::catalog::Operation;

/// The names that tell versions of libraries, each with the folder at the top in which it is mentioned.
pub(super) type Versions = FxHashSet<(Symbol, Symbol)>;

impl Program {
    /// Whether the program around the file is written for a version in which the operation does not communicate.
    pub fn is_before(&self, operation: &Operation, file: FileId) -> bool {
        if operation.unless_beside.is_empty() {
            return false;
        }
        let versions = self.versions.get_or_init(|| self.find_versions());
        let folder = self.packages[file.index()];
        operation.unless_beside.iter().any(|&name| versions.contains(&(folder, name)))
    }

    fn find_versions(&self) -> Versions {
        let mut out = Versions::default();
        for file in self.file_ids() {
            for function in &self.file(file).model.functions {
                let names = function.mentions.iter().chain([&function.name]);
                let telling = names.filter(|name| self.catalog.tells_a_version(**name));
                out.extend(telling.map(|&name| (self.packages[file.index()], name)));
            }
        }
        out
    }
}
