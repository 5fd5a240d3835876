//! Files that one rank writes, folders that it makes or removes, and that the others rely on with nothing in between that
//! makes them wait.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::common::Common;
use super::conditions::parts_of;
use super::elsewhere::Elsewhere;
use super::made::Made;
use super::parts::Part;
use super::places::{Place, handed};
use super::reliance::{Reliance, has_been_made, is_seen_to, is_set_between, puts_together, relies};
use super::single::{is_of_one_rank, lets_in_first};
use super::touches::{Touch, Touches};
use super::waits::Waits;
use super::words::{is_numbered, is_of_an_element, is_tool, path_asked_for, serves};
use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::catalog::ValueKind;
use crate::finding::Confidence;
use crate::graph::blocks::is_test;
use crate::graph::program::Program;
use crate::model::{ExprId, Function, LocalFunction};

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
pub(super) enum Who {
    /// The first rank, behind this question.
    First(Site),
    /// All of them.
    All,
}

/// What is done to a path in a function, or below it.
#[derive(Clone, Debug)]
pub(super) struct Act {
    pub touch: Touch,
    pub place: Place,
    /// How the files of the ranks are told apart there.
    pub part: Option<Part>,
    pub who: Who,
    /// What the function calls.
    pub expr: ExprId,
    pub call: Symbol,
    site: Site,
    /// Where that leads.
    below: Option<Site>,
    /// Whether ranks may wait for each other on the way there, and on the way from there.
    waits: [bool; 2],
}

/// What files of one rank the others rely on in the functions of a tree.
pub(super) fn unawaited_files(common: &mut Common<'_>, files: &[FileId]) -> Vec<UnawaitedFile> {
    let program = common.program;
    let mut search = Search::of(program, files);
    let mut out = Vec::new();
    for &file in files.iter().filter(|&&file| program.in_focus(file) && !is_test(&program.file(file).path)) {
        for (index, function) in program.file(file).model.functions.iter().enumerate() {
            if !function.skeleton && search.concerns(function) {
                out.extend(search.in_function(common, program.function_id(file, LocalFunction(index as u32))));
            }
        }
    }
    out
}

/// What is kept between functions.
struct Search<'p> {
    program: &'p Program,
    touches: Touches,
    /// Functions that touch paths, by their names.
    touching: FxHashSet<Symbol>,
    /// Those of them that speak of ranks.
    of_ranks: FxHashSet<Symbol>,
    known: FxHashMap<(FunctionId, bool), Rc<[Act]>>,
    waits: FxHashMap<FunctionId, Rc<Waits>>,
}

impl<'p> Search<'p> {
    fn of(program: &'p Program, files: &[FileId]) -> Self {
        let (known, waits, touching, of_ranks) = Default::default();
        let mut search = Search { program, touches: Touches::new(), touching, of_ranks, known, waits };
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
        let touches =
            || self.touches.are_named(function) || function.mentions.iter().any(|name| self.touching.contains(name));
        function.mentions.iter().any(|name| self.of_ranks.contains(name)) || self.speaks_of_ranks(function) && touches()
    }

    fn speaks_of_ranks(&self, function: &Function) -> bool {
        function.mentions.iter().any(|name| {
            let known = self.program.catalog.convention(*name).map(|known| &known.value.kind);
            matches!(known, Some(ValueKind::Rank | ValueKind::First))
        })
    }

    /// What one rank does in the function, and all rely on at once.
    fn in_function(&mut self, common: &mut Common<'_>, function: FunctionId) -> Vec<UnawaitedFile> {
        let program = common.program;
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let acts = self.acts(common, function, true);
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
        out.extend(self.put_together(common, function, &acts));
        out.sort_by_key(|found| (found.used.0, found.done.0));
        out.dedup_by_key(|found| found.used.0);
        out
    }

    /// What one rank reads in the function of what all have written, each its part, with nothing in between at which it waits
    /// for the others.
    fn put_together(&mut self, common: &mut Common<'_>, function: FunctionId, acts: &[Act]) -> Vec<UnawaitedFile> {
        let program = common.program;
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let mut out = Vec::new();
        for used in acts {
            let Who::First(asked) = used.who else { continue };
            let span = model.span(used.expr);
            let elsewhere = Elsewhere::of(model, local, span);
            let comes_before = |done: &&Act| {
                let before = model.span(done.expr);
                done.who == Who::All && before.end <= span.start && !elsewhere.holds(before)
            };
            let mut before = acts.iter().filter(comes_before);
            let Some(done) = before.rfind(|done| puts_together(common, (file, local), done, used)) else { continue };
            let waits = self.waits(common, function);
            let wait = waits.asks_again(span) || waits.for_each_other(model.span(done.expr), span);
            if wait || done.waits[1] || used.waits[0] {
                continue;
            }
            out.push(UnawaitedFile {
                function,
                reliance: Reliance::OnParts,
                done: (done.site, done.call),
                done_in: done.below,
                used: (used.site, used.call),
                used_in: used.below,
                asked,
                confidence: Confidence::Medium,
            });
        }
        out
    }

