//! Sets of mesh axes: along which axes may a value differ, across which does a group reach?
//!
//! The lattice of variance (see "Variance" in the design of the analysis): bottom is the empty set, a value that every
//! rank shares; join is union; top is a value that may differ between any two ranks.

use std::ops::{BitOr, BitOrAssign};

/// A set of axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Axes(u64);

/// Axes with a bit of their own. Any other name shares one of the remaining bits with names of equal hash,
/// which can only hide a finding, never invent one between two axes of this list.
const NAMED: [&str; 20] = [
    "tp",
    "pp",
    "dp",
    "cp",
    "ep",
    "etp",
    "edp",
    "sp",
    "fsdp",
    "replicate",
    "node",
    "embedding",
    "ulysses",
    "ring",
    "moe",
    "vpp",
    "embd",
    "pos_embd",
    "attn_tp",
    "attn_dp",
];
const FIRST_UNNAMED: u32 = 24;

impl Axes {
    /// No axis: uniform.
    pub const NONE: Axes = Axes(0);
    /// Every axis: the whole job.
    pub const ALL: Axes = Axes(u64::MAX);

    /// The axis of that name, or the union of several joined by `+`; `world`, `host` and `local` are every axis.
    pub fn named(name: &str) -> Axes {
        name.split('+').map(Axes::one).fold(Axes::NONE, |sum, axis| sum | axis)
    }

    /// The axes along which members of a group along these may differ: the stages that share an embedding are another on
    /// each of its ranks.
    #[must_use]
    pub fn spanned(self) -> Axes {
        match self.is_embedding() {
            true => self | Axes::one("pp"),
            false => self,
        }
    }

    /// Whether a group along these axes has only the first and the last rank along the other one.
    pub fn holds_ends_of(self, other: Axes) -> bool {
        self.is_embedding() && other == Axes::one("pp")
    }

    /// Whether members of a group along these are the stages that share an embedding.
    pub fn is_embedding(self) -> bool {
        !self.is_all() && self.meets(Axes::one("embd"))
    }

    fn one(name: &str) -> Axes {
        match name {
            "world" | "host" | "local" => Axes::ALL,
            "mp" => Axes::one("tp") | Axes::one("pp"),
            "dp" => Axes(1 << 2) | Axes::one("fsdp") | Axes::one("replicate") | Axes::one("edp"),
            _ => match NAMED.iter().position(|&known| known == name) {
                Some(index) => Axes(1 << index),
                None => Axes::hashed(name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                })),
            },
        }
    }

    /// An axis made up for a group of which nothing but its identity is known.
    pub fn hashed(identity: u64) -> Axes {
        let mixed = (identity ^ (identity >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        Axes(1 << (FIRST_UNNAMED + (mixed % u64::from(64 - FIRST_UNNAMED)) as u32))
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it reaches over the whole job.
    pub fn is_all(self) -> bool {
        self.0 == u64::MAX
    }

    /// Whether some axis is in both.
    pub fn meets(self, other: Axes) -> bool {
        self.0 & other.0 != 0
    }

    /// The axes of `self` that are not in `other`: what is left after an agreement over `other`.
    #[must_use]
    pub fn without(self, other: Axes) -> Axes {
        Axes(self.0 & !other.0)
    }
}

impl BitOr for Axes {
    type Output = Axes;

    fn bitor(self, other: Axes) -> Axes {
        Axes(self.0 | other.0)
    }
}

impl BitOrAssign for Axes {
    fn bitor_assign(&mut self, other: Axes) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn axes() -> impl Strategy<Value = Axes> {
        any::<u64>().prop_map(Axes)
    }

    proptest! {
        #[test]
        fn join_is_a_semilattice(a in axes(), b in axes(), c in axes()) {
            prop_assert_eq!(a | b, b | a);
            prop_assert_eq!((a | b) | c, a | (b | c));
            prop_assert_eq!(a | a, a);
            prop_assert_eq!(a | Axes::NONE, a);
            prop_assert_eq!(a | Axes::ALL, Axes::ALL);
        }

        #[test]
        fn agreement_clears_exactly_its_group(a in axes(), group in axes()) {
            prop_assert!(!a.without(group).meets(group));
            prop_assert_eq!(a.without(group) | group, a | group);
            prop_assert!(Axes::ALL.without(Axes::ALL).is_empty());
        }

        #[test]
        fn agreement_is_monotone(a in axes(), b in axes(), group in axes()) {
            prop_assert_eq!((a | b).without(group), a.without(group) | b.without(group));
        }
    }

    #[test]
    fn named_axes_are_apart_and_unions_cover_them() {
        assert!(!Axes::named("tp").meets(Axes::named("dp")));
        assert!(Axes::named("tp+pp") == Axes::named("mp"));
        assert!(Axes::named("world").is_all());
        assert!(!Axes::named("something_else").meets(Axes::named("tp")));
    }
}
