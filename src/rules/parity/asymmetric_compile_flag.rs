//! `asymmetric-compile-flag`: whether and how a rank compiles follows from something that its peers may not share.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::{Context, Program, Scope, Target, each_in_context};
use crate::model::{Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement, expressions_of};
use crate::rules::calls::{calls_named, symbols};
use crate::rules::{Check, Findings, Group, Probe, Rule, site};

use super::{nearest_check, rank};

/// The rule.
pub static RULE: Rule = Rule {
    name: "asymmetric-compile-flag",
    group: Group::Parity,
    summary: "compilation that depends on the rank, or on a key that ranks do not compare",
    severity: Severity::Warning,
    rows: &["C-01", "C-03"],
    verify: Some(Probe::EnvironmentParity),
    page: include_str!("../../../rules/parity/asymmetric-compile-flag.md"),
    check: Check::File(check),
};

/// The last names of what compiles.
static COMPILERS: LazyLock<FxHashSet<Symbol>> = LazyLock::new(|| symbols(["compile", "optimize", "script"]));

/// What decides over a compilation.
enum Cause {
    Key(String, Site),
    Rank(Site),
}

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let entry = program.file(file);
    let model = &entry.model;
    if entry.is_test() {
        return;
    }
    let calls = calls_named(program, file, &COMPILERS);
    let mut homes: Vec<LocalFunction> = calls
        .iter()
        .filter(|call| call.callee(program).is_some_and(|name| is_compiler(name.as_str())))
        .map(|call| call.function)
        .collect();
    homes.dedup();
    for local in homes {
        let mut found: Vec<(ExprId, Vec<ExprId>)> = Vec::new();
        each_in_context(model, local, &mut |_, stmt, context: Context<'_>| {
            for root in expressions_of(model, stmt) {
                let mut within: Vec<ExprId> = Vec::new();
                each_expression(model, root, &mut |id, expr| match expr {
                    Expr::IfElse(at) => within.push(model.if_else(at)[0]),
                    Expr::Call(index) => {
                        let call = model.call(index);
                        if program.resolve(file, local, call.callee).is_some_and(|name| is_compiler(name.as_str())) {
                            let given = model.keywords(call).iter().map(|one| one.value);
                            let around = context.conditions.iter().copied();
                            let around = around.filter(|&test| encloses(model, local, test, id));
                            let deciding = around.chain(within.iter().copied()).chain(given);
                            found.push((id, deciding.collect()));
                        }
                    }
                    _ => {}
                });
            }
        });
        found.retain(|&(call, _)| !is_only_saved(model, local, call));
        for (call, deciding) in found {
            let Some(cause) = deciding.into_iter().find_map(|one| cause(program, file, local, one, 4)) else {
                continue;
            };
            report(program, file, local, call, &cause, findings);
        }
    }
}

/// Whether the statement of a condition holds an expression; one that only leaves early compiles nothing else.
fn encloses(model: &File, function: LocalFunction, test: ExprId, inner: ExprId) -> bool {
    let at = model.span(inner);
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |id, stmt| {
        let whole = model.stmt_span(id);
        let governs = matches!(stmt, Stmt::If { test: own, .. } | Stmt::While { test: own, .. } if *own == test);
        found |= governs && whole.start <= at.start && at.end <= whole.end;
    });
    found
}

/// Whether what is compiled is written to a file and not run: `torch.jit.script(model).save(path)`.
fn is_only_saved(model: &File, function: LocalFunction, compiled: ExprId) -> bool {
    let (mut saves, mut kept, mut uses): (Vec<Span>, Option<Symbol>, Vec<(Symbol, Span)>) = Default::default();
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Stmt::Assign { targets, value } = stmt
            && *value == compiled
            && let &[target] = model.list(*targets)
            && let Expr::Name(name) = model.expr(target)
        {
            kept = Some(name);
        }
        let targets = match stmt {
            Stmt::Assign { targets, .. } => model.list(*targets),
            _ => &[],
        };
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |id, expr| match expr {
                Expr::Call(call)
                    if model.last_name(model.call(call).callee).is_some_and(|name| name.as_str() == "save") =>
                {
                    saves.push(model.span(id));
                }
                Expr::Name(name) if !targets.contains(&id) => uses.push((name, model.span(id))),
                _ => {}
            });
        }
    });
    let is_saved = |at: Span| saves.iter().any(|save| save.start <= at.start && at.end <= save.end);
    match kept {
        Some(name) => {
            let mut uses = uses.iter().filter(|(used, _)| *used == name).peekable();
            uses.peek().is_some() && uses.all(|(_, at)| is_saved(*at))
        }
        None => is_saved(model.span(compiled)),
    }
}

