//! Where values are kept: node and facts side by side, in pieces that never move.
//!
//! A large program has millions of values. One growing vector would copy all of them whenever it doubles, and leave as
//! much memory behind; and who looks at a node mostly asks for its facts too.

use super::{Facts, Node, Value};

/// Values of one piece, as a power of two.
const PIECE_BITS: u32 = 10;
const PIECE: usize = 1 << PIECE_BITS;

/// What is kept of a value.
pub(super) struct Made {
    pub node: Node,
    pub facts: Facts,
}

/// All values that were made, in order.
#[derive(Default)]
pub(super) struct Arena {
    /// All but the last are full.
    pieces: Vec<Vec<Made>>,
}

impl Arena {
    pub fn get(&self, value: Value) -> &Made {
        let (piece, place) = place_of(value);
        &self.pieces[piece][place]
    }

    pub fn get_mut(&mut self, value: Value) -> &mut Made {
        let (piece, place) = place_of(value);
        &mut self.pieces[piece][place]
    }

    pub fn len(&self) -> usize {
        self.pieces.last().map_or(0, |last| (self.pieces.len() - 1) * PIECE + last.len())
    }

    pub fn push(&mut self, node: Node, facts: Facts) -> Value {
        let value = Value(self.len() as u32);
        match self.pieces.last_mut() {
            Some(last) if last.len() < PIECE => last.push(Made { node, facts }),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(Made { node, facts });
                self.pieces.push(piece);
            }
        }
        value
    }
}

fn place_of(value: Value) -> (usize, usize) {
    let at = value.0 as usize;
    (at / PIECE, at % PIECE)
}
