//! What callers hand a function: switches, which have it do something or not, and paths, which may be each rank's own.

use super::common::Common;
use super::conditions::asks_for_rank;
use super::dealt::is_of_a_dealt_list;
use super::made::Made;
use super::names::{each_assignment, made_of, names_in_path};
use super::words::{is_managed, is_own_path};
use crate::base::{FunctionId, Span, Symbol};
use crate::graph::blocks::{holds_settings, is_self};
use crate::graph::communication::argument;
use crate::model::{CompareOp, Expr, ExprId, File, Stmt, UnaryOp, each_statement};

/// What a caller hands a switch that decides whether a place is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handed {
    /// What it takes.
    On,
    /// The other.
    Off,
    /// One or the other, by the rank.
    Apart,
}

/// What a parameter has to be for a place to be reached.
#[derive(Clone, Copy)]
struct Needed {
    parameter: Symbol,
    /// What it is compared with: a number or a text that is written out, or `None`. Nothing where it is asked whether it
    /// is true.
    constant: Option<Expr>,
    /// How that has to come out.
    answer: bool,
    /// Where that is asked.
    asked: u32,
}

/// Calls whose results are put together, and hence something.
const PUTS_TOGETHER: [&str; 5] = ["join", "Path", "str", "format", "abspath"];

impl Needed {
    /// Whether what is handed over makes it come out otherwise.
    fn is_off(&self, handed: Expr) -> bool {
        match (self.constant, handed) {
            (None, Expr::Bool(truth)) => truth != self.answer,
            (None, Expr::Int(number)) => (number != 0) != self.answer,
            (None, Expr::None) => self.answer,
            (Some(Expr::None), Expr::None) => !self.answer,
            (Some(Expr::None), handed) => self.answer && (is_constant(handed) || matches!(handed, Expr::Bool(_))),
            (Some(constant), handed) if is_constant(handed) => (handed == constant) != self.answer,
            _ => false,
        }
    }
}

impl Common<'_> {
    /// The calls of a function that have it come to a place, at which it does something with a path; none where some ranks
    /// alone do, or each with a path of its own.
    pub(super) fn callers_reaching(
        &mut self,
        function: FunctionId,
        at: ExprId,
        path: Option<ExprId>,
    ) -> Option<Vec<(FunctionId, Made)>> {
        let callers = self.callers(function);
        if callers.is_empty() {
            return Some(callers);
        }
        if self.is_called_by_some(&callers) || self.is_told_its_rank(function, &callers) {
            return None;
        }
        let needed = self.needed(function, at);
        let paths = path.map_or_else(Vec::new, |path| self.paths(function, path));
        let mut out = Vec::new();
        for (caller, made) in callers {
            if paths.iter().any(|&path| self.is_handed_own(function, caller, &made, path)) {
                continue;
            }
            let handed: Vec<Handed> =
                needed.iter().map(|&needed| self.handed(function, caller, &made, needed)).collect();
            if handed.contains(&Handed::Apart) {
                return None;
            }
            if handed.into_iter().all(|handed| handed == Handed::On) {
                out.push((caller, made));
            }
        }
        (!out.is_empty()).then_some(out)
    }

    /// Whether whoever calls the function tells it one and the same rank, `main(args, 0)`, and nobody starts others with it:
    /// that process has no peers.
    fn is_told_its_rank(&self, function: FunctionId, callers: &[(FunctionId, Made)]) -> bool {
        let mut ranks = self.program.function(function).parameters.iter().map(|parameter| parameter.name);
        let Some(rank) = ranks.find(|&name| self.program.catalog.is_rank_by_name(name)) else { return false };
        let mut told = callers.iter().map(|(caller, made)| {
            let model = &self.program.file(self.program.locate(*caller).0).model;
            let given = self.given(function, *caller, made, rank).map(|given| model.expr(given));
            given.filter(|given| matches!(given, Expr::Int(_)))
        });
        let first = told.next().flatten();
        first.is_some() && told.all(|other| other == first) && !self.is_handed_over(function)
    }

    /// What parameters have to be for a place to be reached.
    fn needed(&mut self, function: FunctionId, at: ExprId) -> Vec<Needed> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let calls = self.calls(file, local);
        let mut needed = Vec::new();
        if let Some(made) = calls.iter().find(|made| made.expr == at) {
            let conditions = made.conditions.iter().zip(&made.answers);
            conditions.for_each(|(&condition, &answer)| need(model, condition, answer, &mut needed));
        }
        let parameters = &model.function(local).parameters;
        needed.retain(|needed| parameters.iter().any(|parameter| parameter.name == needed.parameter));
        // What the function has given another value is no longer what a caller has handed over.
        let mut loops: Vec<Span> = Vec::new();
        each_statement(model, model.function(local).body, &mut |id, stmt| {
            if matches!(stmt, Stmt::For { .. } | Stmt::While { .. }) {
                loops.push(model.stmt_span(id));
            }
        });
        each_assignment(model, local, &mut |targets, value| {
            let is_set = |needed: &Needed| {
                let set = model.span(value);
                let comes_again = || {
                    loops.iter().any(|around| around.holds(set) && (around.start..around.end).contains(&needed.asked))
                };
                (set.start < needed.asked || comes_again())
                    && targets.iter().any(|&target| model.expr(target) == Expr::Name(needed.parameter))
            };
            needed.retain(|needed| !is_set(needed));
        });
        needed
    }

    /// Parameters that a path is made of.
    pub(super) fn paths(&self, function: FunctionId, path: ExprId) -> Vec<Symbol> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let made = made_of(model, local, names_in_path(model, path), names_in_path);
        let parameters = model.function(local).parameters.iter().map(|parameter| parameter.name);
        parameters.filter(|name| made.contains(name)).collect()
    }

    /// What a caller hands over for a path to be made of.
    pub(super) fn path_handed(
        &self,
        function: FunctionId,
        path: ExprId,
        (caller, made): (FunctionId, &Made),
    ) -> Option<ExprId> {
        self.paths(function, path).into_iter().find_map(|name| self.given(function, caller, made, name))
    }

    fn handed(&mut self, function: FunctionId, caller: FunctionId, made: &Made, needed: Needed) -> Handed {
        if self.is_handed_off(function, caller, made, needed) {
            return Handed::Off;
        }
        let (file, local) = self.program.locate(caller);
        match self.given(function, caller, made, needed.parameter) {
            Some(given) if asks_for_rank(self.program, self.taint, (file, local), given) => Handed::Apart,
            Some(given) if self.is_off_above(caller, given, needed) => Handed::Off,
            _ => Handed::On,
        }
    }

    /// Whether what a caller hands over, or else the default, makes a switch come out otherwise.
    fn is_handed_off(&self, function: FunctionId, caller: FunctionId, made: &Made, needed: Needed) -> bool {
        match self.given(function, caller, made, needed.parameter) {
            Some(given) => {
                let (file, _) = self.program.locate(caller);
                let model = &self.program.file(file).model;
                let asks_for_none = needed.constant == Some(Expr::None) && needed.answer;
                needed.is_off(model.expr(given)) || asks_for_none && is_something(model, given)
            }
            None => {
                let (home, _) = self.program.locate(function);
                let parameters = &self.program.function(function).parameters;
                let switch = parameters.iter().find(|parameter| parameter.name == needed.parameter);
                let default = switch.and_then(|switch| switch.default);
                default.is_some_and(|value| needed.is_off(self.program.file(home).model.expr(value)))
            }
        }
    }

    /// Whether a caller hands on what it is itself given, and all of its own callers turn that off.
    fn is_off_above(&mut self, caller: FunctionId, given: ExprId, needed: Needed) -> bool {
        let (file, local) = self.program.locate(caller);
        let model = &self.program.file(file).model;
        let Expr::Name(parameter) = model.expr(given) else { return false };
        let is_handed = model.function(local).parameters.iter().any(|known| known.name == parameter);
        let callers = if is_handed { self.callers(caller) } else { Vec::new() };
        let needed = Needed { parameter, ..needed };
        !callers.is_empty() && callers.iter().all(|(above, made)| self.is_handed_off(caller, *above, made, needed))
    }

    pub(super) fn is_handed_own(&self, function: FunctionId, caller: FunctionId, made: &Made, path: Symbol) -> bool {
        let (file, local) = self.program.locate(caller);
        let given = self.given(function, caller, made, path);
        let model = &self.program.file(file).model;
        given.is_some_and(|given| {
            is_own_path(model, local, given)
                || is_managed(model, local, given)
                || is_of_a_dealt_list(model, local, given)
        })
    }

    /// What a caller hands a parameter.
    pub(super) fn given(
        &self,
        function: FunctionId,
        caller: FunctionId,
        made: &Made,
        parameter: Symbol,
    ) -> Option<ExprId> {
        let definition = self.program.function(function);
        let bound = usize::from(definition.takes_object());
        let at = definition.parameters.iter().position(|known| known.name == parameter);
        let (file, _) = self.program.locate(caller);
        let model = &self.program.file(file).model;
        argument(model, made.call, at.and_then(|at| at.checked_sub(bound)), parameter)
    }
}

