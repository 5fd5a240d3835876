//! What runs without being called by its name: properties that are read, and what makes a text of an object.

use rustc_hash::FxHashMap;

use super::{MAX_NAMESAKES, Place, SHOWS, SOMEWHERE, Search, is_property};
use crate::base::{FileId, Symbol};
use crate::graph::blocks::function_around;
use crate::graph::program::Program;
use crate::model::{Expr, ExprId, LocalFunction};

impl Search<'_> {
    /// Who reads a property runs it.
    pub(super) fn read(&mut self, home: FileId, name: Symbol) {
        let program = self.program;
        let of_tree = self.definitions.get(&(program.tree_of(home), name)).copied().unwrap_or(0);
        if of_tree > MAX_NAMESAKES {
            return;
        }
        if self.readers.is_none() {
            self.readers = Some(readers(program));
        }
        let places = self.readers.as_mut().and_then(|readers| readers.remove(&name)).unwrap_or_default();
        for &place in &places {
            if program.same_tree(program.locate(place.0).0, home) {
                self.reach_at(place);
            }
        }
        self.readers.get_or_insert_default().insert(name, places);
    }

    /// Who makes a text of something in a file that knows the class may run what makes a text of its objects.
    pub(super) fn shown(&mut self, class: Symbol, home: FileId) {
        let program = self.program;
        for file in program.file_ids().filter(|&file| program.same_tree(file, home)) {
            let model = &program.file(file).model;
            let knows = file == home || model.functions.iter().any(|function| function.mentions.contains(&class));
            if !knows {
                continue;
            }
            let shows = |name: Symbol| SHOWS.contains(&name.as_str());
            for (index, function) in model.functions.iter().enumerate() {
                if function.mentions.iter().any(|&name| shows(name)) {
                    self.reach_at((program.function_id(file, LocalFunction(index as u32)), SOMEWHERE));
                }
            }
            for expr in (0..model.expr_count() as u32).map(ExprId) {
                if matches!(model.expr(expr), Expr::Format(_))
                    && let Some(local) = function_around(model, model.span(expr))
                {
                    self.reach_at((program.function_id(file, local), SOMEWHERE));
                }
            }
        }
    }
}

/// Where the names of properties are mentioned.
fn readers(program: &Program) -> FxHashMap<Symbol, Vec<Place>> {
    let mut out: FxHashMap<Symbol, Vec<Place>> = FxHashMap::default();
    for file in program.file_ids() {
        let model = &program.file(file).model;
        let properties = model.functions.iter().filter(|function| is_property(model, function));
        out.extend(properties.map(|property| (property.name, Vec::new())));
    }
    for file in program.file_ids() {
        for (index, function) in program.file(file).model.functions.iter().enumerate() {
            let reader = program.function_id(file, LocalFunction(index as u32));
            for (at, name) in (0..).zip(&function.mentions) {
                if let Some(places) = out.get_mut(name) {
                    places.push((reader, at));
                }
            }
        }
    }
    out
}
