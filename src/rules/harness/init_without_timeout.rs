//! `init-without-timeout`: the group is joined with the library's time-out, which is far longer than a hang should last.

use crate::base::FileId;
use crate::finding::{Confidence, Fix, Severity};
use crate::graph::Program;
use crate::rules::calls::{CallSite, argument, calls_named, passes_unseen, symbols};
use crate::rules::fixes::{Safety, added_argument, fix, imported};
use crate::rules::{Check, Findings, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "init-without-timeout",
    group: Group::Harness,
    summary: "a process group is joined without a time-out of its own",
    severity: Severity::Note,
    rows: &[],
    verify: None,
    page: include_str!("../../../rules/harness/init-without-timeout.md"),
    check: Check::File(check),
};

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let model = &program.file(file).model;
    for call in calls_named(program, file, &symbols(["init_process_group"])) {
        let joins = call.callee(program).is_some_and(|name| name.as_str() == "torch.distributed.init_process_group");
        if !joins || passes_unseen(model, call.call) || argument(model, call.call, Some(2), "timeout").is_some() {
            continue;
        }
        // A control plane promises an end; for a test this is advice, and a job of weeks knows best.
        let confidence = match (program.protocol().covers(file), program.file(file).is_test()) {
            (true, _) => Confidence::Medium,
            (false, true) => Confidence::Low,
            (false, false) => continue,
        };
        let mut finding = Findings::new_finding(
            &RULE,
            call.site(model),
            program.symbol_of(file, call.function),
            "the group waits as long as the library's default: 10 minutes with NCCL, 30 otherwise",
        )
        .confidence(confidence)
        .help("pass `timeout=timedelta(seconds=…)`, above the longest wait that is healthy and below the runner's own limit");
        finding.fix = spelled_out(program, call);
        findings.push(finding);
    }
}

/// The time-out that NCCL has already, written down. Other libraries wait longer, and only the program's owner knows what is right.
fn spelled_out(program: &Program, call: CallSite) -> Option<Fix> {
    let model = &program.file(call.file).model;
    let before = model.span(call.expr).start;
    let (timedelta, import) = imported(program, call.file, call.function, before, ("datetime", "timedelta"))?;
    let value = format!("{timedelta}(minutes=10)");
    let edit = added_argument(program, call.file, call.expr, call.call, "timeout", &value)?;
    let message = format!("give the group a time-out of its own: `timeout={value}`");
    Some(fix(Safety::Unsafe, message, import.into_iter().chain([edit]).collect()))
}
