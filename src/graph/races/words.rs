//! What names say: of ranks, of turns that ranks take, of what each process has for itself.

use crate::base::{FileId, Symbol};
use crate::catalog::ValueKind;
use crate::graph::program::Program;
use crate::graph::taint::Taint;
use crate::model::{Call, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement};

/// Parts of names that stand for the rank, or for what one rank is.
const OF_RANKS: [&str; 8] = ["rank", "main", "master", "lead", "chief", "primary", "zero", "coordinator"];

/// Parts of names of questions that may be for the rank.
const OF_SOME: [&str; 13] =
    ["first", "last", "driver", "local", "node", "gpu", "device", "proc", "worker", "should", "writ", "owner", "root"];

/// Words of names of numbers: how many, how often.
const OF_COUNTS: [&str; 10] = ["n", "num", "keep", "max", "min", "limit", "total", "count", "every", "interval"];

/// Parts of names of paths that each process has for itself.
const OF_ONE: [&str; 16] = [
    "rank",
    "ordinal",
    "process_i",
    "pid",
    "uuid",
    "tmp",
    "temp",
    "time",
    "host",
    "worker",
    "unique",
    "random",
    "local",
    "gpu",
    "device",
    "shard",
];

/// Parts of names of settings that sound like those.
const OF_SETTINGS: [&str; 5] = ["size", "temperature", "template", "timestep", "num_"];

/// Parts of names of what lets ranks in one after the other, or sees to what fails.
const OF_TURNS: [&str; 10] =
    ["first", "lock", "main", "master", "zero", "rank", "barrier", "sync", "suppress", "sequential"];

/// Parts of names of files and functions with programs that one process runs, as a rule.
const OF_TOOLS: [&str; 6] = ["infer", "demo", "convert", "export", "merge", "submission"];

/// Questions for what lies at a path.
const QUESTIONS: [&str; 4] = ["os.path.exists", "os.path.isdir", "os.path.isfile", "os.path.lexists"];

/// The same, of methods of paths.
const METHODS: [&str; 3] = ["exists", "is_dir", "is_file"];

/// Functions that list what lies in a folder.
const LISTINGS: [&str; 5] = ["os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob"];

/// The same, of methods of paths.
const LISTING_METHODS: [&str; 3] = ["iterdir", "glob", "rglob"];

/// Assignments that a name is followed back.
const ROUNDS: usize = 3;

/// Whether a condition may not hold on all ranks alike: by a name in it, or by what such a name holds.
pub(super) fn may_ask_for_rank(
    program: &Program,
    taint: &Taint,
    (file, function): (FileId, LocalFunction),
    condition: ExprId,
) -> bool {
    let model = &program.file(file).model;
    let has = |name: &Symbol, parts: &[&str]| {
        let text = name.as_str().to_ascii_lowercase();
        text != "__name__" && parts.iter().any(|part| text.contains(part))
    };
    let of_rank = |name: &Symbol| has(name, &OF_RANKS) || program.catalog.is_rank_by_name(*name);
    let asked = names_asked(model, condition);
    let counts = |name: &Symbol| name.as_str().split('_').any(|word| OF_COUNTS.contains(&word));
    let mut asks_environment = false;
    each_expression(model, condition, &mut |_, expr| {
        if let Expr::Str(key) = expr {
            let known = program.catalog.environment_key(key.as_str());
            asks_environment |= known.is_some_and(|value| value.kind == ValueKind::Rank);
        }
    });
    asks_environment
        || asked.iter().any(|&name| taint.holds(name) || has(&name, &OF_SOME) && !counts(&name))
        || made_of(model, function, asked).iter().any(of_rank)
}

