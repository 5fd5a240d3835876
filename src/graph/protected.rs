//! What happens to the common order of collectives when a protected block fails on one rank: collectives that only the
//! failing rank issues in its handler, and collectives that it skips because a handler hides the failure.

use crate::base::{FileId, Site, Symbol};
use crate::catalog::OperationKind;
use crate::finding::Confidence;
use crate::model::{
    Block, Expr, ExprId, File, FunctionKind, Handler, LocalFunction, Stmt, StmtId, Try, each_expression,
    each_statement, expressions_of,
};

use super::blocks::{
    Around, Body, calls_of, collect, conditions_in, is_test, is_tried_again, mentions, names_bound, root_name, walk,
    yields,
};
use super::communication::{Communication, Issue, Wanted, calls_in};
use super::hazard::{
    Caught, Failure, Hazard, asks_for_memory, hazard, keeps_exception, may_fail_somehow, never_returns,
};
use super::program::Program;

/// Where a collective stands that a failing rank issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In `except`: healthy ranks never come there.
    Except,
    /// In `finally`: a failing rank comes there while its peers are in the protected block.
    Finally,
}

/// A collective in a handler.
#[derive(Clone, Debug)]
pub struct Cleanup {
    /// The function it stands in.
    pub function: (FileId, LocalFunction),
    /// The collective.
    pub issue: Issue,
    /// Where it stands.
    pub place: Place,
    /// What may fail on one rank, for `except`.
    pub hazard: Option<Site>,
    /// What the peers are in meanwhile.
    pub peers: Option<Issue>,
    /// How sure it is.
    pub confidence: Confidence,
}

/// How a hidden failure skips a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// It stands behind the failure in the same protected block.
    Protected,
    /// The handler leaves, and it stands behind.
    Left,
    /// The block is tried again although the collective in it was done.
    Repeated,
}

/// A handler that hides the failure of one rank.
#[derive(Clone, Debug)]
pub struct Swallowed {
    /// The function it stands in.
    pub function: (FileId, LocalFunction),
    /// The `except` line, or the `suppress` call.
    pub handler: Site,
    /// What may fail.
    pub hazard: Hazard,
    /// The collective that is skipped, or done twice.
    pub issue: Issue,
    /// How.
    pub skip: Skip,
    /// How sure it is.
    pub confidence: Confidence,
}

/// The functions from which a collective may be reached, in order.
fn functions(program: &Program) -> impl Iterator<Item = (FileId, LocalFunction)> + '_ {
    program.file_ids().flat_map(move |file| {
        let model = &program.file(file).model;
        model.functions.iter().enumerate().filter_map(move |(index, function)| {
            let local = LocalFunction(index as u32);
            let body = matches!(function.kind, FunctionKind::Def | FunctionKind::Module) && !function.skeleton;
            let reached = program.divergence().reaching.contains(&program.function_id(file, local));
            (body && reached).then_some((file, local))
        })
    })
}

/// Collectives in handlers that only a failing rank issues.
pub fn cleanups(program: &Program) -> Vec<Cleanup> {
    let mut search = Search { program, communication: Communication::new(program) };
    let mut out = Vec::new();
    for (file, function) in functions(program) {
        let model = &program.file(file).model;
        each_statement(model, model.function(function).body, &mut |_, stmt| {
            if let Stmt::Try(parts) = stmt {
                search.cleanups(file, function, parts, &mut out);
            }
        });
    }
    out
}

/// Handlers that hide the failure of one rank and skip a collective.
pub fn swallowed(program: &Program) -> Vec<Swallowed> {
    let mut search = Search { program, communication: Communication::new(program) };
    let mut out = Vec::new();
    for (file, function) in functions(program) {
        let model = &program.file(file).model;
        walk(model, model.function(function).body, Body::Plain, &mut Vec::new(), &mut |_, stmt, around| match stmt {
            Stmt::Try(parts) => search.swallowed(file, function, parts, around, &mut out),
            Stmt::With { items, body } => {
                for item in items {
                    search.suppressed(file, function, item.context, *body, &mut out);
                }
            }
            _ => {}
        });
    }
    out
}

struct Search<'p> {
    program: &'p Program,
    communication: Communication<'p>,
}

