//! One call under a handler that fails in the middle of what it issues: its peers wait in what is left of it.

use crate::base::{FileId, Span};
use crate::model::{Block, File, LocalFunction, Stmt, each_statement};

use super::super::blocks::{conditions_in, span_of, speaks_of_rank};
use super::super::communication::{Issue, Wanted};
use super::super::hazard::{Caught, Failure, Hazard};
use super::Search;
use super::swallow::comes_behind;

impl Search<'_, '_> {
    /// Where the function that is called first on the way to an operation has one rank ask the world, in front of one that
    /// the peers go on to, and nobody there takes the failure: what fails, and what they wait in.
    pub(super) fn fails_within(
        &mut self,
        file: FileId,
        function: LocalFunction,
        tried: Block,
        issue: &Issue,
        caught: Caught,
    ) -> Option<(Hazard, Issue)> {
        let &(called_at, called_as) = issue.calls.first()?;
        let (home, local) = self.called_at(file, function, tried, called_at)?;
        let model = self.model(home);
        let body = model.function(local).body;
        let taken = taken_in(model, body);
        let catalog = &self.program.catalog;
        let mut alone = conditions_in(model, body);
        alone.retain(|&(_, test)| speaks_of_rank(catalog, model, test));
        let counts = |hazard: &Hazard| {
            let within = |block: &Span| block.holds(hazard.site.span);
            hazard.failure == Failure::Outside
                && caught.takes(hazard.failure)
                && !hazard.loads()
                && !taken.iter().any(within)
                && alone.iter().any(|(block, _)| within(block))
        };
        let hazards: Vec<Hazard> = self.hazards(home, local, body).into_iter().filter(counts).collect();
        let issues = self.communication.issued_in(home, local, body, Wanted::Collective);
        hazards.into_iter().find_map(|hazard| {
            let mut issues = issues.iter();
            let behind = issues.find(|issue| comes_behind(model, body, hazard.site, issue.start()))?;
            let calls = std::iter::once((called_at, called_as)).chain(behind.calls.iter().copied()).collect();
            Some((hazard, Issue { calls, ..behind.clone() }))
        })
    }
}

/// The blocks of a function whose failures it takes itself.
pub(super) fn taken_in(model: &File, body: Block) -> Vec<Span> {
    let mut out = Vec::new();
    each_statement(model, body, &mut |_, stmt| {
        if let Stmt::Try(parts) = stmt
            && parts.handlers.iter().any(|handler| Caught::of(model, handler.kind).is_local())
        {
            out.extend(span_of(model, parts.body));
        }
    });
    out
}
