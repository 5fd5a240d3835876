//! What a tracer fills while it works. There are many tracers, one after the other, and as a rule one needs as much room as
//! the one before: tables are lent to it, and taken back empty.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

use rustc_hash::FxHashMap;

use super::asked::Said;
use super::topics::Topics;
use super::{Entry, MemoKey, Shape, TraceId};

/// Tables that a thread keeps: a comparison has a few tracers at once.
const MAX_KEPT: usize = 4;

/// Entries of a table above which it is given up.
const MAX_ROOM: usize = 1 << 14;

#[derive(Default)]
pub(super) struct Tables {
    pub entries: Vec<Entry>,
    /// What is asked from each entry on.
    pub topics: Vec<Topics>,
    pub shapes: Vec<Shape>,
    pub index: FxHashMap<Shape, u32>,
    /// Entries that exist: what two classes do alike is one node for both.
    pub nodes: FxHashMap<Entry, TraceId>,
    /// What goes alike for all classes, as the first of them went.
    pub alike: FxHashMap<MemoKey, TraceId>,
    /// What goes alike for those that agree in what it asks for, as some classes went.
    pub shared: FxHashMap<(MemoKey, Said), TraceId>,
    /// What goes as it does for the class that is being traced.
    pub own: FxHashMap<MemoKey, TraceId>,
}

impl Tables {
    fn clear(&mut self) {
        let Tables { entries, topics, shapes, index, nodes, alike, shared, own } = self;
        entries.clear();
        topics.clear();
        shapes.clear();
        index.clear();
        nodes.clear();
        alike.clear();
        shared.clear();
        own.clear();
    }

    fn room(&self) -> usize {
        let maps = [self.nodes.capacity(), self.alike.capacity(), self.shared.capacity(), self.own.capacity()];
        maps.into_iter().chain([self.entries.capacity()]).max().unwrap_or(0)
    }
}

thread_local! {
    static KEPT: RefCell<Vec<Tables>> = const { RefCell::new(Vec::new()) };
}

/// Tables on loan.
pub(super) struct Lent(Tables);

impl Lent {
    /// Empty tables.
    pub fn new() -> Lent {
        Lent(KEPT.with_borrow_mut(Vec::pop).unwrap_or_default())
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut tables = std::mem::take(&mut self.0);
        if tables.room() > MAX_ROOM {
            return;
        }
        tables.clear();
        // Nothing is kept by a thread that ends.
        let _ = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            if kept.len() < MAX_KEPT {
                kept.push(tables);
            }
        });
    }
}

impl Deref for Lent {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        &self.0
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut Tables {
        &mut self.0
    }
}
