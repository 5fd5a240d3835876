//! `missing-drift-tripwire`: what ranks receive, or compute with, is compared by nobody.

use rustc_hash::FxHashSet;

use crate::base::{FileId, FunctionId};
use crate::finding::{Confidence, Severity};
use crate::graph::Program;
use crate::model::{ExprId, LocalFunction, Stmt, each_statement};
use crate::rules::{Check, Findings, Group, Probe, Rule, site};

use super::common::{Plane, block_names_terminal};

/// The rule.
pub static RULE: Rule = Rule {
    name: "missing-drift-tripwire",
    group: Group::ControlPlane,
    summary: "a receive path without input digest, or weights without fingerprint",
    severity: Severity::Warning,
    rows: &["OM-11", "OM-12"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/control-plane/missing-drift-tripwire.md"),
    check: Check::Program(check),
};

/// How many calls deep a hash or a gather is looked for.
const DEPTH: u32 = 4;

/// What a comparison is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Inputs,
    Weights,
}

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    let Some((file, function, expr)) = phase(&plane) else { return };
    let mut tripwires: Vec<(FunctionId, Subject)> = Vec::new();
    for (file, function) in plane.bodies() {
        let id = program.function_id(file, function);
        tripwires.extend(tripwire(&plane, id).map(|subject| (id, subject)));
    }
    // What calls a comparison is none itself.
    let all = tripwires.clone();
    tripwires.retain(|&(id, _)| !all.iter().any(|&(other, _)| other != id && reaches(&plane, id, other, DEPTH)));
    let called = called(&plane);
    for subject in [Subject::Inputs, Subject::Weights] {
        let mut of_subject = tripwires.iter().filter(|(_, about)| *about == subject).map(|(id, _)| *id);
        let Some(unused) = of_subject.clone().find(|id| !called.contains(id)).or(None) else {
            if of_subject.next().is_none() {
                findings.push(missing(&plane, file, function, expr, subject));
            }
            continue;
        };
        if of_subject.any(|id| called.contains(&id)) {
            continue;
        }
        let (home, local) = program.locate(unused);
        let name = program.function(unused).name;
        let place = site(home, program.file(home).model.function(local).name_span);
        findings.push(
            missing(&plane, file, function, expr, subject)
                .because(place, format!("`{name}` would compare it, but nothing calls it")),
        );
    }
}

fn missing(
    plane: &Plane<'_>,
    file: FileId,
    function: LocalFunction,
    expr: ExprId,
    subject: Subject,
) -> crate::finding::Finding {
    let (message, help) = match subject {
        Subject::Inputs => (
            "ranks compute with what they received here, and nothing compares it between them first",
            "hash the message and its tensors on every rank, gather the digests before the collectives, and end the run on a difference",
        ),
        Subject::Weights => (
            "ranks go on computing with their weights here, and nothing notices when these change on one rank",
            "keep a fingerprint of each shard from start-up, compare with it every few calls, and gather the verdict so that all ranks leave together",
        ),
    };
    Findings::new_finding(&RULE, plane.site(file, expr), plane.program.symbol_of(file, function), message)
        .confidence(Confidence::Medium)
        .help(help)
}

/// The call by which a receiving rank begins to compute: a message of the program goes in, collectives are behind it.
fn phase(plane: &Plane<'_>) -> Option<(FileId, LocalFunction, ExprId)> {
    let receives = |id: FunctionId| plane.protocol.movers.get(&id).is_some_and(|ways| ways.into && !ways.out);
    let is_loop = |&(file, function): &(FileId, LocalFunction)| {
        let model = plane.model(file);
        let mut found = false;
        each_statement(model, model.function(function).body, &mut |_, stmt| {
            found |= matches!(stmt, Stmt::While { body, .. } if block_names_terminal(model, *body));
        });
        found
    };
    let (loops, rest): (Vec<_>, Vec<_>) = plane.bodies().into_iter().partition(is_loop);
    for (file, function) in loops.into_iter().chain(rest) {
        let calls = plane.calls(file, function);
        let own = |expr: ExprId| {
            plane.protocol.moves_in(file, function).any(|one| one.expr == expr && one.ways.into && !one.ways.out)
        };
        let receiving = calls
            .iter()
            .any(|&(expr, call)| own(expr) || plane.callees(file, function, call).into_iter().any(receives));
        if !receiving {
            continue;
        }
        for (expr, call) in calls {
            let callees = plane.callees(file, function, call);
            let computes = callees.into_iter().any(|callee| {
                takes_message(plane, callee)
                    && !plane.protocol.sending.contains(&callee)
                    && plane.reaches(callee, DEPTH, &is_reduction).is_some()
            });
            if computes {
                return Some((file, function, expr));
            }
        }
    }
    None
}

