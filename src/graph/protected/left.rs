//! Handlers that leave, and the collectives that a rank does not come to by that.

use crate::base::{FileId, Site};
use crate::finding::Confidence;
use crate::model::{Handler, LocalFunction, Stmt, StmtId, Try};

use super::super::blocks::{Around, calls_of, is_tried_again};
use super::super::communication::{Wanted, calls_in};
use super::super::hazard::{Caught, Failure, Hazard};
use super::{Search, Skip, Swallowed};

impl Search<'_, '_> {
    /// A failure whose handler leaves, and a collective behind the block.
    #[expect(clippy::too_many_arguments, reason = "the parts of one statement and what was found in them")]
    pub(super) fn left_behind(
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
        let Some(leaves) = model.block(handler.body).last().map(|&last| model.stmt(last)) else { return };
        let within_loop = match leaves {
            Stmt::Return(_) => false,
            Stmt::Continue | Stmt::Break => true,
            _ => return,
        };
        if within_loop && is_tried_again(model, parts, around) {
            return;
        }
        let hazards: Vec<Hazard> = self
            .hazards(file, function, parts.body)
            .into_iter()
            .filter(|hazard| caught.takes(hazard.failure))
            .collect();
        let Some(hazard) = hazards.into_iter().next().or_else(|| self.taken_from_loader(file, function, parts, caught))
        else {
            return;
        };
        let mut rests: Vec<&[StmtId]> = vec![model.block(parts.orelse)];
        for around in around.iter().rev() {
            rests.push(around.rest);
            if around.is_loop && within_loop {
                break;
            }
        }
        for rest in rests {
            for &stmt in rest {
                for (expr, call) in calls_of(model, stmt) {
                    let Some(issue) = self.communication.issued(file, function, expr, call, Wanted::Collective) else {
                        continue;
                    };
                    let confidence = match issue.calls.len() {
                        0 => Confidence::Medium,
                        _ => Confidence::Low,
                    };
                    let confidence = confidence.min(issue.confidence);
                    let site = Site { file, span: handler.span };
                    out.push(Swallowed {
                        function: (file, function),
                        handler: site,
                        hazard,
                        issue,
                        skip: Skip::Left,
                        confidence,
                    });
                    return;
                }
                // What stands behind an exit of everybody is not skipped.
                if matches!(model.stmt(stmt), Stmt::Return(_) | Stmt::Raise(_)) {
                    return;
                }
            }
        }
    }

    /// A failure whose handler goes on, and a collective of those that have come through: `try … except … else`.
    pub(super) fn left_out(
        &mut self,
        file: FileId,
        function: LocalFunction,
        parts: &Try,
        handler: &Handler,
        caught: Caught,
        out: &mut Vec<Swallowed>,
    ) {
        let issued = self.communication.issued_in(file, function, parts.orelse, Wanted::Collective);
        let Some(issue) = issued.into_iter().next() else { return };
        let hazards = self.hazards(file, function, parts.body);
        let Some(hazard) = hazards.into_iter().find(|hazard| caught.takes(hazard.failure)) else { return };
        let sure = if self.program.file(file).is_test() { Confidence::Low } else { Confidence::Medium };
        let (function, handler) = ((file, function), Site { file, span: handler.span });
        let confidence = issue.confidence.min(sure);
        out.push(Swallowed { function, handler, hazard, issue, skip: Skip::Left, confidence });
    }

    /// A batch that is asked for: whoever loads it reads and decodes files.
    fn taken_from_loader(
        &mut self,
        file: FileId,
        function: LocalFunction,
        parts: &Try,
        caught: Caught,
    ) -> Option<Hazard> {
        if !(caught.everything || caught.data || caught.runtime) {
            return None;
        }
        let model = self.model(file);
        let calls = calls_in(model, parts.body);
        calls.into_iter().find_map(|(expr, call)| {
            let name = model.last_name(call.callee).filter(|name| matches!(name.as_str(), "next" | "__next__"))?;
            self.communication.issued(file, function, expr, call, Wanted::Any).is_none().then(|| Hazard {
                failure: Failure::Data,
                site: Site { file, span: model.span(expr) },
                name,
                direct: true,
            })
        })
    }
}
