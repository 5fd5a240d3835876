//! Calls of functions that are looked for by name, and what is given to which parameter.

use rustc_hash::FxHashMap;

use super::place;
use crate::base::{FileId, FunctionId, Symbol};
use crate::graph::program::Program;
use crate::graph::resolve::Target;
use crate::model::{Call, Expr, ExprId, File, Function, FunctionKind, LocalFunction};

pub(super) fn names_one(function: &Function, wanted: &FxHashMap<Symbol, Vec<FunctionId>>) -> bool {
    function.mentions.iter().any(|name| wanted.contains_key(name))
}

/// Which of the wanted functions a call means.
pub(super) fn callees(
    program: &Program,
    file: FileId,
    local: LocalFunction,
    call: Call,
    wanted: &FxHashMap<Symbol, Vec<FunctionId>>,
) -> Vec<FunctionId> {
    let model = &program.file(file).model;
    let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(call.callee) else { return Vec::new() };
    let Some(functions) = wanted.get(&name) else { return Vec::new() };
    match program.target(file, local, call.callee) {
        Some(Target::Function(target)) => functions.iter().copied().filter(|&known| known == target).collect(),
        Some(_) => Vec::new(),
        None => {
            let imports = |name: Symbol| {
                let mut aliases = model.imports.iter().flat_map(|(_, import)| &import.names);
                aliases.any(|alias| alias.name == name)
            };
            let near = |&&known: &&FunctionId| {
                let class = program.class_of(known).map(|class| program.class(class).name);
                class.is_some_and(|class| program.same_tree(program.locate(known).0, file) || imports(class))
            };
            let methods: Vec<FunctionId> = functions.iter().filter(near).copied().collect();
            let all = program.methods_named(name).len();
            if all <= 2 { methods } else { Vec::new() }
        }
    }
}

/// Whether a call gives a method as many arguments as it takes.
pub(super) fn takes(program: &Program, model: &File, call: Call, method: FunctionId) -> bool {
    let definition = program.function(method);
    let given = model.list(call.args).len() + model.keywords(call).len();
    let all = definition.parameters.len().saturating_sub(1);
    let needed = definition.parameters.iter().skip(1).filter(|parameter| parameter.default.is_none()).count();
    (needed.min(all)..=all).contains(&given)
}

/// The arguments of a call by the positions of the parameters that they are given to.
pub(super) fn given(program: &Program, model: &File, call: Call, callee: FunctionId) -> Vec<(u16, ExprId)> {
    let definition = program.function(callee);
    let bound = usize::from(definition.class.is_some() && definition.kind == FunctionKind::Def);
    let by_position = model.list(call.args).iter().enumerate().map(|(at, &argument)| ((at + bound) as u16, argument));
    let by_name =
        model.keywords(call).iter().filter_map(|keyword| Some((place(definition, keyword.name?)?, keyword.value)));
    by_position.chain(by_name).collect()
}
