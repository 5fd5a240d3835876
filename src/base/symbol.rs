//! Interned strings.

use std::cell::Cell;
use std::fmt;
use std::hash::BuildHasher as _;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, OnceLock, RwLock};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// An interned string: its number, counted from one. Two symbols are equal exactly when their strings are.
///
/// The number depends on thread timing: never sort by it, sort by [`Symbol::as_str`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(NonZeroU32);

static COUNT: AtomicU32 = AtomicU32::new(0);

const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;

/// Symbols that a thread remembers, by their hashes: most names of a file are the names of the file before.
const RECENT_BITS: u32 = 13;

/// Bytes that are taken from the allocator at once.
const TEXT_CHUNK: usize = 16 << 10;

/// Texts whose places are made at once, as a power of two, and how often that can be done: 67 million texts.
const PIECE_BITS: u32 = 14;
const PIECES: usize = 1 << 12;

/// Places of texts, by the numbers of their symbols. What was written is never moved: reading takes no lock.
type Piece = Box<[OnceLock<&'static str>]>;

static TEXTS: [OnceLock<Piece>; PIECES] = [const { OnceLock::new() }; PIECES];

static INTERNER: LazyLock<[RwLock<Shard>; SHARDS]> =
    LazyLock::new(|| std::array::from_fn(|_| RwLock::new(Shard::default())));

thread_local! {
    static RECENT: [Cell<Option<(u64, Symbol)>>; 1 << RECENT_BITS] =
        const { [const { Cell::new(None) }; 1 << RECENT_BITS] };
}

/// A part of the table of symbols, and room for more of their texts.
#[derive(Default)]
struct Shard {
    /// Symbols with the hashes of their texts: growing a table need not read them again.
    table: HashTable<(u64, Symbol)>,
    texts: &'static mut [u8],
}

impl Shard {
    fn find(&self, hash: u64, text: &str) -> Option<Symbol> {
        let same = |known: &(u64, Symbol)| known.0 == hash && known.1.as_str() == text;
        self.table.find(within(hash), same).map(|known| known.1)
    }

    fn add(&mut self, hash: u64, text: &str) -> Symbol {
        let symbol = Symbol::numbered(COUNT.fetch_add(1, Ordering::Relaxed));
        let (piece, place) = symbol.place();
        let piece = TEXTS[piece].get_or_init(|| (0..1 << PIECE_BITS).map(|_| OnceLock::new()).collect());
        // Each number is given once.
        let _ = piece[place].set(self.keep(text));
        self.table.insert_unique(within(hash), (hash, symbol), |known| within(known.0));
        symbol
    }

    fn keep(&mut self, text: &str) -> &'static str {
        if text.len() > self.texts.len() {
            if text.len() > TEXT_CHUNK / 4 {
                return Box::leak(text.into());
            }
            self.texts = vec![0; TEXT_CHUNK].leak();
        }
        let (kept, rest) = std::mem::take(&mut self.texts).split_at_mut(text.len());
        self.texts = rest;
        kept.copy_from_slice(text.as_bytes());
        std::str::from_utf8(kept).expect("a copy of a text is one")
    }
}

/// The highest bits chose the shard: the table must not count on them.
fn within(hash: u64) -> u64 {
    hash.rotate_left(SHARD_BITS)
}

impl Symbol {
    /// The symbol of `text`. Interned strings live as long as the process.
    pub fn new(text: &str) -> Symbol {
        let hash = FxBuildHasher.hash_one(text);
        RECENT.with(|recent| {
            let recent = &recent[(hash >> (64 - RECENT_BITS)) as usize];
            if let Some(known) = recent.get()
                && known.0 == hash
                && known.1.as_str() == text
            {
                return known.1;
            }
            let symbol = Symbol::interned(hash, text);
            recent.set(Some((hash, symbol)));
            symbol
        })
    }

    fn interned(hash: u64, text: &str) -> Symbol {
        let shard = &INTERNER[(hash >> (64 - SHARD_BITS)) as usize];
        if let Some(found) = shard.read().expect("no thread panics while interning").find(hash, text) {
            return found;
        }
        let mut shard = shard.write().expect("no thread panics while interning");
        match shard.find(hash, text) {
            Some(found) => found,
            None => shard.add(hash, text),
        }
    }

    /// The text of the symbol.
    pub fn as_str(self) -> &'static str {
        let (piece, place) = self.place();
        let text = TEXTS[piece].get().and_then(|piece| piece[place].get());
        text.expect("who holds a symbol has it from where its text was put")
    }

    /// Its place among all symbols, for side tables of [`Symbol::count`] entries. Depends on thread timing.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// The symbol of that index.
    fn numbered(index: u32) -> Symbol {
        Symbol(NonZeroU32::MIN.saturating_add(index))
    }

    /// Where its text stands: which piece, and where in it.
    fn place(self) -> (usize, usize) {
        let index = self.index();
        (index >> PIECE_BITS, index & ((1 << PIECE_BITS) - 1))
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
            out.extend(shard.table.iter().map(|known| known.1).filter(|&symbol| wanted(symbol)));
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
    fn symbols_of_other_threads_and_of_any_length_are_the_same() {
        let texts: Vec<String> = (0..3_000).map(|number| format!("name_{number}").repeat(1 + number % 700)).collect();
        let of = |texts: &[String]| texts.iter().map(|text| Symbol::new(text)).collect::<Vec<_>>();
        let there = std::thread::scope(|scope| scope.spawn(|| of(&texts)).join().expect("it does not panic"));
        assert_eq!(of(&texts), there);
        assert!(texts.iter().zip(there).all(|(text, symbol)| symbol.as_str() == text));
    }
}