/// What variables have to be for a condition to come out so.
fn need(model: &File, condition: ExprId, answer: bool, out: &mut Vec<Needed>) {
    let asked = model.span(condition).start;
    match model.expr(condition) {
        Expr::Unary(UnaryOp::Not, inner) => need(model, inner, !answer, out),
        Expr::And(parts) if answer => model.list(parts).iter().for_each(|&part| need(model, part, true, out)),
        Expr::Or(parts) if !answer => model.list(parts).iter().for_each(|&part| need(model, part, false, out)),
        Expr::Name(parameter) => out.push(Needed { parameter, constant: None, answer, asked }),
        Expr::Compare(op, left, right) => {
            let is_asked = |constant: Expr| match op {
                CompareOp::Eq | CompareOp::NotEq => is_constant(constant),
                CompareOp::Is | CompareOp::IsNot => constant == Expr::None,
                _ => false,
            };
            if let (Expr::Name(parameter), constant) = (model.expr(left), model.expr(right))
                && is_asked(constant)
            {
                let answer = answer == matches!(op, CompareOp::Eq | CompareOp::Is);
                out.push(Needed { parameter, constant: Some(constant), answer, asked });
            }
        }
        _ => {}
    }
}

/// Whether something is a number or a text that is written out.
fn is_constant(expr: Expr) -> bool {
    matches!(expr, Expr::Int(_) | Expr::Str(_))
}

/// Whether something that is handed over is hardly `None`: an attribute of what is no setting, or what is put together.
fn is_something(model: &File, handed: ExprId) -> bool {
    match model.expr(handed) {
        Expr::Attribute { value, .. } => {
            matches!(model.expr(value), Expr::Name(of) if !holds_settings(of)) && !is_self(model, value)
        }
        Expr::Call(call) => {
            let name = model.last_name(model.call(call).callee).map_or("", |name| name.as_str());
            PUTS_TOGETHER.contains(&name)
        }
        _ => false,
    }
}
