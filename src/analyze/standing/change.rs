//! What an edit leaves of the places that findings speak of.

use std::ops::Range;

use crate::base::{FileId, Site, Span};
use crate::finding::Finding;

/// The part of a text that an edit touched, and what stands there now.
pub(super) struct Change {
    old: Range<u32>,
    /// Where the rest of the text begins now.
    rest: u32,
    /// Functions that read as before, in that part as well: where each was, and where it begins now.
    kept: Vec<(Span, u32)>,
}

impl Change {
    pub(super) fn between(old: &str, new: &str) -> Change {
        let (old, new) = (old.as_bytes(), new.as_bytes());
        let same = old.iter().zip(new).take_while(|(one, other)| one == other).count();
        let tail = old[same..].iter().rev().zip(new[same..].iter().rev()).take_while(|(one, other)| one == other);
        let tail = tail.count();
        Change { old: same as u32..(old.len() - tail) as u32, rest: (new.len() - tail) as u32, kept: Vec::new() }
    }

    /// The same, where it is known what was only moved: a whole text that is replaced touches everything.
    pub(super) fn keeping(self, kept: Vec<(Span, u32)>) -> Change {
        Change { kept, ..self }
    }

    /// Where a place that something begins at is now: behind what was inserted there.
    fn start(&self, at: u32) -> u32 {
        match at {
            at if at >= self.old.end => at - self.old.end + self.rest,
            at => at.min(self.old.start),
        }
    }

    /// Where a place that something ends at is now: before what was inserted there.
    fn end(&self, at: u32) -> u32 {
        match at {
            at if at <= self.old.start => at,
            at => at.max(self.old.end) - self.old.end + self.rest,
        }
    }

    pub(super) fn span(&self, span: Span) -> Span {
        let holds = |was: &Span| was.start <= span.start && span.end <= was.end;
        if let Some((was, now)) = self.kept.iter().find(|(was, _)| holds(was)) {
            return Span::new(span.start - was.start + now, span.end - was.start + now);
        }
        let start = self.start(span.start);
        Span::new(start, self.end(span.end).max(start))
    }

    pub(super) fn follow(&self, finding: &mut Finding, file: FileId) {
        let follow = |site: &mut Site| {
            if site.file == file {
                site.span = self.span(site.span);
            }
        };
        follow(&mut finding.site);
        finding.related.iter_mut().for_each(|related| follow(&mut related.site));
        finding.cause.iter_mut().for_each(follow);
        finding.witness.iter_mut().flat_map(|rank| &mut rank.trace).for_each(|event| follow(&mut event.site));
        finding.fix.iter_mut().flat_map(|fix| &mut fix.edits).for_each(|edit| follow(&mut edit.site));
    }
}
