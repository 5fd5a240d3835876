//! Exits on a flag that a signal handler sets: a signal comes to one process at a time, and at another moment to each.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::catalog::Entry;
use crate::finding::Confidence;
use crate::model::{Block, Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, UnaryOp, each_call, each_statement};

use super::blocks::is_test;
use super::communication::{Communication, Wanted, argument, class_around};
use super::conduct::bodies;
use super::helpers::called;
use super::program::Program;
use super::runners::started_on_threads;

/// A rank that leaves because it got a signal.
#[derive(Clone, Debug)]
pub struct SignalExit {
    /// The function it leaves.
    pub function: FunctionId,
    /// The flag.
    pub flag: Symbol,
    /// The condition.
    pub test: Site,
    /// Where it leaves.
    pub exit: Site,
    /// Where the handler sets the flag.
    pub set: Site,
    /// How sure it is.
    pub confidence: Confidence,
}

/// A flag and where a handler sets it.
#[derive(Clone, Copy)]
struct Flag {
    set: Site,
    /// The function that sets it.
    handler: FunctionId,
}

/// First parameters of handlers, as everybody writes them.
const NUMBERS: [&str; 8] = ["signum", "signo", "sig", "sig_num", "signal_num", "signal_number", "sig_number", "signal"];

/// The exits of functions that reach a collective, on flags that nobody has agreed on.
pub(super) fn signal_exits(program: &Program, communication: &mut Communication<'_>) -> Vec<SignalExit> {
    let flags = flags(program, communication);
    let mut out = Vec::new();
    if flags.is_empty() {
        return out;
    }
    // A thread that waits for work, or tells how far the job is, takes no part in its steps.
    let aside = started_on_threads(program);
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        let definition = model.function(function);
        let own = |flag: &Flag| program.same_tree(program.locate(flag.handler).0, file);
        if !definition.mentions.iter().any(|name| flags.get(name).is_some_and(own)) {
            continue;
        }
        let together = communication.may_reach(file, function) || class_reaches(program, communication, file, function);
        if !together || is_test(&program.file(file).path) {
            continue;
        }
        let here = program.function_id(file, function);
        if aside.contains(&here) {
            continue;
        }
        each_statement(model, definition.body, &mut |_, stmt| {
            let (test, body, leaves_when) = match stmt {
                Stmt::If { test, body, .. } => (*test, Some(*body), true),
                Stmt::While { test, .. } => (*test, None, false),
                _ => return,
            };
            let Some((at, flag)) = asked_for(model, test, leaves_when, &flags) else { return };
            if flag.handler == here || !is_the_flag(program, file, function, at, flag) {
                return;
            }
            // A property of that name asks the peers.
            let asks = |&method: &FunctionId| {
                let (home, local) = program.locate(method);
                program.same_tree(home, file) && communication.may_reach(home, local)
            };
            if flag_name(model, at).is_some_and(|name| program.methods_named(name).iter().any(asks)) {
                return;
            }
            let exit = match body {
                Some(body) => leaving(program, file, function, body),
                None => Some(Site { file, span: model.span(test) }),
            };
            let Some(exit) = exit else { return };
            out.push(SignalExit {
                function: here,
                flag: flag_name(model, at).expect("a flag was found there"),
                test: Site { file, span: model.span(test) },
                exit,
                set: flag.set,
                confidence: Confidence::Medium,
            });
        });
    }
    out
}

/// The attributes that signal handlers set, where no handler communicates itself.
fn flags(program: &Program, communication: &mut Communication<'_>) -> FxHashMap<Symbol, Flag> {
    let mut handlers: Vec<FunctionId> = Vec::new();
    let signal = Symbol::new("signal");
    for (file, function) in bodies(program) {
        let model = &program.file(file).model;
        let definition = model.function(function);
        let own: Vec<_> = definition.parameters.iter().skip(usize::from(definition.class.is_some())).collect();
        if definition.kind == FunctionKind::Def
            && own.len() == 2
            && NUMBERS.contains(&own[0].name.as_str().trim_start_matches('_'))
        {
            handlers.push(program.function_id(file, function));
        }
        if definition.mentions.contains(&signal) {
            each_call(model, function, &mut |_, call| {
                let is_signal =
                    program.resolve(file, function, call.callee).is_some_and(|name| name.as_str() == "signal.signal");
                let given = is_signal.then(|| argument(model, call, Some(1), Symbol::new("handler"))).flatten();
                handlers.extend(given.and_then(|given| called(program, file, function, given)));
            });
        }
    }
    let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
    let mut out: FxHashMap<Symbol, Flag> = FxHashMap::default();
    for handler in handlers {
        if !seen.insert(handler) || communication.issue_of(handler, Wanted::Any).is_some() {
            continue;
        }
        let (file, function) = program.locate(handler);
        let model = &program.file(file).model;
        each_statement(model, model.function(function).body, &mut |id, stmt| {
            let set = Site { file, span: model.stmt_span(id) };
            let mut add = |flag: Symbol| _ = out.entry(flag).or_insert(Flag { set, handler });
            match stmt {
                Stmt::Assign { targets, value } if !matches!(model.expr(*value), Expr::Bool(false) | Expr::None) => {
                    for &target in model.list(*targets) {
                        if let Expr::Attribute { name, .. } = model.expr(target) {
                            add(name);
                        }
                    }
                }
                // `self.stop.set()`
                Stmt::Expr(value) => {
                    let Expr::Call(call) = model.expr(*value) else { return };
                    let call = model.call(call);
                    if let Expr::Attribute { value, name } = model.expr(call.callee)
                        && name.as_str() == "set"
                        && model.list(call.args).is_empty()
                        && let Expr::Attribute { name, .. } = model.expr(value)
                    {
                        add(name);
                    }
                }
                _ => {}
            }
        });
    }
    let answering = answering(program, &out);
    out.extend(answering);
    out
}

