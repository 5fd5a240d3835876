//! What has been reported, and counts as decided alike on every rank from then on.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::Site;

/// How a choice or loop that has been reported is decided from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heal {
    /// Alike on every rank, unknown how.
    Alike,
    /// So, on every rank.
    Always(bool),
}

/// Choices, loops and events that have been reported: their ranks count as in step, everywhere or below one call.
#[derive(Clone, Debug, Default)]
pub struct Healed {
    known: FxHashMap<(Site, Option<Site>), Heal>,
    /// Calls below which something is healed.
    pub(super) calls: FxHashSet<Site>,
}

impl Healed {
    /// Heals what stands at `site`, everywhere or below the call at `call`. Says whether that is new.
    pub fn insert(&mut self, site: Site, call: Option<Site>, heal: Heal) -> bool {
        self.calls.extend(call);
        self.known.insert((site, call), heal).is_none()
    }

    /// Heals all of them. Says whether any is new.
    pub fn extend(&mut self, heals: &[(Site, Option<Site>, Heal)]) -> bool {
        heals.iter().fold(false, |fresh, &(site, call, heal)| self.insert(site, call, heal) || fresh)
    }

    /// Whether what stands at `site` is healed below the call at `call`.
    pub fn covers(&self, site: Site, call: Option<Site>) -> bool {
        self.get(site, call.as_slice()).is_some()
    }

    /// How many places are healed.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    pub(super) fn get(&self, site: Site, calls: &[Site]) -> Option<Heal> {
        if self.known.is_empty() {
            return None;
        }
        let everywhere = self.known.get(&(site, None));
        everywhere.or_else(|| calls.iter().find_map(|&call| self.known.get(&(site, Some(call))))).copied()
    }
}
