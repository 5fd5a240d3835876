//! Byte offsets and what clients count in: lines from 0, and columns in the units that were agreed on.

use std::path::Path;

use lsp_types::{Position, PositionEncodingKind, Range};

use crate::base::{LineIndex, Span};

/// What columns count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// Code units of UTF-16: what holds where nothing is said.
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The best of what the client offers.
    pub(super) fn of(offered: &[PositionEncodingKind]) -> Encoding {
        let offers = |kind: &PositionEncodingKind| offered.contains(kind);
        if offers(&PositionEncodingKind::UTF8) {
            Encoding::Utf8
        } else if offers(&PositionEncodingKind::UTF32) {
            Encoding::Utf32
        } else {
            Encoding::Utf16
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
            Encoding::Utf32 => "utf-32",
        }
    }

    fn width(self, text: &str) -> u32 {
        match self {
            Encoding::Utf8 => text.len() as u32,
            Encoding::Utf16 => text.chars().map(|letter| letter.len_utf16() as u32).sum(),
            Encoding::Utf32 => text.chars().count() as u32,
        }
    }
}

/// A text with its lines.
pub(super) struct Lines<'a> {
    text: &'a str,
    index: LineIndex,
    encoding: Encoding,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str, encoding: Encoding) -> Lines<'a> {
        Lines { text, index: LineIndex::new(text), encoding }
    }

    /// Where the byte at `offset` is; the nearest place before it that is one.
    pub(super) fn position(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.index.line(offset as u32);
        let start = self.index.line_start(line) as usize;
        Position::new(line - 1, self.encoding.width(&self.text[start..offset]))
    }

    pub(super) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end.max(span.start)))
    }

    /// The offset of a position; the nearest one that exists.
    pub(super) fn offset(&self, position: Position) -> u32 {
        if position.line >= self.index.line_count() {
            return self.text.len() as u32;
        }
        let (start, line) = self.line(position.line + 1);
        let mut left = position.character;
        let mut at = start;
        for letter in line.chars() {
            let width = match self.encoding {
                Encoding::Utf8 => letter.len_utf8(),
                Encoding::Utf16 => letter.len_utf16(),
                Encoding::Utf32 => 1,
            } as u32;
            if left < width {
                break;
            }
            left -= width;
            at += letter.len_utf8() as u32;
        }
        at
    }

    /// Where a line (from 1) begins, and its text without its end.
    pub(super) fn line(&self, line: u32) -> (u32, &'a str) {
        let start = self.index.line_start(line);
        let end =
            if line >= self.index.line_count() { self.text.len() as u32 } else { self.index.line_start(line + 1) };
        (start, self.text[start as usize..end as usize].trim_end_matches(['\n', '\r']))
    }

    /// The line (from 1) of an offset.
    pub(super) fn line_of(&self, offset: u32) -> u32 {
        self.index.line(offset)
    }

    pub(super) fn count(&self) -> u32 {
        self.index.line_count()
    }
}

/// Whether a file of that name is a shell script by what the client says of its language.
pub(super) fn is_shell(language: &str, path: &Path) -> bool {
    matches!(language, "shellscript" | "sh" | "bash")
        || crate::source::Kind::of(path) == Some(crate::source::Kind::Shell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_agreed() {
        let text = "a\r\nß𝄞x = 1\n";
        let x = text.find('x').expect("it is there") as u32;
        for (encoding, column) in [(Encoding::Utf8, 6), (Encoding::Utf16, 3), (Encoding::Utf32, 2)] {
            let lines = Lines::new(text, encoding);
            assert_eq!(lines.position(x), Position::new(1, column));
            assert_eq!(lines.offset(Position::new(1, column)), x);
            assert_eq!(lines.offset(Position::new(0, 99)), 1);
            assert_eq!(lines.offset(Position::new(9, 9)), text.len() as u32);
        }
        // Half a character is its beginning.
        assert_eq!(Lines::new(text, Encoding::Utf16).offset(Position::new(1, 2)), 5);
    }
}
