//! What stands below the place where ranks part: how each rank ended, what the linter had said, and where to go on.

use std::collections::BTreeMap;

use super::{cut, entry, evidence};
use crate::finding::{Evidence, Severity};
use crate::report::run::{View, words};
use crate::report::text::{Paint, Style, push_line};
use crate::report::{counted, printable};
use crate::verify::event::Frame;
use crate::verify::outcome::{Lane, Outcome};

/// Lines of one kind.
const MOST: usize = 6;
/// Lines of a rank's output.
const TAIL: usize = 10;
/// Lines of a rank's stacks.
const STACK: usize = 12;
/// Columns of a line that repeats what a program printed.
const WIDEST: usize = 110;

pub(super) fn draw(view: &View<'_>, paint: Paint, out: &mut String) {
    push_line(out, "");
    let entry = |out: &mut String, style, word: &str, lines: &[String]| entry(out, paint, style, word, lines);
    if let Outcome::Blocked { tried, remedy } = &view.report.outcome {
        entry(out, Style::Secondary, "tried", &tried.iter().map(|line| printable(line)).collect::<Vec<_>>());
        entry(out, Style::Remedy, "help", &[printable(remedy)]);
    }
    if let Outcome::Leaked { processes } = &view.report.outcome {
        entry(
            out,
            Style::Secondary,
            "left",
            &some(processes.iter().map(|line| cut(&printable(line), WIDEST)).collect()),
        );
    }
    entry(out, Style::Secondary, "ended", &some(ends(view)));
    if let Some(lane) = speaker(view) {
        said(lane, paint, out);
    }
    stacks(view, paint, out);
    entry(out, Style::Secondary, "lint", &predictions(view, paint));
    entry(out, Style::Secondary, "env", &some(environment(view)));
    entry(out, Style::Secondary, "wrote", &some(writes(view)));
    entry(out, Style::Secondary, "async", &some(unawaited(view)));
    let notes: Vec<String> = view.report.notes.iter().map(|note| printable(note)).collect();
    entry(out, Style::Secondary, "note", &some(notes));
    if !view.report.folder.is_empty() && view.report.launcher != "replay" {
        entry(out, Style::Secondary, "logs", &[printable(&view.path(&view.report.folder))]);
    }
    let confirmed = view.report.predictions.iter().find(|prediction| prediction.evidence == Evidence::Confirmed);
    if let Some(prediction) = confirmed {
        entry(out, Style::Secondary, "why", &[format!("ranklint explain {}", printable(&prediction.rule))]);
    }
    if !view.report.command.is_empty() || view.report.launcher == "replay" {
        entry(out, Style::Secondary, "again", &[printable(&words::again(view.report))]);
    }
}

/// The first lines, and how many more there are.
fn some(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MOST {
        let more = lines.len() - MOST + 1;
        lines.truncate(MOST - 1);
        lines.push(format!("… and {more} more"));
    }
    lines
}

/// How the ranks ended; those that ended alike share a line.
fn ends(view: &View<'_>) -> Vec<String> {
    let mut ends: Vec<(String, Vec<u32>)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for lane in &view.report.lanes {
        let end = words::end(lane, view.report);
        let index = *known.entry(end.clone()).or_insert(ends.len());
        match ends.get_mut(index) {
            Some((_, ranks)) => ranks.push(lane.rank),
            None => ends.push((end, vec![lane.rank])),
        }
    }
    let plain = view.report.outcome == Outcome::Passed;
    let calls = |ranks: &[u32]| {
        let lanes = view.report.lanes.iter().filter(|lane| ranks.binary_search(&lane.rank).is_ok());
        let counts: Vec<u64> = lanes.map(|lane| lane.calls.len() as u64 + lane.left_out).collect();
        let (least, most) = (counts.iter().min().copied().unwrap_or(0), counts.iter().max().copied().unwrap_or(0));
        if least == most { counted(most as usize, "call") } else { format!("{least} to {most} calls") }
    };
    let line = |(end, ranks): &(String, Vec<u32>)| {
        let after = if plain { format!(" after {}", calls(ranks)) } else { String::new() };
        cut(&format!("{}: {}{after}", words::ranks(ranks), printable(end)), WIDEST)
    };
    ends.iter().map(line).collect()
}

/// The rank whose own words explain the end.
fn speaker<'a>(view: &'a View<'_>) -> Option<&'a Lane> {
    let rank = match &view.report.outcome {
        Outcome::Failed { rank, .. } | Outcome::Signalled { rank, .. } => *rank,
        _ => return None,
    };
    view.report.lanes.iter().find(|lane| lane.rank == rank)
}

