//! Collectives that only a failing rank issues: those in `except`, and those in `finally` while its peers are elsewhere.

use crate::base::{FileId, Span};
use crate::catalog::OperationKind;
use crate::finding::Confidence;
use crate::model::{Block, Call, Expr, ExprId, Handler, LocalFunction, Stmt, Try, each_statement};

use super::super::blocks::{conditions_in, mentions, names_bound, speaks_of_rank, yields};
use super::super::communication::{Issue, Wanted, calls_in};
use super::super::context::leaves;
use super::super::hazard::{Caught, Hazard, asks_for_memory, never_returns};
use super::super::helpers::called;
use super::super::program::Program;
use super::{Cleanup, Place, Search};

/// Calls on the way to what the peers of a failing rank are in, where it takes the group down.
const NEAR: usize = 2;

/// What a rank communicates as a rule first of all: it wraps its model.
const WRAPS: &str = "ddp_init";

/// Calls that a handler makes to end the process, one inside the other.
const HANDLED: u32 = 1;

impl Search<'_, '_> {
    pub(super) fn cleanups(&mut self, file: FileId, function: LocalFunction, parts: &Try, out: &mut Vec<Cleanup>) {
        let model = self.model(file);
        if !parts.finally.is_empty() {
            self.finally(file, function, parts, out);
        }
        for handler in &parts.handlers {
            let caught = Caught::of(model, handler.kind);
            if !caught.is_local() {
                continue;
            }
            let issues = self.communication.issued_in(file, function, handler.body, Wanted::Any);
            if issues.is_empty() {
                continue;
            }
            let healthy: Vec<Issue> = [parts.body, parts.orelse]
                .into_iter()
                .flat_map(|block| self.communication.issued_in(file, function, block, Wanted::Any))
                .collect();
            let peers = healthy.iter().find(|issue| issue.kind == OperationKind::Collective).cloned();
            // The healthy ranks issue the same, at the end of the block or behind it, where who failed does not come as well.
            let goes_on = !leaves(model, handler.body) && !self.leaves_at_once(file, function, handler.body);
            let met_behind = (peers.is_none() && !goes_on).then(|| self.next_behind(file, function, parts)).flatten();
            let joined = |issue: &Issue| healthy.iter().chain(&met_behind).any(|other| same(issue, other));
            if issues.iter().all(joined) {
                let forgets = caught.memory || caught.runtime && asks_for_memory(model, handler);
                let again = forgets.then(|| self.begun_again(file, function, parts, handler)).flatten();
                out.extend(again.map(|(issue, failed)| {
                    let test = self.program.file(file).is_test();
                    let sure = if test { Confidence::Low } else { Confidence::Medium };
                    let confidence = issue.confidence.min(sure);
                    let (function, place, hazard) = ((file, function), Place::Except, Some(failed));
                    Cleanup { function, issue, place, hazard, peers, confidence }
                }));
                continue;
            }
            let hazards = self.hazards(file, function, parts.body);
            let sure = hazards.iter().find(|hazard| caught.takes(hazard.failure)).cloned();
            // What could not be loaded is worked out instead, together.
            let only_loads = hazards.iter().filter(|hazard| caught.takes(hazard.failure)).all(Hazard::loads);
            let hazard = match sure.clone() {
                Some(hazard) => Some(hazard),
                None => {
                    self.doubtful(file, function, parts.body).into_iter().find(|hazard| caught.takes(hazard.failure))
                }
            };
            let Some(issue) = issues.into_iter().find(|issue| !healthy.iter().any(|other| same(issue, other))) else {
                continue;
            };
            let is_teardown = issue.kind == OperationKind::Teardown;
            // A job that ends itself takes its group down: only peers in a collective notice.
            if issue.kind == OperationKind::GroupCreation || (is_teardown && peers.is_none()) {
                continue;
            }
            let Some(hazard) =
                hazard.map(|hazard| hazard.site).or(peers.as_ref().filter(|_| is_teardown).map(Issue::start))
            else {
                continue;
            };
            // The end of a group of its own is the business of this object, mostly without peers in it.
            let confidence = match (is_teardown, sure.is_some()) {
                (true, _) if issue.on_world => issue.confidence.min(Confidence::Medium),
                (false, true) if !only_loads => issue.confidence.min(Confidence::Medium),
                _ => Confidence::Low,
            };
            let is_idle = self.program.file(file).is_test() || closes_at_once(self.program, &issue);
            let confidence = if is_idle { Confidence::Low } else { confidence };
            out.push(Cleanup {
                function: (file, function),
                issue,
                place: Place::Except,
                hazard: Some(hazard),
                peers,
                confidence,
            });
        }
    }

