//! Models that are whole wherever the program runs: made by one rank for itself, or prepared together with others, which no
//! engine shards.

use crate::base::{Site, Symbol};
use crate::model::{Call, Expr, ExprId, File, LocalFunction, each_call, each_statement};

use super::super::communication::calls_in;
use super::super::confidence::Evidence;
use super::super::resolve::Target;
use super::shards;

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
            Expr::Call(made) => {
                let made = model.call(made);
                let takes_a_model = model.list(made.args).iter().any(|&arg| holds_a_model(model, local, arg));
                let is_class = match program.target(event.file, local, made.callee) {
                    Some(Target::Class(_)) => true,
                    Some(Target::External(dotted)) => dotted.last_part().as_str().starts_with(char::is_uppercase),
                    _ => false,
                };
                is_class && !takes_a_model && !shards(model, made)
            }
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

    /// Whether every call that readies models for the accelerator in the file of the operation is handed several: DeepSpeed
    /// takes one, and of FSDP the file says nothing.
    pub(super) fn is_of_one_of_several(&self, event: Site) -> bool {
        let model = &self.engine.program.file(event.file).model;
        let mut counts: Vec<usize> = Vec::new();
        let mut names_fsdp = false;
        for (index, function) in model.functions.iter().enumerate() {
            names_fsdp |= function.mentions.iter().any(|&name| is_of_fsdp(name));
            each_call(model, LocalFunction(index as u32), &mut |_, call| {
                names_fsdp |= model.keywords(call).iter().any(|keyword| keyword.name.is_some_and(is_of_fsdp));
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

fn is_of_fsdp(name: Symbol) -> bool {
    let name = name.as_str().to_ascii_lowercase();
    name.contains("fsdp") || name.contains("fullysharded") || name.contains("fully_shard")
}

/// Whether what a constructor is handed may be a model that others have: by its name, or by how it was made.
fn holds_a_model(model: &File, function: LocalFunction, arg: ExprId) -> bool {
    let Expr::Name(wanted) = model.expr(arg) else { return false };
    let mut found = is_model(model, arg) || ["model", "net"].iter().any(|word| wanted.as_str().ends_with(word));
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Some((targets, value)) = model.assigned(stmt)
            && targets.iter().any(|&target| model.expr(target) == Expr::Name(wanted))
            && let Expr::Call(call) = model.expr(value)
        {
            found |= shards(model, model.call(call));
        }
    });
    found
}

/// Whether a variable is a model, by the methods of it that the file calls.
fn is_model(model: &File, arg: ExprId) -> bool {
    let Expr::Name(wanted) = model.expr(arg) else { return false };
    // Optimizers have modes too.
    if wanted.as_str().contains("optim") {
        return false;
    }
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
