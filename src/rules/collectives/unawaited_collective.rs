//! An asynchronous operation whose handle is dropped, or whose buffer is used before it is done.

use crate::finding::{Confidence, Fix, Severity};
use crate::graph::{Misuse, Program, Unawaited};
use crate::model::Expr;
use crate::rules::calls::keyword;
use crate::rules::fixes::{Safety, expression_at, fix, insertion};
use crate::rules::{Check, Findings, Group, Probe, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "unawaited-collective",
    group: Group::Collectives,
    summary: "an asynchronous operation that nobody waits on, or whose buffer is used before",
    severity: Severity::Error,
    rows: &[],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/unawaited-collective.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    for found in &program.conduct().unawaited {
        let (file, function) = found.function;
        let message = match (found.misuse, found.used) {
            (Misuse::Dropped, _) | (_, None) => {
                format!("the handle of `{}` is dropped: nobody knows when the buffer is ready", found.op)
            }
            (Misuse::Read, Some((_, name))) => {
                format!("`{name}` is read before the asynchronous `{}` that fills it has been waited on", found.op)
            }
            (Misuse::Written, Some((_, name))) => {
                format!("`{name}` is overwritten while the asynchronous `{}` may still use it", found.op)
            }
        };
        let primary = found.used.map_or(found.site, |(site, _)| site);
        let mut finding = Findings::new_finding(&RULE, primary, program.symbol_of(file, function), message).help(
            match found.misuse {
                Misuse::Dropped => "keep the handle and call `wait()` on it before the buffer is used or freed",
                _ => "call `wait()` on the handle first",
            },
        );
        finding.confidence = found.confidence;
        if found.misuse == Misuse::Dropped {
            finding.severity = Severity::Warning;
        }
        if found.used.is_some() {
            finding = finding.because(found.site, format!("`{}` starts here", found.op));
        }
        finding.fix = waited(program, found);
        findings.push(finding);
    }
}

/// Waits on the handle right before the statement that uses the buffer.
fn waited(program: &Program, found: &Unawaited) -> Option<Fix> {
    let (handle, statement) = found.handle?;
    let file = statement.file;
    let before = program.file(file).text.get(..statement.span.start as usize)?;
    let indent = &before[before.rfind(['\n', '\r']).map_or(0, |end| end + 1)..];
    if !indent.chars().all(|letter| matches!(letter, ' ' | '\t')) {
        return None;
    }
    // Whoever is no member of the group has no handle.
    let model = &program.file(file).model;
    let Expr::Call(index) = model.expr(expression_at(model, found.site.span)?) else { return None };
    let call = model.call(index);
    // No operation takes the group before its third argument.
    let on_world = keyword(model, call, "group").is_none() && model.list(call.args).len() <= 2;
    let safety = if on_world && found.confidence == Confidence::High { Safety::Safe } else { Safety::Unsafe };
    let edit = insertion(file, statement.span.start, format!("{handle}.wait()\n{indent}"));
    Some(fix(safety, format!("wait on `{handle}` first"), vec![edit]))
}
