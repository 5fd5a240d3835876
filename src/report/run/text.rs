//! A run for people at a terminal: the verdict, where the ranks part and what each of them does there, in one screen.

use std::io::{self, Write};

use super::{View, words};
use crate::finding::{Evidence, Severity};
use crate::report::text::{Cells, Paint, Style, push_line, width};
use crate::report::{counted, printable};
use crate::verify::event::Frame;
use crate::verify::outcome::{GroupName, Outcome, Side};

mod rest;
mod table;

/// The column at which the line of the verdict ends.
const RIGHT: usize = 93;
/// Frames shown of one stack.
const MOST_FRAMES: usize = 4;
/// Sides shown in full.
const MOST_SIDES: usize = 4;

pub(super) fn render(view: &View<'_>, color: bool, out: &mut dyn Write) -> io::Result<()> {
    let paint = Paint::new(color);
    let mut text = String::new();
    head(view, paint, &mut text);
    if let Some(divergence) = view.report.outcome.divergence() {
        for (index, side) in divergence.sides.iter().enumerate().take(MOST_SIDES) {
            let blamed = index + 1 == divergence.sides.len() && index > 0;
            self::side(view, side, &divergence.group, blamed, paint, &mut text);
        }
        if divergence.sides.len() > MOST_SIDES {
            push_line(&mut text, &format!("   … and {} more ways", divergence.sides.len() - MOST_SIDES));
        }
        table::draw(view, divergence, paint, &mut text);
    }
    rest::draw(view, paint, &mut text);
    write!(out, "{text}")
}

/// `diverged: what happened                2 ranks, 1.3 s`, and where.
fn head(view: &View<'_>, paint: Paint, out: &mut String) {
    let report = view.report;
    let (word, sentence) = words::verdict(report);
    let sentence = printable(&sentence);
    let took = match report.launcher.as_str() {
        "replay" => "replay".to_owned(),
        "dry" => format!("dry run, {}", words::duration(report.wall_us)),
        _ => words::duration(report.wall_us),
    };
    let beside = format!("{}, {took}", counted(report.world as usize, "rank"));
    let gap = RIGHT.saturating_sub(width(word) + 2 + width(&sentence) + width(&beside)).max(2);
    let style = match &report.outcome {
        Outcome::Passed => Style::Remedy,
        Outcome::Skipped { .. } | Outcome::Blocked { .. } | Outcome::Interrupted { .. } => {
            Style::Primary(Severity::Warning)
        }
        _ => Style::Primary(Severity::Error),
    };
    let (word, sentence) = (paint.paint(style, word), paint.paint(Style::Strong, &sentence));
    push_line(out, &format!("{word}: {sentence}{}{}", " ".repeat(gap), paint.paint(Style::Faint, &beside)));
    if let Some(divergence) = report.outcome.divergence() {
        let mut place = printable(&words::place(divergence));
        if let Some(latency) = report.latency_us {
            place += &format!("; seen after {}", words::duration(latency));
        }
        push_line(out, &format!("   {}", paint.paint(Style::Faint, &place)));
    }
}

/// Ranks that do the same, and where: the source lines of their stack.
fn side(view: &View<'_>, side: &Side, home: &GroupName, blamed: bool, paint: Paint, out: &mut String) {
    let style = if blamed { Style::Primary(Severity::Error) } else { Style::Secondary };
    push_line(out, "");
    let who = paint.paint(style, &words::ranks(&side.ranks));
    push_line(out, &format!("   {who} {}", printable(&words::doing(side, home))));
    stack(view, words::frames(&side.doing), style, paint, out);
}

/// The frames of a stack, innermost first, each with its line of source where that can be read.
fn stack(view: &View<'_>, frames: &[Frame], style: Style, paint: Paint, out: &mut String) {
    let shown = &frames[..frames.len().min(MOST_FRAMES)];
    let [first, ..] = shown else { return };
    let digits = shown.iter().map(|frame| frame.line.to_string().len()).max().unwrap_or(1).max(2);
    let gutter = " ".repeat(digits + 2);
    let faint = |text: &str| paint.paint(Style::Faint, text);
    let place = format!("{}:{}", printable(&view.path(&first.path)), first.line);
    push_line(out, &format!("{gutter}{}{place}{}", faint("╭─["), faint("]")));
    let sources: Vec<Option<String>> = shown.iter().map(|frame| source(view, frame)).collect();
    let widest = sources.iter().flatten().map(|text| width(text)).max().unwrap_or(0).min(56);
    for (index, (frame, source)) in shown.iter().zip(sources).enumerate() {
        if index > 0 && frame.path != shown[index - 1].path {
            let place = format!("{}:{}", printable(&view.path(&frame.path)), frame.line);
            push_line(out, &format!("{gutter}{}{place}{}", faint("├─["), faint("]")));
        }
        let function = if frame.function.is_empty() { String::new() } else { format!("in {}", frame.function) };
        let (source, gap) = match source {
            Some(source) => {
                let gap = " ".repeat(widest.saturating_sub(width(&source)) + 3);
                (if index == 0 { paint.paint(style, &source) } else { source }, gap)
            }
            None => (String::new(), String::new()),
        };
        let head = faint(&format!(" {:>digits$} │", frame.line));
        push_line(out, &format!("{head} {source}{gap}{}", faint(&printable(&function))));
    }
    if frames.len() > shown.len() {
        let more = counted(frames.len() - shown.len(), "more frame");
        push_line(out, &format!("{gutter}{} {}", faint("·"), faint(&format!("… {more}"))));
    }
    push_line(out, &format!("{gutter}{}", faint("╰────")));
}

/// The source line of a frame as a terminal can show it.
fn source(view: &View<'_>, frame: &Frame) -> Option<String> {
    let line = view.line(&frame.path, frame.line)?;
    Some(Cells::near(&line, 0).window(&mut []))
}

/// Appends `word: text`, with the lines below the first one under its text.
fn entry(out: &mut String, paint: Paint, style: Style, word: &str, lines: &[String]) {
    for (index, line) in lines.iter().enumerate() {
        let head = if index == 0 { format!("{word}:") } else { String::new() };
        let blanks = " ".repeat(7_usize.saturating_sub(width(&head)).max(1));
        push_line(out, &format!("   {}{blanks}{line}", paint.paint(style, &head)));
    }
}

/// The word for a verdict on a finding, and its colour.
fn evidence(evidence: Evidence) -> (&'static str, Style) {
    match evidence {
        Evidence::Confirmed => ("confirmed", Style::Primary(Severity::Error)),
        Evidence::Refuted => ("refuted", Style::Remedy),
        Evidence::Inconclusive => ("inconclusive", Style::Faint),
        Evidence::Static => ("not run", Style::Faint),
    }
}

/// `text` cut to `columns` columns.
fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        if width(&kept) + 2 > columns {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}
