//! The way from a function to the operations it issues: its calls, with the parameters that decide whether they are made.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::model::{Block, Call, Expr, ExprId, File, Function, FunctionKind, Stmt, UnaryOp};
use crate::model::{each_expression, expressions_of};

use super::{
    Communication, Issue, MAX_BLIND, MAX_DEPTH, MAX_FUNCTIONS, Reached, Step, Towards, Truths, Wanted, argument,
};

impl Communication<'_> {
    /// What a call makes true or false of the parameters that the function called asks for.
    pub(super) fn truths(&mut self, file: FileId, call: Call, called: FunctionId) -> Truths {
        let steps = self.steps_of(called);
        let model = &self.program.file(file).model;
        let definition = self.program.function(called);
        let own = &self.program.file(self.program.locate(called).0).model;
        let bound = definition.takes_object();
        let mut out = Truths::new();
        for &(name, _) in steps.iter().flat_map(|step| step.guards.iter().chain(&step.left)) {
            if out.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let Some(position) = definition.parameters.iter().position(|parameter| parameter.name == name) else {
                continue;
            };
            let given = argument(model, call, position.checked_sub(usize::from(bound)), name);
            let truth = match given {
                Some(given) => truth_of(model.expr(given)),
                None => definition.parameters[position].default.and_then(|default| truth_of(own.expr(default))),
            };
            out.extend(truth.map(|truth| (name, truth)));
        }
        out.sort_by_key(|(name, _)| name.as_str());
        out
    }

    /// Breadth first, so that the chain shown is the shortest.
    pub(super) fn search(&mut self, start: FunctionId, wanted: Wanted, truths: Truths) -> Option<Issue> {
        let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
        let mut level = vec![Reached { function: start, calls: Vec::new(), truths, confidence: Confidence::High }];
        seen.insert(start);
        let mut whole = true;
        for depth in 0..MAX_DEPTH {
            let mut next = Vec::new();
            for from in level {
                let blind = wanted == Wanted::Any && depth < MAX_BLIND;
                if !self.reaching.contains(&from.function) && !blind {
                    continue;
                }
                if seen.len() > MAX_FUNCTIONS {
                    return None;
                }
                let barren = (from.function, wanted, Truths::new());
                if matches!(self.known.get(&barren), Some(None)) {
                    continue;
                }
                let (file, _) = self.program.locate(from.function);
                let model = &self.program.file(file).model;
                for step in self.steps_of(from.function).iter() {
                    let never = |(name, truth): &(Symbol, bool)| from.truths.contains(&(*name, !truth));
                    // Who comes to the end of a group is asked closely: some end it in another way, and return.
                    if step.guards.iter().any(never) || wanted == Wanted::Any && step.left.iter().any(never) {
                        whole = false;
                        continue;
                    }
                    match &step.what {
                        Towards::Issues(issue) if wanted.takes(issue.kind) => {
                            let confidence = from.confidence.min(issue.confidence);
                            return Some(Issue { calls: from.calls, confidence, ..issue.clone() });
                        }
                        Towards::Issues(_) => {}
                        Towards::Calls(expr, called, sure) => {
                            if seen.insert(*called)
                                && let Expr::Call(call) = model.expr(*expr)
                            {
                                let mut calls = from.calls.clone();
                                let site = Site { file, span: model.span(*expr) };
                                calls.push((site, self.program.function(*called).name));
                                let truths = self.truths(file, model.call(call), *called);
                                let confidence = from.confidence.min(*sure);
                                next.push(Reached { function: *called, calls, truths, confidence });
                            }
                        }
                    }
                }
            }
            level = next;
            if level.is_empty() {
                break;
            }
        }
        // Nothing was left out: none of them reaches anything.
        if whole && level.is_empty() && wanted != Wanted::Any {
            for function in seen {
                self.known.insert((function, wanted, Truths::new()), None);
            }
        }
        None
    }

    pub(super) fn steps_of(&mut self, function: FunctionId) -> Rc<[Step]> {
        if let Some(known) = self.steps.get(&function) {
            return known.clone();
        }
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let definition = model.function(local);
        let mut calls = Vec::new();
        if definition.kind != FunctionKind::ClassBody {
            guarded_calls(model, definition, definition.body, &Guards::default(), &mut calls);
        }
        let mut steps = Vec::new();
        for (expr, call, Guards { around, left }) in calls {
            if let Some(issue) = self.itself(file, local, expr, call) {
                steps.push(Step { what: Towards::Issues(issue), guards: around, left });
            } else if let Some((called, confidence)) = self.callee(file, local, call) {
                steps.push(Step { what: Towards::Calls(expr, called, confidence), guards: around, left });
            }
        }
        let steps: Rc<[Step]> = steps.into();
        self.steps.insert(function, steps.clone());
        steps
    }
}

