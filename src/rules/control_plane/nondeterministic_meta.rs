//! `nondeterministic-meta`: what is sent or hashed may be other bytes for the same meaning.

use crate::base::{FileId, Symbol};
use crate::finding::{Confidence, Fix, Severity};
use crate::graph::Program;
use crate::graph::protocol::mentioned;
use crate::model::{Call, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement};
use crate::rules::calls::{keyword, passes_unseen};
use crate::rules::fixes::{Safety, added_argument, fix, replacement};
use crate::rules::{Check, Findings, Group, Rule};

use super::common::Plane;

/// The rule.
pub static RULE: Rule = Rule {
    name: "nondeterministic-meta",
    group: Group::ControlPlane,
    summary: "meta is serialised in a way that does not fix its bytes",
    severity: Severity::Warning,
    rows: &["OM-03"],
    verify: None,
    page: include_str!("../../../rules/control-plane/nondeterministic-meta.md"),
    check: Check::Program(check),
};

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    for (file, function) in plane.bodies() {
        for (expr, call) in plane.calls(file, function) {
            let Some(why) = unfixed(&plane, file, function, call) else { continue };
            let sent = is_sent(&plane, file, function, expr) || is_returned_and_sent(&plane, file, function, expr);
            if !sent {
                continue;
            }
            let mut finding =
                Findings::new_finding(&RULE, plane.site(file, expr), program.symbol_of(file, function), why)
                    .confidence(Confidence::Medium)
                    .help("encode plain data with sorted keys and fixed separators, and use the same bytes for the wire, the digest and the log");
            finding.fix = sorted(&plane, file, function, expr, call);
            findings.push(finding);
        }
    }
}

/// Sorted keys. Keys of several types do not compare, and a receiver that goes by their order sees another one.
fn sorted(plane: &Plane<'_>, file: FileId, function: LocalFunction, expr: ExprId, call: Call) -> Option<Fix> {
    let model = plane.model(file);
    let takes_it = matches!(plane.external(file, function, call)?.as_str(), "json.dumps" | "ujson.dumps");
    if !takes_it || volatile(plane, file, function, call).is_some() {
        return None;
    }
    let edit = match keyword(model, call, "sort_keys") {
        Some(given) if model.expr(given) == Expr::Bool(false) => replacement(file, model.span(given), "True"),
        Some(_) => return None,
        None => added_argument(plane.program, file, expr, call, "sort_keys", "True")?,
    };
    Some(fix(Safety::Unsafe, "sort the keys: `sort_keys=True`", vec![edit]))
}

/// Why the bytes of a serialisation are not fixed.
fn unfixed(plane: &Plane<'_>, file: FileId, function: LocalFunction, call: Call) -> Option<String> {
    let model = plane.model(file);
    let dotted = plane.external(file, function, call)?;
    match dotted.as_str() {
        "json.dumps" | "orjson.dumps" | "ujson.dumps" => {
            let sorted = keyword(model, call, "sort_keys").is_some_and(|value| model.expr(value) != Expr::Bool(false));
            let options = keyword(model, call, "option").is_some() || passes_unseen(model, call);
            if !sorted && !options {
                return Some(
                    "the keys of this meta stand in the order in which they were put in, which may differ by rank"
                        .to_owned(),
                );
            }
            volatile(plane, file, function, call)
                .map(|name| format!("`{name}` goes into the meta, and is never the same on two ranks"))
        }
        "pickle.dumps" | "cloudpickle.dumps" | "dill.dumps" | "marshal.dumps" => Some(format!(
            "`{dotted}` does not fix the bytes of equal values, lets tensors through, and runs code on load"
        )),
        _ => None,
    }
}

/// Something among the arguments that differs between processes.
fn volatile(plane: &Plane<'_>, file: FileId, function: LocalFunction, call: Call) -> Option<String> {
    let model = plane.model(file);
    let mut found = None;
    for &arg in model.list(call.args) {
        each_expression(model, arg, &mut |_, expr| {
            let Expr::Call(index) = expr else { return };
            let Some(dotted) = plane.external(file, function, model.call(index)) else { return };
            if matches!(
                dotted.as_str(),
                "time.time" | "time.monotonic" | "id" | "hash" | "os.getpid" | "uuid.uuid4" | "random.random"
            ) {
                found = found.take().or(Some(dotted.as_str().to_owned()));
            }
        });
    }
    found
}

/// Whether the bytes go out, or into a hash, in the same body.
fn is_sent(plane: &Plane<'_>, file: FileId, function: LocalFunction, bytes: ExprId) -> bool {
    let model = plane.model(file);
    let names = bound_around(model, function, bytes);
    let holds = |root: ExprId| {
        let mut found = false;
        each_expression(model, root, &mut |id, _| found |= id == bytes);
        found || mentioned(plane.program, file, function, root, 3).iter().any(|name| names.contains(name))
    };
    let out = plane.protocol.moves_in(file, function).filter(|one| one.ways.out);
    if out.map(|one| one.payload).any(holds) {
        return true;
    }
    plane.calls(file, function).into_iter().any(|(_, call)| {
        let hashes = plane.external(file, function, call).is_some_and(|dotted| dotted.as_str().starts_with("hashlib."));
        hashes && model.list(call.args).iter().any(|&arg| holds(arg))
    })
}

/// Whether the body returns the bytes to somebody who sends them.
fn is_returned_and_sent(plane: &Plane<'_>, file: FileId, function: LocalFunction, bytes: ExprId) -> bool {
    let model = plane.model(file);
    let names = bound_around(model, function, bytes);
    let mut returned = false;
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        let Stmt::Return(Some(value)) = stmt else { return };
        each_expression(model, *value, &mut |id, expr| {
            returned |= id == bytes || matches!(expr, Expr::Name(name) if names.contains(&name));
        });
    });
    let this = plane.program.function_id(file, function);
    returned
        && plane.bodies().into_iter().any(|(home, local)| {
            plane.calls(home, local).into_iter().any(|(expr, call)| {
                plane.callees(home, local, call).contains(&this) && is_sent(plane, home, local, expr)
            })
        })
}

/// The local names that are given something made from an expression.
fn bound_around(model: &File, function: LocalFunction, part: ExprId) -> Vec<Symbol> {
    let mut out = Vec::new();
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        let Stmt::Assign { targets, value } = stmt else { return };
        let mut holds = false;
        each_expression(model, *value, &mut |id, _| holds |= id == part);
        if holds {
            out.extend(model.list(*targets).iter().filter_map(|&target| match model.expr(target) {
                Expr::Name(name) => Some(name),
                _ => None,
            }));
        }
    });
    out
}
