//! What hands a function over to be run beside the main sequence.

use rustc_hash::FxHashSet;

use crate::base::{FileId, FunctionId, Symbol};
use crate::model::{Call, Expr, ExprId, LocalFunction, Stmt, each_call, each_statement};

use super::communication::{argument, class_around};
use super::conduct::bodies;
use super::helpers::called;
use super::program::Program;

/// What runs a function beside the main sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    /// `__del__`
    Destructor,
    /// `atexit.register`
    Exit,
    /// `weakref.finalize`
    Finalizer,
    /// `signal.signal`
    Signal,
    /// `gc.callbacks`
    Collector,
    /// `threading.Thread`, `Timer`
    Thread,
    /// `executor.submit`, `run_in_executor`, `to_thread`
    Executor,
}

/// The functions of the program that are started on threads of their own.
pub(super) fn started_on_threads(program: &Program) -> FxHashSet<FunctionId> {
    let word = Symbol::new("Thread");
    let mut out = FxHashSet::default();
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        if model.function(function).mentions.contains(&word) {
            each_call(model, function, &mut |_, call| {
                if let Some((Runner::Thread, given)) = handed_over(program, file, function, call) {
                    out.extend(called(program, file, function, given));
                }
            });
        }
    }
    out
}

/// What a call hands over to be run later or elsewhere.
pub(super) fn handed_over(
    program: &Program,
    file: FileId,
    function: LocalFunction,
    call: Call,
) -> Option<(Runner, ExprId)> {
    let model = &program.file(file).model;
    let given = |position: usize, name: &str| argument(model, call, Some(position), Symbol::new(name));
    if let Some(function) = awaitable(program, file, function, call) {
        return Some((Runner::Executor, function));
    }
    if let Some(dotted) = program.resolve(file, function, call.callee) {
        return match dotted.as_str() {
            "threading.Thread" => Some((Runner::Thread, given(1, "target")?)),
            "threading.Timer" => Some((Runner::Thread, given(1, "function")?)),
            "_thread.start_new_thread" => Some((Runner::Thread, given(0, "function")?)),
            "atexit.register" => Some((Runner::Exit, given(0, "func")?)),
            "weakref.finalize" => Some((Runner::Finalizer, given(1, "func")?)),
            "signal.signal" => Some((Runner::Signal, given(1, "handler")?)),
            "gc.callbacks.append" => Some((Runner::Collector, given(0, "callback")?)),
            _ => None,
        };
    }
    let Expr::Attribute { value, name } = model.expr(call.callee) else { return None };
    match name.as_str() {
        "submit" if is_pool_of_threads(program, file, function, value) => Some((Runner::Executor, given(0, "fn")?)),
        _ => None,
    }
}

fn is_pool_of_threads(program: &Program, file: FileId, function: LocalFunction, pool: ExprId) -> bool {
    let model = &program.file(file).model;
    let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(pool) else { return false };
    if name.as_str().contains("thread") {
        return true;
    }
    let mut found = false;
    let mut look = |function: LocalFunction| {
        each_statement(model, model.function(function).body, &mut |_, stmt| {
            let is_it = |target: ExprId| matches!(model.expr(target), Expr::Name(bound) | Expr::Attribute { name: bound, .. } if bound == name);
            let constructors: Vec<ExprId> = match stmt {
                Stmt::Assign { targets, value } if model.list(*targets).iter().any(|&target| is_it(target)) => {
                    vec![*value]
                }
                Stmt::Annotated { target, value: Some(value), .. } if is_it(*target) => vec![*value],
                Stmt::With { items, .. } => {
                    items.iter().filter(|item| item.target.is_some_and(is_it)).map(|item| item.context).collect()
                }
                _ => Vec::new(),
            };
            for constructor in constructors {
                if let Expr::Call(call) = model.expr(constructor) {
                    let named = program.resolve(file, function, model.call(call).callee);
                    found |= named.is_some_and(|named| named.as_str().ends_with("ThreadPoolExecutor"));
                }
            }
        });
    };
    look(function);
    if let Some(class) = class_around(program, file, function)
        && program.locate_class(class).0 == file
    {
        program.class(class).methods.iter().for_each(|&(_, method)| look(method));
    }
    found
}

/// What a call runs in another thread so that it can be awaited: `asyncio.to_thread(function, …)`,
/// `loop.run_in_executor(executor, function, …)`.
pub(super) fn awaitable(program: &Program, file: FileId, function: LocalFunction, call: Call) -> Option<ExprId> {
    let model = &program.file(file).model;
    let position = match (program.resolve(file, function, call.callee), model.expr(call.callee)) {
        (Some(dotted), _) if matches!(dotted.as_str(), "asyncio.to_thread" | "anyio.to_thread.run_sync") => 0,
        (None, Expr::Attribute { name, .. }) if name.as_str() == "run_in_executor" => 1,
        _ => return None,
    };
    argument(model, call, Some(position), Symbol::new("func"))
}
