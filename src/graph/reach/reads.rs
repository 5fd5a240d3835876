//! What runs without being called by its name: properties that are read, and what makes a text of an object.

use super::{MAX_NAMESAKES, SHOWS, SOMEWHERE, Search};
use crate::base::{FileId, Symbol};
use crate::graph::blocks::function_around;
use crate::model::{Expr, ExprId, LocalFunction};

impl Search<'_> {
    /// Who reads a property runs it.
    pub(super) fn read(&mut self, home: FileId, name: Symbol) {
        let program = self.program;
        let of_tree = self.definitions.get(&(program.tree_of(home), name)).copied().unwrap_or(0);
        if of_tree > MAX_NAMESAKES {
            return;
        }
        for file in program.file_ids().filter(|&file| program.same_tree(file, home)) {
            for (index, function) in program.file(file).model.functions.iter().enumerate() {
                let mentions = (0..).zip(&function.mentions).filter(|(_, mentioned)| **mentioned == name);
                let places: Vec<u32> = mentions.map(|(at, _)| at).collect();
                let reader = program.function_id(file, LocalFunction(index as u32));
                places.into_iter().for_each(|at| self.reach_at((reader, at)));
            }
        }
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