/// Methods that do nothing but say whether the flag of their own class is set.
fn answering(program: &Program, flags: &FxHashMap<Symbol, Flag>) -> Vec<(Symbol, Flag)> {
    let mut out = Vec::new();
    let mut known: Vec<Flag> = flags.values().copied().collect();
    known.sort_by_key(|flag| (flag.set.file.index(), flag.set.span.start));
    for flag in known {
        let (file, handler) = program.locate(flag.handler);
        let model = &program.file(file).model;
        let Some(class) = class_around(program, file, handler) else { continue };
        for &(name, method) in &program.class(class).methods {
            let [only] = model.block(model.function(method).body) else { continue };
            if let Stmt::Return(Some(value)) = model.stmt(*only)
                && flag_name(model, *value)
                    .and_then(|name| flags.get(&name))
                    .is_some_and(|said| said.handler == flag.handler)
                && !flags.contains_key(&name)
            {
                out.push((name, flag));
            }
        }
    }
    out
}

/// The flag that decides a test by itself: its truth leads to `truth`.
fn asked_for(model: &File, test: ExprId, truth: bool, flags: &FxHashMap<Symbol, Flag>) -> Option<(ExprId, Flag)> {
    match model.expr(test) {
        Expr::Unary(UnaryOp::Not, inner) => asked_for(model, inner, !truth, flags),
        Expr::And(parts) | Expr::Or(parts) => {
            model.list(parts).iter().find_map(|&part| asked_for(model, part, truth, flags))
        }
        _ if !truth => None,
        _ => flag_name(model, test).and_then(|name| flags.get(&name)).map(|&flag| (test, flag)),
    }
}

/// `x.flag`, `x.flag.is_set()`, `x.method()`
fn flag_name(model: &File, expr: ExprId) -> Option<Symbol> {
    match model.expr(expr) {
        Expr::Attribute { name, .. } => Some(name),
        Expr::Call(call) => match model.expr(model.call(call).callee) {
            Expr::Attribute { value, name } if name.as_str() == "is_set" => flag_name(model, value),
            Expr::Attribute { name, .. } if model.list(model.call(call).args).is_empty() => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the attribute asked for is the one that is set: of the same class, or of a name that says what it is.
fn is_the_flag(program: &Program, file: FileId, function: LocalFunction, at: ExprId, flag: Flag) -> bool {
    let model = &program.file(file).model;
    let home = program.locate(flag.handler);
    let mut object = at;
    while let Expr::Call(call) = model.expr(object) {
        let callee = model.call(call).callee;
        let Expr::Attribute { value, name } = model.expr(callee) else { return false };
        object = if name.as_str() == "is_set" { value } else { callee };
    }
    let Expr::Attribute { value, name } = model.expr(object) else { return false };
    let on_self = matches!(model.expr(value), Expr::Name(name) if name.as_str() == "self");
    if on_self && class_around(program, file, function) == class_around(program, home.0, home.1) {
        return true;
    }
    let text = name.as_str();
    let only = || program.methods_named(name).len() == 1;
    let answers = class_around(program, home.0, home.1)
        .is_some_and(|class| program.class(class).methods.iter().any(|&(method, _)| method == name) && only());
    if answers && !on_self {
        return program.same_tree(home.0, file);
    }
    !on_self
        && ["sig", "interrupt", "preempt", "terminat", "kill"].iter().any(|word| text.contains(word))
        && program.same_tree(home.0, file)
}

/// Where the block leaves the function or its loop, if that is how it ends.
fn leaving(program: &Program, file: FileId, function: LocalFunction, block: Block) -> Option<Site> {
    let model = &program.file(file).model;
    let &last = model.block(block).last()?;
    let leaves = match model.stmt(last) {
        Stmt::Return(_) | Stmt::Break | Stmt::Raise(_) => true,
        Stmt::Expr(value) => match model.expr(*value) {
            Expr::Call(call) => program
                .resolve(file, function, model.call(call).callee)
                .is_some_and(|name| matches!(program.catalog.entry(name), Some(Entry::Exit))),
            _ => false,
        },
        _ => false,
    };
    leaves.then(|| Site { file, span: model.stmt_span(last) })
}

/// Whether another method of the same class reaches a collective: the function is a step of what they do.
fn class_reaches(program: &Program, communication: &Communication<'_>, file: FileId, function: LocalFunction) -> bool {
    let Some(class) = class_around(program, file, function) else { return false };
    let home = program.locate_class(class).0;
    program.class(class).methods.iter().any(|&(_, method)| communication.may_reach(home, method))
}
