//! What names say: of ranks, of turns that ranks take, of what each process has for itself.

use super::names::{each_assignment, made_of, names_asked, names_in_path, names_of};
use crate::base::{FileId, Symbol};
use crate::graph::program::Program;
use crate::graph::versions::JOINS;
use crate::model::{Call, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement, expressions_of};

/// Parts of names that stand for the rank, or for what one rank is.
const OF_RANKS: [&str; 6] = ["rank", "master", "leader", "chief", "primary", "coordinator"];

/// Parts of names of ranks of another sort: of a matrix, or of results in an order.
const OF_ORDERS: [&str; 4] = ["ranking", "rerank", "low_rank", "lora"];

/// Words that stand for one rank wherever they are.
const OF_LEADERS: [&str; 2] = ["lead", "leads"];

/// Words that stand for one rank where a name says nothing else than what it is that is so: `is_main_process`, not
/// `main_module`.
const OF_ONE_RANK: [&str; 2] = ["main", "zero"];

/// What there is one of among the ranks, and what says so.
const ROLES: [&str; 15] = [
    "is", "on", "am", "i", "in", "only", "global", "local", "process", "proc", "node", "worker", "host", "gpu",
    "thread",
];

/// Parts of names of paths that each process has for itself.
const OF_ONE: [&str; 17] = [
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
    "sampler_i",
];

/// Those of them that are numbers of processes.
pub(super) const OF_NUMBERS: [&str; 8] = ["rank", "ordinal", "process_i", "pid", "worker", "gpu", "device", "shard"];

/// Parts of names of settings that sound like those.
const OF_SETTINGS: [&str; 9] =
    ["size", "temperature", "template", "timestep", "num_", "strftime", "lora", "mtime", "ctime"];

/// Parts of names of what lets ranks in one after the other, or sees to what fails.
const OF_TURNS: [&str; 10] =
    ["first", "lock", "main", "master", "zero", "rank", "barrier", "sync", "suppress", "sequential"];

/// Parts of names of files and functions with programs that one process runs, as a rule.
const OF_TOOLS: [&str; 7] = ["infer", "demo", "convert", "to_hf", "export", "merge", "submission"];

/// Questions for what lies at a path.
const QUESTIONS: [&str; 4] = ["os.path.exists", "os.path.isdir", "os.path.isfile", "os.path.lexists"];

/// The same, of methods of paths.
const METHODS: [&str; 3] = ["exists", "is_dir", "is_file"];

/// The same, of file systems, which are told the path.
const OF_SYSTEMS: [&str; 3] = ["exists", "isdir", "isfile"];

/// Functions that list what lies in a folder.
const LISTINGS: [&str; 5] = ["os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob"];

/// The same, of methods of paths.
const LISTING_METHODS: [&str; 3] = ["iterdir", "glob", "rglob"];

/// Whether a name stands for the rank, or for what one rank is.
pub(super) fn is_of_ranks(name: &str) -> bool {
    let text = name.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    let of_one = || {
        let mut words = text.split('_').filter(|word| !word.is_empty());
        let known = |word: &&str| OF_ONE_RANK.contains(word) || ROLES.contains(word);
        words.clone().count() > 1
            && words.clone().all(|word| known(&word))
            && words.any(|word| OF_ONE_RANK.contains(&word))
    };
    has(&OF_RANKS) && !has(&OF_ORDERS) || text.split('_').any(|word| OF_LEADERS.contains(&word)) || of_one()
}

/// Whether a file speaks of ranks, or joins the job: what stands in it may be run by several.
pub(super) fn speaks_of_ranks(program: &Program, file: FileId) -> bool {
    let mut mentions = program.file(file).model.functions.iter().flat_map(|function| &function.mentions);
    mentions.any(|name| is_of_ranks(name.as_str()) || JOINS.contains(&name.as_str()))
}

/// Whether a name speaks of ranks by a word of its own, with a number behind it or more than one of them.
fn has_word(name: &str) -> bool {
    let text = name.to_ascii_lowercase();
    let is_one = |word: &str| {
        let word = word.trim_end_matches(|end: char| end.is_ascii_digit());
        let plain = word.strip_prefix("is").unwrap_or(word);
        OF_RANKS.iter().any(|known| [plain, plain.trim_end_matches('s')].contains(known))
            || OF_ONE_RANK.contains(&word)
            || OF_LEADERS.contains(&word)
    };
    text.split('_').any(is_one)
}

/// Libraries that run a program on several ranks or on one, whoever starts it.
const FRAMEWORKS: [&str; 6] = ["accelerate", "deepspeed", "evaluate", "lightning", "pytorch_lightning", "transformers"];

