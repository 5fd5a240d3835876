//! Which names a file speaks of: a quick answer for whoever looks for a few.

use crate::base::Symbol;

/// Words of 64 bits, at most. A file of a thousand names leaves seven of eight questions about others without a walk.
const WORDS: usize = 128;

/// Of so many bits one is set, at most, where fewer words would do.
const SPARSE: u32 = 8;

/// A set of names that may hold more than was put into it, never less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(Box<[u64]>);

impl Default for Names {
    fn default() -> Names {
        Names(Box::new([0; WORDS]))
    }
}

impl Names {
    /// Adds a name.
    pub(super) fn insert(&mut self, name: Symbol) {
        let (word, bit) = self.place(name);
        self.0[word] |= bit;
    }

    /// Takes no more room than a file of so few names needs.
    pub(super) fn shrink(&mut self) {
        let set: u32 = self.0.iter().map(|word| word.count_ones()).sum();
        let mut words = WORDS;
        while words > 1 && set * SPARSE <= words as u32 / 2 * u64::BITS {
            words /= 2;
        }
        let mut folded = vec![0; words].into_boxed_slice();
        for (at, word) in self.0.iter().enumerate() {
            folded[at % words] |= word;
        }
        self.0 = folded;
    }

    /// Whether the name may have been added; where not, it was not.
    pub fn may_hold(&self, name: Symbol) -> bool {
        let (word, bit) = self.place(name);
        self.0[word] & bit != 0
    }

    fn place(&self, name: Symbol) -> (usize, u64) {
        let index = name.index();
        (index / 64 % self.0.len(), 1 << (index % 64))
    }

    /// Whether one of the names may have been added.
    pub fn may_hold_any<'n>(&self, names: impl IntoIterator<Item = &'n Symbol>) -> bool {
        names.into_iter().any(|&name| self.may_hold(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_held_and_most_else_is_not() {
        let mut names = Names::default();
        let all: Vec<Symbol> = (0..2_000).map(|number| Symbol::new(&format!("spoken_{number}"))).collect();
        let (spoken, others) = all.split_at(500);
        spoken.iter().for_each(|&name| names.insert(name));
        assert!(spoken.iter().all(|&name| names.may_hold(name)));
        let wrong = others.iter().filter(|&&name| names.may_hold(name)).count();
        assert!(wrong < others.len() / 4, "{wrong}");
    }
}
