//! Functions that run beside the main sequence: threads, timers, executors, signal handlers, exit hooks, finalizers.

use rustc_hash::FxHashSet;

use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::catalog::OperationKind;
use crate::finding::Confidence;
use crate::model::{
    Call, Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_call, each_expression, each_statement,
    expressions_of,
};

use super::blocks::{conditions_in, function_around};
use super::communication::{Communication, Issue, Wanted};
use super::program::Program;
use super::resolve::Target;
use super::runners::{Runner, handed_over};

/// A collective that is issued beside the main sequence.
#[derive(Clone, Debug)]
pub struct Aside {
    /// The function in which it is handed over, or the destructor itself.
    pub function: (FileId, LocalFunction),
    /// What runs it.
    pub runner: Runner,
    /// Where it is handed over.
    pub site: Site,
    /// The collective.
    pub issue: Issue,
    /// What the main sequence issues meanwhile.
    pub main: Option<Issue>,
    /// How sure it is.
    pub confidence: Confidence,
}

/// What a function mentions that hands another one over.
const WORDS: [&str; 9] =
    ["Thread", "Timer", "submit", "run_in_executor", "to_thread", "register", "finalize", "signal", "callbacks"];

/// The collectives issued beside the main sequence, in order of files.
pub(super) fn asides<'p>(program: &'p Program, communication: &mut Communication<'p>) -> Vec<Aside> {
    let mut search = Search { program, communication, out: Vec::new() };
    let words: FxHashSet<Symbol> = WORDS.iter().map(|word| Symbol::new(word)).collect();
    for file in program.file_ids().filter(|&file| program.in_focus(file)) {
        let model = &program.file(file).model;
        for index in 0..model.functions.len() as u32 {
            let function = LocalFunction(index);
            let definition = model.function(function);
            if definition.skeleton || !matches!(definition.kind, FunctionKind::Def | FunctionKind::Module) {
                continue;
            }
            if definition.name.as_str() == "__del__" && definition.class.is_some() {
                search.destructor(file, function);
            }
            if definition.mentions.iter().any(|name| words.contains(name)) {
                search.hand_overs(file, function);
            }
            let decorators = model.list(definition.decorators);
            if decorators.iter().any(|&decorator| registers(program, file, definition.parent, decorator)) {
                search.registered(file, function);
            }
        }
    }
    search.out
}

struct Search<'c, 'p> {
    program: &'p Program,
    communication: &'c mut Communication<'p>,
    out: Vec<Aside>,
}

impl Search<'_, '_> {
    fn destructor(&mut self, file: FileId, function: LocalFunction) {
        let id = self.program.function_id(file, function);
        let Some(issue) = self.communication.issue_of(id, Wanted::Any) else { return };
        let model = &self.program.file(file).model;
        let site = Site { file, span: model.function(function).name_span };
        let confidence = match issue.kind {
            // The groups of an object that goes with its job, mostly.
            OperationKind::Teardown => Confidence::Low,
            // What is left to do is mostly nothing, and the objects of a test go where the test ends.
            _ if self.depends_on_state(&issue) || self.program.file(file).is_test() => Confidence::Low,
            _ => issue.confidence,
        };
        let (function, main) = ((file, function), None);
        self.out.push(Aside { function, runner: Runner::Destructor, site, issue, main, confidence });
    }

    /// A function that its decorator has run when the process ends.
    fn registered(&mut self, file: FileId, function: LocalFunction) {
        let id = self.program.function_id(file, function);
        let Some(issue) = self.communication.issue_of(id, Wanted::Any) else { return };
        let model = &self.program.file(file).model;
        let site = Site { file, span: model.function(function).name_span };
        let is_doubtful = issue.kind == OperationKind::Teardown || self.is_off_by_default(&issue, None);
        let sure = if is_doubtful { Confidence::Low } else { Confidence::Medium };
        let confidence = sure.min(issue.confidence);
        let (function, main) = ((file, function), None);
        self.out.push(Aside { function, runner: Runner::Exit, site, issue, main, confidence });
    }

    /// Whether something on the way to the operation asks what the object still has to do.
    fn depends_on_state(&self, issue: &Issue) -> bool {
        let sites = issue.calls.iter().map(|&(site, _)| site).chain([issue.site]);
        sites.into_iter().any(|site| {
            let model = &self.program.file(site.file).model;
            let Some(function) = function_around(model, site.span) else { return false };
            let conditions = conditions_in(model, model.function(function).body);
            conditions.into_iter().any(|(block, test)| block.holds(site.span) && asks_the_object(model, function, test))
        })
    }

    /// Whether who calls the function without arguments does not come to the operation: in it, the operation or the call that
    /// leads there stands behind a parameter that is off by default. `by` is who hands it over.
    fn is_off_by_default(&self, issue: &Issue, by: Option<(FileId, LocalFunction)>) -> bool {
        let sites = issue.calls.iter().map(|&(site, _)| site).chain([issue.site]);
        let homes =
            sites.filter_map(|site| Some((site, function_around(&self.program.file(site.file).model, site.span)?)));
        let Some((site, function)) = homes.into_iter().find(|&(site, home)| by != Some((site.file, home))) else {
            return false;
        };
        let model = &self.program.file(site.file).model;
        let mut is_off = false;
        each_statement(model, model.function(function).body, &mut |_, stmt| {
            let Stmt::If { test, body, .. } = *stmt else { return };
            let holds = model.block(body).iter().any(|&inner| model.stmt_span(inner).holds(site.span));
            is_off |= holds && asks_what_is_off(model, function, test);
        });
        is_off
    }