/// Whether a file may know that several ranks run it: it speaks of them, or imports a library that has them.
pub(super) fn may_know_of_ranks(program: &Program, file: FileId) -> bool {
    let model = &program.file(file).model;
    // As a word: `MasterRNG` is none of them.
    let is_said =
        |name: &Symbol| is_of_ranks(name.as_str()) && has_word(name.as_str()) || JOINS.contains(&name.as_str());
    model.functions.iter().any(|function| function.mentions.iter().any(is_said))
        || model.imports_of(|root| FRAMEWORKS.contains(&root))
}

/// Whether a file serves requests and speaks of no ranks: it is one process.
pub(in crate::graph) fn serves_alone(program: &Program, file: FileId) -> bool {
    serves(&program.file(file).model) && !speaks_of_ranks(program, file)
}

/// Whether each process has such a path for itself: by the names that go into it, here and where those are assigned.
pub(super) fn is_own_path(model: &File, function: LocalFunction, path: ExprId) -> bool {
    is_told_apart(model, function, path, &OF_ONE)
}

/// Whether the number of a process goes into a path.
pub(super) fn is_numbered(model: &File, function: LocalFunction, path: ExprId) -> bool {
    is_told_apart(model, function, path, &OF_NUMBERS)
}

fn is_told_apart(model: &File, function: LocalFunction, path: ExprId, by: &[&str]) -> bool {
    let of_one = |name: &Symbol| {
        let text = name.as_str().to_ascii_lowercase();
        by.iter().any(|part| text.contains(part)) && !OF_SETTINGS.iter().any(|part| text.contains(part))
    };
    let mut says_rank = false;
    each_expression(model, path, &mut |_, expr| {
        says_rank |= matches!(expr, Expr::Str(text) if text.as_str().to_ascii_lowercase().contains("rank"));
    });
    says_rank || made_of(model, function, names_of(model, path), names_in_path).iter().any(of_one)
}

/// Whether a path says what a file holds that each rank has of its own: an element of what a loop goes through; or is no
/// path but an open file, or one in memory.
pub(super) fn is_of_an_element(model: &File, function: LocalFunction, path: ExprId) -> bool {
    let names = made_of(model, function, names_of(model, path), names_of);
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

/// Whether a path is what a manager answers: it sees to whom it gives it.
pub(super) fn is_managed(model: &File, function: LocalFunction, path: ExprId) -> bool {
    let names = names_in_path(model, path);
    let named = |expr: ExprId| names_of(model, expr).iter().any(|name| names.contains(name));
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Stmt::With { items, .. } = stmt {
            found |= items.iter().any(|item| item.target.is_some_and(named));
        }
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
pub(in crate::graph) fn serves(model: &File) -> bool {
    const SERVERS: [&str; 6] = ["gradio", "cog", "streamlit", "flask", "fastapi", "bentoml"];
    let modules = model
        .imports
        .iter()
        .flat_map(|(_, import)| import.module.into_iter().chain(import.names.iter().map(|alias| alias.name)));
    modules.into_iter().any(|module| SERVERS.contains(&module.as_str()))
}

/// Whether a file or function is a tool that one process runs, by its name.
pub fn is_tool(name: &str) -> bool {
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
        Expr::Attribute { name, .. } if OF_SYSTEMS.contains(&name.as_str()) && !model.list(call.args).is_empty() => {
            model.list(call.args).first().copied()
        }
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
    let mut names = names_of(model, path);
    names.extend(gone_through(model, function, &names));
    let names = made_of(model, function, names, names_of);
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

/// The names of what comprehensions of a function go through under some names.
fn gone_through(model: &File, function: LocalFunction, names: &[Symbol]) -> Vec<Symbol> {
    let mut out = Vec::new();
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, part| {
                let Expr::Comprehension(at) = part else { return };
                for clause in &model.comprehension(at).clauses {
                    if names_asked(model, clause.target).iter().any(|name| names.contains(name)) {
                        out.extend(names_of(model, clause.iter));
                    }
                }
            });
        }
    });
    out
}

/// Whether a condition asks for what lies at a path, and nothing else.
pub(super) fn is_only_about_files(program: &Program, file: FileId, function: LocalFunction, condition: ExprId) -> bool {
    path_asked_for(program, file, function, condition).is_some()
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn words_are_told_from_letters() {
        for name in ["rank", "local_rank", "ranks", "rank0", "is_main_process", "ismaster", "leads", "rank_zero_only"] {
            assert!(has_word(name), "{name}");
        }
        for name in ["MasterRNG", "ressimmaster", "matrix", "remains", "nonzero"] {
            assert!(!has_word(name), "{name}");
        }
    }
}
