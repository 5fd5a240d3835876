//! Classes whose objects deal their items out to ranks: how many a rank goes through, its own rank decides.

use rustc_hash::FxHashSet;

use super::Taint;
use crate::base::Symbol;
use crate::graph::program::Program;

/// Methods that say how many items there are.
const COUNTING: [&str; 2] = ["__iter__", "__len__"];

/// The names of classes whose own methods go through items, or count them, and mention the rank there, or what is made of it.
pub(super) fn dealers(program: &Program, ranks: &Taint) -> FxHashSet<Symbol> {
    let counting = COUNTING.map(Symbol::new);
    let mut out = FxHashSet::default();
    for file in program.file_ids() {
        let model = &program.file(file).model;
        for class in &model.classes {
            let mut counts = class.methods.iter().filter(|(name, _)| counting.contains(name));
            if counts.any(|&(_, method)| model.function(method).mentions.iter().any(|&name| ranks.holds(name))) {
                out.insert(class.name);
            }
        }
    }
    out
}
