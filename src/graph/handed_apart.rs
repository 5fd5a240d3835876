//! Functions that communicate, and objects with methods that do, which only some ranks hand to whoever calls them back.

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::model::{Call, Expr, ExprId, File, LocalFunction, each_expression, expressions_of};

use super::blocks::speaks_of_rank;
use super::communication::{Communication, Issue, Wanted};
use super::conduct::bodies;
use super::context::each_in_context;
use super::program::Program;
use super::resolve::Target;

/// Methods that keep a function, or an object, to be called later, in step with the job.
const KEEPS: [&str; 12] = [
    "add_event_handler",
    "add_callback",
    "register_callback",
    "register_forward_hook",
    "register_forward_pre_hook",
    "register_full_backward_hook",
    "register_step_post_hook",
    "register_step_pre_hook",
    "attach_callback",
    "register_hook",
    "register_custom_hook",
    "add_callbacks",
];

/// What puts an element into a list.
const FILLS: &str = "append";

/// Parts of names of lists whose elements somebody calls back.
const LISTS: [&str; 2] = ["callback", "hook"];

/// Beginnings of names of methods by which an object is called back.
const CALLED_BACK: [&str; 4] = ["on_", "before_", "after_", "__call__"];

/// A function that is called back on some ranks only.
#[derive(Clone, Debug)]
pub struct HandedApart {
    /// The function in which it is handed over.
    pub function: FunctionId,
    /// Its name.
    pub handed: Symbol,
    /// Where it is handed over.
    pub site: Site,
    /// The condition.
    pub test: Site,
    /// What it issues.
    pub issue: Issue,
    /// How sure.
    pub confidence: Confidence,
}

/// The functions and objects that are handed over where the rank has been asked for, in order of files.
pub(super) fn handed_apart(program: &Program, communication: &mut Communication<'_>) -> Vec<HandedApart> {
    let mut out = Vec::new();
    let spelled: Vec<Symbol> = KEEPS.iter().chain([&FILLS]).map(|name| Symbol::new(name)).collect();
    for (file, local) in bodies(program) {
        let model = &program.file(file).model;
        let definition = model.function(local);
        if !model.names().may_hold_any(&spelled) {
            continue;
        }
        if !definition.mentions.iter().any(|name| spelled.contains(name)) {
            continue;
        }
        each_in_context(model, local, &mut |_, stmt, context| {
            let asks = |&&test: &&_| speaks_of_rank(&program.catalog, model, test);
            let Some(&test) = context.conditions.iter().find(asks) else { return };
            for root in expressions_of(model, stmt) {
                each_expression(model, root, &mut |id, expr| {
                    let Expr::Call(call) = expr else { return };
                    let call = model.call(call);
                    if !keeps(model, call) {
                        return;
                    }
                    let by_library = is_of_library(program, file, model.last_name(call.callee));
                    for &given in model.list(call.args) {
                        let found = called_back(program, communication, (file, local), given, by_library);
                        let Some((handed, issue)) = found else { continue };
                        let sure = if program.file(file).is_test() { Confidence::Low } else { Confidence::Medium };
                        out.push(HandedApart {
                            function: program.function_id(file, local),
                            handed,
                            site: Site { file, span: model.span(id) },
                            test: Site { file, span: model.span(test) },
                            confidence: sure.min(issue.confidence),
                            issue,
                        });
                    }
                });
            }
        });
    }
    out
}

/// Whether a call keeps what it is given to be called later: by its own name, or by that of the list it fills.
fn keeps(model: &File, call: Call) -> bool {
    let Some(name) = model.last_name(call.callee) else { return false };
    let is_list = |list: ExprId| match model.expr(list) {
        Expr::Name(name) => LISTS.iter().any(|part| name.as_str().contains(part)),
        _ => false,
    };
    KEEPS.contains(&name.as_str())
        || name.as_str() == FILLS && matches!(model.expr(call.callee), Expr::Attribute { value, .. } if is_list(value))
}

/// Whether a method that keeps what it is given is a library's, by its name.
fn is_of_library(program: &Program, file: FileId, name: Option<Symbol>) -> bool {
    let is_near = |&method: &FunctionId| program.same_tree(program.locate(method).0, file);
    name.is_some_and(|name| name.as_str() != FILLS && !program.methods_named(name).iter().any(is_near))
}

/// What is called back of what is handed over, and what that issues: the function, or a method of the object. Where the
/// program itself calls its objects back, that is seen there.
fn called_back(
    program: &Program,
    communication: &mut Communication<'_>,
    (file, local): (FileId, LocalFunction),
    given: ExprId,
    by_library: bool,
) -> Option<(Symbol, Issue)> {
    let model = &program.file(file).model;
    if let Some(Target::Function(handed)) = program.target(file, local, given) {
        return communication.issue_of(handed, Wanted::Collective).map(|issue| (program.function(handed).name, issue));
    }
    let made = match model.expr(given) {
        Expr::Name(name) => program.single_assignment(file, local, name)?,
        _ => given,
    };
    let Expr::Call(call) = model.expr(made) else { return None };
    let Some(Target::Class(class)) = program.target(file, local, model.call(call).callee) else { return None };
    let of_library = |base: &Symbol| !["ABC", "Protocol", "Generic", "object"].contains(&base.last_part().as_str());
    if !by_library && !program.external_bases(class).iter().any(of_library) {
        return None;
    }
    let names = program.lineage(class).iter().flat_map(|&class| &program.class(class).methods).map(|&(name, _)| name);
    let mut called = names.filter(|name| CALLED_BACK.iter().any(|begin| name.as_str().starts_with(begin)));
    called.find_map(|name| {
        let issue = communication.issue_of(program.method(class, name)?, Wanted::Collective)?;
        // What a library does for models of any kind it may do without the others.
        (!issue.implicit).then_some((name, issue))
    })
}
