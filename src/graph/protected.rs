//! What happens to the common order of collectives when a protected block fails on one rank: collectives that only the
//! failing rank issues in its handler, and collectives that it skips because a handler hides the failure.

mod cleanup;
mod guards;
mod itself;
mod left;
mod memory;
mod noted;
mod retried;
mod swallow;
mod within;

use rustc_hash::FxHashSet;

use crate::base::{FileId, FunctionId, Site};
use crate::finding::Confidence;
use crate::model::{Block, Expr, ExprId, File, FunctionKind, LocalFunction, Stmt, StmtId, each_expression};

use super::blocks::{Body, calls_of, walk};
use super::communication::{Communication, Issue, Wanted, calls_in};
use super::context::each_in_context;
use super::hazard::{Failure, Hazard, hazard, may_fail_somehow};
use super::program::Program;
use super::races::lets_in_first;

/// The axes along which the first one is the first of all, or of a node.
const OF_ALL: [&str; 2] = ["world", "local"];

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
    /// The handler sets a flag, and only who has come through issues it.
    Told,
    /// It fails in the middle of a pass whose collectives the peers are in.
    Midway,
    /// The block is tried again although the collective in it was done.
    Repeated,
    /// The collective itself: it fails on the rank whose object cannot be sent.
    Unsent,
    /// The collective itself: it times out or loses a peer, and the rank goes on to the next one.
    Itself,
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
fn functions<'p>(
    program: &'p Program,
    reaching: &'p FxHashSet<FunctionId>,
) -> impl Iterator<Item = (FileId, LocalFunction)> + 'p {
    program.file_ids().filter(|&file| program.in_focus(file)).flat_map(move |file| {
        let model = &program.file(file).model;
        model.functions.iter().enumerate().filter_map(move |(index, function)| {
            let local = LocalFunction(index as u32);
            let body = matches!(function.kind, FunctionKind::Def | FunctionKind::Module) && !function.skeleton;
            (body && reaching.contains(&program.function_id(file, local))).then_some((file, local))
        })
    })
}

/// What failures do to the common order of collectives.
pub(super) fn protected<'p>(
    program: &'p Program,
    communication: &mut Communication<'p>,
) -> (Vec<Cleanup>, Vec<Swallowed>) {
    let mut search = Search { program, communication };
    let (mut cleanups, mut swallowed) = (Vec::new(), Vec::new());
    for (file, function) in functions(program, program.reaching()) {
        let model = &program.file(file).model;
        swallowed.extend(search.retried(file, function));
        walk(model, model.function(function).body, Body::Plain, &mut Vec::new(), &mut |id, stmt, around| match stmt {
            Stmt::Try(parts) => {
                search.cleanups(file, function, parts, &mut cleanups);
                let mut found = Vec::new();
                search.swallowed(file, function, parts, around, &mut found);
                swallowed.extend(search.of_several(file, function, id, found));
            }
            Stmt::With { items, body } => {
                let mut found = Vec::new();
                for item in items {
                    search.suppressed(file, function, item.context, *body, &mut found);
                    search.guarded(file, function, item.context, *body, around, &mut found);
                }
                swallowed.extend(search.of_several(file, function, id, found));
            }
            _ => {}
        });
    }
    (cleanups, swallowed)
}

struct Search<'c, 'p> {
    program: &'p Program,
    communication: &'c mut Communication<'p>,
}

impl<'p> Search<'_, 'p> {
    fn model(&self, file: FileId) -> &'p File {
        &self.program.file(file).model
    }

    /// What was found in a statement, but for what only one rank is in: no peer waits for it there.
    fn of_several(
        &self,
        file: FileId,
        function: LocalFunction,
        place: StmtId,
        mut found: Vec<Swallowed>,
    ) -> Vec<Swallowed> {
        if !found.is_empty() && self.is_of_the_first(file, function, place) {
            found.retain(|found| matches!(found.skip, Skip::Left | Skip::Told));
        }
        found
    }

    /// Whether the first rank alone comes to a statement of the function: what is asked there says so.
    fn is_of_the_first(&self, file: FileId, function: LocalFunction, place: StmtId) -> bool {
        let model = self.model(file);
        let mut found = false;
        each_in_context(model, function, &mut |id, _, context| {
            let mut around = context.conditions.iter().zip(context.answers);
            found |= id == place
                && around.any(|(&asked, &answer)| {
                    lets_in_first(self.program, model, asked, answer) && !self.speaks_of_an_axis(model, asked)
                });
        });
        found
    }

    /// Whether a question names a place in a group: the first one of each group has peers in the others.
    fn speaks_of_an_axis(&self, model: &File, asked: ExprId) -> bool {
        let mut speaks = false;
        each_expression(model, asked, &mut |_, expr| {
            if let Expr::Name(name) | Expr::Attribute { name, .. } = expr
                && let Some(known) = self.program.catalog.convention(name)
            {
                speaks |= !OF_ALL.contains(&known.value.axis.as_str());
            }
        });
        speaks
    }

    /// The function of the program that is called at a place of a block.
    fn called_at(
        &mut self,
        file: FileId,
        function: LocalFunction,
        block: Block,
        place: Site,
    ) -> Option<(FileId, LocalFunction)> {
        let model = self.model(file);
        let mut calls = calls_in(model, block).into_iter();
        let (_, call) = calls.find(|&(expr, _)| Site { file, span: model.span(expr) } == place)?;
        let (called, _) = self.communication.callee(file, function, call)?;
        Some(self.program.locate(called))
    }

    /// The first collective that a statement issues.
    fn issued_by(&mut self, file: FileId, function: LocalFunction, id: StmtId) -> Option<Issue> {
        calls_of(self.model(file), id)
            .into_iter()
            .find_map(|(expr, call)| self.communication.issued(file, function, expr, call, Wanted::Collective))
    }

    fn hazards(&mut self, file: FileId, function: LocalFunction, block: Block) -> Vec<Hazard> {
        let calls = calls_in(self.model(file), block);
        let mut out = Vec::new();
        for (expr, call) in calls {
            // What communicates itself fails in step with its peers, as far as anybody can tell.
            if self.communication.issued(file, function, expr, call, Wanted::Any).is_none() {
                out.extend(hazard(self.communication, self.program, file, function, expr, call));
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
}