impl<'p> Search<'p> {
    fn model(&self, file: FileId) -> &'p File {
        &self.program.file(file).model
    }

    fn hazards(&mut self, file: FileId, function: LocalFunction, block: Block) -> Vec<Hazard> {
        let calls = calls_in(self.model(file), block);
        let mut out = Vec::new();
        for (expr, call) in calls {
            // What communicates itself fails in step with its peers, as far as anybody can tell.
            if self.communication.issued(file, function, expr, call, Wanted::Any).is_none() {
                out.extend(hazard(&mut self.communication, self.program, file, function, expr, call));
            }
        }
        out
    }

    /// Calls of a block of which nothing is known.
    fn doubtful(&mut self, file: FileId, function: LocalFunction, block: Block) -> Vec<Hazard> {
        let model = self.model(file);
        let mut out = Vec::new();
        for (expr, call) in calls_in(model, block) {
            if may_fail_somehow(self.program, file, function, call)
                && self.communication.issued(file, function, expr, call, Wanted::Any).is_none()
                && let Expr::Name(name) | Expr::Attribute { name, .. } = model.expr(call.callee)
            {
                out.push(Hazard {
                    failure: Failure::Any,
                    site: Site { file, span: model.span(expr) },
                    name,
                    direct: true,
                });
            }
        }
        out
    }

    fn cleanups(&mut self, file: FileId, function: LocalFunction, parts: &Try, out: &mut Vec<Cleanup>) {
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
            // The healthy ranks issue the same, at the end of the block or behind it.
            if issues.iter().all(|issue| healthy.iter().any(|other| same(issue, other))) {
                continue;
            }
            let hazards = self.hazards(file, function, parts.body);
            let sure = hazards.iter().find(|hazard| caught.takes(hazard.failure)).cloned();
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
                (false, true) => issue.confidence.min(Confidence::Medium),
                _ => Confidence::Low,
            };
            let confidence = if is_test(&self.program.file(file).path) { Confidence::Low } else { confidence };
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

    fn finally(&mut self, file: FileId, function: LocalFunction, parts: &Try, out: &mut Vec<Cleanup>) {
        let model = self.model(file);
        // A context manager that lets its body go last: the two halves of a sandwich.
        if yields(model, parts.body) {
            return;
        }
        let issues = self.communication.issued_in(file, function, parts.finally, Wanted::Any);
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
        let peers = self.communication.issued_in(file, function, parts.body, Wanted::Collective);
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
            let Some(peer) = peers.iter().max_by_key(|peer| peer.confidence).cloned() else { continue };
            let mut confidence = issue.confidence.min(peer.confidence).min(Confidence::Medium);
            // A test that has failed may wait for its time-out: its result is known.
            if is_test(&self.program.file(file).path) {
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

    /// Whether the handler ends the process without running what stands in `finally`.
    fn leaves_at_once(&self, file: FileId, function: LocalFunction, block: Block) -> bool {
        let calls = calls_in(self.model(file), block);
        calls.iter().any(|(_, call)| {
            self.program
                .resolve(file, function, call.callee)
                .is_some_and(|dotted| matches!(dotted.as_str(), "os._exit" | "os.abort" | "os.kill" | "os.killpg"))
        })
    }

    fn swallowed(
        &mut self,
        file: FileId,
        function: LocalFunction,
        parts: &Try,
        around: &[Around<'_>],
        out: &mut Vec<Swallowed>,
    ) {
        let model = self.model(file);
        for handler in &parts.handlers {
            let mut caught = Caught::of(model, handler.kind);
            if !caught.is_local()
                || never_returns(&mut self.communication, self.program, file, function, handler.body, 2)
                || keeps_exception(model, handler)
            {
                continue;
            }
            caught.memory |= (caught.runtime || caught.everything) && asks_for_memory(model, handler);
            if !self.communication.issued_in(file, function, handler.body, Wanted::Common).is_empty() {
                continue;
            }
            let site = Site { file, span: handler.span };
            let before = out.len();
            let in_body = self.communication.issued_in(file, function, parts.body, Wanted::Collective);
            if in_body.is_empty() {
                self.left_behind(file, function, parts, handler, caught, around, out);
            } else {
                self.protected(file, function, parts, site, caught, around, &in_body, out);
            }
            if out.len() > before && self.is_agreed(file, function, handler, around) {
                out.truncate(before);
            }
        }
    }

    /// A failure before a collective of the same block.
    #[expect(clippy::too_many_arguments, reason = "the parts of one statement and what was found in them")]
    fn protected(
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
        let last = issues.iter().map(|issue| issue.start().span.start).max().unwrap_or_default();
        let push = |out: &mut Vec<Swallowed>, hazard: Hazard, issue: &Issue, skip: Skip, confidence: Confidence| {
            let confidence = confidence.min(issue.confidence);
            out.push(Swallowed { function: (file, function), handler, hazard, issue: issue.clone(), skip, confidence });
        };
        if is_tried_again(model, parts, around) {
            let again = hazards.into_iter().find(|hazard| {
                hazard.site.span.start > last && !issues.iter().any(|issue| issue.start() == hazard.site)
            });
            if let (Some(hazard), Some(issue)) = (again, issues.last()) {
                push(out, hazard, issue, Skip::Repeated, Confidence::Medium);
            }
            return;
        }
        let behind = |hazard: &Hazard| {
            issues
                .iter()
                .find(|issue| issue.start().span.start > hazard.site.span.start && issue.start() != hazard.site)
        };
        if let Some((hazard, issue)) = hazards.iter().find_map(|hazard| Some((hazard.clone(), behind(hazard)?))) {
            // Peers of a rank that sends commands wait for its next one, whatever became of the last.
            let commands = issues.iter().all(|issue| issue.op.as_str().starts_with("broadcast"))
                && around.iter().any(|around| around.is_endless);
            let guessed = commands || (!hazard.direct && !issue.calls.is_empty());
            let confidence = if guessed { Confidence::Low } else { Confidence::Medium };
            return push(out, hazard, issue, Skip::Protected, confidence);
        }
        let doubtful = self.doubtful(file, function, parts.body);
        let doubtful: Vec<Hazard> = doubtful.into_iter().filter(|hazard| caught.takes(hazard.failure)).collect();
        if let Some((hazard, issue)) = doubtful.iter().find_map(|hazard| Some((hazard.clone(), behind(hazard)?))) {
            let confidence = if caught.memory { Confidence::Medium } else { Confidence::Low };
            return push(out, hazard, issue, Skip::Protected, confidence);
        }
        // One call that fails before it communicates.
        if let Some(issue) = issues.iter().find(|issue| !issue.calls.is_empty())
            && caught.takes(Failure::Any)
        {
            let (site, name) = issue.calls[0];
            push(
                out,
                Hazard { failure: Failure::Any, site, name, direct: true },
                issue,
                Skip::Protected,
                Confidence::Low,
            );
        }
    }

    /// A failure whose handler leaves, and a collective behind the block.
    #[expect(clippy::too_many_arguments, reason = "the parts of one statement and what was found in them")]
    fn left_behind(
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
        let Some(hazard) = hazards.into_iter().next() else { return };
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

    fn suppressed(
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
            let one = Caught::of(model, Some(kind));
            caught.everything |= one.everything;
            caught.outside |= one.outside;
            caught.data |= one.data;
            caught.runtime |= one.runtime;
        }
        let issues = self.communication.issued_in(file, function, body, Wanted::Collective);
        let hazards = self.hazards(file, function, body);
        for hazard in hazards.into_iter().filter(|hazard| caught.takes(hazard.failure)) {
            let behind =
                |issue: &&Issue| issue.start().span.start > hazard.site.span.start && issue.start() != hazard.site;
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
    fn is_agreed(&mut self, file: FileId, function: LocalFunction, handler: &Handler, around: &[Around<'_>]) -> bool {
        let model = self.model(file);
        let mut noted: Vec<Symbol> = Vec::new();
        each_statement(model, handler.body, &mut |_, stmt| {
            let written: Vec<ExprId> = match stmt {
                Stmt::Assign { targets, .. } => model.list(*targets).to_vec(),
                Stmt::AugAssign { target, .. } | Stmt::Annotated { target, .. } => vec![*target],
                Stmt::Expr(value) => match model.expr(*value) {
                    Expr::Call(call) => match model.expr(model.call(call).callee) {
                        Expr::Attribute { value, .. } => vec![value],
                        _ => Vec::new(),
                    },
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            };
            noted.extend(written.into_iter().filter_map(|target| root_name(model, target)));
        });
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

/// Whether two issues are the same operation to the group.
fn same(one: &Issue, other: &Issue) -> bool {
    one.op == other.op
}
