//! Handlers that note the failure in a flag and go on, and what is issued behind by those alone that have come through:
//! `ok = False`, and then `if ok: …`.

use crate::base::{FileId, Site, Symbol};
use crate::finding::Confidence;
use crate::model::{CompareOp, Expr, ExprId, File, Handler, LocalFunction, Stmt, StmtId, Try, UnaryOp, each_statement};

use super::super::blocks::{Around, binds, collect};
use super::super::communication::Wanted;
use super::super::hazard::{Caught, Failure, Hazard, never_returns};
use super::{Search, Skip, Swallowed};

/// What a handler sets a variable to: a constant, or what it has caught.
#[derive(Clone, Copy)]
struct Flag {
    name: Symbol,
    value: ExprId,
}

impl Search<'_, '_> {
    /// A failure of which a flag tells, and a collective that is asked for by that flag.
    #[expect(clippy::too_many_arguments, reason = "the parts of one statement and what was found in them")]
    pub(super) fn asked_behind(
        &mut self,
        file: FileId,
        function: LocalFunction,
        parts: &Try,
        handler: &Handler,
        caught: Caught,
        around: &[Around<'_>],
        out: &mut Vec<Swallowed>,
    ) {
        let model = self.model(file);
        let mut flags = flags_of(model, handler);
        flags.retain(|&flag| is_set_otherwise(model, function, handler, flag));
        if flags.is_empty() {
            return;
        }
        let mut hazards = self.hazards(file, function, parts.body);
        hazards.retain(|hazard| caught.takes(hazard.failure));
        // What lies outside fails on one rank sooner than what does not parse.
        hazards.sort_by_key(|hazard| hazard.failure == Failure::Data);
        let Some(hazard) = hazards.into_iter().next() else { return };
        for around in around.iter().rev() {
            for (at, &id) in around.rest.iter().enumerate() {
                let behind = &around.rest[at + 1..];
                if self.asks_for_one(file, function, (id, behind), &flags, (handler, &hazard), out) {
                    return;
                }
                flags.retain(|flag| !is_bound_in(model, id, flag.name));
            }
            // The next turn sets it anew.
            if around.is_loop {
                return;
            }
        }
    }

    /// Whether a statement asks for one of the flags, and who has come through issues something there, or behind it where the
    /// others leave, that they do not.
    fn asks_for_one(
        &mut self,
        file: FileId,
        function: LocalFunction,
        (id, behind): (StmtId, &[StmtId]),
        flags: &[Flag],
        (handler, hazard): (&Handler, &Hazard),
        out: &mut Vec<Swallowed>,
    ) -> bool {
        let model = self.model(file);
        if let Stmt::Assert(test) = *model.stmt(id) {
            return flags.iter().any(|&flag| answered(model, test, flag) == Some(false));
        }
        let Stmt::If { test, body, orelse } = *model.stmt(id) else { return false };
        let Some(answer) = flags.iter().find_map(|&flag| answered(model, test, flag)) else { return false };
        let (failed, through) = if answer { (body, orelse) } else { (orelse, body) };
        // Who has failed ends there, for all to see.
        if never_returns(self.communication, self.program, file, function, failed, 2) {
            return true;
        }
        if !self.communication.issued_in(file, function, failed, Wanted::Common).is_empty() {
            return true;
        }
        let issued = self.communication.issued_in(file, function, through, Wanted::Collective);
        let leaves = matches!(
            model.block(failed).last().map(|&last| model.stmt(last)),
            Some(Stmt::Return(_) | Stmt::Continue | Stmt::Break)
        );
        let behind = || leaves.then(|| behind.iter().find_map(|&id| self.issued_by(file, function, id))).flatten();
        let Some(issue) = issued.into_iter().next().or_else(behind) else { return false };
        // What does not parse is the same text for all, as often as not.
        let is_near = hazard.direct
            && hazard.failure != Failure::Data
            && issue.calls.is_empty()
            && !self.program.file(file).is_test();
        let sure = if is_near { Confidence::Medium } else { Confidence::Low };
        out.push(Swallowed {
            function: (file, function),
            handler: Site { file, span: handler.span },
            hazard: hazard.clone(),
            confidence: sure.min(issue.confidence),
            issue,
            skip: Skip::Told,
        });
        true
    }
}

/// The variables that a handler sets to constants, whatever it has caught, or to that.
fn flags_of(model: &File, handler: &Handler) -> Vec<Flag> {
    let mut out = Vec::new();
    for &id in model.block(handler.body) {
        if let Stmt::Assign { targets, value } = model.stmt(id)
            && (matches!(model.expr(*value), Expr::None | Expr::Bool(_)) || is_caught(model, handler, *value))
            && let &[target] = model.list(*targets)
            && let Expr::Name(name) = model.expr(target)
        {
            out.push(Flag { name, value: *value });
        }
    }
    out
}

/// Whether the function gives the variable another value outside the handler: who comes through has that one.
fn is_set_otherwise(model: &File, function: LocalFunction, handler: &Handler, flag: Flag) -> bool {
    let mut found = false;
    each_statement(model, model.function(function).body, &mut |id, stmt| {
        if let Some((targets, value)) = model.assigned(stmt) {
            let is_target = targets.iter().any(|&target| model.expr(target) == Expr::Name(flag.name));
            let is_elsewhere = !handler.span.holds(model.stmt_span(id));
            found |= is_target && is_elsewhere && model.expr(value) != model.expr(flag.value);
        }
    });
    found
}

/// Whether a statement, or one within it, gives the variable another value.
fn is_bound_in(model: &File, id: StmtId, name: Symbol) -> bool {
    let mut within = vec![id];
    collect(model, id, &mut within);
    within.into_iter().any(|id| binds(model, model.stmt(id), name))
}

/// How a question comes out where the flag has the value that the handler gives it; nothing where it asks for more.
fn answered(model: &File, test: ExprId, flag: Flag) -> Option<bool> {
    let is_flag = |expr: ExprId| model.expr(expr) == Expr::Name(flag.name);
    match model.expr(test) {
        Expr::Name(name) if name == flag.name => Some(!is_denied(model.expr(flag.value))),
        Expr::Unary(UnaryOp::Not, inner) => answered(model, inner, flag).map(|answer| !answer),
        Expr::And(parts) => {
            let denied = model.list(parts).iter().any(|&part| answered(model, part, flag) == Some(false));
            denied.then_some(false)
        }
        Expr::Or(parts) => {
            let holds = model.list(parts).iter().any(|&part| answered(model, part, flag) == Some(true));
            holds.then_some(true)
        }
        Expr::Compare(op, left, right) if is_flag(left) => {
            let is_same = match model.expr(right) {
                constant @ (Expr::None | Expr::Bool(_)) => constant == model.expr(flag.value),
                _ => return None,
            };
            match op {
                CompareOp::Is | CompareOp::Eq => Some(is_same),
                CompareOp::IsNot | CompareOp::NotEq => Some(!is_same),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `except OSError as error: failed = error`, or `str(error)`: something that counts as true.
fn is_caught(model: &File, handler: &Handler, value: ExprId) -> bool {
    let said = match model.expr(value) {
        Expr::Call(call) => {
            let call = model.call(call);
            let is_text = model.last_name(call.callee).is_some_and(|name| matches!(name.as_str(), "str" | "repr"));
            model.list(call.args).first().copied().filter(|_| is_text)
        }
        _ => Some(value),
    };
    said.zip(handler.name).is_some_and(|(said, caught)| model.expr(said) == Expr::Name(caught))
}

fn is_denied(constant: Expr) -> bool {
    matches!(constant, Expr::None | Expr::Bool(false))
}
