//! `ungated-test-hook`: a test flag is read that no parity check compares across ranks.

use crate::base::FileId;
use crate::finding::{Confidence, Severity};
use crate::graph::{Key, Program};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::{beside_the_check, rank};

/// The rule.
pub static RULE: Rule = Rule {
    name: "ungated-test-hook",
    group: Group::Parity,
    summary: "a test flag is read that is not compared across ranks at start-up",
    severity: Severity::Error,
    rows: &["OM-04"],
    verify: Some(Probe::EnvironmentParity),
    page: include_str!("../../../rules/parity/ungated-test-hook.md"),
    check: Check::File(check),
};

fn check(program: &Program, file: FileId, findings: &mut Findings) {
    let environment = program.environment();
    for access in environment.in_file(file).iter().filter(|access| access.is_read()) {
        let (shown, confidence) = match &access.key {
            Key::Whole(key) if environment.is_test_key(key) && !environment.is_parity_checked(key) => {
                (key.clone(), Confidence::High)
            }
            // Which keys these are is decided at run time, so no list can hold them; a rank in the name is another rule's.
            Key::Prefix(prefix)
                if environment.is_test_prefix(prefix)
                    && !environment.is_parity_checked(&format!("{prefix}X"))
                    && !is_parameter(program, file, access)
                    && rank::mention(program, file, access.function, access.key_expr).is_none() =>
            {
                (format!("{prefix}…"), Confidence::Medium)
            }
            _ => continue,
        };
        let compared = environment.checks().is_empty();
        let message = match compared {
            true => format!("`{shown}` is read, but nothing compares it across ranks first"),
            false => format!("`{shown}` is read, but it is not among the keys that are compared across ranks"),
        };
        let finding =
            Findings::new_finding(&RULE, access.site(), program.symbol_of(file, access.function), message)
                .confidence(confidence)
                .help("add the key to the list that the parity check at start-up gathers from every rank, and read it once, there");
        let finding = beside_the_check(program, file, finding, "keys are compared across ranks here, this one is not");
        findings.push(match access.through {
            Some(helper) => {
                let (owner, local) = program.locate(helper);
                let span = program.file(owner).model.function(local).name_span;
                finding.because(crate::rules::site(owner, span), "this function reads the key it is given")
            }
            None => finding,
        });
    }
}

/// Whether the rest of the key is a parameter: the callers say which key is read, and are looked at instead.
fn is_parameter(program: &Program, file: FileId, access: &crate::graph::Access) -> bool {
    let model = &program.file(file).model;
    let parameters = &model.function(access.function).parameters;
    let mut is = false;
    crate::model::each_expression(model, access.key_expr, &mut |_, expr| {
        is |= matches!(expr, crate::model::Expr::Name(name) if parameters.iter().any(|one| one.name == name));
    });
    is
}
