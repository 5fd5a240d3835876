//! Identities and positions that every layer shares: files, symbols, spans, lines.
//!
//! Knows nothing of Python, of the file system or of findings.

use std::fmt;
use std::hash::{BuildHasher as _, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, RwLock};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

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
}

/// A place in the program: a span of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The file.
    pub file: FileId,
    /// Where in it.
    pub span: Span,
}

/// An interned string. Two symbols are equal exactly when their strings are; comparing them compares addresses.
///
/// The address depends on thread timing: never sort by it, sort by [`Symbol::as_str`].
#[derive(Clone, Copy)]
pub struct Symbol(&'static Interned);

/// The text of a symbol, with its hash: growing a table need not read texts again.
struct Interned {
    text: &'static str,
    hash: u64,
    /// How many were interned before.
    index: u32,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;

static INTERNER: LazyLock<[RwLock<HashTable<Symbol>>; SHARDS]> =
    LazyLock::new(|| std::array::from_fn(|_| RwLock::new(HashTable::new())));

impl Symbol {
    /// The symbol of `text`. Interned strings live as long as the process.
    pub fn new(text: &str) -> Symbol {
        let hash = FxBuildHasher.hash_one(text);
        let shard = &INTERNER[(hash >> (64 - SHARD_BITS)) as usize];
        // The highest bits chose the shard: the table must not count on them.
        let within = hash.rotate_left(SHARD_BITS);
        let same = |symbol: &Symbol| symbol.0.hash == hash && symbol.0.text == text;
        if let Some(&found) = shard.read().expect("no thread panics while interning").find(within, same) {
            return found;
        }
        let mut shard = shard.write().expect("no thread panics while interning");
        if let Some(&found) = shard.find(within, same) {
            return found;
        }
        let index = COUNT.fetch_add(1, Ordering::Relaxed);
        let symbol = Symbol(Box::leak(Box::new(Interned { text: Box::leak(text.into()), hash, index })));
        shard.insert_unique(within, symbol, |symbol| symbol.0.hash.rotate_left(SHARD_BITS));
        symbol
    }

    /// The text of the symbol.
    pub fn as_str(self) -> &'static str {
        self.0.text
    }

    /// Its place among all symbols, for side tables of [`Symbol::count`] entries. Depends on thread timing, as addresses do.
    pub fn index(self) -> usize {
        self.0.index as usize
    }

    /// How many symbols there are at this moment.
    pub fn count() -> usize {
        COUNT.load(Ordering::Relaxed) as usize
    }

    /// The symbols that are `wanted`, in no order. `wanted` must not intern anything.
    pub fn matching(wanted: impl Fn(Symbol) -> bool) -> Vec<Symbol> {
        let mut out = Vec::new();
        for shard in INTERNER.iter() {
            let shard = shard.read().expect("no thread panics while interning");
            out.extend(shard.iter().filter(|&&symbol| wanted(symbol)));
        }
        out
    }

    /// The part of a dotted name after the last dot.
    pub fn last_part(self) -> Symbol {
        match self.as_str().rsplit_once('.') {
            Some((_, last)) => Symbol::new(last),
            None => self,
        }
    }

    fn address(self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Symbol) -> bool {
        self.address() == other.address()
    }
}

impl Eq for Symbol {}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address().hash(state);
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
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
    fn symbols_are_equal_as_their_texts_are() {
        assert_eq!(Symbol::new("all_reduce"), Symbol::new("all_reduce"));
        assert_ne!(Symbol::new("all_reduce"), Symbol::new("broadcast"));
        assert_eq!(Symbol::new("rank").as_str(), "rank");
    }

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
