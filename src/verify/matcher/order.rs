//! Calls of one line in another order: two ranks walk the same names, each in its own order.
//!
//! `for name in names: all_reduce(grads[name])` over a set issues the same number of equal calls on every rank, and sums the
//! gradient of one parameter with that of another. Only the names in the arguments tell: ranks that go through the same
//! names in different orders are out of step, ranks whose names simply differ (`shard0`, `shard1`) are not.

use rustc_hash::FxHashMap;

use super::calls::{CallId, Calls};
use super::group::GroupId;

/// So many names may be open before the comparison gives up.
const MAX_OPEN: usize = 256;

/// What is open between the first member of a group and each of the others.
#[derive(Debug, Default)]
pub(super) struct Orders {
    open: FxHashMap<(GroupId, usize), Open>,
}

/// Names that one member has named more often than the other.
#[derive(Debug)]
struct Open {
    names: FxHashMap<String, i64>,
    /// Where it began: the place, and the calls of all members.
    place: u64,
    calls: Vec<CallId>,
}

/// Two members went through the same names in different orders.
pub(super) struct Permuted {
    /// The first place where the names differ, from 0.
    pub place: u64,
    /// The calls of all members there.
    pub calls: Vec<CallId>,
}

impl Orders {
    /// All members have made these calls at this place.
    pub fn add(&mut self, group: GroupId, place: u64, members: &[CallId], calls: &Calls) -> Option<Permuted> {
        let reference = &calls.get(*members.first()?).label;
        for (member, call) in members.iter().enumerate().skip(1) {
            let label = &calls.get(*call).label;
            if label == reference || label.is_empty() || reference.is_empty() {
                continue;
            }
            let open = self.open.entry((group, member)).or_insert_with(|| Open {
                names: FxHashMap::default(),
                place,
                calls: members.to_vec(),
            });
            for (name, change) in [(reference, 1), (label, -1)] {
                let count = open.names.entry(name.clone()).or_default();
                *count += change;
                if *count == 0 {
                    open.names.remove(name);
                }
            }
            if open.names.is_empty() || open.names.len() > MAX_OPEN {
                let open = self.open.remove(&(group, member))?;
                if open.names.is_empty() {
                    return Some(Permuted { place: open.place, calls: open.calls });
                }
            }
        }
        None
    }
}
