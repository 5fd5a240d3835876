//! `launch-without-timeout`: a test waits for a job as long as it takes.

use crate::base::FileId;
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::rules::calls::{keyword, passes_unseen};
use crate::rules::{Check, Findings, Group, Rule};

use super::launches::{in_test, is_put_aside, launches, methods_on};

/// The rule.
pub static RULE: Rule = Rule {
    name: "launch-without-timeout",
    group: Group::Harness,
    summary: "a job is started and waited for without a time-out",
    severity: Severity::Warning,
    rows: &["OM-13"],
    verify: None,
    page: include_str!("../../../rules/harness/launch-without-timeout.md"),
    check: Check::File(check),
};

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let model = &program.file(file).model;
    for launch in launches(program, file) {
        let limited = |call| keyword(model, call, "timeout").is_some() || passes_unseen(model, call);
        let at = match launch.runner.as_str() {
            "os.system" => launch.call.expr,
            "subprocess.Popen" => {
                let Some(held) = launch.held else { continue };
                let waits = methods_on(model, launch.call.function, held);
                let mut waits =
                    waits.into_iter().filter(|(_, name, _)| matches!(name.as_str(), "wait" | "communicate"));
                let Some((wait, ..)) = waits.find(|(_, name, call)| {
                    let given = model.list(call.args).len() > usize::from(name.as_str() == "communicate");
                    !given && !limited(*call)
                }) else {
                    continue;
                };
                wait
            }
            _ if limited(launch.call.call) => continue,
            _ => launch.call.expr,
        };
        // Outside of tests a job takes as long as it takes; a test that is put aside is not waited for.
        let is_waited_for = in_test(program, launch.call) && !is_put_aside(program, launch.call);
        let confidence = if is_waited_for { Confidence::Medium } else { Confidence::Low };
        findings.push(
            Findings::new_finding(
                &RULE,
                launch.call.site_of(model, at),
                program.symbol_of(file, launch.call.function),
                format!(
                    "this waits for `{}` as long as it takes; a job that hangs hangs the runner with it",
                    launch.launcher
                ),
            )
            .confidence(confidence)
            .help("give the wait a time-out above the job's own, and end the whole process group when it is over"),
        );
    }
}