/// Whether each process has such a path for itself: by the names that go into it, here and where those are assigned.
pub(super) fn is_own_path(model: &File, function: LocalFunction, path: ExprId) -> bool {
    let of_one = |name: &Symbol| {
        let text = name.as_str().to_ascii_lowercase();
        OF_ONE.iter().any(|part| text.contains(part)) && !OF_SETTINGS.iter().any(|part| text.contains(part))
    };
    let mut says_rank = false;
    each_expression(model, path, &mut |_, expr| {
        says_rank |= matches!(expr, Expr::Str(text) if text.as_str().to_ascii_lowercase().contains("rank"));
    });
    says_rank || made_of(model, function, names_of(model, path)).iter().any(of_one)
}

/// Whether a path says what a file holds that each rank has of its own: an element of what a loop goes through; or is no
/// path but an open file, or one in memory.
pub(super) fn is_of_an_element(model: &File, function: LocalFunction, path: ExprId) -> bool {
    let names = made_of(model, function, names_of(model, path));
    let named = |expr: ExprId| names_asked(model, expr).iter().any(|name| names.contains(name));
    let counts = |iter: ExprId| match model.expr(iter) {
        Expr::Call(call) => {
            model.last_name(model.call(call).callee).is_some_and(|name| name.as_str().ends_with("range"))
        }
        _ => false,
    };
    let opened = |value: ExprId| match model.expr(value) {
        Expr::Call(call) => {
            model.last_name(model.call(call).callee).is_some_and(|name| matches!(name.as_str(), "open" | "BytesIO"))
        }
        _ => false,
    };
    let mut found = opened(path);
    each_statement(model, model.function(function).body, &mut |_, stmt| match stmt {
        Stmt::For { target, iter, .. } => found |= !counts(*iter) && named(*target),
        Stmt::With { items, .. } => {
            found |= items.iter().any(|item| item.target.is_some_and(named));
        }
        Stmt::Assign { targets, value } => {
            found |= opened(*value) && model.list(*targets).iter().any(|&target| named(target));
        }
        _ => {}
    });
    found
}

/// Whether what somebody calls lets ranks in one after the other, by its name.
pub(super) fn speaks_of_turns(model: &File, root: ExprId) -> bool {
    names_of(model, root).iter().any(|name| {
        let text = name.as_str().to_ascii_lowercase();
        OF_TURNS.iter().any(|part| text.contains(part))
    })
}

/// Whether a file serves requests, one after the other, in one process: by the library that it does that with.
pub(super) fn serves(model: &File) -> bool {
    const SERVERS: [&str; 6] = ["gradio", "cog", "streamlit", "flask", "fastapi", "bentoml"];
    let modules = model
        .imports
        .iter()
        .flat_map(|(_, import)| import.module.into_iter().chain(import.names.iter().map(|alias| alias.name)));
    modules.into_iter().any(|module| SERVERS.contains(&module.as_str()))
}

/// Whether a file or function is a tool that one process runs, by its name.
pub(super) fn is_tool(name: &str) -> bool {
    OF_TOOLS.iter().any(|part| name.to_ascii_lowercase().contains(part))
}

/// The path that a question asks for, where it asks whether something lies there and nothing else.
pub(super) fn path_asked_for(
    program: &Program,
    file: FileId,
    function: LocalFunction,
    mut question: ExprId,
) -> Option<ExprId> {
    let model = &program.file(file).model;
    while let Expr::Unary(_, inner) = model.expr(question) {
        question = inner;
    }
    let Expr::Call(call) = model.expr(question) else { return None };
    let call = model.call(call);
    let known = program.resolve(file, function, call.callee);
    match model.expr(call.callee) {
        _ if known.is_some_and(|name| QUESTIONS.contains(&name.as_str())) => model.list(call.args).first().copied(),
        Expr::Attribute { value, name } if METHODS.contains(&name.as_str()) => Some(value),
        _ => None,
    }
}

