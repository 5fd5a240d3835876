//! Folders that have been made before: what every rank has made on its way, nobody makes a second time.

use super::common::{Common, Made};
use super::deeds::Deed;
use crate::base::{FileId, FunctionId, Span, Symbol};
use crate::graph::communication::argument;
use crate::model::{Call, Expr, ExprId, File, LocalFunction};

/// What makes a folder.
const MAKES: [&str; 3] = ["makedirs", "mkdir", "mkdirs"];

/// Whether the folder has been made when a deed comes to make it: earlier in the function, or by each of its callers, which hand
/// it in, or what it is a part of.
pub(super) fn is_made_before(common: &mut Common<'_>, function: FunctionId, deed: &Deed) -> bool {
    let program = common.program;
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let span = model.span(deed.path);
    if matches!(model.expr(deed.path), Expr::Str(_) | Expr::Missing) {
        return false;
    }
    if has_made(common, (file, local), program.text(file, span), model.span(deed.expr).start) {
        return true;
    }
    let (root, part) = split(model, deed.path);
    let Expr::Name(root_name) = model.expr(root) else { return false };
    let part = part.then(|| Span::new(model.span(root).end, span.end));
    let part = part.map_or("", |part| program.text(file, part));
    let definition = model.function(local);
    let Some(at) = definition.parameters.iter().position(|parameter| parameter.name == root_name) else { return false };
    let bound = usize::from(definition.class.is_some());
    let callers = common.callers(function);
    !callers.is_empty()
        && callers.into_iter().all(|(caller, Made { expr, call, .. })| {
            let (file, local) = program.locate(caller);
            let model = &program.file(file).model;
            let given = argument(model, call, at.checked_sub(bound), root_name);
            let given = given.filter(|&given| !matches!(model.expr(given), Expr::Str(_) | Expr::Missing));
            given.is_some_and(|given| {
                let path = format!("{}{part}", program.text(file, model.span(given)));
                has_made(common, (file, local), &path, model.span(expr).start)
            })
        })
}

/// What a chain of attributes and entries begins with, and whether anything follows.
fn split(model: &File, path: ExprId) -> (ExprId, bool) {
    let mut root = path;
    while let Expr::Attribute { value, .. } | Expr::Subscript(value, _) = model.expr(root) {
        root = value;
    }
    (root, root != path)
}

/// Whether a function has made the folder that is called so before it comes to a place.
fn has_made(common: &mut Common<'_>, (file, function): (FileId, LocalFunction), path: &str, until: u32) -> bool {
    let model = &common.program.file(file).model;
    let calls = common.calls(file, function);
    calls.iter().filter(|made| model.span(made.expr).end <= until && made.by_all).any(|&Made { call, .. }| {
        let same = |given: ExprId| common.program.text(file, model.span(given)) == path;
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
