//! Files that one rank writes in one place and all write in another: who has guarded the one knows that there are several.

use super::common::{Common, Made, Together};
use crate::base::{FunctionId, Site};
use crate::model::ExprId;

/// Beginnings of the names of what writes something.
const WRITES: [&str; 5] = ["save", "dump", "write", "torch_save", "export"];

/// A call of a function that all ranks make, beside another one that only the first makes.
pub(super) struct Unguarded {
    /// The call that all make.
    pub call: Site,
    /// The question that stands over the other one.
    pub guard: Site,
    /// What shows that several ranks come to the first.
    pub together: Together,
}

impl Common<'_> {
    /// Where all ranks call a function that only the first one calls elsewhere.
    pub fn unguarded(&mut self, function: FunctionId) -> Option<Unguarded> {
        let callers = self.callers(function);
        let guard = callers.iter().find_map(|(caller, made)| self.guard(*caller, made))?;
        let open = callers.into_iter().filter(|(_, made)| made.by_all);
        let mut open = open.filter_map(|(caller, made)| {
            let (_, together) = self.entered_by_all(caller, made.expr)?;
            let (file, _) = self.program.locate(caller);
            let call = Site { file, span: self.program.file(file).model.span(made.expr) };
            Some(Unguarded { call, guard, together })
        });
        open.find(|found| matches!(found.together, Together::Issues(..) | Together::Issued(..)))
    }

    /// Whether the function lets only the first rank write something else, in a place that all come to.
    pub fn guards_another(&mut self, function: FunctionId, write: ExprId) -> bool {
        let (file, local) = self.program.locate(function);
        let program = self.program;
        let model = &program.file(file).model;
        self.calls(file, local).iter().any(|made| {
            let name = model.last_name(made.call.callee);
            made.expr != write
                && name.is_some_and(|name| WRITES.iter().any(|begin| name.as_str().starts_with(begin)))
                && self.guard(function, made).is_some()
        })
    }

    /// The question for the first rank that a call stands under.
    fn guard(&self, caller: FunctionId, made: &Made) -> Option<Site> {
        let (file, _) = self.program.locate(caller);
        let model = &self.program.file(file).model;
        let asked = made.conditions.iter().find(|&&condition| self.asks_for_first_among(model, condition))?;
        Some(Site { file, span: model.span(*asked) })
    }
}
