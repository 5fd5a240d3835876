//! `ad-hoc-broadcast`: a tensor or object is broadcast outside the envelope and its manifest.

use crate::base::FileId;
use crate::finding::Severity;
use crate::graph::{Program, Target};
use crate::model::{CompareOp, Expr, ExprId, File, Stmt, each_expression, each_statement, names_in};
use crate::rules::calls::{CallSite, argument, calls_named, symbols};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::envelope::{Envelope, MANIFEST, envelopes, names_manifest};

/// The rule.
pub static RULE: Rule = Rule {
    name: "ad-hoc-broadcast",
    group: Group::ControlPlane,
    summary: "a tensor or object is broadcast outside the envelope and its manifest",
    severity: Severity::Error,
    rows: &["OM-06"],
    verify: Some(Probe::Manifest),
    page: include_str!("../../../rules/control-plane/ad-hoc-broadcast.md"),
    check: Check::Program(check),
};

/// The calls, and the name of what they move.
const BROADCASTS: [(&str, &str); 5] = [
    ("broadcast", "tensor"),
    ("broadcast_object_list", "object_list"),
    ("broadcast_coalesced", "tensors"),
    ("scatter", "tensor"),
    ("scatter_object_list", "scatter_object_output_list"),
];

fn check(program: &Program, findings: &mut Findings) {
    let envelopes = envelopes(program);
    if envelopes.is_empty() {
        return;
    }
    let names = symbols(BROADCASTS.iter().map(|(name, _)| *name));
    for file in program.file_ids() {
        if envelopes.iter().any(|envelope| envelope.file == file) {
            continue;
        }
        let Some(envelope) = nearest(program, &envelopes, file) else { continue };
        let model = &program.file(file).model;
        for call in calls_named(program, file, &names) {
            let Some(callee) = call.callee(program) else { continue };
            let Some(name) =
                callee.as_str().strip_prefix("torch.distributed.").and_then(|rest| rest.rsplit('.').next())
            else {
                continue;
            };
            let Some(&(name, parameter)) = BROADCASTS.iter().find(|(known, _)| *known == name) else { continue };
            let payload = argument(model, call.call, Some(0), parameter);
            if is_announced(program, model, call, payload, &envelopes)
                || program.environment().is_checker(program.function_id(file, call.function))
            {
                continue;
            }
            report(program, model, call, name, payload, envelope, findings);
        }
    }
}

/// The envelope of the same top-level folder.
fn nearest<'a>(program: &Program, envelopes: &'a [Envelope], file: FileId) -> Option<&'a Envelope> {
    let top = |file: FileId| program.file(file).path.split_once('/').map_or("", |(top, _)| top);
    envelopes.iter().find(|envelope| top(envelope.file) == top(file))
}

/// Whether the manifest announces what is sent: a loop over it holds the call, the payload is taken from it, or comes out
/// of a function of the envelope.
fn is_announced(
    program: &Program,
    model: &File,
    call: CallSite,
    payload: Option<ExprId>,
    envelopes: &[Envelope],
) -> bool {
    let at = model.span(call.expr);
    let mut announced = false;
    each_statement(model, model.function(call.function).body, &mut |id, stmt| {
        if let Stmt::For { iter, .. } = stmt {
            let whole = model.stmt_span(id);
            announced |=
                whole.start <= at.start && at.end <= whole.end && from_manifest(program, model, call, *iter, 4);
        }
    });
    announced |= is_looked_up(model, call);
    let from_envelope = |expr: ExprId| comes_from(program, model, call, expr, envelopes, 4);
    announced
        || payload.is_some_and(|payload| from_manifest(program, model, call, payload, 4) || from_envelope(payload))
}

/// Whether the body refuses, before the call, what is not in a collection it keeps: `if key not in self.manifest: raise`.
fn is_looked_up(model: &File, call: CallSite) -> bool {
    let at = model.span(call.expr);
    let mut found = false;
    each_statement(model, model.function(call.function).body, &mut |id, stmt| {
        let Stmt::If { test, body, .. } = stmt else { return };
        let mut looks = false;
        each_expression(model, *test, &mut |_, expr| {
            looks |= matches!(expr, Expr::Compare(CompareOp::NotIn, ..));
        });
        let raises = model.block(*body).last().is_some_and(|&last| matches!(model.stmt(last), Stmt::Raise(_)));
        found |= looks && raises && model.stmt_span(id).end <= at.start;
    });
    found
}

fn from_manifest(program: &Program, model: &File, call: CallSite, expr: ExprId, fuel: u32) -> bool {
    if names_manifest(model, expr) {
        return true;
    }
    let Some(fuel) = fuel.checked_sub(1) else { return false };
    names_in(model, expr).into_iter().any(|name| {
        let value = program.single_assignment(call.file, call.function, name);
        value.is_some_and(|value| from_manifest(program, model, call, value, fuel))
    })
}

fn comes_from(
    program: &Program,
    model: &File,
    call: CallSite,
    expr: ExprId,
    envelopes: &[Envelope],
    fuel: u32,
) -> bool {
    let Some(fuel) = fuel.checked_sub(1) else { return false };
    let mut found = false;
    each_expression(model, expr, &mut |_, part| {
        if let Expr::Call(index) = part {
            let owner = match program.target(call.file, call.function, model.call(index).callee) {
                Some(Target::Function(function)) => Some(program.locate(function).0),
                Some(Target::Class(class)) => Some(program.locate_class(class).0),
                _ => None,
            };
            found |= owner.is_some_and(|owner| envelopes.iter().any(|envelope| envelope.file == owner));
        }
    });
    found
        || names_in(model, expr).into_iter().any(|name| {
            let value = program.single_assignment(call.file, call.function, name);
            value.is_some_and(|value| comes_from(program, model, call, value, envelopes, fuel))
        })
}

fn report(
    program: &Program,
    model: &File,
    call: CallSite,
    name: &str,
    payload: Option<ExprId>,
    envelope: &Envelope,
    findings: &mut Findings,
) {
    let what = payload.map(|payload| program.text(call.file, model.span(payload)));
    let message = match what.filter(|text| text.len() <= 40 && !text.contains('\n')) {
        Some(text) => format!("`{name}` sends `{text}` outside the envelope, where no manifest announces it"),
        None => format!("`{name}` sends something outside the envelope, where no manifest announces it"),
    };
    let mut finding =
        Findings::new_finding(&RULE, call.site(model), program.symbol_of(call.file, call.function), message)
            .confidence(envelope.confidence)
            .help(format!(
                "list it in `{MANIFEST}` and let the envelope carry it, so that receivers allocate from the manifest instead of guessing"
            ));
    if let Some(manifest) = envelope.manifest {
        finding = finding.because(manifest, "this module owns the envelope and its manifest");
    }
    findings.push(finding);
}
