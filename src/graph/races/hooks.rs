//! Methods that a framework calls on every rank, or on the one that writes: of Lightning, transformers, composer, mmengine.

use crate::base::{FileId, FunctionId, Symbol};
use crate::graph::communication::argument;
use crate::graph::program::Program;
use crate::model::{Call, Expr, ExprId, File, LocalFunction, each_call};

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

/// The packages that Lightning has been in, and its trainer.
const TRAINERS: [&str; 2] = ["lightning.", "pytorch_lightning."];
const TRAINER: &str = "Trainer";

/// How many devices it is told to use.
const DEVICES: [&str; 2] = ["devices", "gpus"];

/// Whether the tree makes trainers of Lightning, each of which is told to use one device on one node: no rank has peers there.
fn trains_on_one_device(program: &Program, home: FileId) -> bool {
    let trainer = Symbol::new(TRAINER);
    let mut made = 0;
    for file in program.file_ids().filter(|&file| program.same_tree(home, file)) {
        let model = &program.file(file).model;
        for (index, definition) in model.functions.iter().enumerate() {
            if !definition.mentions.contains(&trainer) {
                continue;
            }
            let function = LocalFunction(index as u32);
            // What was not read in full may make any.
            let mut several = definition.skeleton;
            each_call(model, function, &mut |_, call| {
                let called = program.resolve(file, function, call.callee);
                let is_trainer = called.is_some_and(|called| {
                    called.last_part() == trainer && TRAINERS.iter().any(|package| called.as_str().starts_with(package))
                });
                if is_trainer {
                    made += 1;
                    several |= !is_told_of_one_device(model, call);
                }
            });
            if several {
                return false;
            }
        }
    }
    made > 0
}

fn is_told_of_one_device(model: &File, call: Call) -> bool {
    let is_one = |given: ExprId| match model.expr(given) {
        Expr::Int(count) => count == 1,
        Expr::ListDisplay(devices) | Expr::Tuple(devices) => model.list(devices).len() == 1,
        _ => false,
    };
    let told = |name: &str| argument(model, call, None, Symbol::new(name));
    DEVICES.into_iter().find_map(told).is_some_and(is_one) && told("num_nodes").is_none_or(is_one)
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
    let found = (is_hook || by_trainer).then(base).flatten()?;
    let is_of_lightning = TRAINERS.iter().any(|package| found.as_str().starts_with(package));
    let is_alone = is_of_lightning && trains_on_one_device(program, program.locate(function).0);
    (!is_alone).then(|| found.last_part())
}
