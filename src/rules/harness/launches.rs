//! Commands that start the ranks of a job: torchrun and its kin, run from Python.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::base::{FileId, Symbol};
use crate::graph::Program;
use crate::model::{Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement};
use crate::rules::calls::{CallSite, argument, calls_named, symbols};

/// A call that starts a job.
pub(super) struct Launch {
    /// The call.
    pub call: CallSite,
    /// The function that runs the command.
    pub runner: Symbol,
    /// The launcher.
    pub launcher: &'static str,
    /// The name that holds the process, where it is kept.
    pub held: Option<Symbol>,
    /// Whether nobody takes the result.
    pub dropped: bool,
}

const RUNNERS: [&str; 6] = [
    "subprocess.run",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.Popen",
    "os.system",
];

static NAMES: LazyLock<FxHashSet<Symbol>> =
    LazyLock::new(|| symbols(RUNNERS.iter().map(|name| name.rsplit('.').next().unwrap_or(name))));

/// Words of a command that start several ranks.
const LAUNCHERS: [&str; 7] =
    ["torchrun", "torch.distributed.run", "torch.distributed.launch", "mpirun", "mpiexec", "horovodrun", "deepspeed"];

/// The launches of a file, in order.
pub(super) fn launches(program: &Program, file: FileId) -> Vec<Launch> {
    let entry = program.file(file);
    let runner = |call: CallSite| call.callee(program).filter(|callee| RUNNERS.contains(&callee.as_str()));
    let calls = calls_named(program, file, &NAMES).into_iter();
    let calls: Vec<(CallSite, Symbol)> = calls.filter_map(|call| Some((call, runner(call)?))).collect();
    let text = entry.text.as_bytes();
    let speaks = |word: &str| memchr::memmem::find(text, word.as_bytes()).is_some();
    if calls.is_empty() || !LAUNCHERS.iter().any(|word| speaks(word)) && !speaks("accelerate") {
        return Vec::new();
    }
    let model = &entry.model;
    let mut out = Vec::new();
    for (call, runner) in calls {
        let Some(command) = argument(model, call.call, Some(0), "args") else { continue };
        let Some(launcher) = launcher(program, call, command) else { continue };
        let (mut held, mut dropped) = (None, false);
        each_statement(model, model.function(call.function).body, &mut |_, stmt| match stmt {
            Stmt::Assign { targets, value } if *value == call.expr => {
                held = model.list(*targets).iter().find_map(|&target| match model.expr(target) {
                    Expr::Name(name) => Some(name),
                    _ => None,
                });
            }
            Stmt::Expr(value) => dropped |= *value == call.expr,
            _ => {}
        });
        out.push(Launch { call, runner, launcher, held, dropped });
    }
    out
}

/// Whether a launch is one of a test: its code stands among tests.
pub(super) fn in_test(program: &Program, call: CallSite) -> bool {
    let entry = program.file(call.file);
    entry.is_test() || entry.model.function(call.function).name.as_str().starts_with("test_")
}

/// Whether the test in which a launch stands is skipped whatever happens, or expected to fail.
pub(super) fn is_put_aside(program: &Program, call: CallSite) -> bool {
    let model = &program.file(call.file).model;
    model.list(model.function(call.function).decorators).iter().any(|&decorator| {
        let mark = match model.expr(decorator) {
            Expr::Call(call) => model.call(call).callee,
            _ => decorator,
        };
        model.last_name(mark).is_some_and(|name| matches!(name.as_str(), "skip" | "xfail" | "expectedFailure"))
    })
}

/// The launcher that a command begins with.
fn launcher(program: &Program, call: CallSite, command: ExprId) -> Option<&'static str> {
    let model = &program.file(call.file).model;
    let mut words: Vec<String> = Vec::new();
    texts(program, call, command, &mut words);
    if let Expr::Name(name) = model.expr(command) {
        each_statement(model, model.function(call.function).body, &mut |_, stmt| match stmt {
            Stmt::Assign { targets, value }
                if model.list(*targets).iter().any(|&one| model.expr(one) == Expr::Name(name)) =>
            {
                texts(program, call, *value, &mut words);
            }
            Stmt::AugAssign { target, value, .. } if model.expr(*target) == Expr::Name(name) => {
                texts(program, call, *value, &mut words);
            }
            _ => {}
        });
    }
    let first: Vec<&str> = words.iter().flat_map(|word| word.split_whitespace()).take(8).collect();
    let is =
        |word: &str| LAUNCHERS.iter().copied().find(|known| word == *known || word.ends_with(&format!("/{known}")));
    // What stands before it only leads to it: an interpreter, `uv run`, `timeout 60`, settings.
    let leads = |word: &&str| {
        let known =
            ["uv", "run", "env", "exec", "timeout", "nohup", "bash", "sh", "xvfb-run", "coverage"].contains(word);
        known || word.starts_with('-') || word.contains("python") || word.contains('=') || word.parse::<u32>().is_ok()
    };
    let at = first.iter().position(|word| !leads(word))?;
    if let Some(known) = is(first[at]) {
        return Some(known);
    }
    (first[at..].starts_with(&["accelerate", "launch"])).then_some("accelerate launch")
}

fn texts(program: &Program, call: CallSite, expr: ExprId, out: &mut Vec<String>) {
    let model = &program.file(call.file).model;
    if let Some(crate::model::Constant::Str(text) | crate::model::Constant::Prefix(text)) =
        program.constant(call.file, call.function, expr)
    {
        out.push(text);
        return;
    }
    each_expression(model, expr, &mut |_, part| {
        if let Expr::Str(text) = part {
            out.push(text.as_str().to_owned());
        }
    });
}

/// Calls of methods of a local object: `process.wait()`.
pub(super) fn methods_on(
    model: &File,
    function: LocalFunction,
    object: Symbol,
) -> Vec<(ExprId, Symbol, crate::model::Call)> {
    let mut out = Vec::new();
    crate::model::each_call(model, function, &mut |expr, call| {
        if let Expr::Attribute { value, name } = model.expr(call.callee)
            && model.expr(value) == Expr::Name(object)
        {
            out.push((expr, name, call));
        }
    });
    out
}

/// Whether a body asks for an attribute of a local object.
pub(super) fn asks(model: &File, function: LocalFunction, object: Symbol, attribute: &str) -> bool {
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        for root in crate::model::expressions_of(model, stmt) {
            each_expression(model, root, &mut |_, expr| {
                found |= matches!(expr, Expr::Attribute { value, name }
                    if name.as_str() == attribute && model.expr(value) == Expr::Name(object));
            });
        }
    });
    found
}
