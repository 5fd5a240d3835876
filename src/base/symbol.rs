//! Interned strings.

use std::cell::Cell;
use std::fmt;
use std::hash::{BuildHasher as _, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, RwLock};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// An interned string. Two symbols are equal exactly when their strings are; comparing them compares addresses.
///
/// The address depends on thread timing: never sort by it, sort by [`Symbol::as_str`].
#[derive(Clone, Copy)]
pub struct Symbol(&'static Interned);

/// The text of a symbol, with its hash: growing a table need not read texts again.
#[derive(Clone, Copy)]
struct Interned {
    text: &'static str,
    hash: u64,
    /// How many were interned before.
    index: u32,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;

/// Symbols that a thread remembers, by their hashes: most names of a file are the names of the file before.
const RECENT_BITS: u32 = 13;

/// Bytes and records that are taken from the allocator at once.
const TEXT_CHUNK: usize = 16 << 10;
const RECORD_CHUNK: usize = 256;

static INTERNER: LazyLock<[RwLock<Shard>; SHARDS]> =
    LazyLock::new(|| std::array::from_fn(|_| RwLock::new(Shard::default())));

thread_local! {
    static RECENT: [Cell<Option<Symbol>>; 1 << RECENT_BITS] =
        const { [const { Cell::new(None) }; 1 << RECENT_BITS] };
}

/// A part of the table of symbols, and room for more of them.
#[derive(Default)]
struct Shard {
    table: HashTable<(u64, Symbol)>,
    texts: &'static mut [u8],
    records: &'static mut [Interned],
}

impl Shard {
    fn find(&self, hash: u64, text: &str) -> Option<Symbol> {
        let same = |known: &(u64, Symbol)| known.0 == hash && known.1.0.text == text;
        self.table.find(within(hash), same).map(|known| known.1)
    }

    fn add(&mut self, hash: u64, text: &str) -> Symbol {
        let index = COUNT.fetch_add(1, Ordering::Relaxed);
        let interned = Interned { text: self.keep(text), hash, index };
        if self.records.is_empty() {
            self.records = vec![interned; RECORD_CHUNK].leak();
        }
        let (record, rest) = std::mem::take(&mut self.records).split_first_mut().expect("it was filled");
        self.records = rest;
        *record = interned;
        let symbol = Symbol(record);
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
                && known.0.hash == hash
                && known.0.text == text
            {
                return known;
            }
            let symbol = Symbol::interned(hash, text);
            recent.set(Some(symbol));
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
