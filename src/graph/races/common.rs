//! What every rank of a job runs: functions that issue a collective under no question for the rank, and what they call.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::deeds::Deed;
use super::evidence::Together;
use super::is_of_launcher;
use super::made::Made;
use super::picked::picked;
use super::shared_out::SharedOut;
use super::single::{asks_for_first_among, is_of_one_rank, launches, leaves_one, makes_job_of_one};
use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::finding::Confidence;
use crate::graph::communication::Communication;
use crate::graph::conduct::bodies;
use crate::graph::left_over::is_left_over;
use crate::graph::program::Program;
use crate::graph::taint::Taint;
use crate::model::{Block, Expr, ExprId, File, LocalFunction, Stmt, StmtId, blocks_of, each_call};

/// Calls from a function that is known to be run by all ranks to the one in question.
const MAX_CALLS_UP: usize = 3;

/// Calls from a function to a collective that it issues, or to what joins the job.
pub(super) const MAX_CALLS: usize = 2;

/// Callers that are shown.
const MAX_CALLERS: usize = 3;

/// How a function is known to be run by all ranks.
#[derive(Clone, Copy)]
pub(in crate::graph) struct Known {
    /// The call of it that they make; none where it shows by itself.
    pub call: Option<Site>,
    /// The call of the function that makes that call, where it takes this one to show it.
    pub outer: Option<(FunctionId, Site)>,
    /// What shows it there.
    pub together: Together,
}

impl Known {
    pub fn by_itself(together: Together) -> Known {
        Known { call: None, outer: None, together }
    }

    /// Where the function stands that shows it.
    pub fn file(&self, function: FileId) -> FileId {
        self.outer.map(|(_, site)| site).or(self.call).map_or(function, |site| site.file)
    }
}

/// Answers about one tree of a program.
pub(in crate::graph) struct Common<'p> {
    pub program: &'p Program,
    pub communication: Communication<'p>,
    /// What stands for ranks.
    pub taint: &'p Taint,
    /// Functions of the tree by the functions of it that they mention.
    mentions: FxHashMap<Symbol, Vec<FunctionId>>,
    known: FxHashMap<(FunctionId, ExprId, Option<ExprId>), Option<Known>>,
    pub(super) calls: FxHashMap<FunctionId, Rc<[Made]>>,
    called: FxHashMap<FunctionId, Rc<[(ExprId, FunctionId)]>>,
    /// Where data sets are shared out among the ranks, once that is asked.
    pub(super) shares_out: Option<Rc<[SharedOut]>>,
    pub(super) home: FileId,
}

impl<'p> Common<'p> {
    /// Of the tree that the file belongs to.
    pub fn of_tree(program: &'p Program, taint: &'p Taint, home: FileId) -> Self {
        let of_tree = || bodies(program).filter(|&(file, _)| program.same_tree(home, file));
        let name = |(file, local): (FileId, LocalFunction)| called_by(program, program.function_id(file, local));
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
        let (known, calls, called, shares_out) = Default::default();
        let taint = taint.of_ranks(program);
        Common { program, communication, taint, mentions, known, calls, called, shares_out, home }
    }

    /// Whether all ranks run the function up to a place: it issues a collective itself, or is called by one that does, where
    /// nothing asks for the rank.
    pub fn entered_by_all(&mut self, function: FunctionId, at: ExprId) -> Option<Known> {
        self.entered(function, (at, None), MAX_CALLS_UP)
    }

    /// The same where something is done with a path that is not each rank's own.
    pub(super) fn done_by_all(&mut self, function: FunctionId, deed: &Deed) -> Option<Known> {
        self.entered(function, (deed.expr, Some(deed.path)), MAX_CALLS_UP)
    }

    fn entered(&mut self, function: FunctionId, (at, path): (ExprId, Option<ExprId>), calls: usize) -> Option<Known> {
        if let Some(known) = self.known.get(&(function, at, path)) {
            return *known;
        }
        self.known.insert((function, at, path), None);
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let of_one_rank = is_of_one_rank(self.program, file, local)
            || launches(model, local)
            || makes_job_of_one(model, local)
            || self.joins_under_one_number(function);
        let callers = if of_one_rank { None } else { self.callers_reaching(function, at, path) };
        let by_some = callers.is_none() || self.is_kept_out(function, at);
        let callers = callers.unwrap_or_default();
        let found = match self.issued_together(file, local, at) {
            _ if by_some => None,
            Some(together) => Some(Known::by_itself(together)),
            None => {
                let by_callers = callers.into_iter().filter(|_| calls > 0).find_map(|(caller, made)| {
                    let handed = path.and_then(|path| self.path_handed(function, path, (caller, &made)));
                    let known = self.entered(caller, (made.expr, handed), calls - 1)?;
                    let (file, _) = self.program.locate(caller);
                    let call = Site { file, span: self.program.file(file).model.span(made.expr) };
                    Some(Known { call: Some(call), outer: known.call.map(|outer| (caller, outer)), ..known })
                });
                let is_sure = by_callers.is_some_and(|known: Known| !is_of_launcher(&known.together));
                let shown = if is_sure { None } else { self.shown(function, at).map(Known::by_itself) };
                shown.or(by_callers)
            }
        };
        // All of the tree is asked for its name: only where it matters.
        let found = found.filter(|_| !is_left_over(self.program, function));
        self.known.insert((function, at, path), found);
        found
    }