/// The end of what a rank printed.
fn said(lane: &Lane, paint: Paint, out: &mut String) {
    let lines: Vec<&str> = lane.output_tail.trim_end().lines().collect();
    if lines.is_empty() {
        return;
    }
    entry(out, paint, Style::Secondary, "said", &[format!("rank {}", lane.rank)]);
    for line in &lines[lines.len().saturating_sub(TAIL)..] {
        push_line(out, &format!("        {} {}", paint.paint(Style::Faint, "│"), cut(&printable(line), WIDEST)));
    }
}

/// Stacks of a run that stands still: of the first rank of each kind of end.
fn stacks(view: &View<'_>, paint: Paint, out: &mut String) {
    if !matches!(view.report.outcome, Outcome::Stalled { .. } | Outcome::TimedOut { .. }) {
        return;
    }
    let mut seen: Vec<&str> = Vec::new();
    for lane in &view.report.lanes {
        let stacks = lane.stacks.trim_end();
        if stacks.is_empty() || seen.contains(&stacks) || seen.len() == 3 {
            continue;
        }
        seen.push(stacks);
        entry(out, paint, Style::Secondary, "stack", &[format!("rank {}", lane.rank)]);
        for line in stacks.lines().take(STACK) {
            push_line(out, &format!("        {} {}", paint.paint(Style::Faint, "│"), cut(&printable(line), WIDEST)));
        }
    }
}

/// What the linter had said, with the verdicts; what it had not said; and how much of what it knows was run.
fn predictions(view: &View<'_>, paint: Paint) -> Vec<String> {
    let report = view.report;
    let known = words::predictions(report);
    let mut lines = Vec::new();
    for prediction in known.iter().take(MOST) {
        let (word, style) = evidence(prediction.evidence);
        let place = format!("{}:{}", printable(&prediction.path), prediction.line);
        let rule = paint.paint(Style::Faint, &printable(&prediction.rule));
        let message = printable(&prediction.message);
        lines.push(format!("{}  {place}  {message}  {rule}", paint.paint(style, &format!("{word:<12}"))));
        if !prediction.why.is_empty() {
            lines.push(paint.paint(Style::Faint, &format!("              {}", printable(&prediction.why))));
        }
    }
    if known.len() > MOST {
        lines.push(format!("… and {} more", known.len() - MOST));
    }
    if report.unpredicted {
        let word = paint.paint(Style::Primary(Severity::Warning), "unpredicted ");
        lines.push(format!("{word}  no rule had said that the ranks part here; please report it"));
    }
    if let Some(coverage) = report.coverage.filter(|coverage| coverage.sites > 0) {
        let sites = counted(coverage.sites as usize, "call site");
        lines.push(format!("the run reached {} of {sites} of collectives", coverage.reached));
    }
    lines
}

fn environment(view: &View<'_>) -> Vec<String> {
    let line = |difference: &crate::verify::outcome::EnvironmentDifference| {
        let mut values: Vec<(&Option<String>, Vec<u32>)> = Vec::new();
        for (rank, value) in &difference.values {
            match values.iter_mut().find(|(known, _)| *known == value) {
                Some((_, ranks)) => ranks.push(*rank),
                None => values.push((value, vec![*rank])),
            }
        }
        let told = values.iter().map(|(value, ranks)| match value {
            Some(hash) => format!("{} {}", words::ranks(ranks), cut(hash, 8)),
            None => format!("{} not set", words::ranks(ranks)),
        });
        let told: Vec<String> = told.collect();
        printable(&format!("{} differs: {}{}", difference.key, told.join(", "), read_at(view, &difference.frames)))
    };
    view.report.environment.iter().map(line).collect()
}

fn read_at(view: &View<'_>, frames: &[Frame]) -> String {
    match frames.first() {
        Some(frame) => format!("  (read at {}:{})", view.path(&frame.path), frame.line),
        None => String::new(),
    }
}

fn writes(view: &View<'_>) -> Vec<String> {
    let line = |write: &crate::verify::outcome::OutsideWrite| {
        let place = write.frames.first().map(|frame| format!("  {}:{}", view.path(&frame.path), frame.line));
        let ranks = words::ranks(&write.ranks);
        printable(&format!("{} by {} on {ranks}{}", write.path, write.how, place.unwrap_or_default()))
    };
    view.report.writes.iter().map(line).collect()
}

fn unawaited(view: &View<'_>) -> Vec<String> {
    let line = |(call, times): &(crate::verify::outcome::Call, u64)| {
        let place = call.frames.first().map(|frame| format!("  {}:{}", view.path(&frame.path), frame.line));
        let often = if *times == 1 { String::new() } else { format!(", {times} times") };
        printable(&format!("nobody waits for {}{often}{}", words::quoted(call, None), place.unwrap_or_default()))
    };
    view.report.unawaited.iter().map(line).collect()
}
