//! A collective inside `assert`: under `python -O` it is gone.

use crate::finding::{Confidence, Severity};
use crate::graph::{Communication, Program, Wanted};
use crate::model::{Expr, FunctionKind, LocalFunction, Stmt, each_expression, each_statement};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::through;

/// The rule.
pub static RULE: Rule = Rule {
    name: "collective-in-assert",
    group: Group::Collectives,
    summary: "a collective inside `assert`, which `python -O` leaves out",
    severity: Severity::Note,
    rows: &["OM-05"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/collective-in-assert.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let mut communication = Communication::new(program);
    for file in program.file_ids() {
        let model = &program.file(file).model;
        for (index, definition) in model.functions.iter().enumerate() {
            let function = LocalFunction(index as u32);
            let is_body = matches!(definition.kind, FunctionKind::Def | FunctionKind::Module) && !definition.skeleton;
            // Test runners need assertions, and no test runs without them.
            let is_test = definition.name.as_str().starts_with("test");
            if !is_body || is_test || !communication.may_reach(file, function) {
                continue;
            }
            let mut calls = Vec::new();
            each_statement(model, definition.body, &mut |_, stmt| {
                let Stmt::Assert(test) = stmt else { return };
                each_expression(model, *test, &mut |id, expr| {
                    if let Expr::Call(call) = expr {
                        calls.push((id, model.call(call)));
                    }
                });
            });
            for (expr, call) in calls {
                let Some(issue) = communication.issued(file, function, expr, call, Wanted::Common) else { continue };
                // Through calls it is a habit of scripts that nobody starts with -O.
                let confidence = if issue.calls.is_empty() { Confidence::Medium } else { Confidence::Low };
                let message =
                    format!("{} stands inside `assert`: a rank under `python -O` never issues it", issue.shown());
                let finding = Findings::new_finding(&RULE, issue.start(), program.symbol_of(file, function), message)
                    .help("call it before the assertion, and assert on its result")
                    .confidence(confidence);
                findings.push(through(finding, &issue));
            }
        }
    }
}
