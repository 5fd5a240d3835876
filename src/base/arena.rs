//! Things that are made one after the other and asked for by number, in pieces that never move.
//!
//! A large program has millions of values and effects. One growing vector would copy all of them whenever it doubles, and
//! leave as much memory behind.

/// Things of one piece, as a power of two.
const PIECE: usize = 1 << 10;

/// All things that were made, in order.
#[derive(Debug)]
pub struct Arena<T> {
    /// All but the last are full.
    pieces: Vec<Vec<T>>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Arena { pieces: Vec::new() }
    }
}

impl<T> Arena<T> {
    /// The thing of that number.
    pub fn get(&self, at: u32) -> &T {
        let (piece, place) = place_of(at);
        &self.pieces[piece][place]
    }

    /// The thing of that number, to be changed.
    pub fn get_mut(&mut self, at: u32) -> &mut T {
        let (piece, place) = place_of(at);
        &mut self.pieces[piece][place]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pieces.last().map_or(0, |last| (self.pieces.len() - 1) * PIECE + last.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Keeps another one; gives its number.
    pub fn push(&mut self, thing: T) -> u32 {
        let at = self.len() as u32;
        match self.pieces.last_mut() {
            Some(last) if last.len() < PIECE => last.push(thing),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(thing);
                self.pieces.push(piece);
            }
        }
        at
    }
}

fn place_of(at: u32) -> (usize, usize) {
    let at = at as usize;
    (at / PIECE, at % PIECE)
}
