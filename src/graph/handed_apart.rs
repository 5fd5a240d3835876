//! Functions that communicate and that only some ranks hand to whoever calls them back.

use crate::base::{FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::model::{Expr, each_expression, expressions_of};

use super::blocks::{is_test, speaks_of_rank};
use super::communication::{Communication, Issue, Wanted};
use super::conduct::bodies;
use super::context::each_in_context;
use super::program::Program;
use super::resolve::Target;

/// Methods that keep a function to be called later, in step with the job.
const KEEPS: [&str; 9] = [
    "add_event_handler",
    "add_callback",
    "register_callback",
    "register_forward_hook",
    "register_forward_pre_hook",
    "register_full_backward_hook",
    "register_step_post_hook",
    "register_step_pre_hook",
    "attach_callback",
];

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

/// The functions that are handed over where the rank has been asked for, in order of files.
pub(super) fn handed_apart(program: &Program, communication: &mut Communication<'_>) -> Vec<HandedApart> {
    let mut out = Vec::new();
    let spelled = KEEPS.map(Symbol::new);
    for (file, local) in bodies(program) {
        let model = &program.file(file).model;
        let definition = model.function(local);
        if !model.names().may_hold_any(&spelled) {
            continue;
        }
        if !definition.mentions.iter().any(|name| KEEPS.contains(&name.as_str())) {
            continue;
        }
        each_in_context(model, local, &mut |_, stmt, context| {
            let asks = |&&test: &&_| speaks_of_rank(&program.catalog, model, test);
            let Some(&test) = context.conditions.iter().find(asks) else { return };
            for root in expressions_of(model, stmt) {
                each_expression(model, root, &mut |id, expr| {
                    let Expr::Call(call) = expr else { return };
                    let call = model.call(call);
                    if !model.last_name(call.callee).is_some_and(|name| KEEPS.contains(&name.as_str())) {
                        return;
                    }
                    for &given in model.list(call.args) {
                        let Some(Target::Function(handed)) = program.target(file, local, given) else { continue };
                        let Some(issue) = communication.issue_of(handed, Wanted::Collective) else { continue };
                        let sure = if is_test(&program.file(file).path) { Confidence::Low } else { Confidence::Medium };
                        out.push(HandedApart {
                            function: program.function_id(file, local),
                            handed: program.function(handed).name,
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
