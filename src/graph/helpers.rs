//! Functions that read the environment key they are given: each of their calls is an access of its own.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Symbol};
use crate::model::{Constant, Expr, ExprId, File, FunctionKind, LocalFunction, each_expression, expressions_of};

use super::context::each_in_context;
use super::environment::{Access, Action, Key};
use super::program::Program;
use super::resolve::Target;

/// A function that reads the key it is given: `prefix` + parameter + `suffix`.
struct Helper {
    position: usize,
    parameter: Symbol,
    prefix: String,
    suffix: String,
    action: Action,
}

/// Names so common that a helper of that name is not looked for.
const COMMON: [&str; 4] = ["get", "pop", "__getitem__", "__contains__"];

/// Adds what functions that are handed a key read: each of their calls is an access.
pub(super) fn through_helpers(program: &Program, accesses: &mut Vec<Access>) {
    let mut helpers: FxHashMap<FunctionId, Helper> = FxHashMap::default();
    for access in accesses.iter().filter(|access| access.is_read()) {
        let model = &program.file(access.file).model;
        let function = model.function(access.function);
        if COMMON.contains(&function.name.as_str()) {
            continue;
        }
        let Some((prefix, parameter, suffix)) = template(model, access.key_expr) else { continue };
        let Some(position) = function.parameters.iter().position(|one| one.name == parameter) else { continue };
        let bound = function.takes_object();
        let position = position.saturating_sub(usize::from(bound));
        let id = program.function_id(access.file, access.function);
        helpers.entry(id).or_insert(Helper { position, parameter, prefix, suffix, action: access.action });
    }
    if helpers.is_empty() {
        return;
    }
    let names: FxHashSet<Symbol> = helpers.keys().map(|&id| program.function(id).name).collect();
    for file in program.file_ids() {
        helper_calls(program, file, &helpers, &names, accesses);
    }
}

/// `name`, `"PREFIX_" + name`, `f"PREFIX_{name}_SUFFIX"`, `name.upper()`: what stands before the name, the name, what stands after it.
fn template(model: &File, key: ExprId) -> Option<(String, Symbol, String)> {
    let text = |expr: ExprId| match model.expr(expr) {
        Expr::Str(text) => Some(text.as_str().to_owned()),
        _ => None,
    };
    match model.expr(key) {
        Expr::Name(name) => Some((String::new(), name, String::new())),
        Expr::Binary(crate::model::BinaryOp::Add, left, right) => match (text(left), text(right)) {
            (Some(prefix), None) => template(model, right).map(|(more, name, suffix)| (prefix + &more, name, suffix)),
            (None, Some(suffix)) => template(model, left).map(|(prefix, name, more)| (prefix, name, more + &suffix)),
            _ => None,
        },
        Expr::Format(parts) => {
            let (mut prefix, mut suffix, mut found) = (String::new(), String::new(), None);
            for &part in model.list(parts) {
                match (text(part), found) {
                    (Some(text), None) => prefix += &text,
                    (Some(text), Some(_)) => suffix += &text,
                    (None, None) => found = Some(template(model, part)?.1),
                    (None, Some(_)) => return None,
                }
            }
            Some((prefix, found?, suffix))
        }
        Expr::Call(index) => match model.expr(model.call(index).callee) {
            Expr::Attribute { value, name } if name.as_str() == "upper" => template(model, value),
            _ => None,
        },
        _ => None,
    }
}

fn helper_calls(
    program: &Program,
    file: FileId,
    helpers: &FxHashMap<FunctionId, Helper>,
    names: &FxHashSet<Symbol>,
    out: &mut Vec<Access>,
) {
    let model = &program.file(file).model;
    if !model.names().may_hold_any(names) {
        return;
    }
    let aliases = model.imports.iter().flat_map(|(_, import)| &import.names);
    let renamed: Vec<Symbol> =
        aliases.filter(|alias| names.contains(&alias.name)).filter_map(|alias| alias.alias).collect();
    let wanted = |callee: ExprId| match model.expr(callee) {
        Expr::Name(name) => names.contains(&name) || renamed.contains(&name),
        Expr::Attribute { name, .. } => names.contains(&name),
        _ => false,
    };
    if !model.calls().iter().any(|call| wanted(call.callee)) {
        return;
    }
    for (index, body) in model.functions.iter().enumerate() {
        if body.kind == FunctionKind::Lambda || body.skeleton {
            continue;
        }
        let function = LocalFunction(index as u32);
        each_in_context(model, function, &mut |_, stmt, context| {
            for root in expressions_of(model, stmt) {
                each_expression(model, root, &mut |id, expr| {
                    let Expr::Call(index) = expr else { return };
                    let call = model.call(index);
                    if !wanted(call.callee) {
                        return;
                    }
                    let Some(target) = called(program, file, function, call.callee) else { return };
                    let Some(helper) = helpers.get(&target) else { return };
                    let named = model.keywords(call).iter().find(|keyword| keyword.name == Some(helper.parameter));
                    let given = named.map(|keyword| keyword.value);
                    let Some(key) = given.or_else(|| model.list(call.args).get(helper.position).copied()) else {
                        return;
                    };
                    let (prefix, suffix) = (&helper.prefix, &helper.suffix);
                    let known = match program.constant(file, function, key) {
                        Some(Constant::Str(text)) => Key::Whole(format!("{prefix}{text}{suffix}")),
                        Some(Constant::Prefix(text)) => Key::Prefix(format!("{prefix}{text}")),
                        _ if !prefix.is_empty() => Key::Prefix(prefix.clone()),
                        _ => Key::Unknown,
                    };
                    out.push(Access {
                        file,
                        function,
                        span: model.span(id),
                        key: known,
                        key_expr: key,
                        action: helper.action,
                        in_loop: context.in_loop,
                        conditions: context.conditions.into(),
                        through: Some(target),
                    });
                });
            }
        });
    }
}

/// The program's function that a call runs: by name, or `self.method` of the same class.
pub(super) fn called(program: &Program, file: FileId, function: LocalFunction, callee: ExprId) -> Option<FunctionId> {
    let model = &program.file(file).model;
    if let Some(Target::Function(found)) = program.target(file, function, callee) {
        return Some(found);
    }
    let Expr::Attribute { value, name } = model.expr(callee) else { return None };
    let Expr::Name(object) = model.expr(value) else { return None };
    if !matches!(object.as_str(), "self" | "cls") {
        return None;
    }
    let mut at = Some(function);
    while let Some(id) = at {
        if let Some(class) = model.function(id).class {
            return program.method(program.class_id(file, class), name);
        }
        at = model.function(id).parent;
    }
    None
}
