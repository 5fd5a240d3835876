//! The frame: source lines with what is to be said about parts of them, across files, without the lines in between.
//!
//! The frame looks like miette's. It is drawn here because miette prints all lines between two labels or one frame for each,
//! and an explanation that spans a function needs one frame with its few lines.

use std::collections::BTreeMap;
use std::ops::Range;

use super::cells::Cells;
use super::paint::{Paint, Style};
use crate::base::{FileId, Position};
use crate::report::printable;

/// Something to say about a part of one line.
pub(super) struct Note {
    /// The bytes of the line that it is about.
    pub bytes: Range<usize>,
    /// What to say; nothing where the underline is enough.
    pub text: Option<String>,
    /// Its colour.
    pub style: Style,
}

/// Some lines of one file.
pub(super) struct Block<'a> {
    /// The file.
    pub file: FileId,
    /// Its path.
    pub path: &'a str,
    /// The place that the block's head names.
    pub at: Position,
    /// The lines by number, each with its notes.
    pub lines: BTreeMap<u32, (&'a str, Vec<Note>)>,
}

/// Draws the blocks one below the other.
pub(super) fn draw(blocks: &[Block<'_>], paint: Paint, out: &mut String) {
    let widest = blocks.iter().flat_map(|block| block.lines.keys()).max().copied().unwrap_or(0);
    let digits = widest.to_string().len().max(2);
    let gutter = " ".repeat(digits + 2);
    if let [block] = blocks
        && block.lines.values().all(|(text, notes)| text.trim().is_empty() && notes.iter().all(|n| n.text.is_none()))
    {
        // Nothing to show: the file is empty or could not be read. Its name is enough.
        let place = format!("{}:{}:{}", printable(block.path), block.at.line, block.at.column);
        let (open, close) = (paint.paint(Style::Faint, "╶─["), paint.paint(Style::Faint, "]"));
        return push_line(out, &format!("{gutter}{open}{place}{close}"));
    }
    for (index, block) in blocks.iter().enumerate() {
        let corner = if index == 0 { "╭─[" } else { "├─[" };
        let place = format!("{}:{}:{}", printable(block.path), block.at.line, block.at.column);
        let (corner, close) = (paint.paint(Style::Faint, corner), paint.paint(Style::Faint, "]"));
        push_line(out, &format!("{gutter}{corner}{place}{close}"));
        for (number, (text, notes)) in &block.lines {
            let first = notes.iter().map(|note| note.bytes.start).min().unwrap_or(0);
            let cells = Cells::near(text, first);
            let mut spans: Vec<_> = notes.iter().map(|note| cells.columns(note.bytes.start, note.bytes.end)).collect();
            let shown = cells.window(&mut spans);
            let head = paint.paint(Style::Faint, &format!(" {number:>digits$} │"));
            push_line(out, &format!("{head} {shown}"));
            let dot = paint.paint(Style::Faint, "·");
            for row in rows(notes, &spans, paint) {
                push_line(out, &format!("{gutter}{dot} {row}"));
            }
        }
    }
    push_line(out, &format!("{gutter}{}", paint.paint(Style::Faint, "╰────")));
}

/// Appends a line without blanks at its end.
pub(in crate::report) fn push_line(out: &mut String, line: &str) {
    out.push_str(line.trim_end());
    out.push('\n');
}

/// A part of a line with everything that is said about it.
struct Label<'a> {
    from: usize,
    to: usize,
    texts: Vec<&'a str>,
    style: Style,
}

impl Label<'_> {
    /// The column of the stem.
    fn stem(&self) -> usize {
        self.from + (self.to - self.from) / 2
    }
}

/// The rows below one source line.
fn rows(notes: &[Note], spans: &[(usize, usize)], paint: Paint) -> Vec<String> {
    let mut labels: Vec<Label<'_>> = Vec::new();
    for (note, &(from, to)) in notes.iter().zip(spans) {
        let found = labels.iter().position(|label| (label.from, label.to) == (from, to));
        let index = found.unwrap_or_else(|| {
            labels.push(Label { from, to, texts: Vec::new(), style: note.style });
            labels.len() - 1
        });
        labels[index].texts.extend(note.text.as_deref());
    }
    labels.sort_by_key(|label| (label.from, label.to));
    let mut tiers: Vec<Vec<Label<'_>>> = Vec::new();
    for label in labels {
        let free = tiers.iter().position(|tier| tier.last().is_some_and(|last| last.to < label.from));
        match free {
            Some(tier) => tiers[tier].push(label),
            None => tiers.push(vec![label]),
        }
    }
    tiers.iter().flat_map(|tier| tier_rows(tier, paint)).collect()
}

/// The underlines of labels that do not overlap, then their texts, the rightmost first.
fn tier_rows(tier: &[Label<'_>], paint: Paint) -> Vec<String> {
    let mut underline = Row::new(paint);
    for label in tier {
        let stem = if label.texts.is_empty() { "─" } else { "┬" };
        let (before, after) = (label.stem() - label.from, label.to - label.stem() - 1);
        underline.put(label.from, label.style, &format!("{}{stem}{}", "─".repeat(before), "─".repeat(after)));
    }
    let mut rows = vec![underline.text];
    for (index, label) in tier.iter().enumerate().rev() {
        for (count, text) in label.texts.iter().enumerate() {
            let mut row = Row::new(paint);
            for left in tier[..index].iter().filter(|left| !left.texts.is_empty()) {
                row.put(left.stem(), left.style, "│");
            }
            let corner = if count + 1 < label.texts.len() { "├── " } else { "╰── " };
            row.put(label.stem(), label.style, &format!("{corner}{}", printable(text)));
            rows.push(row.text);
        }
    }
    rows
}

/// A row that is filled from left to right.
struct Row {
    text: String,
    column: usize,
    paint: Paint,
}

impl Row {
    fn new(paint: Paint) -> Self {
        Self { text: String::new(), column: 0, paint }
    }

    fn put(&mut self, column: usize, style: Style, text: &str) {
        self.text.extend(std::iter::repeat_n(' ', column.saturating_sub(self.column)));
        self.text.push_str(&self.paint.paint(style, text));
        self.column = column.max(self.column) + super::cells::width(text);
    }
}
