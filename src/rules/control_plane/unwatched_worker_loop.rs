//! `unwatched-worker-loop`: a rank that is told what to do waits for its next order as long as it takes.

use rustc_hash::FxHashSet;

use crate::base::{ClassId, FileId, FunctionId, Site, Span, Symbol};
use crate::finding::{Confidence, Severity};
use crate::graph::protocol::{bound_to, mentioned, names_terminal};
use crate::graph::{Program, Target};
use crate::model::{Block, Call, Expr, ExprId, LocalFunction, Stmt, each_statement, expressions_of};
use crate::rules::{Check, Findings, Group, Probe, Rule};

use super::common::{Plane, block_names_terminal, calls_of};

/// The rule.
pub static RULE: Rule = Rule {
    name: "unwatched-worker-loop",
    group: Group::ControlPlane,
    summary: "a worker's loop waits for the next message without time-out, heartbeat or watchdog",
    severity: Severity::Error,
    rows: &["OM-13"],
    verify: Some(Probe::CollectiveTrace),
    page: include_str!("../../../rules/control-plane/unwatched-worker-loop.md"),
    check: Check::Program(check),
};

/// Calls that end the process, or the main thread's wait.
const ENDS: [&str; 6] =
    ["os._exit", "os.kill", "os.abort", "os.killpg", "_thread.interrupt_main", "signal.raise_signal"];

/// How many calls deep the wait is looked for.
const DEPTH: u32 = 6;

fn check(program: &Program, findings: &mut Findings) {
    let Some(plane) = Plane::of(program) else { return };
    let watchers = watchers(&plane);
    for (file, function) in plane.bodies() {
        let model = plane.model(file);
        let mut loops: Vec<Block> = Vec::new();
        each_statement(model, model.function(function).body, &mut |_, stmt| {
            if let Stmt::While { body, .. } = stmt {
                loops.push(*body);
            }
        });
        for body in loops {
            // A loop that can be told to end is a worker's.
            if !block_names_terminal(model, body) {
                continue;
            }
            let search = Search { plane: &plane, watchers: &watchers };
            let awaited = awaited(&plane, file, function, body);
            let waits = calls_of(model, body).into_iter().find_map(|(expr, call)| {
                let fills = plane.protocol.moves_in(file, function).any(|one| {
                    let receives = one.exact && one.ways.into && !one.ways.out;
                    one.expr == expr
                        && receives
                        && matches!(model.expr(one.payload), Expr::Name(name) if awaited.contains(&name))
                });
                if !fills && !bound_to(model, function, expr).iter().any(|name| awaited.contains(name)) {
                    return None;
                }
                let site = search.wait(file, function, expr, call, (DEPTH, false))?;
                Some((expr, site))
            });
            let Some((expr, wait)) = waits else { continue };
            let mut finding = Findings::new_finding(
                &RULE,
                plane.site(file, expr),
                program.symbol_of(file, function),
                "this loop waits for the next message as long as it takes; when the driver is gone, it never leaves",
            )
            .confidence(Confidence::Medium)
            .help("arm a watchdog around the wait that ends the process after a limit, and let the driver send a heartbeat while it is idle");
            if wait != plane.site(file, expr) {
                finding = finding.because(wait, "the wait itself, with nothing around it that ends it");
            }
            findings.push(finding);
        }
    }
}

/// The names that decide whether the loop is told to end: what it waits for is what fills them.
fn awaited(plane: &Plane<'_>, file: FileId, function: LocalFunction, body: Block) -> Vec<Symbol> {
    let model = plane.model(file);
    let mut out = Vec::new();
    each_statement(model, body, &mut |_, stmt| {
        if !matches!(stmt, Stmt::If { .. } | Stmt::While { .. } | Stmt::Match { .. }) {
            return;
        }
        for test in expressions_of(model, stmt).into_iter().filter(|&test| names_terminal(model, test)) {
            out.extend(mentioned(plane.program, file, function, test, 3));
        }
    });
    out
}

/// Classes that start a thread or a timer which ends the process.
fn watchers(plane: &Plane<'_>) -> FxHashSet<ClassId> {
    let mut out = FxHashSet::default();
    for (file, function) in plane.bodies() {
        let model = plane.model(file);
        let Some(class) = model.function(function).class else { continue };
        for (_, call) in plane.calls(file, function) {
            let starts = plane
                .external(file, function, call)
                .is_some_and(|dotted| matches!(dotted.as_str(), "threading.Thread" | "threading.Timer"));
            if !starts {
                continue;
            }
            let given = model.list(call.args).iter().copied().chain(model.keywords(call).iter().map(|one| one.value));
            let ends = given.into_iter().any(|arg| {
                target_of(plane, file, function, arg)
                    .is_some_and(|target| plane.reaches(target, 2, &|name| ENDS.contains(&name)).is_some())
            });
            if ends {
                out.insert(plane.program.class_id(file, class));
            }
        }
    }
    out
}