fn truth_of(expr: Expr) -> Option<bool> {
    match expr {
        Expr::Bool(value) => Some(value),
        Expr::None => Some(false),
        _ => None,
    }
}

/// The parameters that decide whether a call is made.
#[derive(Clone, Default)]
struct Guards {
    /// By the conditions around it.
    around: Truths,
    /// By those before it at which the function was left.
    left: Truths,
}

/// The calls of a block with the parameters that decide whether they are made.
fn guarded_calls(
    model: &File,
    definition: &Function,
    block: Block,
    guards: &Guards,
    out: &mut Vec<(ExprId, Call, Guards)>,
) {
    let guards = &mut guards.clone();
    for &id in model.block(block) {
        let stmt = model.stmt(id);
        for root in expressions_of(model, stmt) {
            each_expression(model, root, &mut |id, expr| {
                if let Expr::Call(call) = expr {
                    out.push((id, model.call(call), guards.clone()));
                }
            });
        }
        match stmt {
            Stmt::If { test, body, orelse } => {
                let mut holds = guards.clone();
                asked(model, definition, *test, true, &mut holds.around);
                guarded_calls(model, definition, *body, &holds, out);
                let mut fails = guards.clone();
                if !matches!(model.expr(*test), Expr::And(_)) {
                    asked(model, definition, *test, false, &mut fails.around);
                }
                guarded_calls(model, definition, *orelse, &fails, out);
                // What stands behind `if aborts: ...; return` is done where it does not hold.
                if leaves(model, *body) && orelse.is_empty() && !matches!(model.expr(*test), Expr::And(_)) {
                    asked(model, definition, *test, false, &mut guards.left);
                }
            }
            Stmt::While { body, orelse, .. } | Stmt::For { body, orelse, .. } => {
                guarded_calls(model, definition, *body, guards, out);
                guarded_calls(model, definition, *orelse, guards, out);
            }
            Stmt::With { body, .. } => guarded_calls(model, definition, *body, guards, out),
            Stmt::Match { cases, .. } => {
                cases.iter().for_each(|case| guarded_calls(model, definition, case.body, guards, out));
            }
            Stmt::Try(parts) => {
                guarded_calls(model, definition, parts.body, guards, out);
                parts.handlers.iter().for_each(|handler| guarded_calls(model, definition, handler.body, guards, out));
                guarded_calls(model, definition, parts.orelse, guards, out);
                guarded_calls(model, definition, parts.finally, guards, out);
            }
            _ => {}
        }
    }
}

/// Whether whoever comes to the end of the block leaves the function there.
fn leaves(model: &File, block: Block) -> bool {
    model.block(block).last().is_some_and(|&last| matches!(model.stmt(last), Stmt::Return(_) | Stmt::Raise { .. }))
}

/// The parameters that a test asks for, when it comes out as `truth`.
fn asked(model: &File, definition: &Function, test: ExprId, truth: bool, out: &mut Truths) {
    match model.expr(test) {
        Expr::Name(name) if definition.parameters.iter().any(|parameter| parameter.name == name) => {
            out.push((name, truth))
        }
        Expr::Unary(UnaryOp::Not, inner) => asked(model, definition, inner, !truth, out),
        Expr::And(parts) if truth => {
            model.list(parts).iter().for_each(|&part| asked(model, definition, part, truth, out))
        }
        _ => {}
    }
}
