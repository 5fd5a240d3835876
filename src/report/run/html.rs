//! A run as one file for a browser: no network, no script, readable from disk, and of bounded size however large the run.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{View, words};
use crate::report::markup::Page;
use crate::verify::event::Frame;
use crate::verify::outcome::{Divergence, Outcome, Side};

mod lanes;
mod sections;

const STYLE: &str = include_str!("html/style.css");
/// Nothing is loaded and nothing runs, even if something of the program's texts should slip through.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
/// Frames of a stack with their source; the rest is named.
const MOST_SOURCES: usize = 4;
/// Frames of a stack.
const MOST_FRAMES: usize = 12;
/// Lines of source on either side of the innermost frame's line, and of the others: often it is the condition above the call
/// that matters.
const AROUND: (u32, u32) = (2, 1);
/// Bytes of one line of source.
const LONGEST: usize = 240;
/// Sides shown in full.
const MOST_SIDES: usize = 6;

pub(super) fn render(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::default();
    head(view, &mut page);
    if let Some(divergence) = view.report.outcome.divergence() {
        sides(view, divergence, &mut page);
    }
    lanes::draw(view, &mut page);
    sections::draw(view, &mut page);
    foot(view, &mut page);
    out.write_all(page.text.as_bytes())
}

fn head(view: &View<'_>, page: &mut Page) {
    let report = view.report;
    let (word, sentence) = words::verdict(report);
    page.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.raw(&format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<title>"));
    page.text(&format!("{word}: {sentence}")).raw("</title>\n<style>\n").raw(STYLE).raw("</style>\n</head>\n<body>\n");
    let tone = match &report.outcome {
        Outcome::Passed => "good",
        Outcome::Skipped { .. } | Outcome::Blocked { .. } | Outcome::Interrupted { .. } => "warn",
        _ => "bad",
    };
    page.raw("<header>\n").element("span", &format!("badge {tone}"), word);
    page.raw("\n<h1>").prose(&sentence).raw("</h1>\n");
    if let Some(divergence) = report.outcome.divergence() {
        let mut place = words::place(divergence);
        if !divergence.differs.is_empty() {
            let _ = write!(place, "; what differs: {}", divergence.differs);
        }
        page.element("p", "where", &place).raw("\n");
    }
    page.raw("<dl class=\"facts\">\n");
    let mut facts = vec![("ranks", report.world.to_string()), ("started by", report.launcher.clone())];
    facts.extend(report.torch.as_ref().map(|version| ("torch", version.clone())));
    facts.push(("interpreter", report.interpreter.clone()));
    if report.launcher != "replay" {
        facts.push(("took", words::duration(report.wall_us)));
    }
    facts.extend(report.latency_us.map(|latency| ("seen after", words::duration(latency))));
    facts.extend(
        report
            .coverage
            .filter(|coverage| coverage.sites > 0)
            .map(|coverage| ("call sites reached", format!("{} of {}", coverage.reached, coverage.sites))),
    );
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        page.raw("<div>").element("dt", "", name).element("dd", "", value).raw("</div>\n");
    }
    page.raw("</dl>\n").element("pre", "again", &words::again(report)).raw("\n</header>\n");
}

/// The colour of a side: the one to blame is red.
fn tone(divergence: &Divergence, index: usize) -> &'static str {
    match index {
        _ if index > 0 && index + 1 == divergence.sides.len() => "blamed",
        0 => "s0",
        1 => "s1",
        _ => "s2",
    }
}

fn sides(view: &View<'_>, divergence: &Divergence, page: &mut Page) {
    page.raw("<section id=\"sides\">\n").heading("Where the ranks part", "").raw("<div class=\"sides\">\n");
    for (index, side) in divergence.sides.iter().enumerate().take(MOST_SIDES) {
        self::side(view, divergence, side, tone(divergence, index), page);
    }
    page.raw("</div>\n");
    if divergence.sides.len() > MOST_SIDES {
        let more = format!("and {} more ways", divergence.sides.len() - MOST_SIDES);
        page.element("p", "legend", &more);
    }
    page.raw("</section>\n");
}

fn side(view: &View<'_>, divergence: &Divergence, side: &Side, tone: &str, page: &mut Page) {
    page.raw(&format!("<div class=\"side {tone}\">\n<h3>")).element("b", "", &words::ranks(&side.ranks));
    page.raw(" ").prose(&words::doing(side, &divergence.group)).raw("</h3>\n");
    let frames = words::frames(&side.doing);
    for (index, frame) in frames.iter().take(MOST_FRAMES).enumerate() {
        page.raw("<p class=\"place mono\">");
        page.text(if index == 0 { "" } else { "called from " });
        page.text(&format!("{}:{}", view.path(&frame.path), frame.line));
        if !frame.function.is_empty() {
            page.text(&format!(" in {}", frame.function));
        }
        page.raw("</p>\n");
        let around = if index == 0 { AROUND.0 } else { AROUND.1 };
        if index < MOST_SOURCES {
            source(view, frame, around, page);
        }
    }
    if frames.len() > MOST_FRAMES {
        page.element("p", "place", &format!("and {} more frames", frames.len() - MOST_FRAMES));
    }
    page.raw("</div>\n");
}

/// The lines around a frame's line, without the indentation that they share.
fn source(view: &View<'_>, frame: &Frame, around: u32, page: &mut Page) {
    let lines = view.lines(&frame.path, frame.line, around);
    let filled = |(number, line): &(u32, String)| *number == frame.line || !line.is_empty();
    let (Some(first), Some(last)) = (lines.iter().position(filled), lines.iter().rposition(filled)) else { return };
    let lines = &lines[first..=last];
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let shared = lines.iter().map(|(_, line)| line).filter(|line| !line.is_empty()).map(|line| indentation(line)).min();
    page.raw("<pre>");
    for (number, line) in lines {
        let class = if *number == frame.line { "source hit" } else { "source" };
        let line = line.get(shared.unwrap_or(0)..).unwrap_or("");
        let short = &line[..line.floor_char_boundary(LONGEST)];
        page.raw(&format!("<span class=\"{class}\"><i>{number}</i>")).text(short);
        page.raw(if short.len() < line.len() { "…</span>" } else { "</span>" });
    }
    page.raw("</pre>\n");
}

fn foot(view: &View<'_>, page: &mut Page) {
    page.raw("<footer>").text(&format!("ranklint {}", env!("CARGO_PKG_VERSION")));
    if !view.report.folder.is_empty() {
        page.text("; logs and output: ").element("code", "", &view.path(&view.report.folder));
    }
    page.raw("</footer>\n</body>\n</html>\n");
}