    /// Whether the place stands behind a question for something that ranks have set for themselves, or an assertion that
    /// this is the first of them, or that there are no others.
    fn is_kept_out(&mut self, function: FunctionId, at: ExprId) -> bool {
        let (file, local) = self.program.locate(function);
        let model = &self.program.file(file).model;
        let place = model.span(at);
        let asserts = |&id: &StmtId| match model.stmt(id) {
            Stmt::Assert(test) => {
                asks_for_first_among(self.program, model, *test) || leaves_one(self.program, model, *test, true)
            }
            _ => false,
        };
        if on_the_way(model, model.function(local).body, place).iter().any(asserts) {
            return true;
        }
        let calls = self.calls(file, local);
        let conditions = calls.iter().find(|made| made.expr == at).map_or(&[][..], |made| &made.conditions);
        conditions.iter().any(|&condition| self.asks_what_ranks_set(file, local, condition))
    }

    /// Whether some ranks alone make one of the calls. Tests run what they test on ranks of their own choosing.
    pub fn is_called_by_some(&self, callers: &[(FunctionId, Made)]) -> bool {
        let is_of_test = |caller: FunctionId| self.program.file(self.program.locate(caller).0).is_test();
        callers.iter().any(|(caller, made)| !made.by_all && !is_of_test(*caller))
    }

    /// Where the function is called by those that all ranks run, once in each of them.
    pub fn called_by_all(&mut self, function: FunctionId) -> Vec<Site> {
        let mut out: Vec<(FunctionId, Site)> = Vec::new();
        for (caller, made) in self.callers(function) {
            if out.len() < MAX_CALLERS
                && out.iter().all(|(known, _)| *known != caller)
                && self.entered(caller, (made.expr, None), MAX_CALLS_UP - 1).is_some()
            {
                let (file, _) = self.program.locate(caller);
                out.push((caller, Site { file, span: self.program.file(file).model.span(made.expr) }));
            }
        }
        out.into_iter().map(|(_, site)| site).collect()
    }

    /// The calls of a function, with those who make them.
    pub fn callers(&mut self, function: FunctionId) -> Vec<(FunctionId, Made)> {
        let program = self.program;
        let name = called_by(program, function);
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

    /// Whether the function is handed to a call, which may start processes with it.
    pub(super) fn is_handed_over(&self, function: FunctionId) -> bool {
        let name = called_by(self.program, function);
        self.mentions.get(&name).into_iter().flatten().any(|&by| {
            let (file, local) = self.program.locate(by);
            let model = &self.program.file(file).model;
            let is_it = |given: ExprId| model.expr(given) == Expr::Name(name);
            let mut found = false;
            each_call(model, local, &mut |_, call| {
                let keywords = model.keywords(call).iter().map(|keyword| keyword.value);
                found |= model.list(call.args).iter().copied().chain(keywords).any(is_it);
            });
            found
        })
    }

    /// What a function surely calls, and where, in source order.
    pub fn called(&mut self, function: FunctionId) -> Rc<[(ExprId, FunctionId)]> {
        if let Some(known) = self.called.get(&function) {
            return known.clone();
        }
        let (file, local) = self.program.locate(function);
        let mut called = Vec::new();
        each_call(&self.program.file(file).model, local, &mut |expr, call| match self
            .communication
            .callee(file, local, call)
        {
            Some((found, sure)) if sure > Confidence::Low => called.push((expr, found)),
            Some(_) => {}
            None => called.extend(picked(self.program, file, local, call.callee).into_iter().map(|one| (expr, one))),
        });
        let called: Rc<[(ExprId, FunctionId)]> = called.into();
        self.called.insert(function, called.clone());
        called
    }
}

/// The name by which who calls a function mentions it: a constructor by that of its class.
pub(super) fn called_by(program: &Program, function: FunctionId) -> Symbol {
    let name = program.function(function).name;
    let class = program.class_of(function).filter(|_| name.as_str() == "__init__");
    class.map_or(name, |class| {
        let (file, class) = program.locate_class(class);
        program.file(file).model.class(class).name
    })
}

/// The statements that have been run whenever a place in a body is reached: those before it in the blocks around it.
pub(super) fn on_the_way(model: &File, body: Block, place: Span) -> Vec<StmtId> {
    let mut before = Vec::new();
    let mut around = vec![body];
    while let Some(block) = around.pop() {
        let block = model.block(block);
        let Some(at) = block.iter().position(|&id| model.stmt_span(id).holds(place)) else { continue };
        before.extend(&block[..at]);
        around.extend(blocks_of(model.stmt(block[at])));
    }
    before
}
