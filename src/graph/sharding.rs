//! Calls that communicate only where the model is sharded: what the program says of that.
//!
//! The launcher's configuration may shard any model that was prepared for it, but who writes for sharded models speaks of
//! them: of the wrapper, the plugin or the library that shards, or in the words of state dicts that are put together.

mod whole;

use crate::base::{FileId, Site, Symbol};
use crate::flow::{Effect, Node, Value};
use crate::model::{Call, CompareOp, Expr, File, Function, each_expression};

use super::communication::calls_in;
use super::confidence::Evidence;
use super::descent::{contains, preorder};
use super::evaluate::Engine;
use super::resolve::Target;
use super::witness::SplitKind;

/// What the names are made of that a program uses where it thinks of sharded models.
const WORDS: [&str; 8] =
    ["fsdp", "fullysharded", "fully_shard", "deepspeed", "zero3", "zero_stage", "model_state_dict", "statedictoptions"];

/// Parts of names that are made of these words and speak of no sharded model.
const NOT_OF_SHARDING: [&str; 4] =
    ["peft_model_state_dict", "deepspeed_zero_init", "zero3_init_context", "deepspeed_plugin"];

/// What the names are made of that a program uses where engines may shard parameters as well (ZeRO's third stage).
const OF_THE_LAST_STAGE: [&str; 6] =
    ["zero3", "zero_3", "zero_stage", "deepspeed_stage", "gatheredparameters", "parameter_offload"];

/// Parts of a question that are looked at.
const MAX_PARTS: usize = 40;

/// What the names of functions are made of that shard the model they are given.
const SHARDS: [&str; 4] = ["fsdp", "fullysharded", "fully_shard", "deepspeed"];

impl Evidence<'_, '_> {
    /// Whether the operation communicates only where the model is sharded, and nothing on the way to it speaks of
    /// sharding, or the model is sharded only afterwards. A state that is asked for right behind a test of the rank is no
    /// business of one rank in any case, nor is one that each rank saves a part of, where anybody speaks of that.
    pub(super) fn is_sharded_nowhere(&self) -> bool {
        let event = self.engine.effects.event(self.main);
        if !event.sharded {
            return false;
        }
        let asked_there = || self.decision.is_some_and(|decision| self.engine.same_function(decision.site, event.site));
        // Where no part of a project knows of sharded models nobody shards one; who asks for a state dict of a model that
        // may be sharded right behind the test does know, where one does.
        let here = self.engine.program.locate(self.function).0;
        let parting = self.decision.map_or(here, |decision| decision.site.file);
        let is_for_all = !self.is_opaque()
            && (event.op.as_str() == "checkpoint_save" || asked_there())
            && [event.site.file, parting].into_iter().any(|file| self.engine.knows_of_sharding(file));
        // A helper of another file is for models of any kind: what counts is who calls it.
        let files: Vec<FileId> = match parting == event.site.file {
            true => self.calls.iter().map(|&(site, _)| site.file).chain([parting, here, event.site.file]).collect(),
            false => vec![parting, here],
        };
        let speaks = || files.iter().any(|&file| speaks_of_sharding(&self.engine.program.file(file).model));
        !is_for_all && !speaks()
            || self.lets_sharded_models_pass()
            || self.is_sharded_later(event.site)
            || self.is_left_out_where_sharded()
            || self.is_of_a_model_made_there(event.site)
            || self.is_of_one_of_several(event.site)
    }

    /// Whether the operation stands in an arm that is taken where a setting says that no parameters are sharded.
    fn is_left_out_where_sharded(&self) -> bool {
        let Some(cause) = self.cause else { return false };
        let engine = self.engine;
        let whole = if self.kind == SplitKind::EarlyExit { self.root } else { cause.effect };
        preorder(engine, whole).into_iter().any(|effect| match engine.effects.get(effect) {
            Effect::Choice { test, then, otherwise, .. } => {
                match (contains(engine, *then, self.main), contains(engine, *otherwise, self.main)) {
                    (true, false) => denies_sharding(engine, *test, true, 0),
                    (false, true) => denies_sharding(engine, *test, false, 0),
                    _ => false,
                }
            }
            _ => false,
        })
    }

