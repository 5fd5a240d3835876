//! `preflight-after-commit`: something that may fail is left until the header has been sent.

use crate::base::{FileId, FunctionId, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::protocol::Move;
use crate::graph::{Program, Target};
use crate::model::{Call, Expr, ExprId, LocalFunction, Stmt, each_expression, each_statement, expressions_of};
use crate::rules::{Check, Findings, Group, Probe, Rule, site};

use super::common::Plane;

/// The rule.
pub static RULE: Rule = Rule {
    name: "preflight-after-commit",
    group: Group::ControlPlane,
    summary: "something that may fail is left until the header has been sent",
    severity: Severity::Error,
    rows: &["OM-01", "OM-02"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/control-plane/preflight-after-commit.md"),
    check: Check::Program(check),
};

/// Calls that refuse some values, or depend on files.
const FALLIBLE: [&str; 19] = [
    "json.dumps",
    "pickle.dumps",
    "cloudpickle.dumps",
    "dill.dumps",
    "marshal.dumps",
    "orjson.dumps",
    "ujson.dumps",
    "msgpack.packb",
    "msgpack.dumps",
    "msgspec.json.encode",
    "msgspec.msgpack.encode",
    "yaml.dump",
    "yaml.safe_dump",
    "torch.save",
    "torch.load",
    "safetensors.torch.save",
    "open",
    "io.open",
    "os.stat",
];

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    for (file, function) in plane.bodies() {
        midway(&plane, file, function, findings);
    }
    dtypes(&plane, findings);
}

/// What may fail between the header and the last part of a message.
fn midway(plane: &Plane<'_>, file: FileId, function: LocalFunction, findings: &mut Findings) {
    let (program, model) = (plane.program, plane.model(file));
    let out: Vec<&Move> = plane.protocol.moves_in(file, function).filter(|one| one.ways.out).collect();
    let is_header = |one: &&&Move| plane.protocol.is_header(program, &plane.types, one);
    let Some(at) = out.iter().position(|one| is_header(&one)) else { return };
    let Some(last) = out[at + 1..].iter().rev().find(|one| !is_header(one)) else { return };
    let (from, to) = (model.span(out[at].expr).end, model.span(last.expr).end);
    let within = |start: u32, end: u32| start >= from && end <= to;
    let mut found: Option<(crate::base::Span, String)> = None;
    each_statement(model, model.function(function).body, &mut |id, stmt| {
        let span = model.stmt_span(id);
        if found.is_none() && within(span.start, span.end) && matches!(stmt, Stmt::Raise(_) | Stmt::Assert(_)) {
            found = Some((span, "this check".to_owned()));
        }
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |id, expr| {
                let (Expr::Call(index), None) = (expr, &found) else { return };
                let span = model.span(id);
                if !within(span.start, span.end) || out.iter().any(|one| one.expr == id) {
                    return;
                }
                let what = fallible(plane, file, function, model.call(index));
                found = what.map(|what| (span, format!("`{what}`")));
            });
        }
    });
    let Some((span, what)) = found else { return };
    findings.push(
        Findings::new_finding(
            &RULE,
            site(file, span),
            program.symbol_of(file, function),
            format!("{what} may fail after the header has been sent, and the receiver waits for the rest of the message"),
        )
        .confidence(Confidence::High)
        .because(plane.site(file, out[at].expr), "the header goes out here: from now on the receiver waits")
        .because(plane.site(file, last.expr), "the rest of the message is still to be sent")
        .help("do everything that can raise before the header: encode to the very bytes that are sent, look up dtypes, check shapes"),
    );
}

/// The call that may fail, in the call itself or in the functions that it runs.
fn fallible(plane: &Plane<'_>, file: FileId, function: LocalFunction, call: Call) -> Option<Symbol> {
    if let Some(dotted) = plane.external(file, function, call) {
        return FALLIBLE.contains(&dotted.as_str()).then_some(dotted);
    }
    plane.callees(file, function, call).into_iter().find_map(|callee| {
        let name = plane.program.function(callee).name;
        let reports = ["log", "journal", "trace", "debug", "record"].iter().any(|word| name.as_str().contains(word));
        if reports || plane.protocol.movers.contains_key(&callee) {
            return None;
        }
        let direct = plane.refuses(callee, 0);
        (direct || plane.reaches(callee, 3, &|name| FALLIBLE.contains(&name)).is_some()).then_some(name)
    })
}

