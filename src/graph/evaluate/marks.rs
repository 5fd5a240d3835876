//! What is known of single values and places beside what they are made of: what rules and doubts ask about them later.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{FileId, Site, Symbol};
use crate::flow::Value;

/// Values and places that something more is known of.
#[derive(Default)]
pub(in crate::graph) struct Marks {
    /// This rank's share of the data, not a fact of the outside world.
    pub shares: FxHashSet<Value>,
    /// Shares that a loss was, or was made of, behind its backward pass.
    pub losses: FxHashSet<Value>,
    /// What this rank's clock told.
    pub clocks: FxHashSet<Value>,
    /// What lies on this rank's disk.
    pub disks: FxHashSet<Value>,
    /// What no other process gets: temporary names, tokens.
    pub own_names: FxHashSet<Value>,
    /// Failures of requests.
    pub failures: FxHashSet<Value>,
    /// Variables of modules that begin with a constant and are set by functions.
    pub switches: FxHashMap<Value, (FileId, Symbol)>,
    /// What an object of unknown make is taken to hold.
    pub inferred: FxHashSet<Value>,
    /// Of the groups that a loop makes the one that each rank keeps as its own.
    pub own_groups: FxHashSet<Value>,
    /// Backward passes of which it is only supposed that they communicate.
    pub supposed: FxHashSet<Site>,
    /// Conditions under which a function refuses its argument: a file where it asked for a folder.
    pub refusals: FxHashSet<Site>,
}
