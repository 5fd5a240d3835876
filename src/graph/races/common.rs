//! What every rank of a job runs: functions that issue a collective under no question for the rank, and what they call.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::elsewhere::Elsewhere;
use super::hooks::called_back_by;
use super::made::Made;
use super::words::{is_only_about_files, speaks_of_turns};
use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::catalog::ValueKind;
use crate::finding::Confidence;
use crate::graph::blocks::is_test;
use crate::graph::communication::{Communication, Wanted};
use crate::graph::conduct::bodies;
use crate::graph::context::each_in_context;
use crate::graph::left_over::is_left_over;
use crate::graph::program::Program;
use crate::graph::taint::Taint;
use crate::model::{Block, CompareOp, Expr, ExprId, File, LocalFunction, Stmt, StmtId, each_call};

/// Calls from a function that is known to be run by all ranks to the one in question.
const MAX_CALLS: usize = 2;

/// The axis along which nodes differ.
const NODES: &str = "host";

/// By what torch knows how many processes there are.
const JOB_SIZE: &str = "WORLD_SIZE";

/// Callers that are shown.
const MAX_CALLERS: usize = 3;

/// What shows that several ranks run a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// A collective that they issue afterwards, and where.
    Issues(Symbol, Site),
    /// The same, of one that they have issued before.
    Issued(Symbol, Site),
    /// A question by which one rank is told apart from the others.
    TellsApart(Site),
    /// The same of nodes: there may be one process on each.
    TellsNodesApart(Site),
    /// The class of a framework that calls it on every rank, and the method that it calls.
    CalledBack(Symbol, Site),
}

/// How a function is known to be run by all ranks: the call of it, and what shows it there.
pub(super) type Known = (Option<Site>, Together);

/// Answers about one tree of a program.
pub(super) struct Common<'p> {
    pub program: &'p Program,
    pub communication: Communication<'p>,
    pub taint: &'p Taint,
    /// Functions of the tree by the functions of it that they mention.
    mentions: FxHashMap<Symbol, Vec<FunctionId>>,
    known: FxHashMap<(FunctionId, ExprId), Option<Known>>,
    pub(super) calls: FxHashMap<FunctionId, Rc<[Made]>>,
    called: FxHashMap<FunctionId, Rc<[(ExprId, FunctionId)]>>,
}

impl<'p> Common<'p> {
    /// Of the tree that the file belongs to.
    pub fn of_tree(program: &'p Program, taint: &'p Taint, home: FileId) -> Self {
        let of_tree = || bodies(program).filter(|&(file, _)| program.same_tree(home, file));
        let name = |(file, local): (FileId, LocalFunction)| program.file(file).model.function(local).name;
        let mut mentions: FxHashMap<Symbol, Vec<FunctionId>> = of_tree().map(|body| (name(body), Vec::new())).collect();
        for (file, local) in of_tree() {
            let function = program.function_id(file, local);
            for mention in &program.file(file).model.function(local).mentions {
                match mentions.get_mut(mention) {
                    Some(by) if by.last() != Some(&function) => by.push(function),
                    _ => {}
                }
            }
        }
        let communication = Communication::new(program);
        let (known, calls, called) = Default::default();
        Common { program, communication, taint, mentions, known, calls, called }
    }

    /// Whether all ranks run the function up to a place: it issues a collective itself, or is called by one that does, where
    /// nothing asks for the rank.
    pub fn entered_by_all(&mut self, function: FunctionId, at: ExprId) -> Option<Known> {
        self.entered(function, at, MAX_CALLS)
    }

    fn entered(&mut self, function: FunctionId, at: ExprId, calls: usize) -> Option<Known> {
        if let Some(known) = self.known.get(&(function, at)) {
            return *known;
        }
        self.known.insert((function, at), None);
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let of_one_rank =
            is_of_one_rank(self.program, file, local) || launches(model, local) || makes_job_of_one(model, local);
        let of_one_rank = of_one_rank || is_left_over(self.program, function);
        let callers = if of_one_rank { Vec::new() } else { self.callers(function) };
        let by_some = of_one_rank || self.is_called_by_some(&callers) || self.is_kept_out(function, at);
        let found = match self.issued_together(file, local, at) {
            _ if by_some => None,
            Some(together) => Some((None, together)),
            None => {
                let by_callers = callers.into_iter().filter(|_| calls > 0).find_map(|(caller, made)| {
                    let (_, together) = self.entered(caller, made.expr, calls - 1)?;
                    let (file, _) = self.program.locate(caller);
                    Some((Some(Site { file, span: self.program.file(file).model.span(made.expr) }), together))
                });
                let of_itself = || self.tells_apart(file, local).or_else(|| self.called_back(function));
                by_callers.or_else(|| Some((None, of_itself()?)))
            }
        };
        self.known.insert((function, at), found);
        found
    }