/// A dtype that goes into the manifest without a look at the map by which receivers allocate.
fn dtypes(plane: &Plane<'_>, findings: &mut Findings) {
    let program = plane.program;
    let Some((map, home, looked_up)) = looked_up_by_receivers(plane) else { return };
    for (file, function) in plane.bodies() {
        let model = plane.model(file);
        for (expr, call) in plane.calls(file, function) {
            let Some(Target::Class(class)) = program.target(file, function, call.callee) else { continue };
            if !plane.protocol.specs.contains(&class) {
                continue;
            }
            let given = model.list(call.args).iter().copied().chain(model.keywords(call).iter().map(|one| one.value));
            let taken = given.into_iter().any(|arg| takes_dtype(plane, file, function, arg));
            if !taken || consults(plane, program.function_id(file, function), map) {
                continue;
            }
            let shown = program.class(class).name;
            findings.push(
                Findings::new_finding(
                    &RULE,
                    plane.site(file, expr),
                    program.symbol_of(file, function),
                    format!("the dtype goes into `{shown}` without a look at `{map}`; a receiver finds out after the header that it cannot allocate it"),
                )
                .confidence(Confidence::Medium)
                .because(home, "what may travel stands here")
                .because(looked_up, "the receiver looks the dtype up here, in the middle of the message")
                .help(format!("refuse a dtype that is not in `{map}` while the manifest is built, before the header")),
            );
        }
    }
}

/// The table of dtypes that a receiving function looks into: its name, its place, the place where it is looked into.
fn looked_up_by_receivers(plane: &Plane<'_>) -> Option<(Symbol, crate::base::Site, crate::base::Site)> {
    let program = plane.program;
    for (file, function) in plane.bodies() {
        let id = program.function_id(file, function);
        if !plane.protocol.movers.get(&id).is_some_and(|ways| ways.into) {
            continue;
        }
        let model = plane.model(file);
        let mut found = None;
        each_statement(model, model.function(function).body, &mut |_, stmt| {
            for root in expressions_of(model, stmt) {
                each_expression(model, root, &mut |id, expr| {
                    if let Expr::Subscript(table, _) = expr
                        && found.is_none()
                        && let Some(Target::Variable(home, name)) = program.target(file, function, table)
                        && let &[value] = program.module_values(home, name)
                        && is_table_of_dtypes(plane, home, value)
                    {
                        found = Some((name, plane.site(home, value), plane.site(file, id)));
                    }
                });
            }
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

fn is_table_of_dtypes(plane: &Plane<'_>, home: FileId, value: ExprId) -> bool {
    let model = plane.model(home);
    let Expr::Dict(parts) = model.expr(value) else { return false };
    let mut values = model.list(parts).chunks_exact(2).map(|pair| pair[1]).peekable();
    values.peek().is_some()
        && values.all(|value| {
            let dotted = program_name(plane, home, value);
            dotted.is_some_and(|name| name.as_str().strip_prefix("torch.").is_some_and(is_dtype))
        })
}

fn program_name(plane: &Plane<'_>, file: FileId, expr: ExprId) -> Option<Symbol> {
    plane.program.resolve(file, plane.model(file).module(), expr)
}

fn is_dtype(name: &str) -> bool {
    ["float", "int", "uint", "bfloat", "bool", "complex", "half", "double", "long"]
        .iter()
        .any(|head| name.starts_with(head))
}

/// Whether the argument is a tensor's dtype, through local names.
fn takes_dtype(plane: &Plane<'_>, file: FileId, function: LocalFunction, arg: ExprId) -> bool {
    let model = plane.model(file);
    let is_dtype = |name: &str| name == "dtype";
    let mut found = false;
    let mut look = |root: ExprId| {
        each_expression(model, root, &mut |_, expr| {
            found |= matches!(expr, Expr::Attribute { name, .. } if is_dtype(name.as_str()));
        });
    };
    look(arg);
    if let Expr::Name(name) = model.expr(arg)
        && let Some(value) = plane.program.single_assignment(file, function, name)
    {
        look(value);
    }
    found
}

/// Whether the function, one it calls, or one that calls it consults the table.
fn consults(plane: &Plane<'_>, function: FunctionId, map: Symbol) -> bool {
    let program = plane.program;
    let speaks = |id: FunctionId| program.function(id).mentions.contains(&map);
    let below = |id: FunctionId| {
        let (file, local) = program.locate(id);
        plane.calls(file, local).into_iter().flat_map(|(_, call)| plane.callees(file, local, call)).collect::<Vec<_>>()
    };
    if speaks(function) || below(function).into_iter().any(speaks) {
        return true;
    }
    let above: Vec<FunctionId> = plane
        .bodies()
        .into_iter()
        .map(|(file, local)| program.function_id(file, local))
        .filter(|&id| below(id).contains(&function))
        .collect();
    above.into_iter().any(|id| speaks(id) || below(id).into_iter().any(speaks))
}