    /// Whether the file where ranks part, or one on the way to the operation, thinks of engines that shard the parameters.
    pub(super) fn speaks_of_the_last_stage(&self) -> bool {
        let engine = self.engine;
        let here = engine.program.locate(self.function).0;
        let event = engine.effects.event(self.main).site.file;
        let parting = self.decision.map_or(here, |decision| decision.site.file);
        let mut files = self.calls.iter().map(|&(site, _)| site.file).chain([parting, here, event]);
        files.any(|file| mentions_one_of(&engine.program.file(file).model, &OF_THE_LAST_STAGE))
    }

    /// Whether what ranks issue in another order communicates only where the model is sharded, and stands in another
    /// function than the question: it may be handed a model of that rank's own.
    pub(super) fn stands_against_sharded(&self) -> bool {
        let (Some(instead), Some(decision)) = (self.instead, self.decision) else { return false };
        matches!(self.kind, SplitKind::Order | SplitKind::WrongGroup)
            && [self.main, instead].into_iter().any(|event| {
                let event = self.engine.effects.event(event);
                event.sharded && !self.engine.same_function(decision.site, event.site)
            })
    }

    /// Whether the question where ranks part lets all of them pass where a setting says that models are sharded.
    fn lets_sharded_models_pass(&self) -> bool {
        if self.asks_for_sharding_or_else() {
            return true;
        }
        let Some(test) = self.test else { return false };
        let values = &self.engine.values;
        let named = |value: Value| match values.node(value) {
            Node::Attribute(_, name) | Node::Keyword(_, name) | Node::Apply(name, _) | Node::External(name) => {
                is_of_sharding(*name)
            }
            _ => false,
        };
        let lets_pass = |part: Value| match *values.node(part) {
            Node::Or(left, right) => {
                let mut sides = [left, right].into_iter();
                sides.any(|side| values.vary(side).is_empty() && values.any_part(side, MAX_PARTS, named))
            }
            _ => false,
        };
        let mut pending = vec![test];
        while let Some(part) = pending.pop() {
            match *values.node(part) {
                Node::And(left, right) => pending.extend([left, right]),
                _ if lets_pass(part) => return true,
                _ => {}
            }
        }
        false
    }

    /// The same, by how the question is written: whatever `task.is_fsdp or …` was worked out to.
    fn asks_for_sharding_or_else(&self) -> bool {
        let Some((model, question)) = self.question() else { return false };
        let Expr::Or(parts) = model.expr(question) else { return false };
        model.list(parts).iter().any(
            |&part| matches!(model.expr(part), Expr::Name(name) | Expr::Attribute { name, .. } if is_of_sharding(name)),
        )
    }

    /// Whether a setting that speaks of sharding decides whether the operation is reached, and nothing in the file where
    /// ranks part knows of sharded models: whoever runs that one does not set it.
    pub(super) fn is_set_for_sharding_elsewhere(&self) -> bool {
        let (Some(decision), Some(cause)) = (self.decision, self.cause) else { return false };
        let engine = self.engine;
        let named = |value: Value| match engine.values.node(value) {
            Node::Attribute(_, name) | Node::Keyword(_, name) | Node::Apply(name, _) => is_of_sharding(*name),
            _ => false,
        };
        let set = preorder(engine, if self.kind == SplitKind::EarlyExit { self.root } else { cause.effect })
            .into_iter()
            .any(|effect| match engine.effects.get(effect) {
                Effect::Choice { test, then, otherwise, .. } if engine.values.vary(*test).is_empty() => {
                    contains(engine, *then, self.main)
                        && !contains(engine, *otherwise, self.main)
                        && engine.values.any_part(*test, MAX_PARTS, named)
                }
                _ => false,
            });
        set && !speaks_of_sharding(&engine.program.file(decision.site.file).model)
            && !engine.has_models_sharded(decision.site.file)
    }