    /// What the function does to paths, itself and, if it counts, in what it calls; in source order.
    fn acts(&mut self, common: &mut Common<'_>, function: FunctionId, below: bool) -> Rc<[Act]> {
        if let Some(known) = self.known.get(&(function, below)) {
            return known.clone();
        }
        let program = common.program;
        let (file, local) = program.locate(function);
        let model = &program.file(file).model;
        let mut out: Vec<Act> = Vec::new();
        let made = common.calls(file, local);
        for made in made.iter() {
            let Some(who) = who_makes(program, file, made) else { continue };
            let site = Site { file, span: model.span(made.expr) };
            let Some(name) = model.last_name(made.call.callee) else { continue };
            let lists = name.as_str().ends_with("glob");
            let mut touched = self.touches.of(program, file, local, made.call);
            if is_asked_for(program, file, local, made) {
                touched.retain(|(touch, _)| !touch.reads());
            }
            out.extend(touched.iter().map(|&(touch, path)| Act {
                touch,
                place: Place::At(path),
                part: Part::of(program, file, local, path, lists),
                who,
                expr: made.expr,
                call: name,
                site,
                below: None,
                waits: [false; 2],
            }));
            if below
                && let Some((callee, Confidence::High)) = common.communication.callee(file, local, made.call)
                && let definition = program.function(callee)
                && !definition.skeleton
                && !definition.is_generator
                && self.touches.may(definition)
            {
                out.extend(self.below(common, (function, made), who, callee));
            }
        }
        out.sort_by_key(|act| act.site);
        let out: Rc<[Act]> = out.into();
        self.known.insert((function, below), out.clone());
        out
    }

    /// What a function that is called does to paths that it is handed, or that the object holds.
    fn below(
        &mut self,
        common: &mut Common<'_>,
        (caller, made): (FunctionId, &Made),
        who: Who,
        callee: FunctionId,
    ) -> Vec<Act> {
        let program = common.program;
        let (file, _) = program.locate(caller);
        let (model, name) = (&program.file(file).model, program.function(callee).name);
        let of_caller = program.locate(caller).1;
        let (of_callee, inner) = program.locate(callee);
        let of_one = is_of_one_rank(program, of_callee, inner);
        let named = Site { file: of_callee, span: program.function(callee).name_span };
        let mut out = Vec::new();
        for act in self.acts(common, callee, false).iter() {
            let who = match (who, if of_one { Who::First(named) } else { act.who }) {
                (Who::All, inner) => inner,
                (first, Who::All) => first,
                _ => continue,
            };
            let Place::At(path) = act.place else { continue };
            let waits = self.waits(common, callee).around(program.file(of_callee).model.span(act.expr));
            let site = Site { file, span: model.span(made.expr) };
            let part = |place: &Place| match (&act.part, place) {
                (None, &Place::At(path)) => Part::of(program, file, of_caller, path, false),
                (known, _) => known.clone(),
            };
            out.extend(handed(common, callee, path, (caller, made)).into_iter().map(|place| Act {
                touch: act.touch,
                part: part(&place),
                place,
                who,
                expr: made.expr,
                call: name,
                site,
                below: Some(act.site),
                waits,
            }));
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

/// Whether those who make a call ask first whether something is there.
fn is_asked_for(program: &Program, file: FileId, local: LocalFunction, made: &Made) -> bool {
    let model = &program.file(file).model;
    let asks = |&condition: &ExprId| {
        let parts = parts_of(model, condition);
        parts.into_iter().any(|part| path_asked_for(program, file, local, part).is_some())
    };
    made.conditions.iter().any(asks)
}

/// The name of the class that a function belongs to, or its own.
fn class_of(program: &Program, file: FileId, function: &Function) -> Symbol {
    function.class.map_or(function.name, |class| program.file(file).model.class(class).name)
}
