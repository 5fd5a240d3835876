//! Identities and positions that every layer shares: files, symbols, spans, lines.
//!
//! Knows nothing of Python, of the file system or of findings.

mod arena;
mod symbol;

use serde::{Deserialize, Serialize};

pub use arena::Arena;
pub use symbol::Symbol;

/// One source file of a run; the index of its path in sorted order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

impl FileId {
    /// The position of the file in the run's tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A class of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

/// Half-open range of byte offsets in one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// A span from `start` to `end`, in bytes.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span that holds both.
    pub fn cover(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// Whether the other span lies within this one.
    pub fn holds(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A place in the program: a span of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The file.
    pub file: FileId,
    /// Where in it.
    pub span: Span,
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Offsets at which the lines of one text begin.
#[derive(Clone, Debug, Default)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Indexes `text`. Lines end at `\n`, `\r\n` or a lone `\r`, as Python's do.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                continue;
            }
            starts.push(at as u32 + 1);
        }
        Self { starts }
    }

    /// The line, from 1, that holds the byte at `offset`.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32
    }

    /// The offset at which `line` (from 1) begins; the last line's when it is past the end.
    pub fn line_start(&self, line: u32) -> u32 {
        let index = (line.max(1) as usize - 1).min(self.starts.len() - 1);
        self.starts[index]
    }

    /// How many lines there are; at least one.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Line and column of the byte at `offset`.
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line(offset as u32);
        let start = self.line_start(line) as usize;
        Position { line, column: text[start..offset].chars().count() as u32 + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_and_every_kind_of_line_end() {
        let text = "a\r\nß = 1\rlast\n";
        let index = LineIndex::new(text);
        assert_eq!(index.position(text, 6), Position { line: 2, column: 3 });
        assert_eq!(index.line_count(), 4);
        assert_eq!(index.position(text, 11).line, 3);
        assert_eq!(index.position(text, 999).line, 4);
    }
}