    /// Whether the model that the operation is given is handed, in the same function, to what shards it only behind the
    /// operation.
    fn is_sharded_later(&self, event: Site) -> bool {
        let model = &self.engine.program.file(event.file).model;
        let Some(local) = self.engine.function_at(event) else { return false };
        let calls = calls_in(model, model.function(local).body);
        let given = |call: Call| -> Vec<Symbol> {
            let names = model.list(call.args).iter().filter_map(|&arg| match model.expr(arg) {
                Expr::Name(name) => Some(name),
                _ => None,
            });
            names.collect()
        };
        let Some(&(_, operation)) = calls.iter().find(|&&(expr, _)| model.span(expr) == event.span) else {
            return false;
        };
        let wanted = given(operation);
        let sharders: Vec<u32> = calls
            .iter()
            .filter(|(_, call)| shards(model, *call) && given(*call).iter().any(|name| wanted.contains(name)))
            .map(|&(expr, _)| model.span(expr).start)
            .collect();
        !sharders.is_empty() && sharders.iter().all(|&start| start > event.span.end)
    }
}

impl Engine<'_> {
    /// Whether a file imports a function by name that shards models.
    fn has_models_sharded(&self, file: FileId) -> bool {
        let program = self.program;
        program.imported_by_name(file).any(|(_, target, home)| {
            let Target::Function(function) = target else { return false };
            let model = &program.file(home).model;
            let body = program.function(function).body;
            calls_in(model, body).into_iter().any(|(_, call)| shards(model, call))
        })
    }

    /// Whether anything in the outermost folder around a file speaks of sharded models: what lies beside it is another
    /// project's as often as not.
    fn knows_of_sharding(&self, file: FileId) -> bool {
        let path: &str = &self.program.file(file).path;
        let folder = path.split_once('/').map_or("", |(outermost, _)| outermost);
        let program = self.program;
        let is_below = |&file: &FileId| {
            let path: &str = &program.file(file).path;
            match folder {
                "" => !path.contains('/'),
                _ => path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
            }
        };
        *self.memo.knows_of_sharding.borrow_mut().entry(folder).or_insert_with(|| {
            let below: Vec<FileId> = program.file_ids().filter(is_below).collect();
            let speaks = |&file: &FileId| mentions_sharding(&program.file(file).model);
            // Beside the scripts at the root lie other projects, and modules of their own, which they import.
            let imports = || below.iter().any(|&file| program.imported_by(file).iter().any(speaks));
            below.iter().any(speaks) || folder.is_empty() && imports()
        })
    }

    /// Whether a question is whether a thing is sharded, and ranks part in that file, or in another one that speaks of
    /// sharding: who wrote it has sharded things.
    pub(super) fn speaks_of_shards(&self, question: Site, parting: Site) -> bool {
        let elsewhere = &self.program.file(parting.file).model;
        let has_gathered = || {
            let around = self.function_at(parting).map(|around| elsewhere.function(around));
            around.is_some_and(|around| gathers_in_full(elsewhere, around))
        };
        let is_elsewhere = question.file != parting.file;
        if is_elsewhere && (!mentions_sharding(elsewhere) || has_gathered()) {
            return false;
        }
        let Some((model, expr)) = self.written_at(question) else { return false };
        let mut speaks = false;
        each_expression(model, expr, &mut |_, expr| {
            speaks |= match expr {
                Expr::Name(name) | Expr::Attribute { name, .. } => {
                    matches!(name.as_str(), "DTensor" | "FSDPModule" | "FSDP" | "FullyShardedDataParallel")
                }
                // `hasattr(tensor, "full_tensor")`
                Expr::Str(name) => is_elsewhere && name.as_str() == "full_tensor",
                _ => false,
            };
        });
        speaks
    }
}

/// Names of what says that a state is gathered, and the option that does: what comes of it is no longer sharded.
const IN_FULL: [&str; 3] = ["FullStateDictConfig", "FULL_STATE_DICT", "summon_full_params"];
const OPTION: &str = "full_state_dict";