/// The listing of a folder that a path comes from, in the function.
pub(super) fn listing_behind(program: &Program, file: FileId, function: LocalFunction, path: ExprId) -> Option<ExprId> {
    let model = &program.file(file).model;
    let lists = |call: Call| match program.resolve(file, function, call.callee) {
        Some(name) => LISTINGS.contains(&name.as_str()),
        None => {
            matches!(model.expr(call.callee), Expr::Attribute { name, .. } if LISTING_METHODS.contains(&name.as_str()))
        }
    };
    let names = made_of(model, function, names_of(model, path));
    let mut found = None;
    each_assignment(model, function, &mut |targets, value| {
        let sets = |&target: &ExprId| names_asked(model, target).iter().any(|name| names.contains(name));
        if !targets.iter().any(sets) {
            return;
        }
        each_expression(model, value, &mut |expr, part| {
            if let Expr::Call(call) = part
                && lists(model.call(call))
            {
                found.get_or_insert(expr);
            }
        });
    });
    found
}

/// Whether a condition asks for what lies at a path, and nothing else.
pub(super) fn is_only_about_files(program: &Program, file: FileId, function: LocalFunction, condition: ExprId) -> bool {
    path_asked_for(program, file, function, condition).is_some()
}

/// The names, with those that they are made of in the function.
fn made_of(model: &File, function: LocalFunction, mut fresh: Vec<Symbol>) -> Vec<Symbol> {
    let mut seen: Vec<Symbol> = Vec::new();
    for _ in 0..ROUNDS {
        seen.append(&mut fresh);
        each_assignment(model, function, &mut |targets, value| {
            let sets = |&target: &ExprId| names_asked(model, target).iter().any(|name| seen.contains(name));
            if targets.iter().any(sets) {
                fresh.extend(names_of(model, value));
            }
        });
        fresh.retain(|name| !seen.contains(name));
        if fresh.is_empty() {
            break;
        }
    }
    seen.append(&mut fresh);
    seen
}

/// What is assigned to a name in a function, or gone through under it.
pub(in crate::graph) fn assigned(model: &File, function: LocalFunction, name: Symbol) -> Vec<ExprId> {
    let mut out = Vec::new();
    each_assignment(model, function, &mut |targets, value| {
        if targets.iter().any(|&target| names_asked(model, target).contains(&name)) {
            out.push(value);
        }
    });
    out
}

/// What is assigned in a function, or gone through by a loop, with the targets.
fn each_assignment(model: &File, function: LocalFunction, visit: &mut dyn FnMut(&[ExprId], ExprId)) {
    each_statement(model, model.function(function).body, &mut |_, stmt| match stmt {
        Stmt::Assign { targets, value } => visit(model.list(*targets), *value),
        Stmt::AugAssign { target, value, .. } => visit(std::slice::from_ref(target), *value),
        Stmt::For { target, iter, .. } => visit(std::slice::from_ref(target), *iter),
        _ => {}
    });
}

/// The names and attributes in an expression, and the keys of entries.
fn names_of(model: &File, root: ExprId) -> Vec<Symbol> {
    let mut out = Vec::new();
    each_expression(model, root, &mut |_, expr| match expr {
        Expr::Name(name) | Expr::Attribute { name, .. } => out.push(name),
        Expr::Subscript(_, key) => out.extend(key_of(model, key)),
        _ => {}
    });
    out
}

fn key_of(model: &File, key: ExprId) -> Option<Symbol> {
    if let Expr::Str(key) = model.expr(key) { Some(key) } else { None }
}

/// The same, where of a chain of attributes the last one counts alone.
fn names_asked(model: &File, root: ExprId) -> Vec<Symbol> {
    let (mut found, mut bases): (Vec<(ExprId, Symbol)>, Vec<ExprId>) = (Vec::new(), Vec::new());
    each_expression(model, root, &mut |id, expr| match expr {
        Expr::Attribute { value, name } => {
            bases.push(value);
            found.push((id, name));
        }
        Expr::Name(name) => found.push((id, name)),
        Expr::Subscript(_, key) => found.extend(key_of(model, key).map(|key| (id, key))),
        _ => {}
    });
    found.into_iter().filter(|(id, _)| !bases.contains(id)).map(|(_, name)| name).collect()
}
