//! Training steps that a framework calls on every rank, and whose loss it takes back through the model: a rank whose step
//! returns nothing skips the backward pass that its peers wait in.
//!
//! Lightning says so of `training_step`: returning `None` "is not supported for multi-GPU" (LightningModule, training_step).

use rustc_hash::FxHashMap;

use super::conduct::bodies;
use super::program::Program;
use crate::base::{FunctionId, Symbol};
use crate::model::{Expr, Stmt, each_statement};

/// The step, and the end of the name of the class that has it.
const STEP: (&str, &str) = ("training_step", "LightningModule");

/// What a class mentions that goes back through its model itself.
const BY_HAND: [&str; 2] = ["automatic_optimization", "manual_backward"];

/// What shows in the files of a tree that it is trained by several ranks.
const OF_SEVERAL: [&[u8]; 6] = [b"sync_dist", b"rank_zero", b"is_global_zero", b"global_rank", b"\"ddp", b"'ddp"];

/// The steps that return a loss on one way and nothing on another, in trees that several ranks train.
pub(super) fn skipping_steps(program: &Program) -> Vec<FunctionId> {
    let mut of_several: FxHashMap<Symbol, bool> = FxHashMap::default();
    let steps = bodies(program).map(|(file, local)| program.function_id(file, local));
    let mut steps: Vec<FunctionId> = steps.filter(|&step| may_skip_backward(program, step)).collect();
    steps.retain(|&step| {
        let tree = program.tree_of(program.locate(step).0);
        *of_several.entry(tree).or_insert_with(|| {
            let mut files = program.file_ids().filter(|&file| program.tree_of(file) == tree);
            files.any(|file| {
                let text = program.file(file).text.as_bytes();
                OF_SEVERAL.iter().any(|sign| memchr::memmem::find(text, sign).is_some())
            })
        })
    });
    steps
}

/// Whether the function is a step of a class that leaves the backward pass to its framework, and returns nothing on one of
/// its ways.
pub(super) fn may_skip_backward(program: &Program, function: FunctionId) -> bool {
    let definition = program.function(function);
    if definition.name.as_str() != STEP.0 || definition.skeleton {
        return false;
    }
    let Some(class) = program.class_of(function) else { return false };
    let (file, local) = program.locate_class(class);
    let model = &program.file(file).model;
    let by_hand = |name: &Symbol| BY_HAND.contains(&name.as_str());
    let mut methods = model.class(local).methods.iter();
    if !program.external_bases(class).iter().any(|base| base.as_str().ends_with(STEP.1))
        || methods.any(|&(_, method)| model.function(method).mentions.iter().any(by_hand))
    {
        return false;
    }
    let (mut loss, mut nothing) = (false, false);
    each_statement(model, definition.body, &mut |_, stmt| {
        if let Stmt::Return(said) = stmt {
            match said.map(|said| model.expr(said)) {
                None | Some(Expr::None) => nothing = true,
                Some(_) => loss = true,
            }
        }
    });
    loss && nothing
}
