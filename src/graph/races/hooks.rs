//! Methods that a framework calls on every rank, or on the one that writes: of Lightning, transformers, composer, mmengine.

use crate::base::{FunctionId, Symbol};
use crate::graph::program::Program;

/// Packages whose callbacks run on every rank.
const PACKAGES: [&str; 6] =
    ["lightning", "pytorch_lightning", "lightning_fabric", "transformers", "composer", "mmengine"];

/// Ends of the names of the classes that are called back.
const CALLED_BACK: [&str; 6] = ["Callback", "LightningModule", "LightningDataModule", "Trainer", "BaseMetric", "Hook"];

/// What makes an object of such a class: on every rank, as its hooks are called there.
const CONSTRUCTOR: &str = "__init__";

/// Classes of Lightning whose methods the trainer calls, and what they are called beside `on_…`: what is made of the data, and
/// what is done with each batch.
const OF_LIGHTNING: [&str; 2] = ["LightningModule", "LightningDataModule"];
const CALLED_BY_TRAINER: [&str; 10] = [
    "setup",
    "configure_optimizers",
    "configure_model",
    "train_dataloader",
    "val_dataloader",
    "training_step",
    "validation_step",
    "training_epoch_end",
    "validation_epoch_end",
    "forward",
];

/// Hooks that run on one rank of each node, or before there are others.
const ALONE: [&str; 2] = ["prepare_data", "on_init_end"];

/// Methods that the `Trainer` of transformers calls where `should_save` holds, which is so on the rank that writes.
const OF_WHO_WRITES: [&str; 2] = ["_save", "_rotate_checkpoints"];

/// Whether a framework calls the method on the one rank that writes.
pub(super) fn is_of_who_writes(program: &Program, function: FunctionId) -> bool {
    let is_trainer = |base: &Symbol| base.as_str().starts_with("transformers.") && base.as_str().ends_with("Trainer");
    let named = OF_WHO_WRITES.contains(&program.function(function).name.as_str());
    let class = program.class_of(function).filter(|_| named);
    class.is_some_and(|class| program.external_bases(class).iter().any(is_trainer))
}

/// The class of a framework that calls the method on every rank.
pub(super) fn called_back_by(program: &Program, function: FunctionId) -> Option<Symbol> {
    let class = program.class_of(function)?;
    let name = program.function(function).name;
    let is_hook = name.as_str().starts_with("on_") && !ALONE.contains(&name.as_str()) || name.as_str() == CONSTRUCTOR;
    let by_trainer = CALLED_BY_TRAINER.contains(&name.as_str());
    let calls_back = |base: &Symbol| {
        let ends = |ends: &[&str]| ends.iter().any(|end| base.as_str().ends_with(end));
        let of = |package: &str| base.as_str().strip_prefix(package).is_some_and(|rest| rest.starts_with('.'));
        PACKAGES.iter().any(|package| of(package))
            && (is_hook && ends(&CALLED_BACK) || by_trainer && ends(&OF_LIGHTNING))
    };
    let base = || program.external_bases(class).into_iter().find(calls_back);
    (is_hook || by_trainer).then(base).flatten().map(Symbol::last_part)
}
