//! The sequence of one group: which call each member makes at each place of it.

use std::collections::VecDeque;

use crate::verify::outcome::GroupName;

use super::calls::CallId;

/// A group of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct GroupId(pub u32);

impl GroupId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// More cells than this are not kept for one group: a member that is so far behind is not compared any more.
const MAX_CELLS: usize = 1 << 24;

/// What the members of one group have issued on it, as far as not all of them are there.
#[derive(Debug)]
pub(super) struct Sequence {
    /// Its name.
    pub name: GroupName,
    /// Number of places that every member has passed.
    base: u64,
    places: VecDeque<Place>,
    /// For every member, how many calls it has made.
    counts: Vec<u64>,
    /// For every member, whether it makes no further call.
    gone: Vec<bool>,
    gone_count: usize,
    /// Cell vectors of places that are done with.
    spare: Vec<Vec<Option<CallId>>>,
    /// Places that were given up because a member is too far behind.
    pub given_up: u64,
    /// The place that a suspicion speaks of stays, also when everybody has passed it.
    held: Option<u64>,
    kept: Option<Place>,
}

/// One place of the sequence.
#[derive(Debug)]
struct Place {
    /// The call of each member.
    cells: Vec<Option<CallId>>,
    arrived: usize,
    first: CallId,
    first_us: u64,
    /// Whether calls that differ in something stand here, be it only in their place in the program.
    is_varied: bool,
}

/// A member has arrived at a place.
pub(super) struct Arrival {
    /// The place, from 0.
    pub place: u64,
    /// What the first member to arrive does there; its own call when it is the first.
    pub first: CallId,
    /// Whether a member that never comes has not been there.
    pub misses_somebody: bool,
    /// The calls of all members, when this one was the last to arrive and not all of them are the same.
    pub varied: Option<Vec<CallId>>,
}

impl Sequence {
    pub fn new(name: GroupName) -> Sequence {
        let members = name.ranks.len();
        Sequence {
            name,
            base: 0,
            places: VecDeque::new(),
            counts: vec![0; members],
            gone: vec![false; members],
            gone_count: 0,
            spare: Vec::new(),
            given_up: 0,
            held: None,
            kept: None,
        }
    }

    /// The position of a rank among the members.
    pub fn member(&self, rank: u32) -> Option<usize> {
        self.name.ranks.binary_search(&rank).ok()
    }

    /// A member makes its next call.
    pub fn arrive(&mut self, member: usize, call: CallId, time_us: u64) -> Arrival {
        let place = self.counts[member];
        self.counts[member] += 1;
        let misses_somebody = self.gone_count > 0 && self.is_missed(place);
        let Some(index) = place.checked_sub(self.base) else {
            return Arrival { place, first: call, misses_somebody: false, varied: None };
        };
        let index = usize::try_from(index).expect("places are in memory");
        while self.places.len() <= index {
            let mut cells = self.spare.pop().unwrap_or_default();
            cells.clear();
            cells.resize(self.counts.len(), None);
            self.places.push_back(Place { cells, arrived: 0, first: call, first_us: time_us, is_varied: false });
        }
        let at = &mut self.places[index];
        if at.arrived == 0 {
            (at.first, at.first_us) = (call, time_us);
        }
        at.cells[member] = Some(call);
        at.arrived += 1;
        at.is_varied |= at.first != call;
        let first = at.first;
        let is_over = at.is_varied && at.arrived == at.cells.len();
        let varied = is_over.then(|| at.cells.iter().copied().collect::<Option<Vec<CallId>>>()).flatten();
        Arrival { place, first, misses_somebody, varied }
    }

    /// A member's last call, at `place`, has raised: if others are still awaited there, it has not taken part in it.
    pub fn retract(&mut self, member: usize, place: u64) {
        let Some(index) = place.checked_sub(self.base).and_then(|index| usize::try_from(index).ok()) else { return };
        let is_last = self.counts[member] == place + 1;
        if let Some(at) = self.places.get_mut(index).filter(|_| is_last)
            && at.cells[member].take().is_some()
        {
            at.arrived -= 1;
            self.counts[member] = place;
        }
    }

    /// A member makes no further call. Returns the first place where somebody waits for it in vain.
    pub fn leave(&mut self, member: usize) -> Option<u64> {
        if !std::mem::replace(&mut self.gone[member], true) {
            self.gone_count += 1;
        }
        let place = self.counts[member];
        let index = usize::try_from(place.checked_sub(self.base)?).ok()?;
        (self.places.get(index)?.arrived > 0).then_some(place)
    }

    /// Whether a member that is gone has never been at this place.
    fn is_missed(&self, place: u64) -> bool {
        self.gone.iter().zip(&self.counts).any(|(gone, count)| *gone && *count <= place)
    }

    /// What each rank does at a place that not all have passed, and when the first one came.
    pub fn at(&self, place: u64) -> Option<(u64, impl Iterator<Item = (u32, Option<CallId>)>)> {
        let at = match place.checked_sub(self.base) {
            Some(index) => self.places.get(usize::try_from(index).ok()?)?,
            None => self.kept.as_ref().filter(|_| self.held == Some(place))?,
        };
        Some((at.first_us, self.name.ranks.iter().copied().zip(at.cells.iter().copied())))
    }

    /// The ranks that have not been at a place, and whether each of them still may come.
    pub fn missing(&self, place: u64) -> impl Iterator<Item = (u32, bool)> {
        let members = self.name.ranks.iter().zip(self.counts.iter().zip(&self.gone));
        members.filter(move |(_, (count, _))| **count <= place).map(|(rank, (_, gone))| (*rank, !gone))
    }

    /// Keeps what stands at a place until the end; of several such wishes the one for the first place counts.
    pub fn hold(&mut self, place: u64) {
        self.held = Some(self.held.map_or(place, |held| held.min(place)));
    }

    /// Whether every member has been at this place, or never comes there.
    pub fn is_settled(&self, place: u64) -> bool {
        self.missing(place).all(|(_, may_come)| !may_come)
    }

    /// Forgets places that everybody has passed, and the oldest ones where memory would grow without end.
    pub fn shrink(&mut self) {
        while let Some(front) = self.places.front() {
            let is_done = front.arrived == self.counts.len();
            let is_too_much = self.places.len() * self.counts.len() > MAX_CELLS;
            if !is_done && !is_too_much {
                return;
            }
            self.given_up += u64::from(!is_done);
            let front = self.places.pop_front().expect("there is a first place");
            if self.held == Some(self.base) {
                self.kept = Some(front);
            } else {
                self.spare.push(front.cells);
            }
            self.base += 1;
        }
    }
}
