//! What shows in a function that several ranks run it.

use super::common::{Common, MAX_CALLS};
use super::elsewhere::Elsewhere;
use super::hooks::called_back_by;
use super::made::Made;
use super::single::{NODES, asks_for_first, launches};
use super::words::is_only_about_files;
use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::finding::Confidence;
use crate::graph::blocks::span_of;
use crate::graph::communication::Wanted;
use crate::graph::context::each_in_context;
use crate::graph::versions::JOINS;
use crate::model::{Call, Expr, ExprId, File, LocalFunction, Stmt, each_call, each_statement};

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
    /// A question that lets in the first few of them.
    LetsInFew(Site),
    /// A call by which all of them join the job.
    Joins(Site),
    /// The class of a framework that calls it on every rank, and the method that it calls.
    CalledBack(Symbol, Site),
    /// The constructor of a data set, in a program whose ranks share data sets out, and where they do.
    SharesOut(Site),
}

/// Beginnings of names of methods that somebody calls for a result.
const FOR_A_RESULT: [&str; 4] = ["eval", "test", "predict", "infer"];

impl Common<'_> {
    /// What else than a collective shows in a function that several ranks come to a place in it.
    pub(super) fn shown(&mut self, function: FunctionId, at: ExprId) -> Option<Together> {
        let (file, local) = self.program.locate(function);
        let told = self.tells_apart(file, local).or_else(|| self.called_back(function));
        let told = told.or_else(|| self.made_by_others(file, local)).or_else(|| self.makes_shared_out(function));
        told.or_else(|| self.joins_job(file, local, at)).or_else(|| self.joined_by_its_object(file, local))
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

    /// Where another method of the class asks whether this is the first rank: others have made an object of it as well.
    fn made_by_others(&self, file: FileId, function: LocalFunction) -> Option<Together> {
        let model = &self.program.file(file).model;
        let definition = model.function(function);
        let class = definition.class.filter(|_| definition.name.as_str() == "__init__")?;
        model.class(class).methods.iter().find_map(|&(_, method)| self.tells_apart(file, method))
    }

    /// Where the function joins the job, itself or in what it calls: who does so is one of several.
    fn joins_job(&mut self, file: FileId, function: LocalFunction, at: ExprId) -> Option<Together> {
        let program = self.program;
        let model = &program.file(file).model;
        let elsewhere = Elsewhere::of(model, function, model.span(at));
        let joins = self.joining(program.function_id(file, function), MAX_CALLS);
        // Where the place lies in what is called, that shows itself whether it joins on the way to it.
        let mut spans = joins.into_iter().filter(|&call| call != at).map(|call| model.span(call));
        let span = spans.find(|&span| !elsewhere.holds(span));
        span.map(|span| Together::Joins(Site { file, span }))
    }

    /// Where another method of the class joins the job: its objects are made on every rank. What they do when they are
    /// asked for a result one of them may do for all.
    fn joined_by_its_object(&mut self, file: FileId, function: LocalFunction) -> Option<Together> {
        let program = self.program;
        let model = &program.file(file).model;
        let definition = model.function(function);
        let class = definition
            .class
            .filter(|_| !FOR_A_RESULT.iter().any(|begin| definition.name.as_str().starts_with(begin)))?;
        model.class(class).methods.iter().find_map(|&(_, method)| {
            let call = *self.joining(program.function_id(file, method), 0).first()?;
            Some(Together::Joins(Site { file, span: model.span(call) }))
        })
    }

    /// The calls of a function by which it surely joins the job: [`Common::joins`] asks whether it may.
    fn joining(&mut self, function: FunctionId, calls: usize) -> Vec<ExprId> {
        let program = self.program;
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let mut out = Vec::new();
        each_call(model, local, &mut |expr, call| {
            let known = program.resolve(file, local, call.callee);
            if known.is_some_and(|known| JOINS.contains(&known.last_part().as_str())) && !is_for_show(model, call) {
                out.push(expr);
            }
        });
        if calls > 0 {
            let called = self.called(function);
            // Who starts the processes has them join.
            let starts = |called: FunctionId| {
                let (file, local) = program.locate(called);
                launches(&program.file(file).model, local)
            };
            let joins =
                called.iter().filter(|&&(_, called)| !starts(called) && !self.joining(called, calls - 1).is_empty());
            out.extend(joins.map(|(expr, _)| *expr));
        }
        out
    }

    /// Whether the function has itself join the job under a number that is written out, `setup(0, 1)`: whatever process runs
    /// it says that, and so is alone.
    pub(super) fn joins_under_one_number(&mut self, function: FunctionId) -> bool {
        let program = self.program;
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let (calls, called) = (self.calls(file, local), self.called(function));
        let is_told = |expr: ExprId, callee: FunctionId| {
            let parameters = &program.function(callee).parameters;
            let rank = parameters.iter().find(|parameter| program.catalog.is_rank_by_name(parameter.name));
            let made = calls.iter().find(|made| made.expr == expr);
            let given = rank.zip(made).and_then(|(rank, made)| self.given(callee, function, made, rank.name));
            given.is_some_and(|given| matches!(model.expr(given), Expr::Int(_)))
        };
        let told: Vec<FunctionId> =
            called.iter().filter(|&&(expr, callee)| is_told(expr, callee)).map(|call| call.1).collect();
        told.into_iter().any(|callee| !self.joining(callee, 0).is_empty())
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
    pub(super) fn issued_together(&mut self, file: FileId, function: LocalFunction, at: ExprId) -> Option<Together> {
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
        let in_full = state_dict_types(model, function);
        let mut issued =
            // Where the place lies in what is called, that shows itself whether it issues any on the way through it.
            calls.iter().filter(|made| made.by_all && made.expr != at).filter_map(|&Made { expr, call, ref conditions, .. }| {
                let issue = self.communication.issued(file, function, expr, call, Wanted::Collective)?;
                let depends =
                    ["checkpoint_", "state_dict", "full_tensor"].iter().any(|part| issue.op.as_str().contains(part))
                        && !in_full.iter().any(|part| part.holds(model.span(expr)));
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
}

/// Whether a process that joins says of itself that it is the same rank whatever process it is: it plays a job alone.
fn is_for_show(model: &File, call: Call) -> bool {
    let rank = model.keywords(call).iter().find(|keyword| keyword.name.is_some_and(|name| name.as_str() == "rank"));
    rank.is_some_and(|rank| matches!(model.expr(rank.value), Expr::Int(_)))
}

/// Where a model is asked for a state as a whole or in parts: it is one that is divided among ranks.
fn state_dict_types(model: &File, function: LocalFunction) -> Vec<Span> {
    let mut out = Vec::new();
    let divides = |manager: ExprId| match model.expr(manager) {
        Expr::Call(call) => {
            model.last_name(model.call(call).callee).is_some_and(|name| name.as_str() == "state_dict_type")
        }
        _ => false,
    };
    each_statement(model, model.function(function).body, &mut |_, stmt| {
        if let Stmt::With { items, body, .. } = stmt
            && items.iter().any(|item| divides(item.context))
        {
            out.extend(span_of(model, *body));
        }
    });
    out
}