    fn hand_overs(&mut self, file: FileId, function: LocalFunction) {
        let model = &self.program.file(file).model;
        let mut calls = Vec::new();
        each_call(model, function, &mut |expr, call| calls.push((expr, call)));
        for (expr, call) in calls {
            let Some((runner, given)) = handed_over(self.program, file, function, call) else { continue };
            if is_awaited(model, expr) {
                continue;
            }
            let site = Site { file, span: model.span(expr) };
            let Some(issue) = self.run(file, function, given, 2) else { continue };
            self.judge(file, function, runner, site, call, issue);
        }
    }

    fn judge(&mut self, file: FileId, function: LocalFunction, runner: Runner, site: Site, call: Call, issue: Issue) {
        let model = &self.program.file(file).model;
        let is_teardown = issue.kind == OperationKind::Teardown;
        let mut main = None;
        let confidence = match runner {
            Runner::Thread | Runner::Executor => {
                // Its own group is the idiom; threads that play ranks get a rank.
                if is_teardown
                    || !issue.on_world
                    || self.plays_rank(file, call)
                    || self.is_waited_for(file, function, site)
                {
                    return;
                }
                main = self.beside(file, function, site, &issue);
                match main {
                    Some(_) => Confidence::Medium,
                    None => Confidence::Low,
                }
            }
            // The group of a job that ends is often taken down so.
            Runner::Exit | Runner::Signal if is_teardown => Confidence::Low,
            Runner::Exit
                if hands_nothing_over(model, call) && self.is_off_by_default(&issue, Some((file, function))) =>
            {
                Confidence::Low
            }
            // What a test leaves behind ends with it, on all ranks.
            _ if self.program.file(file).is_test() => Confidence::Low,
            _ => Confidence::Medium,
        };
        let confidence = confidence.min(issue.confidence);
        self.out.push(Aside { function: (file, function), runner, site, issue, main, confidence });
    }

    /// What a function that was handed over issues: by name, as a method, a lambda, a partial, or through a function that
    /// is handed another.
    fn run(&mut self, file: FileId, function: LocalFunction, given: ExprId, depth: u32) -> Option<Issue> {
        let program = self.program;
        let model = &program.file(file).model;
        match model.expr(given) {
            Expr::Lambda(lambda) => {
                let mut calls = Vec::new();
                for &stmt in model.block(model.function(lambda).body) {
                    for root in expressions_of(model, model.stmt(stmt)) {
                        each_expression(model, root, &mut |id, expr| {
                            if let Expr::Call(call) = expr {
                                calls.push((id, model.call(call)));
                            }
                        });
                    }
                }
                calls.into_iter().find_map(|(expr, call)| {
                    let own = self.communication.issued(file, function, expr, call, Wanted::Any);
                    own.or_else(|| self.handed_on(file, function, call, depth))
                })
            }
            Expr::Call(index) => {
                let call = model.call(index);
                let named = program.resolve(file, function, call.callee);
                let partial = named.is_some_and(|named| named.as_str() == "functools.partial");
                let &first = model.list(call.args).first()?;
                if partial { self.run(file, function, first, depth) } else { None }
            }
            Expr::Name(_) | Expr::Attribute { .. } => {
                if let Some(Target::External(dotted)) = program.target(file, function, given) {
                    return self.external(file, given, dotted);
                }
                let called = self.function_meant(file, function, given)?;
                let mut issue = self.communication.issue_of(called, Wanted::Any)?;
                issue.calls.insert(0, (Site { file, span: model.span(given) }, program.function(called).name));
                Some(issue)
            }
            _ => None,
        }
    }

    /// An operation handed over by its own name: `atexit.register(dist.destroy_process_group)`.
    fn external(&self, file: FileId, given: ExprId, dotted: Symbol) -> Option<Issue> {
        let Some(crate::catalog::Entry::Operation(operation)) = self.program.catalog.entry(dotted) else { return None };
        if operation.kind == OperationKind::PointToPoint {
            return None;
        }
        Some(Issue {
            op: operation.op,
            kind: operation.kind,
            implicit: operation.implicit,
            on_world: true,
            site: Site { file, span: self.program.file(file).model.span(given) },
            calls: Vec::new(),
            confidence: Confidence::High,
        })
    }

    /// `guarded(work)`: what the call hands on, where the function called is one of this program.
    fn handed_on(&mut self, file: FileId, function: LocalFunction, call: Call, depth: u32) -> Option<Issue> {
        let depth = depth.checked_sub(1)?;
        self.communication.callee(file, function, call)?;
        let model = &self.program.file(file).model;
        let given = model.list(call.args);
        given.iter().find_map(|&given| match model.expr(given) {
            Expr::Name(_) => self.run(file, function, given, depth),
            _ => None,
        })
    }

