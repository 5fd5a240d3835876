//! Functions that a decorator calls again when they have failed: what they have issued by then, they issue once more.

use crate::base::{FileId, Site};
use crate::finding::Confidence;
use crate::model::{Expr, ExprId, LocalFunction};

use super::super::communication::{Issue, Wanted};
use super::super::hazard::{Failure, Hazard};
use super::swallow::comes_behind;
use super::within::taken_in;
use super::{Search, Skip, Swallowed};

impl Search<'_, '_> {
    /// What may fail on one rank behind a collective in a function that is tried again as a whole.
    pub(super) fn retried(&mut self, file: FileId, function: LocalFunction) -> Option<Swallowed> {
        let model = self.model(file);
        let definition = model.function(function);
        let retries = |&&decorator: &&_| {
            let called = match model.expr(decorator) {
                Expr::Call(call) => model.call(call).callee,
                _ => decorator,
            };
            model.last_name(called).is_some_and(|name| is_retry(name.as_str())) || self.is_made_to_retry(file, called)
        };
        let &decorator = model.list(definition.decorators).iter().find(retries)?;
        let issues = self.communication.issued_in(file, function, definition.body, Wanted::Collective);
        let taken = taken_in(model, definition.body);
        let counts = |hazard: &Hazard| {
            hazard.failure != Failure::Any
                && !hazard.loads()
                && !taken.iter().any(|block| block.holds(hazard.site.span))
        };
        let hazards = self.hazards(file, function, definition.body).into_iter().filter(counts);
        // Who has it tried again knows that something in it fails: what is stored somewhere, if nothing else.
        let stores = self.doubtful(file, function, definition.body).into_iter().filter(|hazard| {
            STORES.iter().any(|begin| hazard.name.as_str().starts_with(begin))
                && !taken.iter().any(|block| block.holds(hazard.site.span))
        });
        let hazards: Vec<Hazard> = hazards.chain(stores).collect();
        let (hazard, issue) = hazards.into_iter().find_map(|hazard| {
            let before = |issue: &&Issue| comes_behind(model, definition.body, issue.start(), hazard.site);
            let done = issues.iter().rfind(before)?.clone();
            Some((hazard, done))
        })?;
        let sure = if self.program.file(file).is_test() { Confidence::Low } else { Confidence::Medium };
        Some(Swallowed {
            function: (file, function),
            handler: Site { file, span: model.span(decorator) },
            confidence: sure.min(issue.confidence),
            skip: Skip::Repeated,
            hazard,
            issue,
        })
    }

    /// Whether a decorator is a variable of the module that was made by what retries: `transient = retry(stop=…)`.
    fn is_made_to_retry(&self, file: FileId, decorator: ExprId) -> bool {
        let model = self.model(file);
        let Expr::Name(name) = model.expr(decorator) else { return false };
        let made = self.program.single_assignment(file, model.module(), name);
        made.is_some_and(|made| match model.expr(made) {
            Expr::Call(call) => model.last_name(model.call(call).callee).is_some_and(|name| is_retry(name.as_str())),
            _ => false,
        })
    }
}

/// Beginnings of the names of what hands something to a store.
const STORES: [&str; 6] = ["upload", "put", "push", "publish", "download", "fetch"];

/// `retry`, `tenacity.retry`, `with_retries`, `backoff.on_exception`
fn is_retry(name: &str) -> bool {
    name.split('_').any(|word| matches!(word, "retry" | "retries" | "retrying")) || name == "on_exception"
}
