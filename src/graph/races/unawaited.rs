//! Files that one rank writes, folders that it makes or removes, and that the others rely on with nothing in between that
//! makes them wait.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::common::Common;
use super::deeds::{Deed, Does};
use super::elsewhere::Elsewhere;
use super::made::Made;
use super::made_before::is_made_before;
use super::names::{each_assignment, names_asked};
use super::places::Place;
use super::single::{is_of_one_rank, lets_in_first};
use super::touches::{Touch, Touches};
use super::waits::Waits;
use super::words::{is_numbered, is_of_an_element, is_tool, parts_of, path_asked_for, serves};
use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::catalog::ValueKind;
use crate::finding::Confidence;
use crate::graph::blocks::is_test;
use crate::graph::program::Program;
use crate::graph::taint::Taint;
use crate::model::{ExprId, File, Function, FunctionKind, LocalFunction};

/// Calls between a function and what touches a path for it.
const MAX_CALLS: usize = 2;

/// What one rank does, and the others rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reliance {
    /// They read what it writes.
    OnWritten,
    /// They work in a folder that it makes.
    OnMade,
    /// They work in a folder that it removes.
    OnRemoved,
}

impl Reliance {
    fn of(does: Touch, relies: Touch) -> Option<Reliance> {
        match (does, relies) {
            (Touch::Writes, Touch::Reads) => Some(Reliance::OnWritten),
            (Touch::Makes, Touch::Writes) => Some(Reliance::OnMade),
            (Touch::Removes, Touch::Writes) => Some(Reliance::OnRemoved),
            _ => None,
        }
    }
}

/// What one rank does to a path on which the others rely at once.
#[derive(Clone, Debug)]
pub struct UnawaitedFile {
    /// The function in which both come together.
    pub function: FunctionId,
    /// What the others rely on.
    pub reliance: Reliance,
    /// Where one rank does that, and what it calls there; of a call that leads there the call.
    pub done: (Site, Symbol),
    /// Where it is done, if that is in a function that is called here.
    pub done_in: Option<Site>,
    /// Where all ranks rely on it, and what they call there.
    pub used: (Site, Symbol),
    /// Where that is done, if that is in a function that is called here.
    pub used_in: Option<Site>,
    /// Where the first rank is asked for.
    pub asked: Site,
    /// How sure that is.
    pub confidence: Confidence,
}

/// Who does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// The first rank, behind this question.
    First(Site),
    All,
}

/// What is done to a path in a function, or below it.
#[derive(Clone, Debug)]
struct Act {
    touch: Touch,
    place: Place,
    who: Who,
    /// What the function calls.
    expr: ExprId,
    call: Symbol,
    site: Site,
    /// Where that leads.
    below: Option<Site>,
    /// Whether ranks may wait for each other on the way there, and on the way from there.
    waits: [bool; 2],
}

/// What files of one rank the others rely on in the functions of a tree.
pub(super) fn unawaited_files(common: &mut Common<'_>, files: &[FileId]) -> Vec<UnawaitedFile> {
    let program = common.program;
    let mut search = Search::of(program, common.taint, files);
    let mut out = Vec::new();
    for &file in files.iter().filter(|&&file| program.in_focus(file) && !is_test(&program.file(file).path)) {
        for (index, function) in program.file(file).model.functions.iter().enumerate() {
            if !function.skeleton && function.kind != FunctionKind::ClassBody && search.concerns(function) {
                out.extend(search.in_function(common, program.function_id(file, LocalFunction(index as u32))));
            }
        }
    }
    out
}

/// What is kept between functions.
struct Search<'p> {
    program: &'p Program,
    taint: &'p Taint,
    touches: Touches,
    /// Functions that touch paths, by their names.
    touching: FxHashSet<Symbol>,
    /// Those of them that speak of ranks.
    of_ranks: FxHashSet<Symbol>,
    known: FxHashMap<(FunctionId, usize), Rc<[Act]>>,
    waits: FxHashMap<FunctionId, Rc<Waits>>,
}

impl<'p> Search<'p> {
    fn of(program: &'p Program, taint: &'p Taint, files: &[FileId]) -> Self {
        let (known, waits, touching, of_ranks) = Default::default();
        let mut search = Search { program, taint, touches: Touches::new(), touching, of_ranks, known, waits };
        for &file in files {
            for (index, function) in program.file(file).model.functions.iter().enumerate() {
                if function.skeleton || !search.touches.are_named(function) {
                    continue;
                }
                let is_constructor = function.name.as_str() == "__init__";
                let name = if is_constructor { class_of(program, file, function) } else { function.name };
                search.touching.insert(name);
                if search.speaks_of_ranks(function) || is_of_one_rank(program, file, LocalFunction(index as u32)) {
                    search.of_ranks.insert(name);
                }
            }
        }
        search
    }