    pub(super) fn finally(&mut self, file: FileId, function: LocalFunction, parts: &Try, out: &mut Vec<Cleanup>) {
        let model = self.model(file);
        let mut issues = self.communication.issued_in(file, function, parts.finally, Wanted::Any);
        // A context manager that lets its body go last: the two halves of a sandwich, unless it is the job that ends there.
        if yields(model, parts.body) {
            issues.retain(|issue| issue.kind == OperationKind::Teardown);
        }
        if self.is_alone(file, function) {
            issues.retain(|issue| issue.kind != OperationKind::Teardown);
        }
        if issues.is_empty() {
            return;
        }
        // A body that ends the process on every failure reaches `finally` only when all is well.
        let mut handled = false;
        for handler in &parts.handlers {
            handled |= Caught::of(model, handler.kind).everything && self.leaves_at_once(file, function, handler.body);
        }
        if handled {
            return;
        }
        let mut peers = self.communication.issued_in(file, function, parts.body, Wanted::Collective);
        let first = self.first_hazard(file, function, parts.body);
        peers.retain(|peer| comes_after_failure(peer, first));
        // Where some ranks only are in the block, the others stand in what comes last already, and wait there for a rank
        // that has failed as well as for one that has not.
        let alone = conditions_in(model, parts.body);
        let asks_rank = |test: ExprId| speaks_of_rank(&self.program.catalog, model, test);
        peers.retain(|peer| {
            let at = peer.start().span;
            !alone.iter().any(|&(block, test)| block.start <= at.start && at.end <= block.end && asks_rank(test))
        });
        // What fails inside of a block that goes on after its failures does not come here.
        let shields = self.shields(file, function, parts.body);
        let is_shielded = |at: u32| shields.iter().any(|shield| shield.start <= at && at < shield.end);
        let fails_elsewhere = !shields.is_empty()
            && self.hazards(file, function, parts.body).iter().any(|hazard| !is_shielded(hazard.site.span.start));
        peers.retain(|peer| fails_elsewhere || !is_shielded(peer.start().span.start));
        let is_interrupted = parts.handlers.iter().any(|handler| Caught::of(model, handler.kind).interrupt);
        let decided = names_bound(model, parts);
        let governed = conditions_in(model, parts.finally);
        for issue in issues {
            let start = issue.start().span;
            let conditions = governed.iter().filter(|(block, _)| block.start <= start.start && start.end <= block.end);
            // `if succeeded: barrier()`.
            if conditions.into_iter().any(|&(_, test)| mentions(model, test, &decided))
                || issue.kind == OperationKind::GroupCreation
            {
                continue;
            }
            // Before a rank has communicated it has nothing to take down that would wait for others.
            let is_teardown = issue.kind == OperationKind::Teardown;
            let begins = peers.iter().map(|peer| peer.start().span.start).min();
            let is_first = |peer: &&Issue| {
                let wraps = peer.op.as_str() == WRAPS && peer.calls.is_empty();
                is_teardown && wraps && begins == Some(peer.start().span.start)
            };
            let behind = peers.iter().filter(|peer| !is_first(peer)).max_by_key(|peer| peer.confidence);
            let Some(peer) = behind.or(peers.first()).cloned() else { continue };
            let mut confidence = issue.confidence.min(peer.confidence).min(Confidence::Medium);
            if behind.is_none() {
                confidence = Confidence::Low;
            }
            // The end of a group of its own is the business of this object, mostly without peers in it.
            if is_teardown && !issue.on_world {
                confidence = Confidence::Low;
            }
            // What runs until somebody interrupts it ends that way on every rank; somewhere far inside of a whole program
            // there is always something that communicates.
            let far = peer.calls.len() > NEAR;
            if is_teardown && (is_interrupted || far) {
                confidence = Confidence::Low;
            }
            // A test that has failed may wait for its time-out: its result is known.
            if self.program.file(file).is_test() || closes_at_once(self.program, &issue) {
                confidence = Confidence::Low;
            }
            out.push(Cleanup {
                function: (file, function),
                issue,
                place: Place::Finally,
                hazard: None,
                peers: Some(peer),
                confidence,
            });
            return;
        }
    }

    /// What the function issues first behind a `try`: healthy ranks come there.
    fn next_behind(&mut self, file: FileId, function: LocalFunction, parts: &Try) -> Option<Issue> {
        let model = self.model(file);
        let last = |block: Block| model.block(block).last().map(|&last| model.stmt_span(last).end);
        let end = parts.handlers.iter().filter_map(|handler| last(handler.body)).max()?;
        let issues = self.communication.issued_in(file, function, model.function(function).body, Wanted::Any);
        issues.into_iter().filter(|issue| issue.start().span.start >= end).min_by_key(|issue| issue.start().span.start)
    }

