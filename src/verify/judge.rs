//! Where findings and runs meet: what a run says about each finding, and how much of the program it has reached.

use std::collections::BTreeSet;

use crate::finding::Evidence;

use super::event::Frame;
use super::outcome::{Call, Coverage, Doing, Outcome, RunReport, Side};

/// A line of a file; the path is absolute.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Absolute path.
    pub path: String,
    /// 1-based.
    pub line: u32,
}

/// A finding as far as a run can judge it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The lines of its own place.
    pub own: Vec<Place>,
    /// The lines that belong to its explanation: the condition, the call chain, the operations of the witness.
    pub explanation: Vec<Place>,
}

/// What a run says about one finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub evidence: Evidence,
    /// Why, lower case, no full stop.
    pub why: String,
}

/// The files that took part: those that some call of the run, or an exception, stands in.
pub fn files_of(report: &RunReport) -> BTreeSet<String> {
    let mut files: BTreeSet<String> =
        report.calls.iter().flat_map(|call| &call.frames).map(|frame| frame.path.clone()).collect();
    files.extend(report.lanes.iter().flat_map(|lane| &lane.raised_at).map(|frame| frame.path.clone()));
    for side in report.outcome.divergence().map(|divergence| &divergence.sides[..]).unwrap_or_default() {
        if let Doing::Ended { frames, .. } = &side.doing {
            files.extend(frames.iter().map(|frame| frame.path.clone()));
        }
    }
    files
}

/// What the run says about a finding.
pub fn judge(claim: &Claim, report: &RunReport) -> Judgement {
    let confirmed = |why: String| Judgement { evidence: Evidence::Confirmed, why };
    let inconclusive = |why: &str| Judgement { evidence: Evidence::Inconclusive, why: why.to_owned() };
    if let Some(divergence) = report.outcome.divergence() {
        if divergence.sides.iter().any(|side| is_of(claim, side)) {
            return confirmed(format!("the run ended here: {}", divergence.message));
        }
        return inconclusive("the run ended elsewhere first");
    }
    if matches!(report.outcome, Outcome::Failed { .. })
        && let Some(lane) = report.lanes.iter().find(|lane| has_frames_of(claim, &lane.raised_at))
    {
        let what = lane.end.as_ref().map(|end| end.exception.lines().next().unwrap_or_default()).unwrap_or_default();
        return confirmed(format!("rank {} failed here: {what}", lane.rank));
    }
    let by_rank: Vec<bool> = report
        .lanes
        .iter()
        .map(|lane| {
            lane.calls.iter().any(|call| report.calls.get(call.call).is_some_and(|call| stands_in(claim, call)))
        })
        .collect();
    let reached = by_rank.iter().filter(|reached| **reached).count();
    match (&report.outcome, reached) {
        (Outcome::Passed, 0) => inconclusive("the run never came here"),
        (Outcome::Passed, count) if count < by_rank.len() => Judgement {
            evidence: Evidence::Refuted,
            why: format!("{count} of {} ranks came here, the others did not, and all stayed in step", by_rank.len()),
        },
        (Outcome::Passed, _) => inconclusive("every rank went the same way in this run"),
        (outcome, _) => inconclusive(&format!("the run has {}", outcome.name().replace('_', " "))),
    }
}

/// How many of the places the run has reached.
pub fn coverage(sites: &[Vec<Place>], report: &RunReport) -> Coverage {
    let reached: BTreeSet<(&str, u32)> =
        report.calls.iter().flat_map(|call| &call.frames).map(|frame| (frame.path.as_str(), frame.line)).collect();
    let is_reached = |site: &&Vec<Place>| site.iter().any(|place| reached.contains(&(place.path.as_str(), place.line)));
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Coverage { sites: count(sites.len()), reached: count(sites.iter().filter(is_reached).count()) }
}

/// Whether what some ranks do is what the finding speaks of.
fn is_of(claim: &Claim, side: &Side) -> bool {
    match &side.doing {
        Doing::Issues(call) | Doing::Waits(call) => stands_in(claim, call),
        // An exception is the finding's when it comes from where the finding says that ranks part.
        Doing::Ended { frames, .. } => frames.first().is_some_and(|frame| holds(&claim.own, frame)),
        Doing::Left(_) | Doing::Away(_) => false,
    }
}

fn stands_in(claim: &Claim, call: &Call) -> bool {
    has_frames_of(claim, &call.frames)
}

/// Whether a stack is one that the finding speaks of: with its own line, and with a line of the explanation innermost.
fn has_frames_of(claim: &Claim, frames: &[Frame]) -> bool {
    let Some(innermost) = frames.first() else { return false };
    let is_known = holds(&claim.own, innermost) || holds(&claim.explanation, innermost);
    is_known && frames.iter().any(|frame| holds(&claim.own, frame))
}

fn holds(places: &[Place], frame: &Frame) -> bool {
    places.iter().any(|place| place.line == frame.line && place.path == frame.path)
}

#[cfg(test)]
mod tests;
