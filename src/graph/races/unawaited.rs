//! Files that one rank writes, folders that it makes or removes, and that the others rely on with nothing in between that
//! makes them wait; and files of each of them that one relies on.

use super::acts::{Act, Search, Who};
use super::common::Common;
use super::elsewhere::Elsewhere;
use super::places::Place;
use super::reliance::{Reliance, has_been_made, is_seen_to, is_set_between, puts_together, relies};
use super::single::is_of_one_rank;
use super::touches::Touch;
use super::words::{is_numbered, is_of_an_element, is_tool, serves};
use crate::base::{FileId, FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::model::LocalFunction;

/// What one rank does to a path on which the others rely at once, or the reverse.
#[derive(Clone, Debug)]
pub struct UnawaitedFile {
    /// The function in which both come together.
    pub function: FunctionId,
    /// What the others rely on.
    pub reliance: Reliance,
    /// Where that is done, and what is called there; of a call that leads there the call.
    pub done: (Site, Symbol),
    /// Where it is done, if that is in a function that is called here.
    pub done_in: Option<Site>,
    /// Where somebody relies on it, and what is called there.
    pub used: (Site, Symbol),
    /// Where that is done, if that is in a function that is called here.
    pub used_in: Option<Site>,
    /// Where the first rank is asked for.
    pub asked: Site,
    /// How sure that is.
    pub confidence: Confidence,
}

/// What files of one rank the others rely on in the functions of a tree.
pub(super) fn unawaited_files(common: &mut Common<'_>, files: &[FileId]) -> Vec<UnawaitedFile> {
    let program = common.program;
    let mut search = Search::of(program, files);
    let mut out = Vec::new();
    for &file in files.iter().filter(|&&file| program.in_focus(file) && !program.file(file).is_test()) {
        for (index, function) in program.file(file).model.functions.iter().enumerate() {
            if !function.skeleton && search.concerns(function) {
                out.extend(search.in_function(common, program.function_id(file, LocalFunction(index as u32))));
            }
        }
    }
    out
}

impl Search<'_> {
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
}
