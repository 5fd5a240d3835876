//! Files that one rank writes in one place and all write in another: who has guarded the one knows that there are several.

use super::alone::is_where_nobody_is_told_apart;
use super::common::Common;
use super::deeds::Deed;
use super::evidence::Together;
use super::made::Made;
use super::single::{asks_for_first_among, is_of_one_rank};
use crate::base::{FunctionId, Site, Symbol};
use crate::graph::blocks::span_of;
use crate::graph::communication::Wanted;
use crate::model::{Expr, ExprId, Stmt, each_statement, names_in};

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
    /// Whoever hands over a path of its own writes another file.
    pub(super) fn unguarded(&mut self, function: FunctionId, path: ExprId) -> Option<Unguarded> {
        let (file, local) = self.program.locate(function);
        if is_of_one_rank(self.program, file, local) {
            return None;
        }
        let callers = self.callers(function);
        let guard = callers.iter().find_map(|(caller, made)| self.guard(*caller, made))?;
        let is_for_one = |caller: FunctionId, made: &Made| {
            let (file, local) = self.program.locate(caller);
            is_where_nobody_is_told_apart(self, file, local, made.expr)
        };
        let of_test = |caller: FunctionId| self.program.file(self.program.locate(caller).0).is_test();
        let open = callers.into_iter().filter(|(caller, made)| made.by_all && !of_test(*caller));
        let open: Vec<(FunctionId, Made)> = open.collect();
        let paths = self.paths(function, path);
        let is_own = |common: &Self, caller: FunctionId, made: &Made| {
            paths.iter().any(|&path| common.is_handed_own(function, caller, made, path))
        };
        let open = open.into_iter().filter(|(caller, made)| !is_for_one(*caller, made) && !is_own(self, *caller, made));
        let open: Vec<(FunctionId, Made)> = open.collect();
        let mut open = open.into_iter().filter_map(|(caller, made)| {
            let together = self.entered_by_all(caller, made.expr)?.together;
            let (file, _) = self.program.locate(caller);
            let call = Site { file, span: self.program.file(file).model.span(made.expr) };
            Some(Unguarded { call, guard, together })
        });
        open.find(|found| matches!(found.together, Together::Issues(..) | Together::Issued(..)))
    }

    /// Where the function, to which all ranks come, lets only the first one write something else.
    pub(super) fn guards_another(&mut self, function: FunctionId, deed: Deed) -> Option<Together> {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let write = deed.expr;
        if is_of_one_rank(self.program, file, local) {
            return None;
        }
        self.callers_reaching(function, write, Some(deed.path))?;
        // Whoever is told whether it is the first need not be told.
        let switches =
            model.function(local).parameters.iter().filter(|parameter| {
                parameter.default.is_some_and(|default| matches!(model.expr(default), Expr::Bool(_)))
            });
        let switches: Vec<Symbol> = switches.map(|parameter| parameter.name).collect();
        // What is written to the file itself is nothing else, unless it is the first rank alone that ever does.
        let place = model.span(write);
        let (mut into_it, mut opened) = (None, None);
        each_statement(model, model.function(local).body, &mut |_, stmt| {
            if let Stmt::With { items, body, .. } = stmt
                && let Some(item) = items.iter().find(|item| model.span(item.context).holds(place))
            {
                into_it = span_of(model, *body);
                opened = match item.target.filter(|_| item.context == write).map(|target| model.expr(target)) {
                    Some(Expr::Name(name)) => Some((name, *body)),
                    _ => None,
                };
            }
        });
        let is_told = |&condition: &ExprId| names_in(model, condition).iter().any(|name| switches.contains(name));
        let writes = |made: &&Made| {
            let name = model.last_name(made.call.callee);
            made.expr != write
                && !into_it.is_some_and(|body| body.holds(model.span(made.expr)))
                && !made.conditions.iter().any(is_told)
                && name.is_some_and(|name| WRITES.iter().any(|begin| name.as_str().starts_with(begin)))
        };
        let calls = self.calls(file, local);
        let other = calls.iter().filter(writes).find_map(|made| self.guard(function, made));
        let used = opened.and_then(|(opened, body)| {
            let mut uses = calls.iter().filter(|made| names_in(model, made.expr).contains(&opened));
            let first = uses.next()?;
            let guard = self.guard(function, first)?;
            let alone = uses.all(|made| self.guard(function, made).is_some());
            // Whoever has met the others behind the opening writes to a file that nobody opens any more; in a loop that
            // may have been so in what it goes over.
            let met = self.communication.issued_in(file, local, body, Wanted::Collective);
            let mut met = met.iter().map(|issue| issue.start().span.start);
            let mut in_loop = false;
            each_statement(model, body, &mut |id, stmt| {
                let span = model.stmt_span(id);
                in_loop |= matches!(stmt, Stmt::For { .. } | Stmt::While { .. }) && span.holds(model.span(first.expr));
            });
            let at_once = !in_loop && !met.any(|met| met < model.span(first.expr).start);
            (alone && at_once).then_some(guard)
        });
        other.or(used).map(Together::TellsApart)
    }

    /// The question for the first rank that a call stands under.
    fn guard(&self, caller: FunctionId, made: &Made) -> Option<Site> {
        let (file, _) = self.program.locate(caller);
        let model = &self.program.file(file).model;
        let asked = made.conditions.iter().find(|&&condition| asks_for_first_among(self.program, model, condition))?;
        Some(Site { file, span: model.span(*asked) })
    }
}
