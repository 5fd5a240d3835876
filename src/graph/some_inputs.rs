//! Parts of a model that are sharded, and that a batch of some sort alone goes through: pictures, sound. A rank whose batch
//! has none of it does not gather the parameters that its peers gather.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::model::{
    Block, CompareOp, Expr, ExprId, File, LocalFunction, Stmt, UnaryOp, each_call, each_expression, each_statement,
};

use super::communication::calls_in;
use super::conduct::bodies;
use super::program::Program;

/// What wraps a part of a model by itself.
const SHARDS: [&str; 3] = ["fully_shard", "FSDP", "FullyShardedDataParallel"];

/// Words in the names of what a batch of text alone does not have.
const INPUTS: [&str; 6] = ["pixel", "image", "images", "video", "videos", "audio"];

/// Words in the names of the parts that work on it.
const PARTS: [&str; 8] = ["vision", "visual", "image", "video", "audio", "vit", "encoder", "tower"];

/// A sharded part behind a question whether the batch has something for it.
#[derive(Clone, Debug)]
pub struct SomeInputs {
    /// The function that asks.
    pub function: FunctionId,
    /// The attribute that holds the part.
    pub part: Symbol,
    /// The question.
    pub test: Site,
    /// What the batch may have.
    pub input: Symbol,
    /// Where the part is called.
    pub called: Site,
    /// Where it is sharded.
    pub sharded: Site,
}

/// The sharded parts that some batches do not come to, in order of files.
pub(super) fn some_inputs(program: &Program) -> Vec<SomeInputs> {
    let sharded = sharded(program);
    let mut out = Vec::new();
    if sharded.is_empty() {
        return out;
    }
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        let definition = model.function(function);
        let Some(class) = definition.class.filter(|_| !program.file(file).is_test()) else { continue };
        let class = model.class(class).name;
        let inputs: FxHashSet<Symbol> = definition
            .parameters
            .iter()
            .filter(|parameter| parameter.default.is_some_and(|default| model.expr(default) == Expr::None))
            .map(|parameter| parameter.name)
            .filter(|name| has_word(*name, &INPUTS))
            .collect();
        // Who makes something up for such a batch has thought of it.
        let makes_up = || definition.mentions.iter().any(|name| name.as_str().contains("dummy"));
        if inputs.is_empty() || makes_up() {
            continue;
        }
        each_statement(model, definition.body, &mut |_, stmt| {
            let Stmt::If { test, body, orelse } = *stmt else { return };
            let Some(input) = asks_for(model, test, &inputs).filter(|_| orelse.is_empty()) else { return };
            let found = parts_called(program, (file, function), body, true).into_iter().find_map(|(part, called)| {
                let places = sharded.get(&(program.tree_of(file), part))?;
                // Who shards the parts of a model has it before him, or names it.
                let knows = |place: &&Site| place.file == file || names(&program.file(place.file).text, class.as_str());
                Some((part, called, *places.iter().find(knows)?))
            });
            if let Some((part, called, sharded)) = found
                && !is_made_up(program, (file, function), input, part)
            {
                let test = Site { file, span: model.span(test) };
                let function = program.function_id(file, function);
                out.push(SomeInputs { function, part, test, input, called, sharded });
            }
        });
    }
    out
}

/// The attributes that hold parts which are sharded by themselves, by tree: `fully_shard(model.vision)`, and
/// `for block in model.vision.blocks: fully_shard(block)`.
fn sharded(program: &Program) -> FxHashMap<(Symbol, Symbol), Vec<Site>> {
    let mut out: FxHashMap<(Symbol, Symbol), Vec<Site>> = FxHashMap::default();
    let spelled = SHARDS.map(Symbol::new);
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        let definition = model.function(function);
        if !model.names().may_hold_any(&spelled) {
            continue;
        }
        if !definition.mentions.iter().any(|name| SHARDS.contains(&name.as_str())) {
            continue;
        }
        let mut loops: FxHashMap<Symbol, ExprId> = FxHashMap::default();
        each_statement(model, definition.body, &mut |_, stmt| {
            if let Stmt::For { target, iter, .. } = *stmt
                && let Expr::Name(name) = model.expr(target)
            {
                loops.insert(name, iter);
            }
        });
        each_call(model, function, &mut |expr, call| {
            if !model.last_name(call.callee).is_some_and(|name| SHARDS.contains(&name.as_str())) {
                return;
            }
            let Some(&given) = model.list(call.args).first() else { return };
            let whole = match model.expr(given) {
                Expr::Name(name) => loops.get(&name).copied().unwrap_or(given),
                _ => given,
            };
            each_expression(model, whole, &mut |_, part| {
                if let Expr::Attribute { name, .. } = part
                    && has_word(name, &PARTS)
                {
                    let site = Site { file, span: model.span(expr) };
                    out.entry((program.tree_of(file), name)).or_default().push(site);
                }
            });
        });
    }
    out
}

/// The input that a question is about: `pixel_values is not None`, alone or with more that must hold.
fn asks_for(model: &File, test: ExprId, inputs: &FxHashSet<Symbol>) -> Option<Symbol> {
    match model.expr(test) {
        Expr::Compare(CompareOp::IsNot, asked, none) if model.expr(none) == Expr::None => match model.expr(asked) {
            Expr::Name(name) if inputs.contains(&name) => Some(name),
            _ => None,
        },
        Expr::And(parts) => model.list(parts).iter().find_map(|&part| asks_for(model, part, inputs)),
        _ => None,
    }
}

/// Whether the function has the part work on something else where the batch has nothing for it.
fn is_made_up(program: &Program, (file, function): (FileId, LocalFunction), input: Symbol, part: Symbol) -> bool {
    let model = &program.file(file).model;
    let is_input = |expr: ExprId| model.expr(expr) == Expr::Name(input);
    let mut made_up = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        let Stmt::If { test, body, .. } = *stmt else { return };
        let is_absent = match model.expr(test) {
            Expr::Compare(CompareOp::Is, asked, none) => is_input(asked) && model.expr(none) == Expr::None,
            Expr::Unary(UnaryOp::Not, asked) => is_input(asked),
            _ => false,
        };
        made_up |=
            is_absent && parts_called(program, (file, function), body, true).iter().any(|called| called.0 == part);
    });
    made_up
}

/// The attributes of the object at hand that a block calls, itself or in a method of the object: which, and where.
fn parts_called(
    program: &Program,
    (file, function): (FileId, LocalFunction),
    block: Block,
    further: bool,
) -> Vec<(Symbol, Site)> {
    let model = &program.file(file).model;
    let definition = model.function(function);
    let Some(own) = definition.parameters.first().map(|own| own.name) else { return Vec::new() };
    let mut out = Vec::new();
    for (expr, call) in calls_in(model, block) {
        let Expr::Attribute { value, name } = model.expr(call.callee) else { continue };
        if model.expr(value) != Expr::Name(own) {
            continue;
        }
        let class = definition.class.map(|class| program.class_id(file, class));
        match class.and_then(|class| program.method(class, name)) {
            Some(method) if further => {
                let (home, local) = program.locate(method);
                let body = program.file(home).model.function(local).body;
                out.extend(parts_called(program, (home, local), body, false));
            }
            Some(_) => {}
            None => out.push((name, Site { file, span: model.span(expr) })),
        }
    }
    out
}

fn names(text: &str, class: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), class.as_bytes()).is_some()
}

fn has_word(name: Symbol, words: &[&str]) -> bool {
    name.as_str().split('_').any(|part| words.contains(&part))
}
