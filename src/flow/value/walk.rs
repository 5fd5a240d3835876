//! Walks through what values are made of.

use rustc_hash::FxHashSet;

use super::{Value, Values, parts};

impl Values {
    /// Whether the value or one of its parts is wanted, as far as that is seen in `fuel` of them.
    pub fn any_part(&self, value: Value, fuel: usize, wanted: impl Fn(Value) -> bool) -> bool {
        let look = |part: Value, further: &mut Vec<Value>| {
            further.extend(parts(self.node(part)));
            wanted(part)
        };
        self.search(value, fuel, look) == Some(true)
    }

    /// Whether `look` finds what it looks for, beginning with the value; nothing where it has not after `fuel` looks. It
    /// says by what it adds where to go on, the last one first, and sees no value twice.
    pub fn search(
        &self,
        value: Value,
        fuel: usize,
        mut look: impl FnMut(Value, &mut Vec<Value>) -> bool,
    ) -> Option<bool> {
        let mut seen = FxHashSet::default();
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            if !seen.insert(value) {
                continue;
            }
            if seen.len() > fuel {
                return None;
            }
            if look(value, &mut pending) {
                return Some(true);
            }
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Node;
    use super::*;

    /// A pair of twice the same, down to the number: few values, and many ways to each.
    fn pairs(values: &mut Values, number: i64, depth: usize) -> Value {
        let mut pair = values.make(Node::Int(number));
        for _ in 0..depth {
            pair = values.make(Node::Sequence(Box::from([pair, pair])));
        }
        pair
    }

    #[test]
    fn a_part_is_found_however_deep_and_looked_at_once() {
        let mut values = Values::default();
        let whole = pairs(&mut values, 7, 20);
        let seven = values.make(Node::Int(7));
        assert!(values.any_part(whole, 64, |part| part == seven));
        assert!(values.any_part(seven, 1, |part| part == seven));
        let mut looks = 0;
        let all = |part: Value, further: &mut Vec<Value>| {
            looks += 1;
            further.extend(parts(values.node(part)));
            false
        };
        assert_eq!(values.search(whole, 64, all), Some(false));
        assert_eq!(looks, 21);
    }

    #[test]
    fn a_walk_that_is_cut_short_is_no_answer() {
        let mut values = Values::default();
        let whole = pairs(&mut values, 7, 5);
        let further = |part: Value, further: &mut Vec<Value>| {
            further.extend(parts(values.node(part)));
            false
        };
        assert_eq!(values.search(whole, 3, further), None);
        let seven = values.known(&Node::Int(7)).expect("it was made");
        assert!(!values.any_part(whole, 3, |part| part == seven));
    }
}
