//! `missing-destroy`: a process group is joined, and never left.

use crate::base::FileId;
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::rules::calls::{calls_named, symbols};
use crate::rules::{Check, Findings, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "missing-destroy",
    group: Group::Harness,
    summary: "a process group is joined and nothing in the program leaves it",
    severity: Severity::Note,
    rows: &["OM-13"],
    verify: None,
    page: include_str!("../../../rules/harness/missing-destroy.md"),
    check: Check::Program(check),
};

/// What ends a process group, under the names of libraries that wrap it.
const ENDS: [&str; 8] = [
    "destroy_process_group",
    "_shutdown_backend",
    "destroy_dist",
    "end_training",
    "destroy_model_parallel",
    "abort_process_group",
    "cleanup_dist",
    "_abort_process_group",
];

fn check(program: &Program, findings: &mut Findings) {
    let joins = symbols(["init_process_group"]);
    let mut joined: Vec<FileId> = Vec::new();
    for file in program.file_ids() {
        let entry = program.file(file);
        if memchr::memmem::find(entry.text.as_bytes(), b"init_process_group").is_some() {
            joined.push(file);
        }
    }
    for &file in &joined {
        let ended = |one: FileId| {
            let model = &program.file(one).model;
            model.functions.iter().any(|function| function.mentions.iter().any(|name| ENDS.contains(&name.as_str())))
        };
        if program.file_ids().any(|one| program.same_tree(one, file) && ended(one)) {
            continue;
        }
        let model = &program.file(file).model;
        for call in calls_named(program, file, &joins) {
            if call.callee(program).is_none_or(|name| name.as_str() != "torch.distributed.init_process_group") {
                continue;
            }
            // A control plane promises a clean end; for a test this is advice.
            let confidence = match (program.protocol().covers(file), program.file(file).is_test()) {
                (true, _) => Confidence::Medium,
                (false, true) => Confidence::Low,
                (false, false) => continue,
            };
            findings.push(
                Findings::new_finding(
                    &RULE,
                    call.site(model),
                    program.symbol_of(file, call.function),
                    "the group is joined here, and nothing in the program ever leaves it",
                )
                .confidence(confidence)
                .help(
                    "call `destroy_process_group()` on every rank at the clean end; on a failure leave at once instead",
                ),
            );
        }
    }
}
