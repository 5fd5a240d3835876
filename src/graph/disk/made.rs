//! Whether somebody makes what the disk is asked for while others have yet to ask.

use crate::base::{Site, Span, Symbol};
use crate::flow::{Effect, Node};
use crate::model::{Call, Expr, ExprId, File, LocalFunction, Stmt, each_expression, each_statement, names_in};

use super::super::blocks::{conditions_in, speaks_of_rank};
use super::super::confidence::Evidence;
use super::super::descent::preorder;
use super::super::evaluate::Engine;
use super::super::helpers::called;
use super::super::witness::SplitKind;
use super::places::{Place, given, parameters_for, places_in, texts_in, written_alike};

/// Who makes what the disk is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Makers {
    /// One rank alone.
    One,
    /// That, or whoever misses it.
    Any,
}

impl Evidence<'_, '_> {
    /// Whether nobody here makes what the disk is asked for while others have yet to ask: no rank makes it alone before all
    /// have taken part in something, whoever misses it does not make it at once, and no function is handed to whoever has
    /// one rank do it. What somebody left there before the job is there for all, unless each rank asks for a place of its
    /// own; of what others make in other ways one finding in nine was right (docs/precision.md).
    pub(in crate::graph) fn is_made_by_nobody(&self) -> bool {
        let Some((born, place)) = self.place_asked_for() else { return false };
        if self.asks_for_its_own() || self.is_polled(born, &place) {
            return false;
        }
        let later = |(expr, call): (ExprId, Call)| {
            place.model.span(expr).start >= self.engine.effects.event(self.main).site.span.end && place.is_made_by(call)
        };
        // What is made here once all have taken part is there for all the next time.
        if self.takes_it_for_its_own() && !place.calls().into_iter().any(later) {
            return false;
        }
        !self.is_made_around(&place, born, Makers::Any)
            && !self.is_made_on_the_way(&place, born)
            && !self.is_made_by_its_object(&place)
    }

    /// Whether each rank asks the disk for a place of its own: the rank goes into its name.
    pub(in crate::graph) fn asks_for_its_own(&self) -> bool {
        let Some((born, place)) = self.place_asked_for() else { return false };
        let program = self.engine.program;
        let question = self.engine.written_at(born).map(|(_, question)| question);
        let assigned =
            place.names.iter().filter_map(|&name| program.single_assignment(born.file, place.function, name));
        let mut put_together = question.into_iter().chain(assigned);
        put_together.any(|expr| speaks_of_rank(&program.catalog, place.model, expr))
    }

    /// Whether one rank, or who lets one do it, makes what is missed on the disk while others have yet to ask.
    pub(in crate::graph) fn is_made_meanwhile(&self) -> bool {
        self.misses_it()
            && self.place_asked_for().is_some_and(|(born, place)| {
                self.is_made_around(&place, born, Makers::One) || self.is_polled(born, &place)
            })
    }

    /// Where the disk is asked, and what for.
    fn place_asked_for(&self) -> Option<(Site, Place<'_>)> {
        let leaf = self.leaf.filter(|leaf| self.engine.marks.disks.contains(leaf))?;
        let &Node::Local(born, _) = self.engine.values.node(leaf) else { return None };
        let (model, question) = self.engine.written_at(born)?;
        let function = self.engine.function_at(born)?;
        let Expr::Call(asked) = model.expr(question) else { return None };
        let asked = model.call(asked);
        let mut names: Vec<Symbol> = model.list(asked.args).iter().flat_map(|&arg| places_in(model, arg)).collect();
        if let Expr::Attribute { value, .. } = model.expr(asked.callee) {
            names.extend(places_in(model, value));
        }
        let program = self.engine.program;
        names.extend(written_alike(program, born, function, asked, &names));
        let assigned = names.iter().filter_map(|&name| program.single_assignment(born.file, function, name));
        let folders = assigned.flat_map(|expr| places_in(model, expr)).collect();
        Some((born, Place { model, function, names, texts: texts_in(model, question), folders }))
    }

