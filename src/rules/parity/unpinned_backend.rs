//! `unpinned-backend`: what `auto` came to on this machine is used, and compared with nobody.

use crate::base::{FileId, FunctionId};
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::model::{
    CompareOp, Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, each_expression, each_statement, expressions_of,
};
use crate::rules::{Check, Findings, Group, Probe, Rule, site};

use super::nearest_check;

/// The rule.
pub static RULE: Rule = Rule {
    name: "unpinned-backend",
    group: Group::Parity,
    summary: "a backend chosen by probing that ranks do not compare",
    severity: Severity::Warning,
    rows: &["C-04"],
    verify: Some(Probe::EnvironmentParity),
    page: include_str!("../../../rules/parity/unpinned-backend.md"),
    check: Check::File(check),
};

/// Calls that ask what this machine or installation offers.
const PROBES: [&str; 9] = [
    "hasattr",
    "find_spec",
    "is_available",
    "get_device_capability",
    "get_device_properties",
    "import_module",
    "version",
    "is_bf16_supported",
    "device_count",
];

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let environment = program.environment();
    // Only a project that compares settings at start-up has a place where this one is missing.
    let compares =
        environment.checks().iter().any(|check| check.of_environment && program.same_tree(check.site.file, file));
    let entry = program.file(file);
    if !compares || entry.is_test() {
        return;
    }
    let says_auto = ["\"auto\"", "'auto'"]
        .iter()
        .any(|word| memchr::memmem::find(entry.text.as_bytes(), word.as_bytes()).is_some());
    if !says_auto {
        return;
    }
    let model = &entry.model;
    for (index, function) in model.functions.iter().enumerate() {
        let local = LocalFunction(index as u32);
        if function.kind != FunctionKind::Def || function.skeleton {
            continue;
        }
        let id = program.function_id(file, local);
        let Some((choice, probe)) = chooses(model, local) else { continue };
        if environment.is_checker(id) || !is_called(program, id) {
            continue;
        }
        let finding = Findings::new_finding(
            &RULE,
            site(file, model.span(choice)),
            program.symbol_of(file, local),
            format!("what `{}` comes to depends on this machine, and ranks do not compare it", function.name),
        )
        .confidence(Confidence::Medium)
        .because(site(file, model.span(probe)), "this asks what is installed or present here")
        .help("hand the result, not the word `auto`, to the parity check at start-up, with the settings that decide graphs and kernels");
        findings.push(match nearest_check(program, file) {
            Some(at) => finding.because(at, "ranks compare their settings here"),
            None => finding,
        });
    }
}

/// The choice that a function makes between backends by asking the machine: it is handed `auto`, and returns one of several names.
fn chooses(model: &File, function: LocalFunction) -> Option<(ExprId, ExprId)> {
    let mut names = Vec::new();
    let mut choice = None;
    let mut probe = None;
    let mut auto = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |id, expr| match expr {
                Expr::Compare(CompareOp::Eq | CompareOp::NotEq | CompareOp::In | CompareOp::NotIn, left, right) => {
                    let says = |side: ExprId| matches!(model.expr(side), Expr::Str(text) if text.as_str() == "auto");
                    auto |= says(left) || says(right);
                }
                Expr::Call(index) => {
                    let name = match model.expr(model.call(index).callee) {
                        Expr::Name(name) | Expr::Attribute { name, .. } => name,
                        _ => return,
                    };
                    let asks = PROBES.contains(&name.as_str())
                        || name.as_str().starts_with("is_") && name.as_str().ends_with("_available");
                    if asks {
                        probe = probe.or(Some(id));
                    }
                }
                _ => {}
            });
        }
        if let Stmt::Return(Some(value)) = stmt {
            each_expression(model, *value, &mut |_, expr| {
                if let Expr::Str(text) = expr {
                    names.push(text);
                    choice = choice.or(Some(*value));
                }
            });
        }
    });
    names.sort_by_key(|name| name.as_str());
    names.dedup();
    (auto && names.len() >= 2).then_some(())?;
    Some((choice?, probe?))
}

/// Whether something in the program calls it.
fn is_called(program: &Program, function: FunctionId) -> bool {
    let name = program.function(function).name;
    program.file_ids().any(|file| {
        let model = &program.file(file).model;
        model.functions.iter().any(|one| one.name != name && one.mentions.contains(&name))
    })
}
