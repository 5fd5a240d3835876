//! `ignored-exit-status`: nobody asks how a job, or one of its processes, has ended.

use rustc_hash::FxHashSet;

use crate::base::{FileId, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::model::{Expr, FunctionKind, LocalFunction, Stmt, each_statement};
use crate::rules::calls::{calls_named, keyword, passes_unseen, symbols};
use crate::rules::{Check, Findings, Group, Rule};

use super::launches::{asks, in_test, launches, methods_on};

/// The rule.
pub static RULE: Rule = Rule {
    name: "ignored-exit-status",
    group: Group::Harness,
    summary: "the end of a job or of one of its processes is not looked at",
    severity: Severity::Warning,
    rows: &[],
    verify: None,
    page: include_str!("../../../rules/harness/ignored-exit-status.md"),
    check: Check::File(check),
};

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let model = &program.file(file).model;
    for launch in launches(program, file) {
        let call = launch.call.call;
        let ignored = match launch.runner.as_str() {
            "subprocess.run" => {
                let checked = keyword(model, call, "check").is_some_and(|value| model.expr(value) != Expr::Bool(false));
                launch.dropped && !checked && !passes_unseen(model, call)
            }
            "subprocess.call" | "os.system" => launch.dropped,
            "subprocess.Popen" => launch.held.is_some_and(|held| {
                let function = launch.call.function;
                let waits = methods_on(model, function, held);
                let waited = waits.iter().find(|(_, name, _)| matches!(name.as_str(), "wait" | "communicate"));
                let dropped = waited.is_some_and(|(expr, ..)| is_dropped(model, function, *expr));
                dropped
                    && !asks(model, function, held, "returncode")
                    && !waits.iter().any(|(_, name, _)| name.as_str() == "poll")
            }),
            _ => false,
        };
        if ignored {
            findings.push(
                Findings::new_finding(
                    &RULE,
                    launch.call.site(model),
                    program.symbol_of(file, launch.call.function),
                    format!("nobody asks how `{}` has ended; a job that failed looks like one that passed", launch.launcher),
                )
                .confidence(if in_test(program, launch.call) { Confidence::Medium } else { Confidence::Low })
                .help("pass `check=True`, or compare the return code: the launcher's is that of the first rank that failed"),
            );
        }
    }
    if program.file(file).is_test() {
        processes(program, file, findings);
    }
}

fn is_dropped(model: &crate::model::File, function: LocalFunction, expr: crate::model::ExprId) -> bool {
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        found |= matches!(stmt, Stmt::Expr(value) if *value == expr);
    });
    found
}

/// Tests that start ranks as processes, join them, and look at nothing else.
fn processes(program: &Program, file: FileId, findings: &mut Findings) {
    let model = &program.file(file).model;
    let names: FxHashSet<Symbol> = symbols(["Process"]);
    for call in calls_named(program, file, &names) {
        let named = call.callee(program).map_or("", |name| name.as_str());
        let from_context = named.is_empty() && matches!(model.expr(call.call.callee), Expr::Attribute { .. });
        if !matches!(named, "multiprocessing.Process" | "torch.multiprocessing.Process") && !from_context {
            continue;
        }
        let Some(target) = keyword(model, call.call, "target") else { continue };
        let Some(crate::graph::Target::Function(target)) = program.target(file, call.function, target) else {
            continue;
        };
        if !joins_group(program, target, 2) {
            continue;
        }
        let function = model.function(call.function);
        let says = |word: &str| function.mentions.iter().any(|name| name.as_str() == word);
        let shares = ["exitcode", "Queue", "SimpleQueue", "Pipe", "Manager", "get"].iter().any(|word| says(word));
        if function.kind != FunctionKind::Def || !says("join") || shares {
            continue;
        }
        findings.push(
            Findings::new_finding(
                &RULE,
                call.site(model),
                program.symbol_of(file, call.function),
                "the rank is joined, but nobody looks at its exit code; a rank that failed looks like one that passed",
            )
            .confidence(Confidence::Medium)
            .help("assert `process.exitcode == 0` after the join, or use `torch.multiprocessing.spawn`, which raises what a rank raised"),
        );
    }
}

/// Whether a function joins a process group, itself or through one it calls.
fn joins_group(program: &Program, function: crate::base::FunctionId, depth: u32) -> bool {
    let (file, local) = program.locate(function);
    let model = &program.file(file).model;
    let mut found = false;
    crate::model::each_call(model, local, &mut |_, call| match program.target(file, local, call.callee) {
        Some(crate::graph::Target::External(dotted)) => {
            found |= dotted.as_str() == "torch.distributed.init_process_group";
        }
        Some(crate::graph::Target::Function(callee)) if depth > 0 && callee != function => {
            found |= joins_group(program, callee, depth - 1);
        }
        _ => {}
    });
    found
}