    /// Whether the question is put again in every turn of a loop, of the same place, and who finds something there leaves
    /// the loop: somebody outside puts it there while the job runs, between the question of one rank and that of another.
    fn is_polled(&self, born: Site, place: &Place<'_>) -> bool {
        // A function that asks for a caller is asked in every turn as well.
        let asked_by = self.decision.filter(|_| self.is_asked_there()).map(|decision| decision.site);
        let asked = asked_by.and_then(|asked| {
            let (model, question) = self.engine.written_at(asked)?;
            Some((model, self.engine.function_at(asked)?, asked, names_handed(model, question)))
        });
        let (model, function, born, names) = asked.unwrap_or_else(|| {
            let names = place.names.iter().chain(&place.folders).copied().collect();
            (place.model, place.function, born, names)
        });
        let (mut around, mut leaves): (Vec<(Span, Vec<Symbol>)>, Vec<Span>) = Default::default();
        each_statement(model, model.function(function).body, &mut |id, stmt| match stmt {
            Stmt::For { target, .. } => around.push((model.stmt_span(id), names_in(model, *target))),
            Stmt::While { .. } => around.push((model.stmt_span(id), Vec::new())),
            Stmt::If { test, body, .. } if model.span(*test).holds(born.span) => {
                let last = model.block(*body).last().map(|&last| model.stmt(last));
                if matches!(last, Some(Stmt::Break | Stmt::Return(_))) {
                    leaves.push(model.span(*test));
                }
            }
            _ => {}
        });
        around.retain(|(span, _)| span.holds(born.span));
        let is_of_the_turn = |name: &Symbol| around.iter().any(|(_, targets)| targets.contains(name));
        self.kind == SplitKind::EarlyExit
            && !around.is_empty()
            && !leaves.is_empty()
            && !names.iter().any(is_of_the_turn)
    }

    /// Whether it is made in the function that asks, in time for somebody who has yet to ask.
    fn is_made_around(&self, place: &Place<'_>, born: Site, makers: Makers) -> bool {
        let model = place.model;
        let within = |block: &Span, span: Span| block.start <= span.start && span.end <= block.end;
        let conditions = conditions_in(model, model.function(place.function).body);
        let by_rank: Vec<Span> = conditions
            .iter()
            .filter(|(_, test)| speaks_of_rank(&self.engine.program.catalog, model, *test))
            .map(|(block, _)| *block)
            .collect();
        let (around, decided): (Vec<Span>, Vec<Span>) =
            conditions.iter().map(|(block, _)| *block).partition(|block| within(block, born.span));
        // What a rank does that finds it and leaves.
        let left = around.into_iter().min_by_key(|block| block.end - block.start);
        let left = left.filter(|_| self.kind == SplitKind::EarlyExit);
        let misses = self.misses_it();
        let met = self.have_just_met(born, &by_rank);
        let issued = self.calls.first().map_or(self.engine.effects.event(self.main).site, |&(call, _)| call);
        place.calls().into_iter().any(|(expr, call)| {
            let span = model.span(expr);
            let site = Site { file: born.file, span };
            // Before the question it matters what only some make.
            let in_time = span.start >= born.span.end
                || span.end <= born.span.start && decided.iter().any(|block| within(block, span));
            let alone = || by_rank.iter().any(|block| within(block, span));
            // Whoever misses it makes it at once, and then waits for those that may find it already.
            let at_once = || {
                let in_arm = left.is_some_and(|block| within(&block, span));
                misses && !in_arm && born.span.end <= span.start && span.end <= issued.span.start
            };
            let leads = self.calls.first().is_some_and(|&(call, _)| call == site);
            let hands_over = || given(model, call).any(|arg| is_handed(self.engine, born, place.function, model, arg));
            let makes = || {
                place.is_made_by(call)
                    && (alone() || makers == Makers::Any && at_once())
                    && !self.meets_between(born, site)
                    // What is done in between beside asking and logging takes its time.
                    && (!met || self.is_quiet_until(born, site))
            };
            in_time && (leads && hands_over() || makes())
        })
    }

    /// Whether whoever misses it hands its place to a function that makes it before it comes to the operation.
    fn is_made_on_the_way(&self, place: &Place<'_>, born: Site) -> bool {
        if !self.misses_it() {
            return false;
        }
        let (mut names, mut at) = (place.names.clone(), (born.file, place.model));
        for (step, &(call, _)) in self.calls.iter().enumerate() {
            let inner = self.calls.get(step + 1).map_or(self.engine.effects.event(self.main).site, |&(site, _)| site);
            let (file, model) = at;
            let written = self.engine.written_at(call).filter(|_| call.file == file);
            let Some((_, Expr::Call(written))) = written.map(|(model, expr)| (model, model.expr(expr))) else {
                return false;
            };
            let Some(function) = self.engine.function_at(inner) else { return false };
            let callee = &self.engine.program.file(inner.file).model;
            names = parameters_for(model, model.call(written), callee, function, &names);
            let inside =
                Place { model: callee, function, names: names.clone(), texts: Vec::new(), folders: Vec::new() };
            let start = callee.function(function).name_span;
            let makes = inside.calls().into_iter().any(|(expr, call)| {
                let span = callee.span(expr);
                let [from, until] = [start, span].map(|span| Site { file: inner.file, span });
                span.end <= inner.span.start && inside.is_made_by(call) && !self.meets_between(from, until)
            });
            if makes {
                return true;
            }
            at = (inner.file, callee);
        }
        false
    }

