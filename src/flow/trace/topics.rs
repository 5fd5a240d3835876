//! What is asked in a part of a trace, as a set that may hold more than that.

/// Words of such a set.
const WORDS: usize = 4;

/// Things that are asked about, each as one of a few hundred bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Topics([u64; WORDS]);

impl Topics {
    /// The one thing that goes by the hash.
    pub fn of(hash: u64) -> Topics {
        let mut words = [0; WORDS];
        words[hash as usize % WORDS] = 1 << ((hash >> 32) % u64::from(u64::BITS));
        Topics(words)
    }

    /// Both.
    pub fn with(self, other: Topics) -> Topics {
        Topics(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    /// Whether they may have something in common.
    pub fn meets(self, other: Topics) -> bool {
        self.0.into_iter().zip(other.0).any(|(one, other)| one & other != 0)
    }
}
