//! Collectives that fail themselves: a time-out or a lost connection that a handler hides, after which the rank goes on to the
//! next collective out of step with its peers.

use crate::base::{FileId, Site};
use crate::finding::Confidence;
use crate::model::{Handler, LocalFunction};

use super::super::blocks::{Around, calls_of};
use super::super::communication::{Issue, Wanted};
use super::super::hazard::{Caught, Failure, Hazard};
use super::memory::leaves;
use super::swallow::noted;
use super::{Search, Skip, Swallowed};

impl Search<'_, '_> {
    /// A block that does nothing but communicate, whose failure hides a handler that takes whatever is raised, in front of what
    /// ranks do together.
    pub(super) fn failed_itself(
        &mut self,
        (file, function): (FileId, LocalFunction),
        handler: &Handler,
        caught: Caught,
        around: &[Around<'_>],
        in_body: &[Issue],
    ) -> Option<Swallowed> {
        let model = self.model(file);
        let issue = in_body.first()?;
        let is_plain = in_body.iter().all(|issue| issue.calls.is_empty() && !issue.implicit);
        // Who puts something in the place of what was to be communicated has one process in mind, without a job.
        if !is_plain
            || !(caught.everything || caught.runtime)
            || leaves(model, handler)
            || !noted(model, handler).is_empty()
        {
            return None;
        }
        // The same once more is another way to do it, which all come to where the first is not to be had.
        let behind = around.iter().flat_map(|around| around.rest).flat_map(|&stmt| calls_of(model, stmt));
        let goes_on = behind.into_iter().any(|(expr, call)| {
            let next = self.communication.issued(file, function, expr, call, Wanted::Collective);
            next.is_some_and(|next| next.op != issue.op)
        });
        if !goes_on {
            return None;
        }
        let sure = if self.program.file(file).is_test() { Confidence::Low } else { Confidence::Medium };
        Some(Swallowed {
            function: (file, function),
            handler: Site { file, span: handler.span },
            hazard: Hazard { failure: Failure::Any, site: issue.site, name: issue.op, direct: true },
            issue: issue.clone(),
            skip: Skip::Itself,
            confidence: issue.confidence.min(sure),
        })
    }
}
