//! What is there before: folders that every rank has made on its way nobody makes a second time, and what one rank has
//! fetched nobody fetches again.

use super::common::{Common, on_the_way};
use super::conditions::may_ask_for_rank;
use super::deeds::Deed;
use super::made::Made;
use super::places::{plain, text_of};
use super::spelled::folders_of;
use super::words::path_asked_for;
use crate::base::{FileId, FunctionId, Span, Symbol};
use crate::graph::communication::{Wanted, argument};
use crate::graph::program::Program;
use crate::model::{Call, Expr, ExprId, File, LocalFunction, StmtId, blocks_of};

/// What makes a folder, and all that it lies in.
const MAKES: [&str; 4] = ["makedirs", "mkdir", "mkdirs", WRITER];

/// What does so in passing.
const WRITER: &str = "SummaryWriter";

/// Parts of names of what fetches something.
const FETCHING: [&str; 3] = ["download", "fetch", "prepare"];

/// Variables that a folder is followed through: `run = join(out, name)`, `logs = join(run, "logs")`.
const MAX_VARIABLES: usize = 4;

/// Parts of names of operations that no rank leaves before all, or the first one, have come to them.
const AWAITED: [&str; 4] = ["barrier", "wait_for_everyone", "object", "broadcast"];

/// Callers of callers that are asked.
const MAX_CALLS: usize = 2;

/// Whether the folder has been made when a deed comes to make it: earlier in the function, or by each of its callers, which hand
/// it in, or what it is a part of.
pub(super) fn is_made_before(common: &mut Common<'_>, function: FunctionId, deed: &Deed) -> bool {
    let (file, local) = common.program.locate(function);
    let until = common.program.file(file).model.span(deed.expr).start;
    is_there(common, (file, local), Folder { path: deed.path, inside: String::new() }, until, MAX_CALLS)
}

/// Whether the folder is an entry of settings, and a function of the program was told before to make what another entry of
/// them names: as a rule the one lies in the other, or at the same place.
pub(super) fn may_lie_in_another(common: &mut Common<'_>, function: FunctionId, deed: &Deed) -> bool {
    let program = common.program;
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let entry = |path: ExprId| match model.expr(plain(model, path)) {
        Expr::Subscript(settings, key) if matches!(model.expr(key), Expr::Str(_)) => match model.expr(settings) {
            Expr::Name(settings) => Some(settings),
            _ => None,
        },
        _ => None,
    };
    let Some(settings) = entry(deed.path) else { return false };
    let until = model.span(deed.expr).start;
    let calls = common.calls(file, local);
    calls.iter().filter(|made| model.span(made.expr).end <= until).any(|made| {
        let Some((called, _)) = common.communication.callee(file, local, made.call) else { return false };
        let parameters = &program.function(called).parameters;
        parameters.iter().any(|parameter| {
            let given = common.given(called, function, made, parameter.name);
            given.and_then(entry) == Some(settings) && makes(common, called, parameter.name.as_str())
        })
    })
}

/// Whether one rank fetches the same for all: in the function, or in one that calls it.
pub(super) fn is_fetched_by_one(common: &mut Common<'_>, function: FunctionId, deed: &Deed) -> bool {
    let callers = common.callers(function).into_iter().map(|(caller, _)| caller);
    let asked: Vec<FunctionId> = std::iter::once(function).chain(callers).collect();
    asked.into_iter().any(|asked| {
        let (file, local) = common.program.locate(asked);
        let model = &common.program.file(file).model;
        let fetches = |made: &Made| {
            let name = model.last_name(made.call.callee);
            name.is_some_and(|name| name == deed.call || FETCHING.iter().any(|part| name.as_str().contains(part)))
        };
        common.calls(file, local).iter().any(|made| !made.by_all && fetches(made))
    })
}

/// A folder: what lies at a path, and by which attributes and entries of that.
struct Folder {
    path: ExprId,
    inside: String,
}

fn is_there(
    common: &mut Common<'_>,
    (file, function): (FileId, LocalFunction),
    Folder { path, inside }: Folder,
    until: u32,
    calls: usize,
) -> bool {
    let program = common.program;
    let model = &program.file(file).model;
    let path = plain(model, path);
    if matches!(model.expr(path), Expr::Str(_) | Expr::Missing) {
        return false;
    }
    let span = model.span(path);
    if has_made(common, (file, function), &format!("{}{inside}", program.text(file, span)), until) {
        return true;
    }
    let root = root_of(model, path);
    let Expr::Name(name) = model.expr(root) else { return false };
    let inside = format!("{}{inside}", program.text(file, Span::new(model.span(root).end, span.end)));
    let is_handed = model.function(function).parameters.iter().any(|parameter| parameter.name == name);
    // A variable that has one value all along.
    if !is_handed
        && root == path
        && inside.is_empty()
        && calls > 0
        && let Some(value) = program.single_assignment(file, function, name)
    {
        return is_there(common, (file, function), Folder { path: value, inside }, until, calls);
    }
    if !is_handed || calls == 0 {
        return false;
    }
    let called = program.function_id(file, function);
    let callers = common.callers(called);
    !callers.is_empty()
        && callers.into_iter().all(|(caller, made)| {
            let (file, local) = program.locate(caller);
            let until = program.file(file).model.span(made.expr).start;
            common.given(called, caller, &made, name).is_some_and(|path| {
                let folder = Folder { path, inside: inside.clone() };
                is_there(common, (file, local), folder, until, calls - 1)
            })
        })
}

