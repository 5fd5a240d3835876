//! The different calls of a run, and what makes two of them fit each other.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::verify::event::{Family, Tensor};
use crate::verify::outcome::Call;

/// A call with everything about it: also who makes it and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CallId(pub u32);

/// What of a call its peers must agree with. Calls of one kind always fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct KindId(u32);

/// Every different call, and every different kind.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<(Call, KindId)>,
    by_call: FxHashMap<Call, CallId>,
    kinds: Vec<Kind>,
    by_kind: FxHashMap<Kind, KindId>,
}

/// What ranks have to agree on. Fields that do not matter for the operation are left empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Kind {
    op: String,
    family: Family,
    members: Vec<u32>,
    place: String,
    reduce: Option<String>,
    root: Option<u32>,
    dtypes: Vec<String>,
    /// Numbers of elements: backends move elements, whatever their arrangement.
    sizes: Vec<i64>,
}

impl Calls {
    /// The id of a call.
    pub fn add(&mut self, call: Call) -> CallId {
        let next =
            CallId(u32::try_from(self.calls.len()).expect("a run has less than four thousand million different calls"));
        match self.by_call.entry(call) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let kind = kind_of(new.key());
                let count = self.kinds.len();
                let kind = *self.by_kind.entry(kind).or_insert_with_key(|kind| {
                    self.kinds.push(kind.clone());
                    KindId(u32::try_from(count).expect("there are no more kinds than calls"))
                });
                self.calls.push((new.key().clone(), kind));
                new.insert(next);
                next
            }
        }
    }

    /// The call of an id.
    pub fn get(&self, id: CallId) -> &Call {
        &self.calls[id.0 as usize].0
    }

    /// The kind of a call.
    pub fn kind(&self, id: CallId) -> KindId {
        self.calls[id.0 as usize].1
    }

    /// What the peers of two calls would disagree on; nothing when they fit.
    pub fn difference(&self, one: CallId, other: CallId) -> Option<&'static str> {
        let (one, other) = (&self.kinds[self.kind(one).0 as usize], &self.kinds[self.kind(other).0 as usize]);
        [
            (one.op != other.op || one.family != other.family, "operation"),
            (one.members != other.members, "members"),
            (one.place != other.place, "place"),
            (one.root != other.root, "root"),
            (one.reduce != other.reduce, "reduce op"),
            (one.dtypes != other.dtypes, "dtype"),
            (one.sizes != other.sizes, "shape"),
        ]
        .into_iter()
        .find_map(|(differs, what)| differs.then_some(what))
    }

    /// Every call, by id.
    pub fn table(&self) -> Vec<Call> {
        self.calls.iter().map(|(call, _)| call.clone()).collect()
    }
}

fn kind_of(call: &Call) -> Kind {
    let tensors = compared(&call.op);
    let (dtypes, sizes) = (&call.tensors, &call.tensors);
    Kind {
        op: call.op.clone(),
        family: call.family,
        members: if call.family == Family::MakeGroup { call.members.clone() } else { Vec::new() },
        place: call.place.clone(),
        reduce: call.reduce.clone(),
        root: call.root,
        dtypes: match tensors {
            Compared::Nothing => Vec::new(),
            Compared::Type => dtypes.first().map(|tensor| tensor.dtype.clone()).into_iter().collect(),
            Compared::TypeAndSize => dtypes.iter().map(|tensor| tensor.dtype.clone()).collect(),
        },
        sizes: match tensors {
            Compared::TypeAndSize => sizes.iter().map(elements).collect(),
            Compared::Type | Compared::Nothing => Vec::new(),
        },
    }
}

/// What of the tensors has to be the same on every rank.
enum Compared {
    Nothing,
    Type,
    TypeAndSize,
}

fn compared(op: &str) -> Compared {
    match op {
        "all_reduce"
        | "all_reduce_coalesced"
        | "broadcast"
        | "reduce"
        | "all_gather_into_tensor"
        | "reduce_scatter_tensor"
        | "reduce_scatter" => Compared::TypeAndSize,
        // Lists may be uneven (NCCL takes them), and only one side has the list in `scatter` and `gather`.
        "all_gather" | "all_to_all" | "all_to_all_single" | "gather" | "scatter" => Compared::Type,
        _ => Compared::Nothing,
    }
}

/// Number of elements; a dimension that is not known counts as it is.
pub(super) fn elements(tensor: &Tensor) -> i64 {
    tensor.shape.iter().fold(1, |product, size| product.saturating_mul(*size))
}
