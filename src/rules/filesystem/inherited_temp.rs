//! `inherited-temp`: the place for scratch files taken from the environment: `gettempdir`, `TMPDIR`.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::base::{FileId, Site, Symbol};
use crate::finding::Severity;
use crate::graph::{Action, Program};
use crate::rules::calls::{calls_named, symbols};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{Outside, graded, graded_default, is_allowed};

/// The rule.
pub static RULE: Rule = Rule {
    name: "inherited-temp",
    group: Group::Filesystem,
    summary: "the scratch folder is inherited from the machine: `gettempdir`, `TMPDIR`",
    severity: Severity::Warning,
    rows: &[],
    verify: Some(Probe::Writes),
    page: include_str!("../../../rules/filesystem/inherited-temp.md"),
    check: Check::File(check),
};

static NAMES: LazyLock<FxHashSet<Symbol>> =
    LazyLock::new(|| symbols(["gettempdir", "gettempdirb", "gettempprefix", "gettempprefixb"]));

/// Environment keys that name a machine's scratch folder.
const KEYS: [&str; 4] = ["TMPDIR", "TEMP", "TMP", "TEMPDIR"];

const HELP: &str = "name a folder below the working directory and create it with `os.makedirs(…, exist_ok=True)`";

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    if is_allowed(&program.facts, "/tmp") {
        return;
    }
    let model = &program.file(file).model;
    for call in calls_named(program, file, &NAMES) {
        let Some(callee) = call.callee(program) else { continue };
        if !callee.as_str().starts_with("tempfile.gettemp") {
            continue;
        }
        let message = format!("`{callee}` takes the scratch folder from the machine, outside the working directory");
        let symbol = program.symbol_of(file, call.function);
        let finding = Findings::new_finding(&RULE, call.site(model), symbol, message);
        findings.push(graded_default(program, file, finding.help(HELP)));
    }
    for access in program.environment().in_file(file) {
        let Some(key) = access.key.whole().filter(|key| KEYS.contains(key)) else { continue };
        let message = match access.action {
            Action::Read => format!("`{key}` decides where scratch files go, outside the working directory"),
            Action::Write(value) => {
                let constant = value.and_then(|value| program.constant(file, access.function, value));
                let Some(path) = constant.as_ref().and_then(|constant| constant.prefix()) else { continue };
                if Outside::of(path).is_none() || is_allowed(&program.facts, path) {
                    continue;
                }
                format!("`{key}` is set to `{path}`, outside the working directory")
            }
            Action::Test | Action::Remove => continue,
        };
        let symbol = program.symbol_of(file, access.function);
        let finding = Findings::new_finding(&RULE, Site { file, span: access.span }, symbol, message);
        let finding = finding.help(HELP);
        findings.push(match access.action {
            Action::Read => graded_default(program, file, finding),
            Action::Write(_) | Action::Test | Action::Remove => graded(program, file, finding),
        });
    }
}
