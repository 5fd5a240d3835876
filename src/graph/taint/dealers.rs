//! Classes whose objects deal their items out to ranks: how many a rank goes through, its own rank decides.

use rustc_hash::FxHashSet;

use super::Taint;
use crate::base::{ClassId, Symbol};
use crate::graph::program::Program;
use crate::model::LocalClass;

/// Methods that say how many items there are.
const COUNTING: [&str; 2] = ["__iter__", "__len__"];

/// Those classes of a program, by what their methods mention.
#[derive(Default)]
pub(in crate::graph) struct Dealers {
    classes: FxHashSet<ClassId>,
    names: FxHashSet<Symbol>,
}

impl Dealers {
    /// Classes whose own methods go through items, or count them, and mention the rank there, or what is made of it.
    pub(super) fn of(program: &Program, ranks: &Taint) -> Dealers {
        let counting = COUNTING.map(Symbol::new);
        let mut dealers = Dealers::default();
        for file in program.file_ids() {
            let model = &program.file(file).model;
            for (index, class) in model.classes.iter().enumerate() {
                let mut counts = class.methods.iter().filter(|(name, _)| counting.contains(name));
                if counts.any(|&(_, method)| model.function(method).mentions.iter().any(|&name| ranks.holds(name))) {
                    dealers.classes.insert(program.class_id(file, LocalClass(index as u32)));
                    dealers.names.insert(class.name);
                }
            }
        }
        dealers
    }

    /// Whether objects of the class do, or of one above it.
    pub(in crate::graph) fn has(&self, program: &Program, class: ClassId) -> bool {
        !self.classes.is_empty() && program.lineage(class).iter().any(|class| self.classes.contains(class))
    }

    /// Whether any of the names is that of such a class.
    pub(in crate::graph) fn are_named(&self, mentions: &[Symbol]) -> bool {
        !self.names.is_empty() && mentions.iter().any(|name| self.names.contains(name))
    }
}
