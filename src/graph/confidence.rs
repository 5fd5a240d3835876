//! How sure a split is: what it was concluded from, and what speaks against it.

use crate::base::{FunctionId, Site, Symbol};
use crate::finding::Confidence;
use crate::flow::{Decided, EffectId, EventId, Node, Parting, Value};
use crate::model::{ExprId, File};

use super::divergence::group_confidence;
use super::evaluate::{Birth, Engine};
use super::witness::{Decision, Found, SplitKind};

/// Parts of a question that are looked at.
pub(super) const MAX_PARTS: usize = 24;

/// What a split was concluded from.
pub(super) struct Evidence<'a, 'p> {
    pub(super) engine: &'a Engine<'p>,
    /// The function in whose terms it was found, and its effect tree.
    pub(super) function: FunctionId,
    pub(super) root: EffectId,
    pub(super) found: &'a Found,
    pub(super) kind: SplitKind,
    /// The event on which ranks disagree.
    pub(super) main: EventId,
    /// What other ranks issue at its place.
    pub(super) instead: Option<EventId>,
    /// Where ranks part, and what is asked there.
    pub(super) cause: Option<Parting>,
    /// How the rank that issues the event answers there.
    pub(super) issuer: Option<Decided>,
    pub(super) decision: Option<Decision>,
    pub(super) test: Option<Value>,
    /// What differs in the end, and where that was born.
    pub(super) leaf: Option<Value>,
    pub(super) birth: Option<Birth>,
    /// Whether the event itself is the same for both ranks.
    pub(super) same_event: bool,
    /// The calls down to the event.
    pub(super) calls: &'a [(Site, Symbol)],
}

impl Evidence<'_, '_> {
    pub(super) fn confidence(&self) -> Confidence {
        let event = self.engine.effects.event(self.main);
        let mut sure = group_confidence(&self.found.group).min(event.confidence);
        if let Some(birth) = self.birth {
            sure = sure.min(birth.confidence);
        }
        // Whether the model is sharded says the launcher.
        if event.sharded || self.leaves_by_failing() {
            sure = sure.min(Confidence::Medium);
        }
        let catalogued = self.leaf.is_some_and(|leaf| matches!(self.engine.values.node(leaf), Node::Rank(_)));
        if self.is_opaque() || self.birth.is_none() && !catalogued || self.is_inferred() {
            sure = sure.min(Confidence::Medium);
        }
        match self.is_doubtful() || self.is_long_way(sure) {
            true => Confidence::Low,
            false => sure,
        }
    }

    /// Whether something in what is asked was inferred.
    pub(super) fn is_inferred(&self) -> bool {
        let inferred = |part| self.engine.marks.inferred.contains(&part);
        self.test.is_some_and(|test| self.engine.values.any_part(test, MAX_PARTS, inferred))
    }

    /// An opaque fact: it may differ, nobody has shown a rank on which it does.
    pub(super) fn is_opaque(&self) -> bool {
        let (one, other) = (&self.found.one, &self.found.other);
        one.rank == other.rank && one.coordinates == other.coordinates
    }

    /// Whether it is this rank's share of the data that differs.
    pub(super) fn is_share(&self) -> bool {
        self.leaf.is_some_and(|leaf| self.engine.marks.shares.contains(&leaf))
    }

    /// Where a fact of the outside world was born.
    pub(super) fn born_outside(&self) -> Option<Site> {
        match self.engine.values.node(self.leaf?) {
            Node::Local(born, _) if !self.is_share() => Some(*born),
            _ => None,
        }
    }

    /// Whether something was born in the function that asks for it; where nothing is asked, in that of the operation.
    pub(super) fn is_near(&self, born: Site) -> bool {
        let at = self.decision.map_or(self.engine.effects.event(self.main).site, |decision| decision.site);
        self.engine.same_function(at, born)
    }

    /// The question where ranks part, as it is written.
    pub(super) fn question(&self) -> Option<(&File, ExprId)> {
        let site = self.decision?.site;
        self.engine.written_at(site)
    }
}

/// Operations with a root, which is the first rank where none is given.
pub(super) const HAS_ROOT: [&str; 4] = ["broadcast", "broadcast_object_list", "scatter", "scatter_object_list"];

/// Why what an actor answers may differ, as the catalogue says it.
pub(super) const ANSWERED: &str = "each process asks by itself";

/// Why what is measured of a device differs, as the catalogue says it.
pub(super) const OF_DEVICE: &str = "each device has its own";

/// Why a number that is drawn differs, as the catalogue says it.
pub(super) const DRAWN: &str = "each process draws its own";
