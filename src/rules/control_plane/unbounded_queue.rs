//! `unbounded-queue`: a queue of the pipeline without a bound.

use crate::base::FileId;
use crate::finding::{Confidence, Fix, Severity};
use crate::graph::Program;
use crate::model::{Call, Expr, ExprId, UnaryOp};
use crate::rules::calls::{argument, passes_unseen};
use crate::rules::fixes::{Safety, added_argument, fix, replacement};
use crate::rules::{Check, Findings, Group, Rule};

use super::common::Plane;

/// The rule.
pub static RULE: Rule = Rule {
    name: "unbounded-queue",
    group: Group::ControlPlane,
    summary: "a queue between a pipeline's threads without a bound",
    severity: Severity::Warning,
    rows: &["O-01"],
    verify: None,
    page: include_str!("../../../rules/control-plane/unbounded-queue.md"),
    check: Check::Program(check),
};

/// Queues that take a bound, and those that take none.
const QUEUES: [&str; 6] = [
    "queue.Queue",
    "queue.LifoQueue",
    "queue.PriorityQueue",
    "asyncio.Queue",
    "multiprocessing.Queue",
    "multiprocessing.JoinableQueue",
];
const BOUNDLESS: [&str; 2] = ["queue.SimpleQueue", "multiprocessing.SimpleQueue"];

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    for (file, function) in plane.bodies() {
        if !carries_messages(&plane, file) {
            continue;
        }
        for (expr, call) in plane.calls(file, function) {
            let Some(dotted) = plane.external(file, function, call) else { continue };
            let dotted = dotted.as_str().trim_start_matches("torch.");
            let boundless = BOUNDLESS.contains(&dotted);
            let unbounded = boundless || QUEUES.contains(&dotted) && is_unbounded(&plane, file, call);
            if !unbounded {
                continue;
            }
            let mut finding = Findings::new_finding(
                &RULE,
                plane.site(file, expr),
                program.symbol_of(file, function),
                format!("`{dotted}` has no bound: the faster stage runs ahead without limit, and results grow stale in it"),
            )
            .confidence(Confidence::Medium)
            .help("give every queue between the stages a `maxsize`, both ways: two holds overlap at either edge; bounding one alone moves the pile to the other");
            if !boundless {
                finding.fix = bounded(&plane, file, expr, call);
            }
            findings.push(finding);
        }
    }
}

/// A queue of two. Whoever fills it from the thread that empties it will wait for itself, so somebody has to look.
fn bounded(plane: &Plane<'_>, file: FileId, expr: ExprId, call: Call) -> Option<Fix> {
    let model = plane.model(file);
    let edit = match argument(model, call, Some(0), "maxsize") {
        Some(bound) => replacement(file, model.span(bound), "2"),
        None => added_argument(plane.program, file, expr, call, "maxsize", "2")?,
    };
    Some(fix(Safety::Unsafe, "bound the queue: `maxsize=2`", vec![edit]))
}

/// Whether the file has to do with messages: it moves them, or hands them to what does.
fn carries_messages(plane: &Plane<'_>, file: FileId) -> bool {
    let known = |id| plane.protocol.sending.contains(&id) || plane.protocol.movers.contains_key(&id);
    let count = plane.model(file).functions.len() as u32;
    (0..count).any(|index| known(plane.program.function_id(file, crate::model::LocalFunction(index))))
}

fn is_unbounded(plane: &Plane<'_>, file: FileId, call: Call) -> bool {
    let model = plane.model(file);
    if passes_unseen(model, call) {
        return false;
    }
    match argument(model, call, Some(0), "maxsize").map(|bound| model.expr(bound)) {
        None | Some(Expr::Int(i32::MIN..=0)) => true,
        Some(Expr::Unary(UnaryOp::Minus, _)) => true,
        Some(_) => false,
    }
}
