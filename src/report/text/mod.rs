//! Findings for people: what, where, why, what each rank does, what to do, in one screen.

use std::io::{self, Write};

use super::crowd::told;
use super::{Places, Report, closing_line, printable, severity_name};
use crate::base::Site;
use crate::finding::{Confidence, Evidence, Finding, Related};

mod cells;
mod frame;
mod paint;
mod witness;

pub(super) use cells::{Cells, width};
pub(super) use frame::push_line;
pub(super) use paint::{Paint, Style};

use frame::{Block, Note};

/// The column at which the name of the rule ends.
const RIGHT: usize = 93;
/// Lines of source in one frame.
const MOST_LINES: usize = 8;
/// Places below the frame, where there are more.
const MOST_PLACES: usize = 5;

pub(super) fn render(report: &Report<'_>, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    let paint = Paint::new(report.color);
    for finding in &told(report.findings) {
        let mut text = String::new();
        head(finding, paint, &mut text);
        body(finding, places, paint, &mut text);
        witness::draw(&finding.witness, finding.site.file, places, paint, &mut text);
        foot(finding, paint, &mut text);
        writeln!(out, "{text}")?;
    }
    writeln!(out, "{}", closing_line(report))
}

/// `error: what is wrong                   name-of-the-rule`
fn head(finding: &Finding, paint: Paint, out: &mut String) {
    let (word, message) = (severity_name(finding.severity), printable(&finding.message));
    let used = cells::width(word) + 2 + cells::width(&message);
    let gap = RIGHT.saturating_sub(used + cells::width(finding.rule)).max(2);
    let (word, message) = (paint.severity(finding.severity, word), paint.paint(Style::Strong, &message));
    let rule = paint.paint(Style::Faint, finding.rule);
    push_line(out, &format!("{word}: {message}{}{rule}", " ".repeat(gap)));
}

/// The frame, and the places that found no room in it.
fn body(finding: &Finding, places: &Places<'_>, paint: Paint, out: &mut String) {
    let primary = Style::Primary(finding.severity);
    let mut blocks = vec![Block {
        file: finding.site.file,
        path: places.path(finding.site.file),
        at: places.range(finding.site).start,
        lines: Default::default(),
    }];
    let mut lines = 0;
    if !finding.related.iter().any(|related| related.site == finding.site) {
        add(&mut blocks, &mut lines, finding.site, None, primary, places);
    }
    // The primary line has its place in the frame before any other.
    let (own, others): (Vec<_>, Vec<_>) = finding.related.iter().partition(|related| related.site == finding.site);
    let mut rest: Vec<&Related> = Vec::new();
    for related in own.into_iter().chain(others) {
        let style = if related.site == finding.site { primary } else { Style::Secondary };
        if !add(&mut blocks, &mut lines, related.site, Some(&related.message), style, places) {
            rest.push(related);
        }
    }
    frame::draw(&blocks, paint, out);
    for related in rest.iter().take(MOST_PLACES) {
        let place = format!("{}:{}", printable(places.path(related.site.file)), places.line(related.site));
        push_line(out, &format!("   … {}  {}", paint.paint(Style::Faint, &place), printable(&related.message)));
    }
    if rest.len() > MOST_PLACES {
        push_line(out, &format!("   … and {} more places", rest.len() - MOST_PLACES));
    }
}

/// Puts a note into the frame. False when there is no room for its line.
fn add<'a>(
    blocks: &mut Vec<Block<'a>>,
    lines: &mut usize,
    site: Site,
    text: Option<&str>,
    style: Style,
    places: &Places<'a>,
) -> bool {
    let range = places.range(site);
    let number = range.start.line;
    let known = blocks.iter().position(|block| block.file == site.file);
    let new_line = known.is_none_or(|index| !blocks[index].lines.contains_key(&number));
    if new_line && *lines >= MOST_LINES {
        return false;
    }
    *lines += usize::from(new_line);
    let index = known.unwrap_or_else(|| {
        let path = places.path(site.file);
        blocks.push(Block { file: site.file, path, at: range.start, lines: Default::default() });
        blocks.len() - 1
    });
    let source = places.line_text(site.file, number);
    let bytes = places.within_line(site);
    let (_, notes) = blocks[index].lines.entry(number).or_insert_with(|| (source, Vec::new()));
    let text = text.map(str::to_owned);
    if !notes.iter().any(|note| note.bytes == bytes && note.text == text) {
        notes.push(Note { bytes, text, style });
    }
    true
}

/// What to do, and where to read more.
fn foot(finding: &Finding, paint: Paint, out: &mut String) {
    for (index, line) in finding.help.lines().enumerate() {
        let word = if index == 0 { paint.paint(Style::Remedy, "help:") } else { " ".repeat(5) };
        push_line(out, &format!("   {word} {}", printable(line)));
    }
    if let Some(fix) = &finding.fix {
        let safety = if fix.safe { "" } else { "  (may change what the program does)" };
        push_line(out, &format!("   {}  {}{safety}", paint.paint(Style::Remedy, "fix:"), printable(&fix.message)));
    }
    let seen = match finding.evidence {
        Evidence::Static => "",
        Evidence::Confirmed => "confirmed: a run showed the ranks part here",
        Evidence::Refuted => "refuted: both ways ran and the ranks stayed in step",
        Evidence::Inconclusive => "inconclusive: a run did not decide it",
    };
    if !seen.is_empty() {
        push_line(out, &format!("   {}  {seen}", paint.paint(Style::Secondary, "run:")));
    }
    let sure = match finding.confidence {
        Confidence::High => "",
        Confidence::Medium => "        confidence: medium",
        Confidence::Low => "        confidence: low",
    };
    let why = paint.paint(Style::Secondary, "why:");
    push_line(out, &format!("   {why}  ranklint explain {}{}", finding.rule, paint.paint(Style::Faint, sure)));
}