fn is_compiler(name: &str) -> bool {
    matches!(name, "torch.compile" | "torch._dynamo.optimize" | "torch.compiler.compile" | "torch.jit.script")
}

fn report(program: &Program, file: FileId, local: LocalFunction, call: ExprId, cause: &Cause, findings: &mut Findings) {
    let model = &program.file(file).model;
    let compares = program
        .environment()
        .checks()
        .iter()
        .any(|check| check.of_environment && program.same_tree(check.site.file, file));
    let (message, at, why, confidence) = match cause {
        Cause::Key(key, at) => (
            format!("whether or how this is compiled depends on `{key}`, which ranks do not compare"),
            *at,
            "the key is read here",
            if compares { Confidence::Medium } else { Confidence::Low },
        ),
        Cause::Rank(at) => (
            "whether or how this is compiled depends on the rank".to_owned(),
            *at,
            "this is not the same on every rank",
            Confidence::Medium,
        ),
    };
    let finding = Findings::new_finding(&RULE, site(file, model.span(call)), program.symbol_of(file, local), message)
        .confidence(confidence)
        .because(at, why)
        .help("decide from the settings that the parity check compares, by their effective value: ranks that compile differently issue different collectives");
    findings.push(match nearest_check(program, file) {
        Some(at) if compares => finding.because(at, "ranks compare their settings here"),
        _ => finding,
    });
}

/// What an expression depends on that may differ, through local names and the functions it calls.
fn cause(program: &Program, file: FileId, function: LocalFunction, expr: ExprId, fuel: u32) -> Option<Cause> {
    let fuel = fuel.checked_sub(1)?;
    let model = &program.file(file).model;
    if let Some(key) = key_read(program, file, expr) {
        return Some(key);
    }
    if let Some(part) = rank::mention(program, file, function, expr) {
        return Some(Cause::Rank(site(file, model.span(part))));
    }
    let mut found = None;
    each_expression(model, expr, &mut |_, part| {
        if found.is_some() {
            return;
        }
        match part {
            Expr::Name(name) => {
                let value = match program.scope_of(file, function, name) {
                    Scope::Local(owner) => program.single_assignment(file, owner, name),
                    Scope::Global => match program.module_values(file, name) {
                        &[value] => Some(value),
                        _ => None,
                    },
                };
                let made = value.is_some_and(|value| rank::is_made(program, file, value));
                let counts = |cause: &Cause| !made || matches!(cause, Cause::Key(..));
                found = value.and_then(|value| cause(program, file, function, value, fuel)).filter(counts);
            }
            Expr::Call(index) => {
                if let Some(Target::Function(callee)) = program.target(file, function, model.call(index).callee) {
                    found = of_result(program, callee, fuel);
                }
            }
            _ => {}
        }
    });
    found
}

/// What the result of a function depends on: a key that its `return` reads, unless ranks compare the result.
fn of_result(program: &Program, callee: FunctionId, fuel: u32) -> Option<Cause> {
    if program.environment().is_checker(callee) {
        return None;
    }
    let (file, local) = program.locate(callee);
    let model = &program.file(file).model;
    let mut found = None;
    each_statement(model, model.function(local).body, &mut |_, stmt| {
        if let Stmt::Return(Some(value)) = stmt
            && found.is_none()
        {
            found = cause(program, file, local, *value, fuel).filter(|cause| matches!(cause, Cause::Key(..)));
        }
    });
    found
}

/// A read of a key that nobody compares, within an expression.
fn key_read(program: &Program, file: FileId, expr: ExprId) -> Option<Cause> {
    let environment = program.environment();
    let span = program.file(file).model.span(expr);
    environment.in_file(file).iter().find_map(|access| {
        let key = access.key.whole()?;
        let inside = span.start <= access.span.start && access.span.end <= span.end;
        let told = environment.is_parity_checked(key) || key.ends_with("RANK") || key.ends_with("WORLD_SIZE");
        (access.is_read() && inside && !told).then(|| Cause::Key(key.to_owned(), access.site()))
    })
}
