//! Whether a program has groups beside the one of all ranks: where ranks join the job and nobody makes or asks for another,
//! what is called a group is WORLD.

use rustc_hash::FxHashSet;

use super::program::Program;
use super::versions::JOINS;
use crate::base::{FileId, Symbol};
use crate::catalog::{Entry, OperationKind, ValueKind};

/// Classes and attributes of libraries that come with groups.
const BRINGS: [&str; 4] = ["DeviceMesh", "get_group", "parallel_state", "mpu"];

/// The folders at the top in which ranks join the job, and make no groups of some of them and ask no library for any.
pub(super) type OfAll = FxHashSet<Symbol>;

impl Program {
    /// Whether the program around the file may have groups of some ranks.
    pub(super) fn has_subgroups(&self, file: FileId) -> bool {
        !self.of_all.get_or_init(|| self.find_of_all()).contains(&self.packages[file.index()])
    }

    fn find_of_all(&self) -> OfAll {
        let brings = |(name, entry): (Symbol, &Entry)| {
            let group = match entry {
                Entry::Operation(operation) => operation.kind == OperationKind::GroupCreation,
                Entry::Value(value) => value.kind == ValueKind::Group && value.axis.as_str() != "world",
                _ => false,
            };
            Some(name.last_part()).filter(|name| group && !JOINS.contains(&name.as_str()))
        };
        let mut makers: FxHashSet<Symbol> = self.catalog.entries().filter_map(brings).collect();
        makers.extend(BRINGS.map(Symbol::new));
        let mut of_all: OfAll = self.joining().keys().copied().collect();
        for file in self.file_ids() {
            let folder = self.packages[file.index()];
            let mut mentioned = self.file(file).model.functions.iter().flat_map(|function| &function.mentions);
            if of_all.contains(&folder) && mentioned.any(|name| makers.contains(name)) {
                of_all.remove(&folder);
            }
        }
        of_all
    }
}
