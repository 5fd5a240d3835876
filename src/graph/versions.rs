//! Which version of a library a program is written for, as far as it speaks of what only some versions have, and whether the
//! processes of a library are those of the job.

use rustc_hash::{FxHashMap, FxHashSet};

use super::program::Program;
use crate::base::{FileId, Symbol};
use crate::catalog::Operation;
use crate::model::File;

/// The names that tell versions of libraries, each with the folder at the top in which it is mentioned.
pub(super) type Versions = FxHashSet<(Symbol, Symbol)>;

/// How a process joins the job of torch.
pub(super) const JOINS: [&str; 2] = ["init_process_group", "init_distributed"];

/// Frameworks to which libraries are ported under their own names.
const OTHERS: [&str; 7] = ["jax", "jittor", "mindspore", "mlx", "oneflow", "paddle", "tensorflow"];

/// Whether a file is written for another framework than PyTorch: what is called there as in a library does as it likes.
pub(super) fn is_of_another_framework(model: &File) -> bool {
    model.imports_of(|root| OTHERS.contains(&root)) && !model.imports_of(|root| root == "torch")
}

/// The functions that join the job, by the folder at the top: what each mentions.
pub(super) type Joining = FxHashMap<Symbol, Vec<(FileId, FxHashSet<Symbol>)>>;

impl Program {
    /// Whether the program around the file is written for a version in which the operation does not communicate.
    pub fn is_before(&self, operation: &Operation, file: FileId) -> bool {
        if self.is_started_otherwise(operation, file) {
            return true;
        }
        if operation.unless_beside.is_empty() {
            return false;
        }
        let versions = self.versions.get_or_init(|| self.find_versions());
        let folder = self.packages[file.index()];
        operation.unless_beside.iter().any(|&name| versions.contains(&(folder, name)))
    }

    /// Whether the program around the file joins the job of torch, and nowhere with the processes of the operation's library:
    /// a launcher of torch has started it, and each of its processes is alone in that library.
    fn is_started_otherwise(&self, operation: &Operation, file: FileId) -> bool {
        if operation.joined_by.is_empty() {
            return false;
        }
        let ways = self.joining().get(&self.packages[file.index()]);
        let says = |(file, said): &(FileId, FxHashSet<Symbol>)| {
            let text = self.file(*file).text.as_bytes();
            let is_key = |name: &str| name.contains('_') && !name.contains(char::is_lowercase);
            operation.joined_by.iter().any(|name| {
                said.contains(name)
                    || is_key(name.as_str()) && memchr::memmem::find(text, name.as_str().as_bytes()).is_some()
            })
        };
        ways.is_some_and(|ways| !ways.iter().any(says))
    }

    /// Whether the program around the file joins the job of torch as the rank that MPI says it is: both know the same ranks.
    pub(super) fn joins_by_mpi(&self, file: FileId) -> bool {
        let ways = self.joining().get(&self.packages[file.index()]);
        ways.is_some_and(|ways| ways.iter().any(|(_, said)| said.contains(&Symbol::new("COMM_WORLD"))))
    }

    /// The functions that join the job.
    pub(super) fn joining(&self) -> &Joining {
        self.joining.get_or_init(|| self.find_joining())
    }

    fn find_joining(&self) -> Joining {
        let mut out = Joining::default();
        for file in self.file_ids() {
            for function in &self.file(file).model.functions {
                if function.mentions.iter().any(|name| JOINS.contains(&name.as_str())) {
                    let said = function.mentions.iter().copied().collect();
                    out.entry(self.packages[file.index()]).or_default().push((file, said));
                }
            }
        }
        out
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
