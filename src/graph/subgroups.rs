//! Whether a program has groups beside the one of all ranks: where ranks join the job and nobody makes or asks for another,
//! what is called a group is WORLD.

use rustc_hash::FxHashSet;

use super::communication::argument;
use super::program::Program;
use super::versions::JOINS;
use crate::base::{FileId, Symbol};
use crate::catalog::{Entry, OperationKind, ValueKind};
use crate::model::{Call, Expr, File};

/// Classes and attributes of libraries that come with groups.
const BRINGS: [&str; 4] = ["DeviceMesh", "get_group", "parallel_state", "mpu"];

/// What makes a group: of all ranks, where it is not told which.
const MAKES: &str = "new_group";

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
            let model = &self.file(file).model;
            let mut mentioned = model.functions.iter().flat_map(|function| &function.mentions);
            if of_all.contains(&folder)
                && mentioned.any(|name| makers.contains(name) && (name.as_str() != MAKES || makes_of_some(model)))
            {
                of_all.remove(&folder);
            }
        }
        of_all
    }
}

/// Whether the file makes groups of ranks that it names, or hands on what makes them.
fn makes_of_some(model: &File) -> bool {
    let makes = Symbol::new(MAKES);
    let calls: Vec<_> = model.calls().iter().filter(|call| model.last_name(call.callee) == Some(makes)).collect();
    let named = model.functions.iter().flat_map(|function| &function.mentions).filter(|&&name| name == makes).count();
    let is_told = |call: &Call| {
        let ranks = argument(model, *call, Some(0), Symbol::new("ranks"));
        let spread = model.keywords(*call).iter().any(|keyword| keyword.name.is_none());
        spread || ranks.is_some_and(|ranks| model.expr(ranks) != Expr::None)
    };
    named > calls.len() || calls.into_iter().any(is_told)
}