    /// Whether the place stands behind a question for something that ranks have set for themselves, or an assertion that
    /// this is the first of them.
    fn is_kept_out(&mut self, function: FunctionId, at: ExprId) -> bool {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let mut before = model
            .block(model.function(local).body)
            .iter()
            .filter(|&&id| model.stmt_span(id).end <= model.span(at).start);
        let asserts = |&id: &StmtId| match model.stmt(id) {
            Stmt::Assert(test) => asks_for_first_among(self.program, model, *test),
            _ => false,
        };
        if before.any(asserts) {
            return true;
        }
        let calls = self.calls(file, local);
        let conditions = calls.iter().find(|made| made.expr == at).map_or(&[][..], |made| &made.conditions);
        conditions.iter().any(|&condition| self.asks_what_ranks_set(file, local, condition))
    }

    /// Whether some ranks alone make one of the calls. Tests run what they test on ranks of their own choosing.
    pub fn is_called_by_some(&self, callers: &[(FunctionId, Made)]) -> bool {
        let is_of_test = |caller: FunctionId| is_test(&self.program.file(self.program.locate(caller).0).path);
        callers.iter().any(|(caller, made)| !made.by_all && !is_of_test(*caller))
    }

    /// Where the function is called by those that all ranks run, once in each of them.
    pub fn called_by_all(&mut self, function: FunctionId) -> Vec<Site> {
        let mut out: Vec<(FunctionId, Site)> = Vec::new();
        for (caller, made) in self.callers(function) {
            if out.len() < MAX_CALLERS
                && out.iter().all(|(known, _)| *known != caller)
                && self.entered(caller, made.expr, MAX_CALLS - 1).is_some()
            {
                let (file, _) = self.program.locate(caller);
                out.push((caller, Site { file, span: self.program.file(file).model.span(made.expr) }));
            }
        }
        out.into_iter().map(|(_, site)| site).collect()
    }

    /// Where a function asks whether this is the first rank, for something that only that one does: others come there too.
    /// A question for the node shows them where there is no other.
    fn tells_apart(&self, file: FileId, function: LocalFunction) -> Option<Together> {
        let program = self.program;
        let model = &program.file(file).model;
        let mut found = None;
        each_in_context(model, function, &mut |_, stmt, context| {
            let Some(&asked) = context.conditions.last().filter(|_| matches!(stmt, Stmt::Expr(_))) else { return };
            let site = Site { file, span: model.span(asked) };
            match (asks_for_first(program, model, asked).map(Symbol::as_str), found) {
                (None, _) | (_, Some(Together::TellsApart(_))) => {}
                (Some(NODES), _) => found = found.or(Some(Together::TellsNodesApart(site))),
                (Some(_), _) => found = Some(Together::TellsApart(site)),
            }
        });
        found
    }

    /// Whether a framework calls the method on every rank.
    fn called_back(&self, function: FunctionId) -> Option<Together> {
        let by = called_back_by(self.program, function)?;
        let (file, local) = self.program.locate(function);
        let span = self.program.file(file).model.function(local).name_span;
        Some(Together::CalledBack(by, Site { file, span }))
    }

    /// A collective that the function issues whatever rank runs it, and whatever the model is, on its way from a place in it,
    /// or else to it.
    fn issued_together(&mut self, file: FileId, function: LocalFunction, at: ExprId) -> Option<Together> {
        if !self.communication.may_reach(file, function) {
            return None;
        }
        let program = self.program;
        let model = &program.file(file).model;
        let of_files = |&condition: &ExprId| is_only_about_files(program, file, function, condition);
        let place = model.span(at);
        let elsewhere = Elsewhere::of(model, function, place);
        let calls = self.calls(file, function);
        // What a library does far below, for whoever it has, shows only of a script that several ranks run it.
        let is_script = memchr::memmem::find(program.file(file).text.as_bytes(), b"__main__").is_some();
        let far = if is_script { MAX_CALLS } else { MAX_CALLS - 1 };
        let mut issued =
            calls.iter().filter(|made| made.by_all).filter_map(|&Made { expr, call, ref conditions, .. }| {
                let issue = self.communication.issued(file, function, expr, call, Wanted::Collective)?;
                let depends =
                    ["checkpoint_", "state_dict", "full_tensor"].iter().any(|part| issue.op.as_str().contains(part));
                let is_sure = issue.confidence > Confidence::Low && issue.calls.len() <= far;
                // A collective behind a question for a file is another rule's matter.
                let counts =
                    is_sure && !depends && !conditions.iter().any(of_files) && !elsewhere.holds(model.span(expr));
                counts.then(|| (model.span(expr).start >= place.start, issue.op, issue.start()))
            });
        let first = issued.next()?;
        let (is_after, op, site) = if first.0 { first } else { issued.find(|(after, ..)| *after).unwrap_or(first) };
        Some(if is_after { Together::Issues(op, site) } else { Together::Issued(op, site) })
    }

