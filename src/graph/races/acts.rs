//! What the functions of a tree do to paths, and who does it: the first rank alone, or all.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::common::Common;
use super::conditions::parts_of;
use super::made::Made;
use super::parts::Part;
use super::places::{Place, handed};
use super::single::{is_of_one_rank, lets_in_first};
use super::touches::{Touch, Touches};
use super::waits::Waits;
use super::words::path_asked_for;
use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::catalog::ValueKind;
use crate::finding::Confidence;
use crate::graph::program::Program;
use crate::model::{ExprId, Function, LocalFunction};

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
    pub site: Site,
    /// Where that leads.
    pub below: Option<Site>,
    /// Whether ranks may wait for each other on the way there, and on the way from there.
    pub waits: [bool; 2],
}

/// What is kept between functions.
pub(super) struct Search<'p> {
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
    pub fn of(program: &'p Program, files: &[FileId]) -> Self {
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
    pub fn concerns(&self, function: &Function) -> bool {
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

    /// What the function does to paths, itself and, if it counts, in what it calls; in source order.
    pub fn acts(&mut self, common: &mut Common<'_>, function: FunctionId, below: bool) -> Rc<[Act]> {
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
            let mut touched = self.touches.of(program, file, local, made.call);
            if is_asked_for(program, file, local, made) {
                touched.retain(|(touch, _)| !touch.reads());
            }
            out.extend(touched.iter().map(|&(touch, path)| Act {
                touch,
                place: Place::At(path),
                part: Part::of(program, (file, local), path, (touch, name)),
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
                (None, &Place::At(path)) => Part::of(program, (file, of_caller), path, (act.touch, act.call)),
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
    pub fn waits(&mut self, common: &mut Common<'_>, function: FunctionId) -> Rc<Waits> {
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
