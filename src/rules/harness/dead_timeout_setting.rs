//! `dead-timeout-setting`: a variable that nobody reads is set to bound a hang.

use crate::base::{FileId, Span};
use crate::finding::{Confidence, Severity};
use crate::graph::{Action, Program};
use crate::rules::{Check, Findings, Group, Rule, Script, site};

/// The rule.
pub static RULE: Rule = Rule {
    name: "dead-timeout-setting",
    group: Group::Harness,
    summary: "an environment variable that nobody reads is set as a time-out",
    severity: Severity::Note,
    rows: &[],
    verify: None,
    page: include_str!("../../../rules/harness/dead-timeout-setting.md"),
    check: Check::FileAndScript(check, check_script),
};

/// Names that look like time-outs of the libraries and are read by none of them (torch 2.15, NCCL 2.27, gloo).
const DEAD: [&str; 6] = [
    "NCCL_TIMEOUT",
    "NCCL_TIMEOUT_MS",
    "TORCH_NCCL_TIMEOUT",
    "TORCH_DISTRIBUTED_TIMEOUT",
    "GLOO_TIMEOUT",
    "GLOO_TIMEOUT_SECONDS",
];

const HELP: &str =
    "pass `timeout=` to `init_process_group` and `new_group`; what waits and how it fails is set by `TORCH_NCCL_*`";

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let environment = program.environment();
    for access in environment.in_file(file).iter().filter(|access| matches!(access.action, Action::Write(_))) {
        let Some(key) = access.key.whole().filter(|key| DEAD.contains(key)) else { continue };
        let read = program
            .file_ids()
            .any(|other| environment.in_file(other).iter().any(|one| one.is_read() && one.key.whole() == Some(key)));
        if read {
            continue;
        }
        findings.push(
            Findings::new_finding(
                &RULE,
                access.site(),
                program.symbol_of(file, access.function),
                format!("neither torch nor NCCL reads `{key}`; the time-out stays what it was"),
            )
            .confidence(Confidence::Medium)
            .help(HELP),
        );
    }
}

fn check_script(script: &Script<'_>, findings: &mut Findings) {
    let mut start = 0;
    for line in script.text.split_inclusive('\n') {
        let words = line.trim_start();
        let at = start + (line.len() - words.len());
        let words_at =
            if let Some(rest) = words.strip_prefix("export ") { (rest, at + "export ".len()) } else { (words, at) };
        let set = DEAD.iter().find(|key| words_at.0.strip_prefix(**key).is_some_and(|rest| rest.starts_with('=')));
        // A script that reads it itself has a use for it.
        if let Some(key) = set
            && !script.text.contains(&format!("${key}"))
            && !script.text.contains(&format!("${{{key}"))
        {
            let span = Span::new(words_at.1 as u32, (words_at.1 + key.len()) as u32);
            findings.push(
                Findings::new_finding(
                    &RULE,
                    site(script.file, span),
                    "",
                    format!("neither torch nor NCCL reads `{key}`; the time-out stays what it was"),
                )
                .confidence(Confidence::Medium)
                .help(HELP),
            );
        }
        start += line.len();
    }
}