    /// The calls of a function, with those who make them.
    pub fn callers(&mut self, function: FunctionId) -> Vec<(FunctionId, Made)> {
        let program = self.program;
        let name = program.function(function).name;
        let mut out = Vec::new();
        for caller in self.mentions.get(&name).cloned().unwrap_or_default() {
            if caller == function {
                continue;
            }
            let here = self.called(caller);
            let mut here = here.iter().filter(|(_, called)| *called == function).map(|(expr, _)| *expr).peekable();
            if here.peek().is_some() {
                let (file, local) = program.locate(caller);
                let made = self.calls(file, local);
                let is_made = |expr: ExprId| made.iter().find(|made| made.expr == expr);
                out.extend(here.filter_map(is_made).map(|made| (caller, made.clone())));
            }
        }
        out
    }

    /// What a function surely calls, and where, in source order.
    pub fn called(&mut self, function: FunctionId) -> Rc<[(ExprId, FunctionId)]> {
        if let Some(known) = self.called.get(&function) {
            return known.clone();
        }
        let (file, local) = self.program.locate(function);
        let mut called = Vec::new();
        each_call(&self.program.file(file).model, local, &mut |expr, call| {
            if let Some((found, sure)) = self.communication.callee(file, local, call)
                && sure > Confidence::Low
            {
                called.push((expr, found));
            }
        });
        let called: Rc<[(ExprId, FunctionId)]> = called.into();
        self.called.insert(function, called.clone());
        called
    }
}

/// Whether a condition asks, among other things, whether this is the first rank of all.
pub(in crate::graph) fn asks_for_first_among(program: &Program, model: &File, condition: ExprId) -> bool {
    let is_first = |expr: ExprId| {
        let named = match model.expr(expr) {
            Expr::Call(call) => model.last_name(model.call(call).callee),
            _ => model.last_name(expr),
        };
        let value = named.and_then(|name| program.catalog.convention(name)).map(|convention| &convention.value);
        value.is_some_and(|value| value.kind == ValueKind::First && value.axis.as_str() != NODES)
    };
    match model.expr(condition) {
        Expr::And(parts) => model.list(parts).iter().any(|&part| asks_for_first_among(program, model, part)),
        _ => {
            is_first(condition) || asks_for_first(program, model, condition).is_some_and(|axis| axis.as_str() != NODES)
        }
    }
}

/// Along which axis a condition asks for rank 0, and for nothing else.
pub(super) fn asks_for_first(program: &Program, model: &File, condition: ExprId) -> Option<Symbol> {
    let last = |expr: ExprId| match model.expr(expr) {
        Expr::Call(call) => model.last_name(model.call(call).callee),
        _ => model.last_name(expr),
    };
    let Expr::Compare(CompareOp::Eq, left, right) = model.expr(condition) else { return None };
    let name = last(left).filter(|&name| model.expr(right) == Expr::Int(0) && program.catalog.is_rank_by_name(name))?;
    program.catalog.convention(name).map(|convention| convention.value.axis)
}

pub(super) fn span_of(model: &File, block: Block) -> Option<Span> {
    let statements = model.block(block);
    let (first, last) = (statements.first()?, statements.last()?);
    Some(Span::new(model.stmt_span(*first).start, model.stmt_span(*last).end))
}

/// Whether a function starts the processes of the job itself: before that there is one. A file that does is run by one
/// process first.
fn launches(model: &File, function: LocalFunction) -> bool {
    let starts = |name: &Symbol| matches!(name.as_str(), "spawn" | "Process" | "start_processes" | "Popen" | "launch");
    let of_job = |name: &Symbol| matches!(name.as_str(), "spawn" | "start_processes");
    model.function(function).mentions.iter().any(starts)
        || function == model.module() && model.functions.iter().any(|function| function.mentions.iter().any(of_job))
}

/// Whether the function says, whatever the launcher has said, that the job has one process.
fn makes_job_of_one(model: &File, function: LocalFunction) -> bool {
    let is_one = |expr: ExprId| match model.expr(expr) {
        Expr::Int(number) => number == 1,
        Expr::Str(text) => text.as_str() == "1",
        _ => false,
    };
    model.block(model.function(function).body).iter().any(|&stmt| match model.stmt(stmt) {
        Stmt::Assign { targets, value } => model.list(*targets).iter().any(|&target| match model.expr(target) {
            Expr::Subscript(_, key) => {
                matches!(model.expr(key), Expr::Str(key) if key.as_str() == JOB_SIZE) && is_one(*value)
            }
            _ => false,
        }),
        _ => false,
    })
}

/// Whether a decorator of the function lets some ranks in only.
fn is_of_one_rank(program: &Program, file: FileId, function: LocalFunction) -> bool {
    let model = &program.file(file).model;
    model.list(model.function(function).decorators).iter().any(|&decorator| speaks_of_turns(model, decorator))
}
