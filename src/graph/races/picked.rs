//! What a function picks before it calls it: one of several functions or classes, by a question or by its name.

use super::common::called_by;
use super::names::assigned;
use crate::base::{FileId, FunctionId, Symbol};
use crate::graph::program::Program;
use crate::graph::resolve::{Scope, Target};
use crate::model::{Expr, ExprId, File, LocalFunction};

/// The functions and constructors of the program of which a function picks the one that it calls:
/// `kind = Lazy if lazy else Whole`, and then `kind(path)`.
pub(super) fn picked(program: &Program, file: FileId, local: LocalFunction, callee: ExprId) -> Vec<FunctionId> {
    let model = &program.file(file).model;
    let Expr::Name(name) = model.expr(callee) else { return Vec::new() };
    if program.scope_of(file, local, name) != Scope::Local(local) {
        return Vec::new();
    }
    let either = |value: ExprId| match model.expr(value) {
        Expr::IfElse(at) => model.if_else(at)[1..].to_vec(),
        _ => vec![value],
    };
    let mut out = Vec::new();
    for value in assigned(model, local, name).into_iter().flat_map(either) {
        if let Some(class) = named_of_a_module(model, value) {
            out.extend(constructors_named(program, file, class));
            continue;
        }
        match program.target(file, local, value) {
            Some(Target::Function(function)) => out.push(function),
            Some(Target::Class(class)) => match program.method(class, Symbol::new("__init__")) {
                Some(constructor) => out.push(constructor),
                None => return Vec::new(),
            },
            _ => return Vec::new(),
        }
    }
    out
}

/// The name of what an expression takes from a module that is worked out: `getattr(import_module(path), "Model")`, which reads
/// like an attribute.
fn named_of_a_module(model: &File, value: ExprId) -> Option<Symbol> {
    let Expr::Attribute { value, name } = model.expr(value) else { return None };
    let Expr::Call(imports) = model.expr(value) else { return None };
    let imports = model.last_name(model.call(imports).callee);
    imports.is_some_and(|imports| imports.as_str() == "import_module").then_some(name)
}

/// The constructors of the classes of a tree that have one name.
fn constructors_named(program: &Program, file: FileId, name: Symbol) -> Vec<FunctionId> {
    let is_of_it = |&&constructor: &&FunctionId| {
        let (home, _) = program.locate(constructor);
        program.same_tree(file, home) && called_by(program, constructor) == name
    };
    program.methods_named(Symbol::new("__init__")).iter().filter(is_of_it).copied().collect()
}
