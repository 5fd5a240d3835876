//! Where the expressions and statements of a file stand, in three quarters of the room that the spans themselves take.

use rustc_hash::FxHashMap;

use crate::base::Span;

/// The length of what is too long for its place: it is kept aside.
const LONG: u16 = u16::MAX;

/// Spans in order, each asked for by its number.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans {
    starts: Vec<u32>,
    lengths: Vec<u16>,
    /// The ends of the long ones.
    ends: FxHashMap<u32, u32>,
}

impl Spans {
    /// The span of that number.
    pub fn get(&self, at: u32) -> Span {
        let start = self.starts[at as usize];
        match self.lengths[at as usize] {
            LONG => Span::new(start, self.ends[&at]),
            length => Span::new(start, start + u32::from(length)),
        }
    }

    /// Keeps another one, behind all others.
    pub fn push(&mut self, span: Span) {
        let length = u16::try_from(span.end.wrapping_sub(span.start)).unwrap_or(LONG);
        if length == LONG {
            self.ends.insert(self.starts.len() as u32, span.end);
        }
        self.starts.push(span.start);
        self.lengths.push(length);
    }

    /// Lets go of room for more.
    pub fn shrink(&mut self) {
        self.starts.shrink_to_fit();
        self.lengths.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_every_length_come_back_as_they_were() {
        let mut spans = Spans::default();
        let all = [(3, 3), (0, 65_534), (7, 65_542), (1, 65_537), (9, 400_000), (20, 12)];
        let all = all.map(|(start, end)| Span::new(start, end));
        all.into_iter().for_each(|span| spans.push(span));
        spans.shrink();
        assert_eq!(all, std::array::from_fn(|at| spans.get(at as u32)));
    }
}
