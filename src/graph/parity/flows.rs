//! What flows into names and parameters, as far as keys are followed.

use super::super::program::Program;
use super::super::resolve::Target;
use crate::base::{FileId, FunctionId, Span, Symbol};
use crate::model::{Call, Expr, ExprId, File, LocalFunction, Stmt, each_statement};

/// `self.KEYS` and `cls.KEYS`: the value in the class body.
pub(super) fn class_constant(program: &Program, file: FileId, function: LocalFunction, expr: ExprId) -> Option<ExprId> {
    let model = &program.file(file).model;
    let Expr::Attribute { value, name } = model.expr(expr) else { return None };
    let object = match model.expr(value) {
        Expr::Name(object) => object,
        _ => return None,
    };
    let class = match object.as_str() {
        "self" | "cls" => model.function(function).class?,
        _ => match program.target(file, function, value)? {
            Target::Class(class) if program.locate_class(class).0 == file => program.locate_class(class).1,
            _ => return None,
        },
    };
    program.single_assignment(file, model.class(class).body, name)
}

/// Everything that flows into a local name: assignments, loops, stores into it, methods that add to it.
pub(super) fn given_to(model: &File, function: LocalFunction, name: Symbol, roots: &mut Vec<ExprId>) {
    let is_name = |expr: ExprId| model.expr(expr) == Expr::Name(name);
    let binds = |target: ExprId| match model.expr(target) {
        Expr::Tuple(parts) | Expr::ListDisplay(parts) => model.list(parts).iter().any(|&part| is_name(part)),
        _ => is_name(target),
    };
    let mut add = |expr: ExprId| {
        if !roots.contains(&expr) {
            roots.push(expr);
        }
    };
    each_statement(model, model.function(function).body, &mut |_, stmt| match stmt {
        Stmt::Assign { targets, value } => {
            for &target in model.list(*targets) {
                match model.expr(target) {
                    Expr::Subscript(object, key) if is_name(object) => {
                        add(key);
                        add(*value);
                    }
                    _ if binds(target) => add(*value),
                    _ => {}
                }
            }
        }
        Stmt::Annotated { target, value: Some(value), .. } | Stmt::AugAssign { target, value, .. }
            if binds(*target) =>
        {
            add(*value);
        }
        Stmt::For { target, iter, .. } if binds(*target) => add(*iter),
        Stmt::Expr(value) => {
            if let Expr::Call(index) = model.expr(*value) {
                let call = model.call(index);
                if let Expr::Attribute { value: object, name } = model.expr(call.callee)
                    && is_name(object)
                    && matches!(name.as_str(), "append" | "extend" | "add" | "update" | "setdefault" | "insert")
                {
                    model.list(call.args).iter().for_each(|&arg| add(arg));
                }
            }
        }
        _ => {}
    });
}

/// The argument that a call passes for a parameter of the function it runs.
pub(super) fn passed(program: &Program, model: &File, target: FunctionId, call: Call, name: Symbol) -> Option<ExprId> {
    if let Some(keyword) = model.keywords(call).iter().find(|keyword| keyword.name == Some(name)) {
        return Some(keyword.value);
    }
    let function = program.function(target);
    let position = function.parameters.iter().position(|one| one.name == name)?;
    let bound = function.takes_object();
    model.list(call.args).get(position.checked_sub(usize::from(bound))?).copied()
}

/// Whether `inner` lies in one of the spans.
pub(super) fn within(outer: &[Span], inner: Span) -> bool {
    outer.iter().any(|outer| outer.start <= inner.start && inner.end <= outer.end)
}

/// Whether a launcher tells a process by this key who and where it is: no setting that ranks could compare.
pub(super) fn is_identity(key: &str) -> bool {
    ["RANK", "WORLD_SIZE", "_VISIBLE_DEVICES", "_PROCID", "_NTASKS", "_LOCALID"].iter().any(|tail| key.ends_with(tail))
        || key.starts_with("MASTER_")
}