    fn function_meant(&self, file: FileId, function: LocalFunction, given: ExprId) -> Option<FunctionId> {
        let program = self.program;
        super::helpers::called(program, file, function, given)
    }

    /// Whether the thread is told which rank it plays: tests run ranks as threads.
    fn plays_rank(&self, file: FileId, call: Call) -> bool {
        let model = &self.program.file(file).model;
        let mut found = false;
        let values =
            model.list(call.args).iter().copied().chain(model.keywords(call).iter().map(|keyword| keyword.value));
        for value in values {
            each_expression(model, value, &mut |_, expr| {
                if let Expr::Name(name) = expr {
                    found |= name.as_str().contains("rank");
                }
            });
        }
        found
    }

    /// Whether the next statements wait for the thread: nothing runs beside it then.
    fn is_waited_for(&self, file: FileId, function: LocalFunction, site: Site) -> bool {
        let model = &self.program.file(file).model;
        let mut calls: Vec<(u32, Symbol)> = Vec::new();
        each_call(model, function, &mut |expr, call| {
            let span = model.span(expr);
            let follows = span.start > site.span.end || (span.start <= site.span.start && span.end > site.span.end);
            if follows && let Expr::Attribute { name, .. } = model.expr(call.callee) {
                calls.push((span.end, name));
            }
        });
        calls.sort_by_key(|(end, _)| *end);
        let next = calls.iter().map(|(_, name)| name.as_str()).find(|name| *name != "start");
        matches!(next, Some("join" | "result"))
    }

    /// What the function that starts the thread issues itself on the default group, while the thread may run.
    fn beside(&mut self, file: FileId, function: LocalFunction, site: Site, aside: &Issue) -> Option<Issue> {
        let program = self.program;
        let model = &program.file(file).model;
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut calls = Vec::new();
        let joined = joined_at(model, function, site.span).unwrap_or(u32::MAX);
        each_call(model, function, &mut |expr, call| {
            let start = model.span(expr).start;
            if start > site.span.end && start < joined && seen.insert(expr.0) {
                calls.push((expr, call));
            }
        });
        for (expr, call) in calls {
            let issue = self.communication.issued(file, function, expr, call, Wanted::Collective);
            if let Some(issue) = issue
                && issue.on_world
                && issue.site != aside.site
            {
                return Some(issue);
            }
        }
        None
    }
}

/// Where a function waits for the thread that is made at a place, by the variable that holds it.
fn joined_at(model: &File, function: LocalFunction, made: Span) -> Option<u32> {
    let mut held: Option<Symbol> = None;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Some((&[target], value)) = model.assigned(stmt)
            && model.span(value).holds(made)
        {
            held = model.last_name(target);
        }
    });
    let held = held?;
    let mut joined = None;
    each_call(model, function, &mut |expr, call| {
        if let Expr::Attribute { value, name } = model.expr(call.callee)
            && name.as_str() == "join"
            && model.last_name(value) == Some(held)
            && model.span(expr).start > made.end
        {
            joined = joined.or(Some(model.span(expr).start));
        }
    });
    joined
}

/// Whether a decorator has its function run when the process ends: `@atexit.register`.
fn registers(program: &Program, file: FileId, around: Option<LocalFunction>, decorator: ExprId) -> bool {
    let around = around.unwrap_or(program.file(file).model.module());
    program.resolve(file, around, decorator).is_some_and(|name| name.as_str() == "atexit.register")
}

/// Whether a condition asks an attribute of the object whose method it stands in.
fn asks_the_object(model: &File, method: LocalFunction, test: ExprId) -> bool {
    let Some(receiver) = model.function(method).parameters.first().map(|first| first.name) else { return false };
    let mut found = false;
    each_expression(model, test, &mut |_, expr| {
        found |= matches!(expr, Expr::Attribute { value, .. } if model.expr(value) == Expr::Name(receiver));
    });
    found
}

/// Whether the test is a parameter that is off by default, alone or among other conditions.
fn asks_what_is_off(model: &File, function: LocalFunction, test: ExprId) -> bool {
    match model.expr(test) {
        Expr::And(parts) => model.list(parts).iter().any(|&part| asks_what_is_off(model, function, part)),
        Expr::Name(name) => model.function(function).parameters.iter().any(|parameter| {
            let default = parameter.default.map(|default| model.expr(default));
            parameter.name == name && matches!(default, Some(Expr::Bool(false) | Expr::None))
        }),
        _ => false,
    }
}

/// Whether a call hands over a function, and nothing for it to be called with.
fn hands_nothing_over(model: &File, call: Call) -> bool {
    model.list(call.args).len() == 1 && model.keywords(call).is_empty()
}

/// Whether whoever hands it over awaits it at once: it runs in sequence.
fn is_awaited(model: &File, handed: ExprId) -> bool {
    (0..model.expr_count() as u32).any(|expr| model.expr(ExprId(expr)) == Expr::Await(handed))
}