    /// Whether both sides may come together in a function: what the first rank does, and what all do.
    fn concerns(&self, function: &Function) -> bool {
        let touches = || self.touches.are_named(function) || self.concerns_below(function);
        function.mentions.iter().any(|name| self.of_ranks.contains(name)) || self.speaks_of_ranks(function) && touches()
    }

    /// Whether what a function calls may touch a path.
    fn concerns_below(&self, function: &Function) -> bool {
        function.mentions.iter().any(|name| self.touching.contains(name))
    }

    fn speaks_of_ranks(&self, function: &Function) -> bool {
        function.mentions.iter().any(|name| {
            let known = self.program.catalog.convention(*name).map(|known| &known.value.kind);
            matches!(known, Some(ValueKind::Rank | ValueKind::First))
        }) || function.mentions.iter().any(|&name| self.taint.holds(name))
    }

    /// What one rank does in the function, and all rely on at once.
    fn in_function(&mut self, common: &mut Common<'_>, function: FunctionId) -> Vec<UnawaitedFile> {
        let program = common.program;
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let acts = self.acts(common, function, MAX_CALLS);
        let mut out: Vec<UnawaitedFile> = Vec::new();
        if !acts.iter().any(|act| matches!(act.who, Who::First(_))) || is_of_one_rank(program, file, local) {
            return out;
        }
        let callers = common.callers(function);
        if common.is_called_by_some(&callers) {
            return out;
        }
        for done in acts.iter() {
            let Who::First(asked) = done.who else { continue };
            if let Place::At(path) = done.place
                && (is_numbered(model, local, path) || is_of_an_element(model, local, path))
            {
                continue;
            }
            let elsewhere = Elsewhere::of(model, local, model.span(done.expr));
            let relying = acts.iter().find_map(|used| {
                let comes = used.who == Who::All
                    && model.span(used.expr).start >= model.span(done.expr).end
                    && !elsewhere.holds(model.span(used.expr));
                let reliance = comes.then(|| relies(common, (file, local), done, used)).flatten()?;
                (!is_set_between(model, local, done, used)).then_some((used, reliance))
            });
            let Some((used, reliance)) = relying else { continue };
            let between = self.waits(common, function).between(model.span(done.expr), model.span(used.expr));
            if done.waits[1]
                || used.waits[0]
                || between
                || is_seen_to(common, (file, local), &acts, done, used)
                || has_been_made(common, function, done)
            {
                continue;
            }
            let of_tool =
                is_tool(&program.file(file).path) || is_tool(model.function(local).name.as_str()) || serves(model);
            // Of a folder that something makes for itself, as a rule if it is not there, others may have seen to it.
            let of_little = of_tool || done.touch == Touch::Makes && done.below.is_some();
            out.push(UnawaitedFile {
                function,
                reliance,
                done: (done.site, done.call),
                done_in: done.below,
                used: (used.site, used.call),
                used_in: used.below,
                asked,
                confidence: if of_little { Confidence::Low } else { Confidence::Medium },
            });
        }
        out.sort_by_key(|found| (found.used.0, found.done.0));
        out.dedup_by_key(|found| found.used.0);
        out
    }

    /// What the function does to paths, itself and through as many calls, in source order.
    fn acts(&mut self, common: &mut Common<'_>, function: FunctionId, calls: usize) -> Rc<[Act]> {
        if let Some(known) = self.known.get(&(function, calls)) {
            return known.clone();
        }
        self.known.insert((function, calls), Rc::new([]));
        let program = common.program;
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let mut out: Vec<Act> = Vec::new();
        let made = common.calls(file, local);
        for made in made.iter() {
            let Some(who) = who_makes(program, file, made) else { continue };
            let site = Site { file, span: model.span(made.expr) };
            let Some(name) = model.last_name(made.call.callee) else { continue };
            let mut touched = self.touches.of(program, file, local, made.call);
            if is_asked_for(program, file, local, made) {
                touched.retain(|(touch, _)| *touch != Touch::Reads);
            }
            out.extend(touched.iter().map(|&(touch, path)| Act {
                touch,
                place: Place::At(path),
                who,
                expr: made.expr,
                call: name,
                site,
                below: None,
                waits: [false; 2],
            }));
            if calls == 0 || !touched.is_empty() {
                continue;
            }
            let Some((callee, Confidence::High)) = common.communication.callee(file, local, made.call) else {
                continue;
            };
            let definition = program.function(callee);
            let may_touch = self.touches.may(definition) || calls > 1 && self.concerns_below(definition);
            if definition.skeleton || definition.is_generator || !may_touch {
                continue;
            }
            out.extend(self.below(common, file, made, who, callee, calls - 1));
        }
        out.sort_by_key(|act| act.site);
        let out: Rc<[Act]> = out.into();
        self.known.insert((function, calls), out.clone());
        out
    }