    /// Whether the rank that issues the operation misses what it asks for.
    fn misses_it(&self) -> bool {
        matches!(self.kind, SplitKind::Conditional | SplitKind::EarlyExit) && self.issuer_finds_it() == Some(false)
    }

    /// Whether the program itself says that one rank may miss what another finds: a rank that misses it exchanges tensors
    /// there at once, which a peer that finds it has no need of, or its complaint is caught and it goes on alone.
    fn takes_it_for_its_own(&self) -> bool {
        let event = self.engine.effects.event(self.main);
        let op = event.op.as_str();
        let exchanges = !event.implicit && !event.creates && op != "barrier" && !op.contains("object");
        match self.issuer_finds_it() {
            Some(true) => self.misses_and_complains(),
            Some(false) => self.kind == SplitKind::Conditional && exchanges && self.calls.is_empty(),
            None => false,
        }
    }

    /// Whether all ranks have come out of a collective just before they ask: they ask at one time. In one that only some
    /// ranks issue they are let in one after the other.
    fn have_just_met(&self, born: Site, by_rank: &[Span]) -> bool {
        let ends =
            preorder(self.engine, self.root).into_iter().filter_map(|effect| match self.engine.effects.get(effect) {
                Effect::Event(event) => Some(self.engine.effects.event(*event).site),
                Effect::Call { site, body, .. } if self.engine.effects.summed(*body).events => Some(*site),
                _ => None,
            });
        let before = ends.filter(|site| self.engine.same_function(*site, born) && site.span.end <= born.span.start);
        let of_some =
            |site: Site| by_rank.iter().any(|block| block.start <= site.span.start && site.span.end <= block.end);
        let met = before.max_by_key(|site| site.span.end).filter(|&met| !of_some(met));
        met.is_some_and(|met| self.is_quiet_until(met, born))
    }

    /// Whether something is issued between two places of a function. A manager around the second one may issue what it
    /// does on the way out.
    fn meets_between(&self, one: Site, other: Site) -> bool {
        let (from, until) = (one.span.end.min(other.span.end), one.span.start.max(other.span.start));
        let managers = self.managers_around(other);
        let between = |site: Site| {
            let span = site.span;
            let manages = managers.iter().any(|manager| manager.start <= span.start && span.end <= manager.end);
            site.file == one.file && from <= span.start && span.end <= until && !manages
        };
        preorder(self.engine, self.root).into_iter().any(|effect| match self.engine.effects.get(effect) {
            Effect::Event(event) => between(self.engine.effects.event(*event).site),
            Effect::Call { site, body, .. } => between(*site) && self.engine.effects.summed(*body).events,
            _ => false,
        })
    }

    /// The context managers of the `with` statements that a place stands in.
    fn managers_around(&self, place: Site) -> Vec<Span> {
        let model = &self.engine.program.file(place.file).model;
        let Some(function) = self.engine.function_at(place) else { return Vec::new() };
        let mut out = Vec::new();
        each_statement(model, model.function(function).body, &mut |at, stmt| {
            let span = model.stmt_span(at);
            if let Stmt::With { items, .. } = stmt
                && span.start <= place.span.start
                && place.span.end <= span.end
            {
                out.extend(items.iter().map(|item| model.span(item.context)));
            }
        });
        out
    }
}

/// Whether an argument is a function of the program, or something imported that is no constant.
fn is_handed(engine: &Engine<'_>, at: Site, function: LocalFunction, model: &File, arg: ExprId) -> bool {
    let (Expr::Name(name) | Expr::Attribute { name, .. }) = model.expr(arg) else { return false };
    name.as_str().contains(char::is_lowercase)
        && (called(engine.program, at.file, function, arg).is_some()
            || engine.program.resolve(at.file, function, arg).is_some())
}

/// Names in what a question hands to those it calls.
fn names_handed(model: &File, question: ExprId) -> Vec<Symbol> {
    let mut out = Vec::new();
    each_expression(model, question, &mut |_, expr| {
        if let Expr::Call(call) = expr {
            out.extend(model.list(model.call(call).args).iter().flat_map(|&given| names_in(model, given)));
        }
    });
    out
}