/// Whether a function has a state gathered.
fn gathers_in_full(model: &File, function: &Function) -> bool {
    let option = Symbol::new(OPTION);
    function.mentions.iter().any(|name| IN_FULL.contains(&name.as_str()))
        || calls_in(model, function.body)
            .into_iter()
            .any(|(_, call)| model.keywords(call).iter().any(|keyword| keyword.name == Some(option)))
}

/// Whether a function of the file names something of sharded models.
fn mentions_sharding(file: &File) -> bool {
    file.functions
        .iter()
        .flat_map(|function| &function.mentions)
        .any(|&name| !is_boilerplate(name) && is_made_of(name, &SHARDS))
}

/// Whether a name stands in scripts of any kind that were begun from the same example: for the states of adapters, and for
/// what has an engine leave alone what it might shard.
fn is_boilerplate(name: Symbol) -> bool {
    NOT_OF_SHARDING.iter().any(|part| name.as_str().contains(part))
}

/// The stage of ZeRO in which parameters are sharded.
const LAST_STAGE: i64 = 3;

/// Whether a question is answered so only where parameters are not sharded: of the stage of ZeRO, or whether it is the last.
fn denies_sharding(engine: &Engine<'_>, test: Value, holds: bool, depth: u32) -> bool {
    let values = &engine.values;
    let is_named = |value: Value, words: &[&str]| match values.node(value) {
        Node::Attribute(_, name) | Node::Keyword(_, name) | Node::Apply(name, _) | Node::External(name) => {
            is_made_of(*name, words)
        }
        _ => false,
    };
    let is_stage = |value: Value| is_named(value, &["stage"]);
    let is = |value: Value, number: i64| *values.node(value) == Node::Int(number);
    match *values.node(test) {
        _ if depth > MAX_DEPTH => false,
        Node::Not(inner) => denies_sharding(engine, inner, !holds, depth + 1),
        Node::And(left, right) if holds => {
            [left, right].into_iter().any(|part| denies_sharding(engine, part, holds, depth + 1))
        }
        Node::Or(left, right) if !holds => {
            [left, right].into_iter().any(|part| denies_sharding(engine, part, holds, depth + 1))
        }
        Node::Compare(CompareOp::Eq, stage, number) => !holds && is_stage(stage) && is(number, LAST_STAGE),
        Node::Compare(CompareOp::Less, stage, number) if is_stage(stage) => holds && is(number, LAST_STAGE),
        Node::Compare(CompareOp::Less, number, stage) => !holds && is_stage(stage) && is(number, LAST_STAGE - 1),
        _ => !holds && is_named(test, &OF_THE_LAST_STAGE[..1]),
    }
}

/// How deep a question is looked into.
const MAX_DEPTH: u32 = 8;

/// Whether a call shards what it is given, by its name.
fn shards(model: &File, call: Call) -> bool {
    let name = match model.expr(call.callee) {
        // `deepspeed.initialize`
        Expr::Attribute { value, name } if name.as_str() == "initialize" => model.last_name(value),
        Expr::Name(name) | Expr::Attribute { name, .. } => Some(name),
        _ => None,
    };
    let name = name.map(|name| name.as_str().to_ascii_lowercase());
    name.is_some_and(|name| SHARDS.iter().any(|word| name.contains(word)))
}

/// Whether some function of the file, or its top level, uses a name that speaks of sharded models.
fn speaks_of_sharding(model: &File) -> bool {
    let mut names = model.functions.iter().flat_map(|function| function.mentions.iter());
    names.any(|&name| !is_boilerplate(name) && is_made_of(name, &WORDS))
}

/// Whether some function of the file, or its top level, uses a name that one of the words, in small letters, is part of.
fn mentions_one_of(model: &File, words: &[&str]) -> bool {
    model.functions.iter().flat_map(|function| function.mentions.iter()).any(|&name| is_made_of(name, words))
}

fn is_of_sharding(name: Symbol) -> bool {
    is_made_of(name, &WORDS)
}

fn is_made_of(name: Symbol, words: &[&str]) -> bool {
    let name = name.as_str().to_ascii_lowercase();
    words.iter().any(|word| name.contains(word))
}