/// The function of the program that is handed over by name.
fn target_of(plane: &Plane<'_>, file: FileId, function: LocalFunction, expr: ExprId) -> Option<FunctionId> {
    if let Some(Target::Function(found)) = plane.program.target(file, function, expr) {
        return Some(found);
    }
    let Expr::Attribute { value, name } = plane.model(file).expr(expr) else { return None };
    plane.program.method(plane.types.class_of(file, function, value)?, name)
}

struct Search<'a> {
    plane: &'a Plane<'a>,
    watchers: &'a FxHashSet<ClassId>,
}

impl Search<'_> {
    /// The unwatched wait for a message that a call comes to, so many calls deep; whether it can only be a wait is known
    /// for what only receives.
    fn wait(
        &self,
        file: FileId,
        function: LocalFunction,
        expr: ExprId,
        call: Call,
        (depth, receives): (u32, bool),
    ) -> Option<Site> {
        let depth = depth.checked_sub(1)?;
        let plane = self.plane;
        if self.is_watched(file, function, expr) {
            return None;
        }
        let moved = plane.protocol.moves_in(file, function).find(|one| one.expr == expr && one.direct);
        if let Some(moved) = moved {
            let limited = plane
                .model(file)
                .keywords(call)
                .iter()
                .any(|one| one.name.is_some_and(|name| name.as_str().contains("timeout")));
            let waits = moved.ways.into && (receives || !moved.ways.out) && !limited && !self.is_polled(file, function);
            return waits.then(|| plane.site(file, expr));
        }
        plane.callees(file, function, call).into_iter().find_map(|callee| {
            let (home, local) = plane.program.locate(callee);
            let into = plane.protocol.movers.get(&callee).is_none_or(|ways| ways.into);
            if !into {
                return None;
            }
            let only = plane.protocol.movers.get(&callee).is_some_and(|ways| !ways.out);
            let next = (depth, receives || only);
            plane.calls(home, local).into_iter().find_map(|(expr, call)| self.wait(home, local, expr, call, next))
        })
    }

    /// Whether a context manager, or a call, of something that ends the process stands around or before the wait.
    fn is_watched(&self, file: FileId, function: LocalFunction, expr: ExprId) -> bool {
        let plane = self.plane;
        let model = plane.model(file);
        let at = model.span(expr);
        let mut watched = false;
        each_statement(model, model.function(function).body, &mut |id, stmt| {
            let whole = model.stmt_span(id);
            match stmt {
                Stmt::With { items, .. } if holds(whole, at) => {
                    watched |= items.iter().any(|item| self.watches(file, function, item.context));
                }
                Stmt::Expr(value) if whole.end <= at.start => watched |= self.watches(file, function, *value),
                _ => {}
            }
        });
        watched
    }

    fn watches(&self, file: FileId, function: LocalFunction, expr: ExprId) -> bool {
        let plane = self.plane;
        let model = plane.model(file);
        let object = match model.expr(expr) {
            Expr::Call(index) => match model.expr(model.call(index).callee) {
                Expr::Attribute { value, .. } => value,
                _ => expr,
            },
            _ => expr,
        };
        let known = |expr: ExprId| {
            plane
                .types
                .class_of(file, function, expr)
                .is_some_and(|class| plane.program.lineage(class).iter().any(|one| self.watchers.contains(one)))
        };
        // Something that is called a watchdog and is not this program's own is taken at its word.
        let named = model.dotted(object).is_some_and(|name| {
            let name = name.to_ascii_lowercase();
            name.contains("watchdog") || name.contains("deadline")
        });
        known(object) || known(expr) || named && plane.types.class_of(file, function, object).is_none()
    }

    /// Whether the body asks again and again, or waits with a limit.
    fn is_polled(&self, file: FileId, function: LocalFunction) -> bool {
        let model = self.plane.model(file);
        self.plane.calls(file, function).into_iter().any(|(_, call)| {
            let Expr::Attribute { name, .. } = model.expr(call.callee) else { return false };
            let given = !model.list(call.args).is_empty() || !model.keywords(call).is_empty();
            name.as_str() == "is_completed" || name.as_str() == "wait" && given
        })
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
