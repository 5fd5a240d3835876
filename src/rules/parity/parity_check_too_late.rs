//! `parity-check-too-late`: ranks issue a collective, or make groups, before they have compared what they were started with.

use crate::base::FunctionId;
use crate::catalog::OperationKind;
use crate::finding::{Confidence, Severity};
use crate::graph::protocol::Types;
use crate::graph::{Issues, Program, Wants};
use crate::model::{Expr, ExprId, FunctionKind, LocalFunction, calls_to, each_call};
use crate::rules::{Check, Findings, Group, Probe, Rule, site};

/// The rule.
pub static RULE: Rule = Rule {
    name: "parity-check-too-late",
    group: Group::Parity,
    summary: "a collective or group creation before the parity check at start-up",
    severity: Severity::Error,
    rows: &["OM-04"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/parity/parity-check-too-late.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let environment = program.environment();
    if environment.checks().is_empty() {
        return;
    }
    let mut comparing: Vec<FunctionId> = Vec::new();
    for check in environment.checks().iter().filter(|check| check.of_environment) {
        let file = check.site.file;
        let model = &program.file(file).model;
        let holds = |function: &crate::model::Function| {
            function.span.start <= check.site.span.start && check.site.span.end <= function.span.end
        };
        let inner = (0..model.functions.len() as u32).rev().map(LocalFunction).find(|&local| {
            let function = model.function(local);
            function.kind == FunctionKind::Def && holds(function)
        });
        comparing.extend(inner.map(|local| program.function_id(file, local)));
    }
    let types = Types::new(program);
    let mut issues = Issues::new(program);
    for file in program.file_ids() {
        let entry = program.file(file);
        if memchr::memmem::find(entry.text.as_bytes(), b"init_process_group").is_none() {
            continue;
        }
        let model = &entry.model;
        // What a test gathers and compares is its results.
        let sure = if entry.is_test() { Confidence::Low } else { Confidence::Medium };
        // The start-up is what joins the group and calls the comparison.
        let joins = calls_to(model, &|callee| match model.expr(callee) {
            Expr::Name(name) | Expr::Attribute { name, .. } => name.as_str().ends_with("init_process_group"),
            _ => false,
        });
        for (index, function) in model.functions.iter().enumerate() {
            let local = LocalFunction(index as u32);
            if function.skeleton || function.kind == FunctionKind::Lambda {
                continue;
            }
            let Some(joined) = joins.iter().find(|(home, ..)| *home == local).map(|(_, expr, _)| model.span(*expr))
            else {
                continue;
            };
            let mut calls: Vec<(ExprId, crate::model::Call)> = Vec::new();
            each_call(model, local, &mut |expr, call| calls.push((expr, call)));
            let this = program.function_id(file, local);
            let compares = |expr: ExprId, call: crate::model::Call| {
                types.callees(file, local, call).iter().any(|callee| comparing.contains(callee))
                    || comparing.contains(&this)
                        && environment
                            .checks()
                            .iter()
                            .any(|check| check.site.file == file && check.site.span == model.span(expr))
            };
            let Some(&(first, _)) =
                calls.iter().find(|&&(expr, call)| model.span(expr).start > joined.end && compares(expr, call))
            else {
                continue;
            };
            let until = model.span(first).start;
            let early = calls.iter().filter(|(expr, _)| {
                let span = model.span(*expr);
                span.start >= joined.end && span.end <= until
            });
            for &(expr, call) in early {
                let Some(issue) = issues.issued(file, local, expr, call, Wants::Common) else { continue };
                let what = match issue.kind {
                    OperationKind::GroupCreation => "groups are made",
                    _ => "a collective is issued",
                };
                findings.push(
                    Findings::new_finding(
                        &RULE,
                        site(file, model.span(expr)),
                        program.symbol_of(file, local),
                        format!("{what} before the ranks have compared what they were started with: {}", issue.shown()),
                    )
                    .confidence(issue.confidence.min(sure))
                    .because(site(file, model.span(first)), "they compare it here")
                    .help("compare first, straight after joining: what differs changes groups and collectives, and the first of them hangs"),
                );
                break;
            }
        }
    }
}