    /// Where the first call stands that may fail on one rank, or the first loop, in which it comes again.
    fn first_hazard(&mut self, file: FileId, function: LocalFunction, block: Block) -> Option<u32> {
        let mut places: Vec<u32> =
            self.hazards(file, function, block).iter().map(|hazard| hazard.site.span.start).collect();
        places.extend(self.doubtful(file, function, block).iter().map(|hazard| hazard.site.span.start));
        let model = self.model(file);
        each_statement(model, block, &mut |at, stmt| {
            if matches!(stmt, Stmt::For { .. } | Stmt::While { .. }) {
                places.push(model.stmt_span(at).start);
            }
        });
        places.into_iter().min()
    }

    /// The blocks inside of a block that are tried and whose failures are all taken by a handler that goes on behind them.
    fn shields(&mut self, file: FileId, function: LocalFunction, block: Block) -> Vec<Span> {
        let model = self.model(file);
        let mut statements = Vec::new();
        each_statement(model, block, &mut |id, _| statements.push(id));
        let mut tried: Vec<&Try> = Vec::new();
        for id in statements {
            if let Stmt::Try(parts) = model.stmt(id) {
                tried.push(parts);
            }
        }
        let mut goes_on = |handler: &Handler| {
            let mut leaves = never_returns(self.communication, self.program, file, function, handler.body, HANDLED);
            each_statement(model, handler.body, &mut |_, stmt| {
                leaves |= matches!(stmt, Stmt::Raise(_) | Stmt::Return(_) | Stmt::Break);
            });
            !leaves
        };
        tried.retain(|parts| {
            let takes_all = parts.handlers.iter().any(|handler| Caught::of(model, handler.kind).everything);
            takes_all && parts.handlers.iter().all(&mut goes_on)
        });
        let whole = |parts: &Try| {
            let statements = model.block(parts.body);
            let (first, last) = (*statements.first()?, *statements.last()?);
            Some(model.stmt_span(first).cover(model.stmt_span(last)))
        };
        tried.into_iter().filter_map(whole).collect()
    }

    /// Whether the function makes a job of this process alone: in that nobody waits for it.
    fn is_alone(&self, file: FileId, function: LocalFunction) -> bool {
        let model = self.model(file);
        let alone = |call: Call| {
            model.keywords(call).iter().any(|keyword| {
                keyword.name.is_some_and(|name| name.as_str() == "world_size")
                    && matches!(model.expr(keyword.value), Expr::Int(1))
            })
        };
        let joins = |call: Call| {
            let dotted = self.program.resolve(file, function, call.callee);
            dotted.is_some_and(|dotted| dotted.as_str().ends_with("init_process_group"))
        };
        calls_in(model, model.function(function).body).into_iter().any(|(_, call)| alone(call) && joins(call))
    }

    /// Whether the handler ends the process without running what stands in `finally`, itself or in a function that it
    /// calls for that.
    pub(super) fn leaves_at_once(&self, file: FileId, function: LocalFunction, block: Block) -> bool {
        let model = self.model(file);
        let ends = |file: FileId, function: LocalFunction, block: Block| {
            calls_in(self.model(file), block).iter().any(|(_, call)| {
                self.program
                    .resolve(file, function, call.callee)
                    .is_some_and(|dotted| matches!(dotted.as_str(), "os._exit" | "os.abort" | "os.kill" | "os.killpg"))
            })
        };
        let called = |call: Call| called(self.program, file, function, call.callee);
        ends(file, function, block)
            || calls_in(model, block).into_iter().filter_map(|(_, call)| called(call)).any(|function| {
                let (file, local) = self.program.locate(function);
                ends(file, local, self.model(file).function(local).body)
            })
    }
}

/// Whether a rank may fail on its way to what its peers are in: behind something that may fail, or inside of what leads
/// there. A wrapper that bears the operation's name does nothing else.
fn comes_after_failure(peer: &Issue, first_hazard: Option<u32>) -> bool {
    let plain = !peer.implicit && peer.calls.iter().all(|(_, called)| called.as_str().contains(peer.op.as_str()));
    !plain || first_hazard.is_some_and(|first| first < peer.start().span.start)
}

/// Whether two issues are the same operation to the group.
fn same(one: &Issue, other: &Issue) -> bool {
    one.op == other.op
}

/// Whether a group that is taken down runs on gloo, as far as its file names backends: that closes its connections and waits
/// for nobody, and the peers fail.
fn closes_at_once(program: &Program, issue: &Issue) -> bool {
    let model = &program.file(issue.site.file).model;
    let names = |backend: &str| {
        (0..model.expr_count() as u32).any(|at| match model.expr(ExprId(at)) {
            Expr::Str(text) => text.as_str().split([',', ':']).any(|part| part == backend),
            _ => false,
        })
    };
    issue.kind == OperationKind::Teardown && names("gloo") && !names("nccl")
}
