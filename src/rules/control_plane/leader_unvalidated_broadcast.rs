//! `leader-unvalidated-broadcast`: a leader passes on what it received before it has checked it.

use crate::base::{FileId, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::graph::protocol::{bound_to, mentioned};
use crate::model::{Expr, ExprId, LocalFunction, Stmt, each_statement};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::common::{Plane, What, leaves, mentions};

/// The rule.
pub static RULE: Rule = Rule {
    name: "leader-unvalidated-broadcast",
    group: Group::ControlPlane,
    summary: "a leader passes on what it received before it has validated it",
    severity: Severity::Error,
    rows: &["OM-07"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/control-plane/leader-unvalidated-broadcast.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    for (file, function) in plane.bodies() {
        look(&plane, file, function, findings);
    }
}

fn look(plane: &Plane<'_>, file: FileId, function: LocalFunction, findings: &mut Findings) {
    let (program, model) = (plane.program, plane.model(file));
    let calls = plane.calls(file, function);
    let start = |expr: ExprId| model.span(expr).start;
    let Some((received, names, from)) = received(plane, file, function) else { return };
    let begins = model.span(received).end;
    let relayed = calls.iter().find_map(|&(expr, call)| {
        if start(expr) < begins {
            return None;
        }
        let passes = model
            .list(call.args)
            .iter()
            .any(|&arg| mentioned(program, file, function, arg, 3).iter().any(|name| names.contains(name)));
        if !passes {
            return None;
        }
        let channel = plane.sent(file, function, expr, call).filter(|sent| sent.what == What::Message);
        let elsewhere = channel.is_some_and(|sent| sent.channel != from);
        let broadcast = plane.external(file, function, call).is_some_and(|dotted| {
            matches!(dotted.as_str(), "torch.distributed.broadcast" | "torch.distributed.broadcast_object_list")
        });
        (elsewhere || broadcast).then_some((expr, call))
    });
    let Some((relay, _)) = relayed else { return };
    let whole = model.span(relay);
    // What is handed to the relay only packs the message.
    let validators: Vec<ExprId> = calls
        .iter()
        .filter(|(expr, call)| {
            let span = model.span(*expr);
            let inside = whole.start <= span.start && span.end <= whole.end;
            let takes = model.list(call.args).iter().any(|&arg| mentions(model, arg, &names));
            !inside && span.start >= begins && takes
        })
        .filter(|&&(_, call)| {
            plane.callees(file, function, call).into_iter().any(|callee| {
                !plane.protocol.movers.contains_key(&callee)
                    && !plane.protocol.sending.contains(&callee)
                    && plane.refuses(callee, 2)
            })
        })
        .map(|&(expr, _)| expr)
        .collect();
    let checked_inline = inline_checks(plane, file, function, &names);
    let before = validators.iter().any(|&expr| start(expr) < whole.start)
        || checked_inline.iter().any(|&at| begins <= at && at < whole.start);
    let after = validators.iter().copied().find(|&expr| start(expr) > whole.end);
    let after_inline = checked_inline.iter().any(|&at| at > whole.end);
    if before || (after.is_none() && !after_inline) {
        return;
    }
    let mut finding = Findings::new_finding(
        &RULE,
        plane.site(file, relay),
        program.symbol_of(file, function),
        "what was received is passed on before it is validated; a refusal comes when the peers have the header already",
    )
    .confidence(Confidence::Medium)
    .because(plane.site(file, received), "it is received here")
    .help("validate in full first; on a refusal send one terminal action to the mesh and the owed error result, and leave");
    if let Some(after) = after {
        finding = finding.because(plane.site(file, after), "it is validated here, after the relay");
    }
    findings.push(finding);
}

/// The first receive of a body: the call, the names that hold what came, and the channel it came from.
fn received(plane: &Plane<'_>, file: FileId, function: LocalFunction) -> Option<(ExprId, Vec<Symbol>, String)> {
    let model = plane.model(file);
    for (expr, call) in plane.calls(file, function) {
        let direct = plane.protocol.moves_in(file, function).find(|one| one.expr == expr);
        if let Some(one) = direct.filter(|one| one.ways.into && !one.ways.out)
            && let Expr::Name(name) = model.expr(one.payload)
        {
            return Some((expr, vec![name], String::new()));
        }
        let callees = plane.callees(file, function, call);
        let receives =
            callees.iter().any(|callee| plane.protocol.movers.get(callee).is_some_and(|ways| ways.into && !ways.out));
        let names = bound_to(model, function, expr);
        if receives && !names.is_empty() {
            let from = match model.expr(call.callee) {
                Expr::Attribute { value, .. } => plane.text(file, value),
                _ => String::new(),
            };
            return Some((expr, names, from));
        }
    }
    None
}

/// Where the body itself checks one of the names and refuses.
fn inline_checks(plane: &Plane<'_>, file: FileId, function: LocalFunction, names: &[Symbol]) -> Vec<u32> {
    let model = plane.model(file);
    let mut out = Vec::new();
    each_statement(model, model.function(function).body, &mut |id, stmt| match stmt {
        Stmt::If { test, body, .. } if mentions(model, *test, names) && leaves(model, *body) => {
            out.push(model.stmt_span(id).start);
        }
        Stmt::Assert(test) if mentions(model, *test, names) => out.push(model.stmt_span(id).start),
        _ => {}
    });
    out
}
