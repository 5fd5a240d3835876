//! How what all ranks do with a path relies on what one has done to it.

use super::acts::{Act, Who};
use super::common::Common;
use super::deeds::{Deed, Does};
use super::elsewhere::Elsewhere;
use super::made_before::is_made_before;
use super::names::{each_assignment, names_asked};
use super::parts::lie_together;
use super::places::Place;
use super::touches::Touch;
use crate::base::{FileId, FunctionId, Symbol};
use crate::model::{File, LocalFunction};

/// What one rank does, and the others rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reliance {
    /// They read what it writes.
    OnWritten,
    /// They work in a folder that it makes.
    OnMade,
    /// They work in a folder that it removes.
    OnRemoved,
    /// It reads what each of them writes.
    OnParts,
}

impl Reliance {
    fn of(does: Touch, relies: Touch) -> Option<Reliance> {
        match (does, relies) {
            (Touch::Writes, used) if used.reads() => Some(Reliance::OnWritten),
            (Touch::Makes, Touch::Writes) => Some(Reliance::OnMade),
            (Touch::Removes, Touch::Writes) => Some(Reliance::OnRemoved),
            _ => None,
        }
    }
}

/// How what all do relies on what one does, if it does.
pub(super) fn relies(common: &Common<'_>, at: (FileId, LocalFunction), done: &Act, used: &Act) -> Option<Reliance> {
    let reliance = Reliance::of(done.touch, used.touch)?;
    let concerns = match reliance {
        // Who reads a whole folder reads what is written in it.
        Reliance::OnWritten => {
            used.place.is(common, at, &done.place)
                || used.touch == Touch::ReadsAll && done.place.goes_on_from(common, at, &used.place)
        }
        Reliance::OnMade | Reliance::OnRemoved => used.place.lies_in(common, at, &done.place),
        Reliance::OnParts => false,
    };
    concerns.then_some(reliance)
}

/// Whether one rank reads what all write, each a part of it.
pub(super) fn puts_together(common: &Common<'_>, at: (FileId, LocalFunction), done: &Act, used: &Act) -> bool {
    let (Some(written), Some(read)) = (&done.part, &used.part) else { return false };
    done.touch == Touch::Writes
        && used.touch.reads()
        && read.reads(written)
        && lie_together(common.program, at, &done.place, &used.place)
}

/// Whether the path is another one by the time it is used.
pub(super) fn is_set_between(model: &File, local: LocalFunction, done: &Act, used: &Act) -> bool {
    let names: Vec<Symbol> = match &done.place {
        Place::At(path) | Place::Within(path, _) => names_asked(model, *path),
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

/// Whether the folder that one makes is there already.
pub(super) fn has_been_made(common: &mut Common<'_>, function: FunctionId, done: &Act) -> bool {
    let Place::At(path) = done.place else { return false };
    let deed = Deed { call: done.call, expr: done.expr, path, does: Does::Makes, lenient: None };
    done.touch == Touch::Makes && is_made_before(common, function, &deed)
}

/// Whether all have done themselves what they need: before, between, or in the very call.
pub(super) fn is_seen_to(
    common: &Common<'_>,
    at: (FileId, LocalFunction),
    acts: &[Act],
    done: &Act,
    used: &Act,
) -> bool {
    let model = &common.program.file(at.0).model;
    let elsewhere = Elsewhere::of(model, at.1, model.span(done.expr));
    let mut before = acts.iter().filter(|act| {
        act.who == Who::All
            && act.touch == done.touch
            && (act.expr == used.expr || model.span(act.expr).end <= model.span(used.expr).start)
            && !elsewhere.holds(model.span(act.expr))
    });
    before.any(|act| {
        act.place.is(common, at, &done.place)
            || done.touch == Touch::Makes && act.place.lies_in(common, at, &done.place)
    })
}
