//! Folders that have been made before: what every rank has made on its way, nobody makes a second time.

use super::common::{Common, Made};
use super::deeds::Deed;
use crate::base::{FileId, FunctionId, Symbol};
use crate::graph::communication::argument;
use crate::model::{Call, Expr, ExprId, File, LocalFunction};

/// What makes a folder.
const MAKES: [&str; 3] = ["makedirs", "mkdir", "mkdirs"];

/// Whether the folder has been made when a deed comes to make it: earlier in the function, or by each of its callers, which hand
/// it in.
pub(super) fn is_made_before(common: &mut Common<'_>, function: FunctionId, deed: &Deed) -> bool {
    let (file, local) = common.program.locate(function);
    let model = &common.program.file(file).model;
    let until = model.span(deed.expr).start;
    if has_made(common, (file, local), deed.path, until) {
        return true;
    }
    let Expr::Name(path) = model.expr(deed.path) else { return false };
    let definition = model.function(local);
    let Some(at) = definition.parameters.iter().position(|parameter| parameter.name == path) else { return false };
    let bound = usize::from(definition.class.is_some());
    let callers = common.callers(function);
    !callers.is_empty()
        && callers.into_iter().all(|(caller, Made { expr, call, .. })| {
            let (file, local) = common.program.locate(caller);
            let model = &common.program.file(file).model;
            let given = argument(model, call, at.checked_sub(bound), path);
            given.is_some_and(|given| has_made(common, (file, local), given, model.span(expr).start))
        })
}

/// Whether a function has made the folder that an expression names before it comes to a place.
fn has_made(common: &mut Common<'_>, (file, function): (FileId, LocalFunction), path: ExprId, until: u32) -> bool {
    let model = &common.program.file(file).model;
    if matches!(model.expr(path), Expr::Str(_) | Expr::Missing) {
        return false;
    }
    let calls = common.calls(file, function);
    calls.iter().filter(|made| model.span(made.expr).end <= until && made.by_all).any(|&Made { call, .. }| {
        let text = |expr: ExprId| common.program.text(file, model.span(expr));
        let same = |given: ExprId| text(given) == text(path);
        if let Some(made) = made_by(model, call) {
            return same(made);
        }
        // A function of the program that makes what it is handed.
        let Some(at) = model.list(call.args).iter().position(|&given| same(given)) else { return false };
        let Some((called, _)) = common.communication.callee(file, function, call) else { return false };
        let definition = common.program.function(called);
        let bound = usize::from(definition.class.is_some());
        let Some(parameter) = definition.parameters.get(at + bound).map(|parameter| parameter.name) else {
            return false;
        };
        makes(common, called, parameter)
    })
}

/// Whether a function makes the folder that it is handed in a parameter.
fn makes(common: &Common<'_>, function: FunctionId, parameter: Symbol) -> bool {
    let (file, local) = common.program.locate(function);
    let model = &common.program.file(file).model;
    let mut found = false;
    crate::model::each_call(model, local, &mut |_, call| {
        found |= made_by(model, call).is_some_and(|path| model.expr(path) == Expr::Name(parameter));
    });
    found
}

/// The path at which a call makes a folder.
fn made_by(model: &File, call: Call) -> Option<ExprId> {
    let name = model.last_name(call.callee)?;
    if !MAKES.contains(&name.as_str()) {
        return None;
    }
    match (model.list(call.args).first(), model.expr(call.callee)) {
        (Some(&path), _) if name.as_str() != "mkdir" || !matches!(model.expr(path), Expr::Bool(_)) => Some(path),
        (_, Expr::Attribute { value, .. }) => Some(value),
        _ => None,
    }
}
