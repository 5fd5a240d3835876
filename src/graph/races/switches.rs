//! What callers hand a function: switches, which have it do something or not, and paths, which may be each rank's own.

use super::common::Common;
use super::made::Made;
use super::names::{made_of, names_asked};
use super::words::{asks_for_rank, is_own_path};
use crate::base::{FunctionId, Symbol};
use crate::graph::communication::argument;
use crate::model::{Expr, ExprId, File, UnaryOp};

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
        if callers.is_empty() || self.is_called_by_some(&callers) {
            return callers.is_empty().then(Vec::new);
        }
        let needed = self.needed(function, at);
        let paths = path.map_or_else(Vec::new, |path| self.paths(function, path));
        let mut out = Vec::new();
        for (caller, made) in callers {
            if paths.iter().any(|&path| self.is_handed_own(function, caller, &made, path)) {
                continue;
            }
            let mut handed = needed.iter().map(|&needed| self.handed(function, caller, &made, needed));
            if handed.clone().any(|handed| handed == Handed::Apart) {
                return None;
            }
            if handed.all(|handed| handed == Handed::On) {
                out.push((caller, made));
            }
        }
        (!out.is_empty()).then_some(out)
    }

    /// Parameters that have to be true, or false, for a place to be reached.
    fn needed(&mut self, function: FunctionId, at: ExprId) -> Vec<(Symbol, bool)> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let calls = self.calls(file, local);
        let mut needed = Vec::new();
        if let Some(made) = calls.iter().find(|made| made.expr == at) {
            let conditions = made.conditions.iter().zip(&made.answers);
            conditions.for_each(|(&condition, &answer)| need(model, condition, answer, &mut needed));
        }
        let parameters = &model.function(local).parameters;
        needed.retain(|(name, _)| parameters.iter().any(|parameter| parameter.name == *name));
        needed
    }

    /// Parameters that a path is made of.
    fn paths(&self, function: FunctionId, path: ExprId) -> Vec<Symbol> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let made = made_of(model, local, names_asked(model, path), names_asked);
        let parameters = model.function(local).parameters.iter().map(|parameter| parameter.name);
        parameters.filter(|name| made.contains(name)).collect()
    }

    fn handed(
        &self,
        function: FunctionId,
        caller: FunctionId,
        made: &Made,
        (switch, needed): (Symbol, bool),
    ) -> Handed {
        let (file, local) = self.program.locate(caller);
        let model = &self.program.file(file).model;
        let is_off = |model: &File, value: ExprId| match model.expr(value) {
            Expr::Bool(truth) => truth != needed,
            Expr::None => needed,
            _ => false,
        };
        match self.given(function, caller, made, switch) {
            Some(given) if is_off(model, given) => Handed::Off,
            Some(given) if asks_for_rank(self.program, self.taint, (file, local), given) => Handed::Apart,
            Some(_) => Handed::On,
            None => {
                let (home, _) = self.program.locate(function);
                let parameters = &self.program.function(function).parameters;
                let default = parameters.iter().find(|parameter| parameter.name == switch).and_then(|it| it.default);
                let is_off = default.is_some_and(|value| is_off(&self.program.file(home).model, value));
                if is_off { Handed::Off } else { Handed::On }
            }
        }
    }

    fn is_handed_own(&self, function: FunctionId, caller: FunctionId, made: &Made, path: Symbol) -> bool {
        let (file, local) = self.program.locate(caller);
        let given = self.given(function, caller, made, path);
        given.is_some_and(|given| is_own_path(&self.program.file(file).model, local, given))
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
        let bound = usize::from(definition.class.is_some());
        let at = definition.parameters.iter().position(|known| known.name == parameter);
        let (file, _) = self.program.locate(caller);
        let model = &self.program.file(file).model;
        argument(model, made.call, at.and_then(|at| at.checked_sub(bound)), parameter)
    }
}

/// The variables that have to be true, or false, for a condition to come out so.
fn need(model: &File, condition: ExprId, answer: bool, out: &mut Vec<(Symbol, bool)>) {
    match model.expr(condition) {
        Expr::Unary(UnaryOp::Not, inner) => need(model, inner, !answer, out),
        Expr::And(parts) if answer => model.list(parts).iter().for_each(|&part| need(model, part, true, out)),
        Expr::Or(parts) if !answer => model.list(parts).iter().for_each(|&part| need(model, part, false, out)),
        Expr::Name(name) => out.push((name, answer)),
        _ => {}
    }
}
