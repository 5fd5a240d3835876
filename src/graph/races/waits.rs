//! Where ranks may wait for each other on the way from one place in a function to another.

use super::common::Common;
use super::made::Made;
use crate::base::{FileId, FunctionId, Span};
use crate::graph::blocks::span_of;
use crate::graph::communication::Wanted;
use crate::model::{Expr, ExprId, LocalFunction, Stmt, each_statement};

/// Parts of names of what makes a process wait for others.
const WAITS: [&str; 10] =
    ["barrier", "sync", "wait", "sleep", "broadcast", "gather", "reduce", "rendezvous", "backward", "_first"];

/// Words of such names.
const WAITING: [&str; 5] = ["fit", "train", "prepare", "lock", "join"];

/// Places of a function at which ranks may wait for each other.
pub(super) struct Waits {
    /// Calls, and those in questions that a loop asks again and again.
    calls: Vec<Span>,
    /// What a manager waits at the end of.
    managed: Vec<Span>,
    loops: Vec<Span>,
    /// Questions that a loop asks again and again.
    asked: Vec<Span>,
}

impl Waits {
    pub fn of(common: &mut Common<'_>, file: FileId, local: LocalFunction) -> Waits {
        let model = &common.program.file(file).model;
        let (mut asked, mut loops) = (Vec::new(), Vec::new());
        let mut managers: Vec<(ExprId, Option<Span>)> = Vec::new();
        each_statement(model, model.function(local).body, &mut |id, stmt| match stmt {
            Stmt::While { test, .. } => {
                loops.push(model.stmt_span(id));
                asked.push(model.span(*test));
            }
            Stmt::For { .. } => loops.push(model.stmt_span(id)),
            Stmt::With { items, body, .. } => {
                managers.extend(items.iter().map(|item| (item.context, span_of(model, *body))));
            }
            _ => {}
        });
        let made = common.calls(file, local);
        let waiting: Vec<ExprId> =
            made.iter().filter(|made| may_wait(common, file, local, made)).map(|made| made.expr).collect();
        let managed =
            managers.into_iter().filter(|(manager, _)| waiting.contains(manager)).filter_map(|(_, body)| body);
        let asks = |made: &&Made| asked.iter().any(|test| test.holds(model.span(made.expr)));
        let asking = made.iter().filter(asks).map(|made| made.expr);
        let calls = waiting.iter().copied().chain(asking).map(|expr| model.span(expr)).collect();
        Waits { calls, managed: managed.collect(), loops, asked }
    }

    /// Whether they may before a place, and behind it.
    pub fn around(&self, place: Span) -> [bool; 2] {
        [self.calls.iter().any(|call| call.end <= place.start), self.calls.iter().any(|call| call.start >= place.end)]
    }

    /// Whether they may between two places, or what is done at the first is as a rule long done when they come to the
    /// second: a loop stands between.
    pub fn between(&self, one: Span, other: Span) -> bool {
        self.loops.iter().any(|span| is_between(span, one, other)) || self.for_each_other(one, other)
    }

    /// Whether a loop asks at a place until the answer is another one.
    pub fn asks_again(&self, place: Span) -> bool {
        self.asked.iter().any(|test| test.holds(place))
    }

    /// Whether they may between two places, where it does not help to have been busy.
    pub fn for_each_other(&self, one: Span, other: Span) -> bool {
        self.calls.iter().any(|span| is_between(span, one, other)) || self.managed.iter().any(|body| body.holds(one))
    }
}

fn is_between(span: &Span, one: Span, other: Span) -> bool {
    span.start >= one.end && span.end <= other.start
}

/// Whether a call may make a rank wait for others.
fn may_wait(common: &mut Common<'_>, file: FileId, local: LocalFunction, made: &Made) -> bool {
    let program = common.program;
    let model = &program.file(file).model;
    let name = model.last_name(made.call.callee);
    let says_so = name.is_some_and(|name| {
        let text = name.as_str().to_ascii_lowercase();
        // A path is joined, a string too.
        text != "join"
            && (WAITS.iter().any(|part| text.contains(part)) || text.split('_').any(|word| WAITING.contains(&word)))
    });
    if says_so
        || common.communication.issued(file, local, made.expr, made.call, Wanted::Any).is_some()
        || common.is_manager_that_waits(file, local, made.call)
    {
        return true;
    }
    let reaches = |function: FunctionId| {
        let (file, local) = program.locate(function);
        common.communication.may_reach(file, local)
    };
    let of_that_name = name.map_or(&[][..], |name| program.methods_named(name));
    program.resolve(file, local, made.call.callee).is_none()
        && matches!(model.expr(made.call.callee), Expr::Attribute { .. })
        && of_that_name.iter().any(|&of| reaches(of))
}
