//! `sleep-as-synchronisation`: some ranks wait a while where they should wait for the others.

use crate::base::FileId;
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::model::{Block, Expr, ExprId, FunctionKind, LocalFunction, Stmt, each_statement};
use crate::rules::parity::mentions_rank;
use crate::rules::{Check, Findings, Group, Rule, site};

/// The rule.
pub static RULE: Rule = Rule {
    name: "sleep-as-synchronisation",
    group: Group::Harness,
    summary: "some ranks sleep instead of waiting for the others",
    severity: Severity::Warning,
    rows: &[],
    verify: None,
    page: include_str!("../../../rules/harness/sleep-as-synchronisation.md"),
    check: Check::File(check),
};

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let entry = program.file(file);
    if memchr::memmem::find(entry.text.as_bytes(), b"sleep").is_none() || entry.is_test() {
        return;
    }
    let model = &entry.model;
    for (index, function) in model.functions.iter().enumerate() {
        let local = LocalFunction(index as u32);
        if function.skeleton || function.kind == FunctionKind::Lambda {
            continue;
        }
        each_statement(model, function.body, &mut |_, stmt| {
            let Stmt::If { test, body, orelse } = stmt else { return };
            let Some(rank) = mentions_rank(program, file, local, *test) else { return };
            for (block, other) in [(*body, *orelse), (*orelse, *body)] {
                // Where the other ranks are given something to do meanwhile.
                let works = !other.is_empty();
                let Some(sleep) = only_sleeps(program, file, local, block) else { continue };
                findings.push(
                    Findings::new_finding(
                        &RULE,
                        site(file, model.span(sleep)),
                        program.symbol_of(file, local),
                        "some ranks sleep here while the others work; nothing makes the one long enough for the other",
                    )
                    .confidence(if works { Confidence::Medium } else { Confidence::Low })
                    .because(site(file, model.span(rank)), "not every rank comes here")
                    .help("wait for what is waited for: a barrier on every rank, a key in the store, or a broadcast of the result"),
                );
            }
        });
    }
}

/// The sleep of a block that does nothing else of note.
fn only_sleeps(program: &Program, file: FileId, function: LocalFunction, block: Block) -> Option<ExprId> {
    let model = &program.file(file).model;
    let mut found = None;
    for &id in model.block(block) {
        let Stmt::Expr(value) = model.stmt(id) else { return None };
        let Expr::Call(index) = model.expr(*value) else { return None };
        let name = program.resolve(file, function, model.call(index).callee);
        match name.map_or("", |name| name.as_str()) {
            "time.sleep" => found = Some(*value),
            "print" => {}
            name if name.starts_with("logging.") => {}
            _ => return None,
        }
    }
    found
}
