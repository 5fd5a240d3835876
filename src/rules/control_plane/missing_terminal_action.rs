//! `missing-terminal-action`: a rank that drives others leaves on a failure without telling them.

use crate::base::{FileId, FunctionId};
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::model::{LocalFunction, Stmt, Try, each_statement};
use crate::rules::{Check, Findings, Group, Probe, Rule, site};

use super::common::{Plane, Sent, What, calls_of, leaves};

/// The rule.
pub static RULE: Rule = Rule {
    name: "missing-terminal-action",
    group: Group::ControlPlane,
    summary: "a rank that drives others leaves on a failure without SHUTDOWN or ERROR to them",
    severity: Severity::Error,
    rows: &["OM-01", "OM-07"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/control-plane/missing-terminal-action.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    for (file, function) in plane.bodies() {
        let model = plane.model(file);
        let mut tries: Vec<&Try> = Vec::new();
        each_statement(model, model.function(function).body, &mut |id, _| {
            if let Stmt::Try(parts) = model.stmt(id) {
                tries.push(parts);
            }
        });
        if tries.is_empty() {
            continue;
        }
        let sent = plane.all_sent(file, function);
        for parts in tries {
            handlers(&plane, file, function, parts, &sent, findings);
        }
    }
}

fn handlers(
    plane: &Plane<'_>,
    file: FileId,
    function: LocalFunction,
    parts: &Try,
    sent: &[Sent],
    findings: &mut Findings,
) {
    let model = plane.model(file);
    let body = calls_of(model, parts.body);
    // What fails first is what has not been sent yet.
    let is_sent = |expr| sent.iter().any(|one| one.expr == expr);
    let Some(&(first, _)) = body.iter().find(|(expr, _)| !is_sent(*expr)) else { return };
    let from = model.span(first).end;
    let in_handlers = |one: &&Sent| {
        !parts.handlers.iter().any(|handler| calls_of(model, handler.body).iter().any(|(expr, _)| *expr == one.expr))
    };
    let first_sent = body.iter().filter(|(expr, _)| is_sent(*expr)).map(|(expr, _)| model.span(*expr).start).min();
    if first_sent.is_some_and(|start| start < from) {
        return;
    }
    let Some(owed) = sent.iter().filter(in_handlers).find(|one| one.what == What::Message && one.at.span.start >= from)
    else {
        return;
    };
    for handler in parts.handlers.iter().filter(|handler| leaves(model, handler.body)) {
        if is_lost_peer(plane, file, handler.kind) || tells(plane, file, function, handler.body, owed) {
            continue;
        }
        findings.push(
            Findings::new_finding(
                &RULE,
                site(file, handler.span),
                plane.program.symbol_of(file, function),
                format!("this handler leaves without telling `{}`, whose ranks wait for the next header", shown(owed)),
            )
            .confidence(Confidence::Medium)
            .because(plane.site(file, first), "this may fail")
            .because(owed.at, "the peers wait for what is sent here")
            .help(format!(
                "send a terminal action (SHUTDOWN or ERROR) on `{}` before leaving; it is one header, and the peers leave their loop",
                shown(owed)
            )),
        );
    }
}

fn shown(owed: &Sent) -> &str {
    if owed.channel.is_empty() { "the peers" } else { &owed.channel }
}

/// Whether a handler sends something on the same channel, itself or through a function.
fn tells(plane: &Plane<'_>, file: FileId, function: LocalFunction, block: crate::model::Block, owed: &Sent) -> bool {
    calls_of(plane.model(file), block).into_iter().any(|(expr, call)| {
        let direct = plane.sent(file, function, expr, call);
        direct.is_some_and(|one| one.channel == owed.channel)
            || plane.callees(file, function, call).into_iter().any(|callee| tells_through(plane, callee, owed, 3))
    })
}

fn tells_through(plane: &Plane<'_>, function: FunctionId, owed: &Sent, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    if !plane.protocol.sending.contains(&function) {
        return false;
    }
    let (file, local) = plane.program.locate(function);
    plane.calls(file, local).into_iter().any(|(expr, call)| {
        plane.sent(file, local, expr, call).is_some_and(|one| one.channel == owed.channel)
            || plane.callees(file, local, call).into_iter().any(|callee| tells_through(plane, callee, owed, depth))
    })
}

/// Whether the handler is for peers that are gone: nobody is left to be told.
fn is_lost_peer(plane: &Plane<'_>, file: FileId, kind: Option<crate::model::ExprId>) -> bool {
    let model = plane.model(file);
    kind.is_some_and(|kind| {
        super::common::names_any(model, kind, &|name| {
            ["Lost", "Closed", "BrokenPipe", "ConnectionReset", "Peer", "Disconnected"]
                .iter()
                .any(|word| name.contains(word))
        })
    })
}