/// What a chain of attributes and entries begins with.
fn root_of(model: &File, path: ExprId) -> ExprId {
    let mut root = path;
    while let Expr::Attribute { value, .. } | Expr::Subscript(value, _) = model.expr(root) {
        root = value;
    }
    root
}

/// Whether a function has made the folder that is called so before it comes to a place.
fn has_made(common: &mut Common<'_>, (file, function): (FileId, LocalFunction), path: &str, until: u32) -> bool {
    let model = &common.program.file(file).model;
    let calls = common.calls(file, function);
    let program = common.program;
    let same = |given: ExprId| *text_of(program, file, given) == *path;
    // Whether there is a path at all is no question that parts ranks.
    let parts = |&one: &ExprId| !same(one) && may_ask_for_rank(program, common.taint, (file, function), one);
    let by_all =
        |made: &Made| made.by_all || made.conditions.iter().any(|&one| same(one)) && !made.conditions.iter().any(parts);
    // Not in an arm of its own, that may be another one than this.
    let before = on_the_way(model, model.function(function).body, Span::new(until, until));
    let comes_first = |call: Span| {
        let is_whole = |&id: &StmtId| model.stmt_span(id).holds(call) && blocks_of(model.stmt(id)).is_empty();
        before.iter().any(is_whole)
    };
    // One rank makes it, and then all of them wait for each other.
    let waits: Vec<&Made> = calls
        .iter()
        .filter(|made| made.by_all && model.span(made.expr).end <= until)
        .filter(|made| {
            let issue = common.communication.issued(file, function, made.expr, made.call, Wanted::Collective);
            issue.is_some_and(|issue| issue.on_world && AWAITED.iter().any(|part| issue.op.as_str().contains(part)))
        })
        .collect();
    let by_one = |made: &Made| {
        let is_expected = |one: &ExprId| {
            may_ask_for_rank(program, common.taint, (file, function), *one)
                || path_asked_for(program, file, function, *one).is_some_and(same)
                || same(*one)
        };
        let is_waited_for = |wait: &&Made| {
            let mut own = made.conditions.iter().filter(|one| !wait.conditions.contains(one));
            model.span(wait.expr).start >= model.span(made.expr).end && own.all(is_expected)
        };
        !made.by_all && waits.iter().any(is_waited_for)
    };
    calls.iter().filter(|made| model.span(made.expr).end <= until && (by_all(made) || by_one(made))).any(
        |&Made { call, expr, .. }| {
            if let Some(made) = made_by(model, call) {
                let in_passing = model.last_name(call.callee).is_some_and(|name| name.as_str() == WRITER);
                return (!in_passing || comes_first(model.span(expr)))
                    && around(program, (file, function), made).into_iter().any(same);
            }
            // A function of the program that makes what it is handed, or something by an attribute of that.
            let rest_of = |given: ExprId| match model.expr(given) {
                _ if around(program, (file, function), given).into_iter().any(same) => Some(""),
                Expr::Name(_) if comes_first(model.span(expr)) => {
                    path.strip_prefix(&*text_of(program, file, given)).filter(|rest| rest.starts_with('.'))
                }
                _ => None,
            };
            let mut handed = model.list(call.args).iter().enumerate();
            let Some((at, rest)) = handed.find_map(|(at, &given)| Some((at, rest_of(given)?))) else { return false };
            let Some((called, _)) = common.communication.callee(file, function, call) else { return false };
            let definition = common.program.function(called);
            let bound = usize::from(definition.class.is_some());
            let Some(parameter) = definition.parameters.get(at + bound).map(|parameter| parameter.name) else {
                return false;
            };
            makes(common, called, &format!("{parameter}{rest}"))
        },
    )
}

/// A folder, and those that it lies in, by what it is put together of where it is named or, if that is a variable of one
/// value, where that is assigned.
fn around(program: &Program, (file, function): (FileId, LocalFunction), folder: ExprId) -> Vec<ExprId> {
    let model = &program.file(file).model;
    let mut out: Vec<ExprId> = Vec::new();
    let mut next = Some(folder);
    for _ in 0..MAX_VARIABLES {
        let Some(folder) = next else { break };
        out.extend(folders_of(program, file, folder));
        let outermost = out.last().map(|&last| model.expr(plain(model, last)));
        next = match outermost {
            Some(Expr::Name(name)) => program.single_assignment(file, function, name),
            _ => None,
        };
    }
    out
}

/// Whether a function makes the folder that is called so: a parameter, or an attribute of one.
fn makes(common: &Common<'_>, function: FunctionId, path: &str) -> bool {
    let (file, local) = common.program.locate(function);
    let model = &common.program.file(file).model;
    let mut found = false;
    crate::model::each_call(model, local, &mut |_, call| {
        found |= made_by(model, call).is_some_and(|made| *text_of(common.program, file, made) == *path);
    });
    found
}

/// The path at which a call makes a folder.
fn made_by(model: &File, call: Call) -> Option<ExprId> {
    let name = model.last_name(call.callee)?;
    if !MAKES.contains(&name.as_str()) {
        return None;
    }
    let given = model.list(call.args).first().copied().or_else(|| match name.as_str() {
        WRITER => argument(model, call, None, Symbol::new("log_dir"))
            .or_else(|| argument(model, call, None, Symbol::new("logdir"))),
        _ => None,
    });
    match (given, model.expr(call.callee)) {
        (Some(path), _) if name.as_str() != "mkdir" || !matches!(model.expr(path), Expr::Bool(_)) => Some(path),
        (_, Expr::Attribute { value, .. }) => Some(value),
        _ => None,
    }
}
