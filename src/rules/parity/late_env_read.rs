//! `late-env-read`: a gated key is read again after start-up, when the comparison is long over.

use crate::base::FileId;
use crate::finding::Severity;
use crate::graph::{Access, Program};
use crate::model::FunctionKind;
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::beside_the_check;

/// The rule.
pub static RULE: Rule = Rule {
    name: "late-env-read",
    group: Group::Parity,
    summary: "a key that is compared at start-up is read again later, in a step or loop",
    severity: Severity::Error,
    rows: &["OM-04"],
    verify: Some(Probe::EnvironmentParity),
    page: include_str!("../../../rules/parity/late-env-read.md"),
    check: Check::File(check),
};

/// Functions that run once for each step, whatever they belong to.
const STEPS: [&str; 14] = [
    "forward",
    "backward",
    "step",
    "train_step",
    "training_step",
    "eval_step",
    "validation_step",
    "run_step",
    "train_batch",
    "run_once",
    "generate",
    "decode",
    "prefill",
    "__call__",
];

/// What the names of functions that run at start-up begin with.
const START_UP: [&str; 16] = [
    "init",
    "__init",
    "__new__",
    "__post_init__",
    "setup",
    "set_up",
    "from_env",
    "configure",
    "config",
    "load",
    "parse",
    "read_",
    "snapshot",
    "check",
    "validate",
    "main",
];

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let environment = program.environment();
    // A test reads where its files are, before any rank has started.
    if program.file(file).is_test() {
        return;
    }
    for access in environment.in_file(file).iter().filter(|access| access.is_read()) {
        let Some(key) = access.key.whole() else { continue };
        if is_identity(key) {
            continue;
        }
        let checked = environment.is_parity_checked(key);
        if !checked && !environment.is_test_key(key) {
            continue;
        }
        if environment.is_checker(program.function_id(file, access.function)) {
            continue;
        }
        let Some(when) = when(program, file, access, checked) else { continue };
        let finding = Findings::new_finding(
            &RULE,
            access.site(),
            program.symbol_of(file, access.function),
            match checked {
                true => format!("`{key}` is read again {when}, after the ranks have compared it"),
                false => format!("`{key}` is read {when}, where no comparison at start-up can cover it"),
            },
        )
        .help("read it once, where the parity check reads it, and keep that value: the environment may have changed on one rank since");
        findings.push(match checked {
            true => beside_the_check(program, file, finding, "the ranks compare it here, once"),
            false => finding,
        });
    }
}

/// Keys with which a launcher tells a process who it is: they are constant for its life, and differ by rank by design.
fn is_identity(key: &str) -> bool {
    const PREFIXES: [&str; 8] = ["SLURM_", "OMPI_", "PMI_", "PMIX_", "MASTER_", "TORCHELASTIC_", "MV2_", "LSB_"];
    key == "RANK"
        || key.ends_with("_RANK")
        || key.ends_with("WORLD_SIZE")
        || key.ends_with("_VISIBLE_DEVICES")
        || PREFIXES.iter().any(|prefix| key.starts_with(prefix))
}

/// In words, the moment of a late read; absent for one at start-up.
fn when(program: &Program, file: FileId, access: &Access, checked: bool) -> Option<String> {
    let model = &program.file(file).model;
    let function = model.function(access.function);
    if function.kind != FunctionKind::Def {
        return None;
    }
    let name = function.name.as_str();
    let bare = name.trim_start_matches('_');
    if START_UP.iter().any(|start| bare.starts_with(start) || name.starts_with(start)) || bare.ends_with("_init") {
        return None;
    }
    if access.in_loop {
        return Some("in a loop".to_owned());
    }
    let is_property = model
        .list(function.decorators)
        .iter()
        .any(|&one| crate::rules::calls::last_name(model, one).is_some_and(|name| name.as_str() == "classmethod"));
    let late = STEPS.contains(&name) || checked && function.class.is_some() && !is_property;
    late.then(|| format!("in `{name}`"))
}
