//! `strandable-hook`: a test hook leaves in the middle of a message, or between two collectives.

use crate::base::FileId;
use crate::finding::{Confidence, Severity};
use crate::graph::{Program, Scope};
use crate::model::{Block, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement, expressions_of};
use crate::rules::{Check, Findings, Group, Probe, Rule, site};

/// The rule.
pub static RULE: Rule = Rule {
    name: "strandable-hook",
    group: Group::Parity,
    summary: "a test hook leaves after the commitment point, and its peers wait",
    severity: Severity::Error,
    rows: &["OM-01", "OM-11"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/parity/strandable-hook.md"),
    check: Check::File(check),
};

/// Calls after which a peer waits for more.
const COMMITS: [&str; 6] = ["send", "isend", "broadcast", "broadcast_object_list", "send_object_list", "scatter"];

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let entry = program.file(file);
    if !program.environment().may_name_test_keys(&entry.text) {
        return;
    }
    let model = &entry.model;
    for (index, function) in model.functions.iter().enumerate() {
        let local = LocalFunction(index as u32);
        if function.skeleton {
            continue;
        }
        let commits = commits(program, file, local);
        let (Some(&first), Some(&last)) = (commits.first(), commits.last()) else { continue };
        each_statement(model, function.body, &mut |id, stmt| {
            let Stmt::If { test, body, .. } = stmt else { return };
            let span = model.stmt_span(id);
            if span.start < model.span(first).end || span.end > model.span(last).start {
                return;
            }
            let Some(key) = hook(program, file, local, *test, 4) else { return };
            if !leaves(program, file, local, *body) || tells(model, *body) {
                return;
            }
            findings.push(
                Findings::new_finding(
                    &RULE,
                    site(file, model.span(*test)),
                    program.symbol_of(file, local),
                    format!("the hook `{key}` leaves in the middle of what its peers have begun to wait for"),
                )
                .confidence(Confidence::Medium)
                .because(site(file, model.span(first)), "from here on a peer waits for more")
                .because(site(file, model.span(last)), "this never comes")
                .help("let the hook act before the first of these, or send a terminal action (SHUTDOWN or ERROR) before it leaves"),
            );
        });
    }
}

/// The calls of a body after which peers wait, in order.
fn commits(program: &Program, file: FileId, function: LocalFunction) -> Vec<ExprId> {
    let model = &program.file(file).model;
    let mut out = Vec::new();
    crate::model::each_call(model, function, &mut |expr, call| {
        let named = match model.expr(call.callee) {
            Expr::Name(name) | Expr::Attribute { name, .. } => COMMITS.contains(&name.as_str()),
            _ => false,
        };
        let library = program
            .resolve(file, function, call.callee)
            .is_some_and(|dotted| dotted.as_str().starts_with("torch.distributed."));
        if named && library {
            out.push(expr);
        }
    });
    out
}

/// The test key that a condition asks for, itself or through names.
fn hook(program: &Program, file: FileId, function: LocalFunction, test: ExprId, fuel: u32) -> Option<String> {
    let fuel = fuel.checked_sub(1)?;
    let environment = program.environment();
    let model = &program.file(file).model;
    let span = model.span(test);
    let read = environment.in_file(file).iter().find(|access| {
        let key = access.key.whole();
        access.is_read()
            && span.start <= access.span.start
            && access.span.end <= span.end
            && key.is_some_and(|key| environment.is_test_key(key))
    });
    if let Some(access) = read {
        return access.key.whole().map(str::to_owned);
    }
    let mut found = None;
    each_expression(model, test, &mut |_, expr| {
        let (Expr::Name(name), None) = (expr, &found) else { return };
        let value = match program.scope_of(file, function, name) {
            Scope::Local(owner) => program.single_assignment(file, owner, name),
            Scope::Global => match program.module_values(file, name) {
                &[value] => Some(value),
                _ => None,
            },
        };
        found = value.and_then(|value| hook(program, file, function, value, fuel));
    });
    found
}

/// Whether the block ends by leaving the function or the process.
fn leaves(program: &Program, file: FileId, function: LocalFunction, block: Block) -> bool {
    let model = &program.file(file).model;
    model.block(block).last().is_some_and(|&last| match model.stmt(last) {
        Stmt::Raise(_) | Stmt::Return(_) => true,
        Stmt::Expr(value) => match model.expr(*value) {
            Expr::Call(index) => program.resolve(file, function, model.call(index).callee).is_some_and(|dotted| {
                matches!(dotted.as_str(), "sys.exit" | "os._exit" | "os.abort" | "exit" | "quit")
            }),
            _ => false,
        },
        _ => false,
    })
}

/// Whether the block sends a terminal action first.
fn tells(model: &File, block: Block) -> bool {
    let mut found = false;
    each_statement(model, block, &mut |_, stmt| {
        found |=
            expressions_of(model, stmt).into_iter().any(|root| crate::graph::protocol::names_terminal(model, root));
    });
    found
}
