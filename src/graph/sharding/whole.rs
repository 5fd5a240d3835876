//! Models that are whole wherever the program runs: made by one rank for itself, or prepared together with others, which no
//! engine shards.

use crate::base::{Site, Symbol};
use crate::model::{Call, Expr, ExprId, File, LocalFunction, each_call, each_statement};

use super::super::communication::calls_in;
use super::super::confidence::Evidence;
use super::super::resolve::Target;

/// The method of an accelerator that readies models, and what wraps them for it.
const PREPARES: &str = "prepare";

/// Methods that only models have, among what is handed to it.
const OF_MODELS: [&str; 6] = ["parameters", "named_parameters", "requires_grad_", "train", "eval", "named_modules"];

impl Evidence<'_, '_> {
    /// Whether the model that the operation is given was made behind the question, by who comes there alone: nobody has
    /// sharded it.
    pub(super) fn is_of_a_model_made_there(&self, event: Site) -> bool {
        let Some(decision) = self.decision.filter(|decision| decision.site.file == event.file) else { return false };
        let program = self.engine.program;
        let model = &program.file(event.file).model;
        let Some(local) = self.engine.function_at(event) else { return false };
        let calls = calls_in(model, model.function(local).body);
        let Some(&(_, call)) = calls.iter().find(|&&(expr, _)| model.span(expr) == event.span) else { return false };
        let Some(name) = given(model, call) else { return false };
        let is_class = |value: ExprId| match model.expr(value) {
            Expr::Call(made) => match program.target(event.file, local, model.call(made).callee) {
                Some(Target::Class(_)) => true,
                Some(Target::External(dotted)) => dotted.last_part().as_str().starts_with(char::is_uppercase),
                _ => false,
            },
            _ => false,
        };
        let mut is_made = false;
        each_statement(model, model.function(local).body, &mut |id, stmt| {
            let Some((targets, value)) = model.assigned(stmt) else { return };
            let at = model.stmt_span(id);
            let is_before = at.end <= event.span.start;
            if is_before && targets.iter().any(|&target| model.expr(target) == Expr::Name(name)) {
                is_made = decision.site.span.end <= at.start && is_class(value);
            }
        });
        is_made
    }

    /// Whether every call that readies models for the accelerator in the file of the operation is handed several: engines
    /// that shard take one, and the file speaks of no other way.
    pub(super) fn is_of_one_of_several(&self, event: Site) -> bool {
        let model = &self.engine.program.file(event.file).model;
        let mut counts: Vec<usize> = Vec::new();
        let mut names_fsdp = false;
        for (index, function) in model.functions.iter().enumerate() {
            names_fsdp |= function.mentions.iter().any(|name| name.as_str().to_ascii_lowercase().contains("fsdp"));
            each_call(model, LocalFunction(index as u32), &mut |_, call| {
                let Expr::Attribute { name, .. } = model.expr(call.callee) else { return };
                if name.as_str() == PREPARES {
                    let models = model.list(call.args).iter().filter(|&&arg| is_model(model, arg));
                    counts.extend(Some(models.count()).filter(|&count| count > 0));
                }
            });
        }
        !names_fsdp && !counts.is_empty() && counts.iter().all(|&count| count > 1)
    }
}

/// The variable that an operation is handed, or whose method it is.
fn given(model: &File, call: Call) -> Option<Symbol> {
    let first = model.list(call.args).first().copied().map(|arg| model.expr(arg));
    match (first, model.expr(call.callee)) {
        (Some(Expr::Name(name)), _) => Some(name),
        (None, Expr::Attribute { value, .. }) => match model.expr(value) {
            Expr::Name(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a variable is a model, by the methods of it that the file calls.
fn is_model(model: &File, arg: ExprId) -> bool {
    let Expr::Name(wanted) = model.expr(arg) else { return false };
    let mut found = false;
    for index in 0..model.functions.len() as u32 {
        each_call(model, LocalFunction(index), &mut |_, call| {
            if let Expr::Attribute { value, name } = model.expr(call.callee) {
                found |= OF_MODELS.contains(&name.as_str()) && model.expr(value) == Expr::Name(wanted);
            }
        });
    }
    found
}
