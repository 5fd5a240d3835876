//! What an edit leaves of the functions of a file, and where they are afterwards.

use rustc_hash::FxHashMap;

use crate::base::{FileId, FunctionId, Span};
use crate::graph::{FileEntry, Prepared, Program};
use crate::model::{File, LocalFunction};

/// Where the functions of a file are after an edit: they are known by their names.
pub(super) struct Moves {
    /// By their place before: their place now.
    pub(super) now: Vec<Option<u32>>,
    /// How many there are now.
    count: u32,
    /// Places, now, of those that are new or read differently.
    pub(super) fresh: Vec<u32>,
    /// Where those that read as before were in the text, and where they begin now.
    pub(super) kept: Vec<(Span, u32)>,
}

impl Moves {
    pub(super) fn between(before: &str, old: &File, new: &FileEntry) -> Moves {
        // Of several functions with one name each keeps its place in their row.
        let named = |model: &File| {
            let mut rows: FxHashMap<String, u32> = FxHashMap::default();
            let names = (0..model.functions.len() as u32).map(|index| {
                let name = model.qualified(LocalFunction(index));
                let row = rows.entry(name.clone()).or_default();
                *row += 1;
                (name, *row)
            });
            names.collect::<Vec<(String, u32)>>()
        };
        let text = |text: &str, model: &File, index: u32| {
            let span = model.function(LocalFunction(index)).span;
            text.get(span.start as usize..span.end as usize).map(str::to_owned)
        };
        let places: FxHashMap<(String, u32), u32> = named(&new.model).into_iter().zip(0..).collect();
        let count = new.model.functions.len() as u32;
        let mut same = vec![false; count as usize];
        let mut now = Vec::with_capacity(old.functions.len());
        let mut kept = Vec::new();
        for (name, index) in named(old).into_iter().zip(0..) {
            let place = places.get(&name).copied();
            if let Some(place) = place {
                // The module's own text is everybody's.
                same[place as usize] = place == 0 || text(before, old, index) == text(&new.text, &new.model, place);
                if place != 0 && same[place as usize] {
                    let span = |model: &File, index: u32| model.function(LocalFunction(index)).span;
                    kept.push((span(old, index), span(&new.model, place).start));
                }
            }
            now.push(place);
        }
        Moves { now, count, fresh: (0..count).filter(|&index| !same[index as usize]).collect(), kept }
    }

    /// What was prepared, for the program with the new text; `program` is still the one before. Functions keep what was
    /// known of them; those that are new or read differently count as worth a look.
    pub(super) fn carry(&self, program: &Program, prepared: &Prepared, file: FileId) -> Prepared {
        let base = program.function_id(file, LocalFunction(0)).0;
        let before = self.now.len() as u32;
        let fresh: Vec<FunctionId> = self.fresh.iter().map(|&index| FunctionId(base + index)).collect();
        let at = |id: FunctionId| match id.0 {
            at if at < base => Some(id),
            at if at < base + before => self.now[(at - base) as usize].map(|place| FunctionId(base + place)),
            at => Some(FunctionId(at - before + self.count)),
        };
        prepared.carried(at, &fresh)
    }
}