/// Whether a function comes to another one, so many calls deep.
fn reaches(plane: &Plane<'_>, from: FunctionId, to: FunctionId, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let (file, local) = plane.program.locate(from);
    plane
        .calls(file, local)
        .into_iter()
        .flat_map(|(_, call)| plane.callees(file, local, call))
        .any(|callee| callee == to || callee != from && reaches(plane, callee, to, depth))
}

/// Whether a function takes a message of the program.
fn takes_message(plane: &Plane<'_>, function: FunctionId) -> bool {
    let (file, local) = plane.program.locate(function);
    let parameters = &plane.program.function(function).parameters;
    parameters.iter().any(|parameter| {
        let class = parameter.annotation.and_then(|annotation| plane.types.named(file, local, annotation));
        class.is_some_and(|class| plane.protocol.messages.contains(&class) && !plane.protocol.headers.contains(&class))
    })
}

/// What a function compares between ranks, if it does: it hashes, gathers, and refuses.
fn tripwire(plane: &Plane<'_>, function: FunctionId) -> Option<Subject> {
    let (file, local) = plane.program.locate(function);
    let model = plane.model(file);
    let mut raises = false;
    each_statement(model, model.function(local).body, &mut |_, stmt| raises |= matches!(stmt, Stmt::Raise(Some(_))));
    if !raises {
        return None;
    }
    let subject = if takes_message(plane, function) {
        Subject::Inputs
    } else if speaks_of_weights(plane, function) {
        Subject::Weights
    } else {
        return None;
    };
    let compares = plane.reaches(function, DEPTH, &is_hash).is_some() && own_collective(plane, function);
    compares.then_some(subject)
}

/// Whether the function itself gathers, or a function it calls that gathers what it is given.
fn own_collective(plane: &Plane<'_>, function: FunctionId) -> bool {
    let (file, local) = plane.program.locate(function);
    let gathers = |name: &str| is_reduction(name) || is_gather(name);
    plane.calls(file, local).into_iter().any(|(_, call)| {
        plane.external(file, local, call).is_some_and(|dotted| gathers(dotted.as_str()))
            || plane
                .callees(file, local, call)
                .into_iter()
                .any(|callee| !takes_message(plane, callee) && plane.reaches(callee, 0, &gathers).is_some())
    })
}

fn speaks_of_weights(plane: &Plane<'_>, function: FunctionId) -> bool {
    const WEIGHTS: [&str; 7] =
        ["weights", "parameters", "named_parameters", "state_dict", "shards", "params", "named_buffers"];
    let program = plane.program;
    let speaks = |id: FunctionId| {
        let definition = program.function(id);
        let mut names = definition.mentions.iter().chain(definition.parameters.iter().map(|one| &one.name));
        names.any(|name| WEIGHTS.contains(&name.as_str().trim_start_matches('_')))
    };
    match program.class_of(function) {
        Some(class) => {
            let (home, _) = program.locate_class(class);
            program.class(class).methods.iter().any(|(_, method)| speaks(program.function_id(home, *method)))
        }
        None => speaks(function),
    }
}

/// The functions of the program that something else than a test calls.
fn called(plane: &Plane<'_>) -> FxHashSet<FunctionId> {
    let mut out = FxHashSet::default();
    for (file, function) in plane.bodies() {
        let caller = plane.program.function_id(file, function);
        for (_, call) in plane.calls(file, function) {
            out.extend(plane.callees(file, function, call).into_iter().filter(|&callee| callee != caller));
        }
    }
    out
}

fn is_hash(name: &str) -> bool {
    name.starts_with("hashlib.")
        || name.starts_with("xxhash.")
        || matches!(name, "zlib.crc32" | "zlib.adler32" | "binascii.crc32" | "torch.hash_tensor")
}

fn is_reduction(name: &str) -> bool {
    name.strip_prefix("torch.distributed.").is_some_and(|rest| {
        let last = rest.rsplit('.').next().unwrap_or(rest);
        last.starts_with("all_") || last.starts_with("reduce")
    })
}

fn is_gather(name: &str) -> bool {
    name.strip_prefix("torch.distributed.").is_some_and(|rest| rest.contains("gather"))
}