    /// What a function that is called does to paths that it is handed, or that the object holds.
    fn below(
        &mut self,
        common: &mut Common<'_>,
        file: FileId,
        made: &Made,
        who: Who,
        callee: FunctionId,
        calls: usize,
    ) -> Vec<Act> {
        let program = common.program;
        let (model, name) = (&program.file(file).model, program.function(callee).name);
        let (of_callee, inner) = program.locate(callee);
        let of_one = is_of_one_rank(program, of_callee, inner);
        let named = Site { file: of_callee, span: program.function(callee).name_span };
        let mut out = Vec::new();
        for act in self.acts(common, callee, calls).iter() {
            let who = match (who, if of_one { Who::First(named) } else { act.who }) {
                (Who::All, inner) => inner,
                (first, Who::All) => first,
                _ => continue,
            };
            let Some(place) = act.place.handed(common, (of_callee, inner), (file, made.call)) else { continue };
            let around = self.waits(common, callee).around(program.file(of_callee).model.span(act.expr));
            let waits = [act.waits[0] || around[0], act.waits[1] || around[1]];
            let site = Site { file, span: model.span(made.expr) };
            let below = Some(act.below.unwrap_or(act.site));
            out.push(Act { touch: act.touch, place, who, expr: made.expr, call: name, site, below, waits });
        }
        out
    }

    /// Where ranks may wait for each other in a function.
    fn waits(&mut self, common: &mut Common<'_>, function: FunctionId) -> Rc<Waits> {
        if let Some(known) = self.waits.get(&function) {
            return known.clone();
        }
        let (file, local) = self.program.locate(function);
        let waits = Rc::new(Waits::of(common, file, local));
        self.waits.insert(function, waits.clone());
        waits
    }
}

/// Who makes a call: the first rank alone, or all of them; nothing where that is not known.
fn who_makes(program: &Program, file: FileId, made: &Made) -> Option<Who> {
    let model = &program.file(file).model;
    let mut asked = made.conditions.iter().zip(&made.answers);
    match asked.find(|&(&condition, &answer)| lets_in_first(program, model, condition, answer)) {
        Some((&condition, _)) => Some(Who::First(Site { file, span: model.span(condition) })),
        None => made.by_all.then_some(Who::All),
    }
}

/// How what all do relies on what one does, if it does.
fn relies(common: &Common<'_>, at: (FileId, LocalFunction), done: &Act, used: &Act) -> Option<Reliance> {
    let reliance = Reliance::of(done.touch, used.touch).filter(|_| done.expr != used.expr)?;
    let concerns = match reliance {
        Reliance::OnWritten => used.place.is(common, at, &done.place),
        Reliance::OnMade | Reliance::OnRemoved => used.place.lies_in(common, at, &done.place),
    };
    concerns.then_some(reliance)
}

/// Whether the path is another one by the time it is used.
fn is_set_between(model: &File, local: LocalFunction, done: &Act, used: &Act) -> bool {
    let names: Vec<Symbol> = match &done.place {
        Place::At(path) | Place::Within(path) => names_asked(model, *path),
        Place::Own(_) => return false,
    };
    let (from, to) = (model.span(done.expr).end, model.span(used.expr).start);
    let mut found = false;
    each_assignment(model, local, &mut |targets, _| {
        found |= targets.iter().any(|&target| {
            let span = model.span(target);
            span.start >= from && span.end <= to && names_asked(model, target).iter().any(|name| names.contains(name))
        });
    });
    found
}

/// Whether those who make a call ask first whether something is there.
fn is_asked_for(program: &Program, file: FileId, local: LocalFunction, made: &Made) -> bool {
    let model = &program.file(file).model;
    let asks = |&condition: &ExprId| {
        let parts = parts_of(model, condition);
        parts.into_iter().any(|part| path_asked_for(program, file, local, part).is_some())
    };
    made.conditions.iter().any(asks)
}

/// Whether the folder that one makes is there already.
fn has_been_made(common: &mut Common<'_>, function: FunctionId, done: &Act) -> bool {
    let Place::At(path) = done.place else { return false };
    let deed = Deed { call: done.call, expr: done.expr, path, does: Does::Makes, lenient: None };
    done.touch == Touch::Makes && is_made_before(common, function, &deed)
}

/// Whether all have done themselves what they need, before or between.
fn is_seen_to(common: &Common<'_>, at: (FileId, LocalFunction), acts: &[Act], done: &Act, used: &Act) -> bool {
    let model = &common.program.file(at.0).model;
    let elsewhere = Elsewhere::of(model, at.1, model.span(done.expr));
    let mut before = acts.iter().filter(|act| {
        act.who == Who::All
            && act.touch == done.touch
            && act.expr != used.expr
            && model.span(act.expr).end <= model.span(used.expr).start
            && !elsewhere.holds(model.span(act.expr))
    });
    before.any(|act| {
        act.place.is(common, at, &done.place)
            || done.touch == Touch::Makes && act.place.lies_in(common, at, &done.place)
    })
}

/// The name of the class that a function belongs to, or its own.
fn class_of(program: &Program, file: FileId, function: &Function) -> Symbol {
    function.class.map_or(function.name, |class| program.file(file).model.class(class).name)
}
