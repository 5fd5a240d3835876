//! `launch-without-process-group`: ending the launcher leaves its ranks behind.

use crate::base::FileId;
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::rules::calls::{keyword, passes_unseen};
use crate::rules::{Check, Findings, Group, Rule};

use super::launches::{launches, methods_on};

/// The rule.
pub static RULE: Rule = Rule {
    name: "launch-without-process-group",
    group: Group::Harness,
    summary: "a job is killed by its launcher's process alone",
    severity: Severity::Warning,
    rows: &["OM-13"],
    verify: None,
    page: include_str!("../../../rules/harness/launch-without-process-group.md"),
    check: Check::File(check),
};

/// What puts the job into a process group of its own.
const OWN_GROUP: [&str; 4] = ["start_new_session", "process_group", "preexec_fn", "creationflags"];

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let model = &program.file(file).model;
    for launch in launches(program, file) {
        let call = launch.call.call;
        if passes_unseen(model, call) || OWN_GROUP.iter().any(|name| keyword(model, call, name).is_some()) {
            continue;
        }
        let (ended, confidence) = match launch.runner.as_str() {
            "subprocess.Popen" => {
                let Some(held) = launch.held else { continue };
                let calls = methods_on(model, launch.call.function, held);
                let Some((kill, ..)) = calls.into_iter().find(|(_, name, _)| name.as_str() == "kill") else { continue };
                (kill, Confidence::Medium)
            }
            "os.system" => continue,
            _ if keyword(model, call, "timeout").is_some() => (launch.call.expr, Confidence::Low),
            _ => continue,
        };
        let mut finding = Findings::new_finding(
            &RULE,
            launch.call.site(model),
            program.symbol_of(file, launch.call.function),
            format!(
                "only `{}` itself is killed; the ranks it started live on and keep their devices and ports",
                launch.launcher
            ),
        )
        .confidence(confidence)
        .help(
            "start it with `start_new_session=True` and end the whole group: `os.killpg(process.pid, signal.SIGKILL)`",
        );
        if ended != launch.call.expr {
            finding = finding
                .because(launch.call.site_of(model, ended), "it is killed here, without the chance to end its ranks");
        }
        findings.push(finding);
    }
}
