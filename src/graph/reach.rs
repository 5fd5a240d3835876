//! Which functions can reach a collective: backwards from the catalogue's names over an over-approximate call graph.
//!
//! Calls are matched by their last name, so nothing that resolution could find is missed; names that very many
//! functions share are matched only within a class or through an import.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Symbol};
use crate::catalog::{Entry, OperationKind};
use crate::model::{Expr, FunctionKind, LocalFunction, each_call};

use super::program::Program;

/// A name shared by more functions than this says nothing about which of them is meant.
const MAX_NAMESAKES: usize = 24;

/// The functions from which a collective can be reached.
pub fn reaching(program: &Program) -> FxHashSet<FunctionId> {
    let operations: FxHashSet<Symbol> = program
        .catalog
        .entries()
        .filter(
            |(_, entry)| matches!(entry, Entry::Operation(operation) if operation.kind != OperationKind::PointToPoint),
        )
        .map(|(name, _)| Symbol::new(name.as_str().rsplit('.').next().unwrap_or_default()))
        .collect();

    // Who mentions which name as a callee; nested functions are mentioned by their home.
    let mut mentions: FxHashMap<Symbol, Vec<FunctionId>> = FxHashMap::default();
    let mut reached: FxHashSet<FunctionId> = FxHashSet::default();
    let mut pending: Vec<FunctionId> = Vec::new();
    let mut definitions: FxHashMap<Symbol, usize> = FxHashMap::default();
    for file in program.file_ids() {
        let model = &program.file(file).model;
        for index in 0..model.functions.len() as u32 {
            let local = LocalFunction(index);
            let id = program.function_id(file, local);
            let definition = model.function(local);
            if definition.kind == FunctionKind::Def {
                *definitions.entry(definition.name).or_default() += 1;
            }
            let mut hit = false;
            each_call(model, local, &mut |_, call| {
                if let Expr::Name(name) | Expr::Attribute { name, .. } = model.expr(call.callee) {
                    mentions.entry(name).or_default().push(id);
                    hit |= operations.contains(&name);
                }
                // A function that is handed over may be called.
                for &arg in model.list(call.args) {
                    if let Expr::Name(name) | Expr::Attribute { name, .. } = model.expr(arg) {
                        mentions.entry(name).or_default().push(id);
                    }
                }
            });
            for &decorator in model.list(definition.decorators) {
                if let Expr::Name(name) | Expr::Attribute { name, .. } = model.expr(decorator) {
                    mentions.entry(name).or_default().push(id);
                }
            }
            if hit && reached.insert(id) {
                pending.push(id);
            }
        }
    }
    while let Some(function) = pending.pop() {
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let definition = model.function(local);
        let mut reach = |id: FunctionId| {
            if reached.insert(id) {
                pending.push(id);
            }
        };
        if let Some(parent) = definition.parent {
            reach(program.function_id(file, home(program, file, parent)));
        }
        let mut names = vec![definition.name];
        if let Some(class) = definition.class
            && matches!(definition.name.as_str(), "__init__" | "__call__" | "__enter__" | "__exit__" | "forward")
        {
            names.push(model.class(class).name);
        }
        for name in names {
            let namesakes = definitions.get(&name).copied().unwrap_or(0);
            for &caller in mentions.get(&name).map_or(&[][..], Vec::as_slice) {
                let (caller_file, _) = program.locate(caller);
                if namesakes <= MAX_NAMESAKES || caller_file == file {
                    reach(caller);
                }
            }
        }
    }
    reached
}

/// The nearest body that is run as a function: a class body belongs to what surrounds it.
fn home(program: &Program, file: FileId, mut function: LocalFunction) -> LocalFunction {
    let model = &program.file(file).model;
    while model.function(function).kind == FunctionKind::ClassBody {
        match model.function(function).parent {
            Some(parent) => function = parent,
            None => break,
        }
    }
    function
}
