//! What runs without being called by its name: properties that are read, and what makes a text of an object.

use rustc_hash::FxHashMap;

use super::{MAX_NAMESAKES, SHOWS, Search};
use crate::base::{FileId, FunctionId, Symbol};
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
        let known = self.readers.as_mut().and_then(|readers| readers.remove(&name)).unwrap_or_default();
        for &reader in &known {
            if program.same_tree(program.locate(reader).0, home) {
                self.reach(reader);
            }
        }
        self.readers.get_or_insert_default().insert(name, known);
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
                    self.reach(program.function_id(file, LocalFunction(index as u32)));
                }
            }
            for expr in (0..model.expr_count() as u32).map(ExprId) {
                if matches!(model.expr(expr), Expr::Format(_))
                    && let Some(local) = function_around(model, model.span(expr))
                {
                    self.reach(program.function_id(file, local));
                }
            }
        }
    }
}

/// Where the names of properties are mentioned.
fn readers(program: &Program) -> FxHashMap<Symbol, Vec<FunctionId>> {
    let mut out: FxHashMap<Symbol, Vec<FunctionId>> = FxHashMap::default();
    for file in program.file_ids() {
        let model = &program.file(file).model;
        let properties = model.functions.iter().filter(|function| model.is_property(function));
        out.extend(properties.map(|property| (property.name, Vec::new())));
    }
    for file in program.file_ids() {
        for (index, function) in program.file(file).model.functions.iter().enumerate() {
            let reader = program.function_id(file, LocalFunction(index as u32));
            for name in &function.mentions {
                if let Some(readers) = out.get_mut(name).filter(|readers| readers.last() != Some(&reader)) {
                    readers.push(reader);
                }
            }
        }
    }
    out
}
