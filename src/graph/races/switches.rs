//! What callers hand a function: switches, which have it do something or not, and paths, which may be each rank's own.

use super::common::Common;
use super::made::Made;
use super::names::{made_of, names_asked};
use super::words::{asks_for_rank, is_own_path, parts_of};
use crate::base::{FunctionId, Symbol};
use crate::graph::communication::argument;
use crate::model::{Expr, ExprId, File};

/// What a caller hands a switch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handed {
    On,
    Off,
    /// On, on some ranks.
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
        let switches = self.switches(function, at);
        let paths = path.map_or_else(Vec::new, |path| self.paths(function, path));
        let mut out = Vec::new();
        for (caller, made) in callers {
            if paths.iter().any(|&path| self.is_handed_own(function, caller, &made, path)) {
                continue;
            }
            let mut handed = switches.iter().map(|&switch| self.handed(function, caller, &made, switch));
            if handed.clone().any(|handed| handed == Handed::Apart) {
                return None;
            }
            if handed.all(|handed| handed == Handed::On) {
                out.push((caller, made));
            }
        }
        (!out.is_empty()).then_some(out)
    }

    /// Parameters that have to be true for a place to be reached.
    fn switches(&mut self, function: FunctionId, at: ExprId) -> Vec<Symbol> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let calls = self.calls(file, local);
        let conditions = calls.iter().find(|made| made.expr == at).map_or(&[][..], |made| &made.conditions);
        let parameters = &model.function(local).parameters;
        let is_parameter = |name: Symbol| parameters.iter().any(|parameter| parameter.name == name);
        let parts = conditions.iter().flat_map(|&condition| parts_of(model, condition));
        let named = parts.filter_map(|part| if let Expr::Name(name) = model.expr(part) { Some(name) } else { None });
        named.filter(|&name| is_parameter(name)).collect()
    }

    /// Parameters that a path is made of.
    fn paths(&self, function: FunctionId, path: ExprId) -> Vec<Symbol> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let made = made_of(model, local, names_asked(model, path), names_asked);
        let parameters = model.function(local).parameters.iter().map(|parameter| parameter.name);
        parameters.filter(|name| name.as_str() != "self" && made.contains(name)).collect()
    }

    fn handed(&self, function: FunctionId, caller: FunctionId, made: &Made, switch: Symbol) -> Handed {
        let (file, local) = self.program.locate(caller);
        let model = &self.program.file(file).model;
        let is_off = |model: &File, value: ExprId| matches!(model.expr(value), Expr::Bool(false) | Expr::None);
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
    fn given(&self, function: FunctionId, caller: FunctionId, made: &Made, parameter: Symbol) -> Option<ExprId> {
        let definition = self.program.function(function);
        let bound = usize::from(definition.class.is_some());
        let at = definition.parameters.iter().position(|known| known.name == parameter);
        let (file, _) = self.program.locate(caller);
        let model = &self.program.file(file).model;
        argument(model, made.call, at.and_then(|at| at.checked_sub(bound)), parameter)
    }
}
