//! One source line as it appears on a terminal: tabs, wide characters and control characters have widths of their own.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::report::is_unprintable;

const TAB: usize = 4;
/// A line wider than this is cut around its labels.
const WIDEST: usize = 140;
/// Of a line longer than this, in bytes, only a part is looked at.
const ENDLESS: usize = 4_096;
/// How much is left before the first label of a cut line.
const LEAD: usize = 24;

/// Columns that a string takes.
pub(in crate::report) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// A line, and the column at which each of its characters begins.
pub(in crate::report) struct Cells {
    /// Byte offset, first column and printed form of each character.
    chars: Vec<(usize, usize, char)>,
    bytes: usize,
    columns: usize,
}

impl Cells {
    /// Lays out `line`, which holds no line end. Of an endless line only what lies around the byte `near` is laid out.
    pub fn near(line: &str, near: usize) -> Self {
        let begin = if line.len() <= ENDLESS { 0 } else { line.floor_char_boundary(near.saturating_sub(ENDLESS / 4)) };
        let end = line.ceil_char_boundary(begin.saturating_add(ENDLESS).min(line.len()));
        let mut chars = Vec::with_capacity(end - begin);
        let mut column = 0;
        for (at, c) in line[begin..end].char_indices().map(|(at, c)| (begin + at, c)) {
            let shown = if c != '\t' && is_unprintable(c) { '\u{fffd}' } else { c };
            // A byte-order mark is no part of the text.
            if c == '\u{feff}' {
                continue;
            }
            chars.push((at, column, shown));
            column += if c == '\t' { TAB - column % TAB } else { shown.width().unwrap_or(1) };
        }
        Self { chars, bytes: end, columns: column }
    }

    /// The columns of the bytes from `start` to `end`: at least one, even where nothing is printed.
    pub fn columns(&self, start: usize, end: usize) -> (usize, usize) {
        let (start, end) = (start.min(self.bytes), end.min(self.bytes));
        let first = self.chars.partition_point(|&(at, ..)| at <= start);
        let from = match first.checked_sub(1) {
            Some(index) if start < self.bytes => self.chars[index].1,
            _ => self.columns,
        };
        let after = self.chars.partition_point(|&(at, ..)| at < end);
        let to = self.chars.get(after).map_or(self.columns, |&(_, column, _)| column);
        (from, to.max(from + 1))
    }

    /// The printed line with spans of columns moved to where they stand in it. Very wide lines are cut around the spans.
    pub fn window(&self, spans: &mut [(usize, usize)]) -> String {
        let first = spans.iter().map(|span| span.0).min().unwrap_or(0);
        let last = spans.iter().map(|span| span.1).max().unwrap_or(0);
        let wanted = if self.columns <= WIDEST || last <= WIDEST { 0 } else { first.saturating_sub(LEAD) };
        let begin = self.chars.partition_point(|&(_, column, _)| column < wanted);
        let left = self.chars.get(begin).map_or(self.columns, |&(_, column, _)| column);
        let mut text = String::new();
        let mut shift = 0;
        if begin > 0 {
            text.push('…');
            shift = 1;
        }
        let mut cut = None;
        for (index, &(_, column, c)) in self.chars.iter().enumerate().skip(begin) {
            let next = self.chars.get(index + 1).map_or(self.columns, |&(_, column, _)| column);
            if next - left > WIDEST {
                text.push('…');
                cut = Some(column - left + shift);
                break;
            }
            if c == '\t' {
                text.extend(std::iter::repeat_n(' ', next - column));
            } else {
                text.push(c);
            }
        }
        for span in spans {
            let limit = cut.unwrap_or(usize::MAX - 1);
            span.0 = (span.0.saturating_sub(left) + shift).min(limit);
            span.1 = (span.1.saturating_sub(left) + shift).min(limit + 1).max(span.0 + 1);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn under(line: &str, what: &str) -> String {
        let start = line.find(what).expect("it is there");
        let cells = Cells::near(line, start);
        let mut spans = [cells.columns(start, start + what.len())];
        let shown = cells.window(&mut spans);
        let mut column = 0;
        let mut picked = String::new();
        for c in shown.chars() {
            if (spans[0].0..spans[0].1).contains(&column) {
                picked.push(c);
            }
            column += c.width().unwrap_or(0);
        }
        picked
    }

    #[test]
    fn labels_stand_under_what_they_name() {
        assert_eq!(under("\tif rank == 0:", "rank"), "rank");
        assert_eq!(under("x = '全部' + rank", "rank"), "rank");
        assert_eq!(under("a\tb\tß rank", "ß"), "ß");
        assert_eq!(under(&format!("{} rank {}", "x, ".repeat(4_000), "y, ".repeat(4_000)), "rank"), "rank");
    }

    #[test]
    fn nothing_reaches_the_terminal_raw() {
        let cells = Cells::near("a\u{1b}[31m\u{7}\u{202e}b", 0);
        assert_eq!(cells.window(&mut []), "a\u{fffd}[31m\u{fffd}\u{fffd}b");
    }

    proptest! {
        #[test]
        fn columns_stay_within_the_line(line in "[ \t\\x00-\\x7fß全é\u{301}🙂]{0,300}", a in 0usize..1500, b in 0usize..1500) {
            let line = line.replace(['\n', '\r'], "");
            let cells = Cells::near(&line, a);
            let mut spans = [cells.columns(a.min(b), a.max(b)), cells.columns(a, a)];
            let shown = cells.window(&mut spans);
            for (from, to) in spans {
                prop_assert!(from < to);
                prop_assert!(to <= width(&shown) + 1, "{from}..{to} in {shown:?}");
            }
            prop_assert!(!shown.contains('\t'));
        }
    }
}
