//! Handlers that hide the failure of one rank, and the collectives that it skips by that.

use crate::base::{FileId, Site, Symbol};
use crate::finding::Confidence;
use crate::model::{Block, Expr, ExprId, File, Handler, LocalFunction, Stmt, Try};
use crate::model::{each_expression, each_statement, expressions_of};

use super::super::blocks::{Around, collect, exclude_each_other, is_tried_again, mentions, root_name, written_by};
use super::super::communication::{Issue, Wanted};
use super::super::hazard::{Caught, Failure, Hazard, asks_for_memory, keeps_exception, never_returns};
use super::memory::is_pass_of_model;
use super::{Search, Skip, Swallowed};

impl Search<'_, '_> {
    pub(super) fn swallowed(
        &mut self,
        file: FileId,
        function: LocalFunction,
        parts: &Try,
        around: &[Around<'_>],
        out: &mut Vec<Swallowed>,
    ) {
        let model = self.model(file);
        for handler in &parts.handlers {
            let caught = Caught::of(model, handler.kind);
            // Kept for later: who comes behind may ask for it.
            if keeps_exception(model, handler) {
                let before = out.len();
                if caught.is_local() {
                    self.asked_behind(file, function, parts, handler, caught, around, out);
                }
                if out.len() > before && self.is_agreed(file, function, noted(model, handler), around) {
                    out.truncate(before);
                }
                continue;
            }
            self.swallowed_by(file, function, parts, handler, (caught, noted(model, handler)), around, out);
        }
    }

    /// By one handler, which catches something and writes something down.
    #[expect(clippy::too_many_arguments, reason = "the parts of one statement and what was found in them")]
    pub(super) fn swallowed_by(
        &mut self,
        file: FileId,
        function: LocalFunction,
        parts: &Try,
        handler: &Handler,
        (mut caught, noted): (Caught, Vec<Symbol>),
        around: &[Around<'_>],
        out: &mut Vec<Swallowed>,
    ) {
        let model = self.model(file);
        if !caught.is_local() || never_returns(self.communication, self.program, file, function, handler.body, 2) {
            return;
        }
        caught.memory |= (caught.runtime || caught.everything) && asks_for_memory(model, handler);
        if !self.communication.issued_in(file, function, handler.body, Wanted::Common).is_empty() {
            return;
        }
        let site = Site { file, span: handler.span };
        let before = out.len();
        let in_body = self.communication.issued_in(file, function, parts.body, Wanted::Collective);
        // Memory runs out in a pass whether or not somebody has thought of it.
        let broad = caught.everything || caught.runtime;
        if (caught.memory || broad && in_body.iter().any(is_pass_of_model))
            && let Some(found) = self.out_of_memory(file, function, parts, handler, around, &in_body)
        {
            out.push(found);
            return;
        }
        // Who sends an object pickles it first, and fails before a byte is sent: the peers are in the collective.
        let pickled = in_body
            .iter()
            .find(|issue| caught.pickling && issue.calls.is_empty() && issue.op.as_str().contains("object"));
        if let Some(issue) = pickled {
            let hazard = Hazard { failure: Failure::Data, site: issue.site, name: issue.op, direct: true };
            let function = (file, function);
            let (skip, confidence) = (Skip::Unsent, issue.confidence.min(Confidence::Medium));
            out.push(Swallowed { function, handler: site, hazard, issue: issue.clone(), skip, confidence });
        } else if in_body.is_empty() {
            self.left_behind(file, function, parts, handler, caught, around, out);
            if out.len() == before {
                self.left_out(file, function, parts, handler, caught, out);
            }
        } else {
            self.protected(file, function, parts, site, caught, around, &in_body, out);
        }
        if out.len() == before {
            self.asked_behind(file, function, parts, handler, caught, around, out);
        }
        if out.len() == before {
            out.extend(self.failed_itself((file, function), handler, caught, around, &in_body));
        }
        if out.len() > before && self.is_agreed(file, function, noted, around) {
            out.truncate(before);
        }
    }

    /// A failure before a collective of the same block.
    #[expect(clippy::too_many_arguments, reason = "the parts of one statement and what was found in them")]
    pub(super) fn protected(
        &mut self,
        file: FileId,
        function: LocalFunction,
        parts: &Try,
        handler: Site,
        caught: Caught,
        around: &[Around<'_>],
        issues: &[Issue],
        out: &mut Vec<Swallowed>,
    ) {
        let model = self.model(file);
        let hazards: Vec<Hazard> = self
            .hazards(file, function, parts.body)
            .into_iter()
            .filter(|hazard| caught.takes(hazard.failure))
            .collect();
        let tests = self.program.file(file).is_test();
        let push = |out: &mut Vec<Swallowed>, hazard: Hazard, issue: &Issue, skip: Skip, confidence: Confidence| {
            // A test that fails says so, and is run by somebody who waits for it.
            let sure = if tests { Confidence::Low } else { issue.confidence };
            let confidence = confidence.min(sure);
            out.push(Swallowed { function: (file, function), handler, hazard, issue: issue.clone(), skip, confidence });
        };
        if is_tried_again(model, parts, around) {
            // Whoever fails behind a collective does it again, and the peers do not.
            let done = |hazard: &Hazard| {
                let before = issues.iter().filter(|issue| issue.start().span.start < hazard.site.span.start);
                before.max_by_key(|issue| issue.start().span.start)
            };
            let again = hazards.into_iter().find_map(|hazard| {
                let issue = done(&hazard)?;
                (!issues.iter().any(|issue| issue.start() == hazard.site)).then_some((hazard, issue))
            });
            if let Some((hazard, issue)) = again {
                push(out, hazard, issue, Skip::Repeated, Confidence::Medium);
            }
            return;
        }
        let behind =
            |hazard: &Hazard| issues.iter().find(|issue| comes_behind(model, parts.body, hazard.site, issue.start()));
        if let Some((hazard, issue)) = hazards.iter().find_map(|hazard| Some((hazard.clone(), behind(hazard)?))) {
            // Peers of a rank that sends commands wait for its next one, whatever became of the last.
            let commands = issues.iter().all(|issue| issue.op.as_str().starts_with("broadcast"))
                && around.iter().any(|around| around.is_endless);
            // Who names the failure knows that it comes.
            let is_named = !caught.everything && hazard.failure == Failure::Outside && !hazard.loads();
            let guessed = commands || (!hazard.direct && !issue.calls.is_empty() && !is_named);
            let confidence = if guessed { Confidence::Low } else { Confidence::Medium };
            return push(out, hazard, issue, Skip::Protected, confidence);
        }
        let doubtful = self.doubtful(file, function, parts.body);
        let doubtful: Vec<Hazard> = doubtful.into_iter().filter(|hazard| caught.takes(hazard.failure)).collect();
        if let Some((hazard, issue)) = doubtful.iter().find_map(|hazard| Some((hazard.clone(), behind(hazard)?))) {
            let confidence = if caught.memory { Confidence::Medium } else { Confidence::Low };
            return push(out, hazard, issue, Skip::Protected, confidence);
        }
        // One call that fails in the middle of what it issues.
        let mut through = issues.iter().filter(|issue| !issue.calls.is_empty());
        if let Some((hazard, issue)) =
            through.find_map(|issue| self.fails_within(file, function, parts.body, issue, caught))
        {
            return push(out, hazard, &issue, Skip::Protected, Confidence::Medium);
        }
        // One call that fails before it communicates: who names memory knows that it runs out where much is worked through.
        if let Some(issue) = issues.iter().find(|issue| !issue.calls.is_empty())
            && caught.takes(Failure::Any)
        {
            let (site, name) = issue.calls[0];
            let hazard = Hazard { failure: Failure::Any, site, name, direct: true };
            let is_expected = caught.memory && self.works_first(file, function, parts.body, issue);
            let confidence = if is_expected { Confidence::Medium } else { Confidence::Low };
            push(out, hazard, issue, Skip::Protected, confidence);
        }
    }

    pub(super) fn suppressed(
        &mut self,
        file: FileId,
        function: LocalFunction,
        context: ExprId,
        body: Block,
        out: &mut Vec<Swallowed>,
    ) {
        let model = self.model(file);
        let Expr::Call(index) = model.expr(context) else { return };
        let call = model.call(index);
        let is_suppress = self.program.resolve(file, function, call.callee);
        if is_suppress.is_none_or(|name| name.as_str() != "contextlib.suppress") {
            return;
        }
        let mut caught = Caught::default();
        for &kind in model.list(call.args) {
            caught = caught.or(Caught::of(model, Some(kind)));
        }
        let issues = self.communication.issued_in(file, function, body, Wanted::Collective);
        let hazards = self.hazards(file, function, body);
        for hazard in hazards.into_iter().filter(|hazard| caught.takes(hazard.failure)) {
            let behind = |issue: &&Issue| comes_behind(model, body, hazard.site, issue.start());
            if let Some(issue) = issues.iter().find(behind).cloned() {
                let handler = Site { file, span: model.span(context) };
                let confidence = issue.confidence.min(Confidence::Medium);
                let function = (file, function);
                out.push(Swallowed { function, handler, hazard, issue, skip: Skip::Protected, confidence });
                return;
            }
        }
    }

    /// Whether what the handler notes down goes into a collective behind the block: ranks vote on it.
    pub(super) fn is_agreed(
        &mut self,
        file: FileId,
        function: LocalFunction,
        mut noted: Vec<Symbol>,
        around: &[Around<'_>],
    ) -> bool {
        let model = self.model(file);
        for around in around.iter().rev() {
            for &id in around.rest {
                let mut statements = vec![id];
                collect(model, id, &mut statements);
                for id in statements {
                    let stmt = model.stmt(id);
                    for root in expressions_of(model, stmt) {
                        let mut calls = Vec::new();
                        each_expression(model, root, &mut |id, expr| {
                            if let Expr::Call(call) = expr {
                                calls.push((id, model.call(call)));
                            }
                        });
                        for (expr, call) in calls {
                            let given = model.list(call.args).iter().copied();
                            let named = model.keywords(call).iter().map(|keyword| keyword.value);
                            let takes = given.chain(named).any(|value| mentions(model, value, &noted));
                            if takes
                                && self.communication.issued(file, function, expr, call, Wanted::Collective).is_some()
                            {
                                return true;
                            }
                        }
                    }
                    if let Stmt::Assign { targets, value } = stmt
                        && mentions(model, *value, &noted)
                    {
                        noted.extend(model.list(*targets).iter().filter_map(|&target| root_name(model, target)));
                    }
                }
            }
        }
        false
    }
}

/// Whether a rank that gets through the one place of a block comes to the other.
pub(super) fn comes_behind(model: &File, block: Block, one: Site, other: Site) -> bool {
    other.span.start > one.span.start && other != one && !exclude_each_other(model, block, one.span, other.span)
}

/// What the handler writes down.
pub(super) fn noted(model: &File, handler: &Handler) -> Vec<Symbol> {
    let mut noted: Vec<Symbol> = Vec::new();
    each_statement(model, handler.body, &mut |_, stmt| {
        noted.extend(written_by(model, stmt).into_iter().filter_map(|target| root_name(model, target)));
    });
    noted
}
