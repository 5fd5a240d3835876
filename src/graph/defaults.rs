//! Parameters that always have their default: no call in the program hands anything over for them.

use crate::base::{FileId, Symbol};
use crate::model::{Call, Expr, File, FunctionKind, LocalFunction, ParameterKind};

use super::program::Program;
use super::races::assigned;

/// What a parameter of the function always is, where the program calls the function and leaves it at a default that is true or
/// false, whoever the object is: any function of that name may be meant.
pub(super) fn always(program: &Program, file: FileId, function: LocalFunction, name: Symbol) -> Option<bool> {
    let model = &program.file(file).model;
    let definition = model.function(function);
    let at = definition.parameters.iter().position(|parameter| parameter.name == name)?;
    let truth = match model.expr(definition.parameters[at].default?) {
        Expr::Bool(truth) => truth,
        Expr::None => false,
        _ => return None,
    };
    if definition.kind != FunctionKind::Def || !assigned(model, function, name).is_empty() {
        return None;
    }
    let bound = usize::from(definition.class.is_some());
    let by_position = definition.parameters[at].kind == ParameterKind::Normal;
    let position = at.checked_sub(bound).filter(|_| by_position);
    let mut calls = 0;
    for other in program.file_ids().filter(|&other| program.same_tree(file, other)) {
        let model = &program.file(other).model;
        if !model.names().may_hold(definition.name) {
            continue;
        }
        let mut called = 0;
        for call in model.calls().iter().filter(|call| model.last_name(call.callee) == Some(definition.name)) {
            called += 1;
            if may_hand_over(model, call, position, name) {
                return None;
            }
        }
        // Who mentions it otherwise hands it on to somebody who may call it in any way.
        let mentions = model.functions.iter().flat_map(|function| &function.mentions);
        if mentions.filter(|&&mention| mention == definition.name).count() > called {
            return None;
        }
        calls += called;
    }
    (calls > 0).then_some(truth)
}

/// Whether a call may hand something over in a parameter.
fn may_hand_over(model: &File, call: &Call, position: Option<usize>, name: Symbol) -> bool {
    let args = model.list(call.args);
    position.is_some_and(|position| args.len() > position)
        || args.iter().any(|&arg| matches!(model.expr(arg), Expr::Starred(_)))
        || model.keywords(*call).iter().any(|keyword| keyword.name.is_none_or(|keyword| keyword == name))
}
