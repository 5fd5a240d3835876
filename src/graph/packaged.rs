//! Objects of the classes of a package that all communicate alike, metrics say: where they are made.

use crate::base::{FileId, Symbol};
use crate::model::{Expr, ExprId, File, LocalFunction};

use super::program::Program;
use super::resolve::Target;

/// A call that makes such an object.
pub(super) struct Made {
    /// Where.
    pub file: FileId,
    /// In which function.
    pub function: LocalFunction,
    /// What is called.
    pub callee: ExprId,
    /// The last part of its name.
    pub name: Symbol,
}

/// Where the program makes objects of a catalogued package, in order of files.
pub(super) fn made(program: &Program) -> Vec<Made> {
    let mut out = Vec::new();
    for file in program.file_ids() {
        let model = &program.file(file).model;
        if !imports_a_package(program, model) {
            continue;
        }
        for (index, definition) in model.functions.iter().enumerate() {
            let function = LocalFunction(index as u32);
            for callee in &definition.callees {
                let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(callee.expr) else { continue };
                if let Some(Target::External(dotted)) = program.target(file, function, callee.expr)
                    && program.catalog.of_class_in_package(dotted).is_some()
                {
                    out.push(Made { file, function, callee: callee.expr, name });
                }
            }
        }
    }
    out
}

fn imports_a_package(program: &Program, model: &File) -> bool {
    let modules = model.imports.iter().flat_map(|(_, import)| {
        let named = import.names.iter().map(|alias| alias.name).filter(|_| !import.from);
        import.module.into_iter().chain(named)
    });
    modules.into_iter().any(|module| {
        module.as_str().split('.').next().is_some_and(|package| program.catalog.of_package(package).is_some())
    })
}
