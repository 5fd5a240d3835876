//! A loop in an order of this process's own, around collectives or group creation.

use crate::base::{FileId, Site};
use crate::finding::{Confidence, Fix, Severity};
use crate::graph::{Cause, Program};
use crate::model::{ComprehensionKind, Expr, ExprId, File, LocalFunction};
use crate::rules::calls::last_name;
use crate::rules::fixes::{Safety, around, expression_at, fix, is_builtin};
use crate::rules::{Check, Findings, Group, Probe, Rule};

/// The rule.
pub static RULE: Rule = Rule {
    name: "unordered-iteration",
    group: Group::Collectives,
    summary: "a set or directory listing whose order feeds collectives or group creation",
    severity: Severity::Error,
    rows: &["OM-03"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/collectives/unordered-iteration.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    for found in &program.divergence().unordered {
        let (file, local) = program.locate(found.function);
        let what = match found.source.cause {
            Cause::Set => "a set",
            Cause::Listing => "a directory listing",
            Cause::Completion => "results as they come in",
        };
        let message = match found.creates {
            true => format!("`{}` is called in the order of {what}, which differs between processes", found.op),
            false => format!("`{}` is reached in the order of {what}, which differs between processes", found.op),
        };
        let mut finding = Findings::new_finding(&RULE, found.site, program.symbol_of(file, local), message)
            .help(match found.source.cause {
                Cause::Completion => {
                    "take the results in the order in which they were asked for (`map`, a list of futures)"
                }
                _ => "iterate over `sorted(…)`, or keep a list or dict that every rank fills in the same order",
            })
            .confidence(found.confidence);
        // A test is run, and has shown that it gets through.
        if program.file(file).is_test() {
            finding.confidence = Confidence::Low;
        }
        if found.source.site != found.site {
            let made = match found.source.cause {
                Cause::Set => "the set is made here: strings and objects lie by hashes that each process draws anew",
                Cause::Listing => "the directory is listed here, in the order in which the file system keeps it",
                Cause::Completion => "workers hand over here whatever they have done first",
            };
            finding = finding.because(found.source.site, made);
        }
        finding = finding.because(found.call, format!("`{}` is called for each element here", found.op));
        if finding.confidence < Confidence::High {
            finding.severity = Severity::Warning;
        }
        if found.source.cause != Cause::Completion {
            finding.fix = sorted(program, file, local, found.site);
        }
        findings.push(finding);
    }
}

/// Sorts what the loop goes through. Names of files can be compared for certain; of other elements only a run can tell.
fn sorted(program: &Program, file: FileId, function: LocalFunction, site: Site) -> Option<Fix> {
    if site.file != file || !is_builtin(program, file, function, "sorted") {
        return None;
    }
    let model = &program.file(file).model;
    let order = source_of_order(model, expression_at(model, site.span)?)?;
    let safety = if are_comparable(program, file, function, order) { Safety::Safe } else { Safety::Unsafe };
    Some(fix(safety, "iterate in sorted order", around(file, model.span(order), "sorted(", ")")))
}

/// The expression whose order an iteration follows: what `list(…)` or `enumerate(…)` go through, not these themselves.
fn source_of_order(model: &File, expr: ExprId) -> Option<ExprId> {
    match model.expr(expr) {
        Expr::Call(index) => {
            let call = model.call(index);
            let passes_on = ["list", "tuple", "iter", "enumerate", "reversed", "tqdm", "sorted"];
            let name = last_name(model, call.callee).filter(|name| passes_on.contains(&name.as_str()));
            match (name, model.list(call.args).first()) {
                (Some(_), Some(&source)) => source_of_order(model, source),
                _ => Some(expr),
            }
        }
        // Its span holds the brackets of the call around it, where it has none of its own.
        Expr::Comprehension(index) if model.comprehension(index).kind == ComprehensionKind::Generator => None,
        Expr::Starred(_) => None,
        _ => Some(expr),
    }
}

/// Whether any two elements can be compared: names of files, strings that are spelled out.
fn are_comparable(program: &Program, file: FileId, function: LocalFunction, expr: ExprId) -> bool {
    let model = &program.file(file).model;
    match model.expr(expr) {
        Expr::Set(parts) => model.list(parts).iter().all(|&part| matches!(model.expr(part), Expr::Str(_))),
        Expr::Call(index) => {
            let callee = model.call(index).callee;
            let called = program.resolve(file, function, callee);
            let lists = called.is_some_and(|name| matches!(name.as_str(), "os.listdir" | "glob.glob" | "glob.iglob"));
            let is_method = called.is_none() && matches!(model.expr(callee), Expr::Attribute { .. });
            let name = last_name(model, callee);
            lists || is_method && name.is_some_and(|name| matches!(name.as_str(), "iterdir" | "rglob"))
        }
        _ => false,
    }
}
