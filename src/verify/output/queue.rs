//! Between the threads that read and the one that shows: bounded in bytes, and nobody waits in it for long.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Source, Stream};

/// How many bytes may wait to be shown, what it takes to keep them included.
const BOUND: usize = 8 * 1024 * 1024;

/// What a piece takes beside its text.
const PIECE: usize = 96;

/// How long a reader waits for room once; while the queue stays full it does not wait again.
const PATIENCE: Duration = Duration::from_millis(250);

/// Something to show.
#[derive(Debug)]
pub(super) enum Piece {
    Lines { source: Source, stream: Stream, text: Vec<u8> },
    LeftOut { source: Source, stream: Stream, lines: u64 },
}

#[derive(Debug, Default)]
struct State {
    pieces: VecDeque<Piece>,
    bytes: usize,
    /// Readers that may still add something.
    writers: usize,
    /// Nobody shows anything any more.
    broken: bool,
    /// Somebody has waited in vain, and no room was made since.
    full: bool,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    room: Condvar,
    filled: Condvar,
}

/// What became of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Queued,
    LeftOut,
}

impl Queue {
    pub(super) fn new(writers: usize) -> Queue {
        let queue = Queue::default();
        queue.lock().writers = writers;
        queue
    }

    pub(super) fn push(&self, source: Source, stream: Stream, text: &[u8], left_out: u64) -> Fate {
        let mut state = self.lock();
        // That lines were left out is told in any case.
        let size = if text.is_empty() { 0 } else { text.len() + PIECE };
        if state.bytes + size > BOUND && !state.broken && !state.full {
            let waited =
                self.room.wait_timeout_while(state, PATIENCE, |state| state.bytes + size > BOUND && !state.broken);
            state = waited.map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state);
        }
        if state.broken {
            return Fate::Queued;
        }
        if state.bytes + size > BOUND {
            state.full = true;
            return Fate::LeftOut;
        }
        if left_out > 0 {
            state.pieces.push_back(Piece::LeftOut { source, stream, lines: left_out });
        }
        if !text.is_empty() {
            state.bytes += size;
            state.pieces.push_back(Piece::Lines { source, stream, text: text.to_vec() });
        }
        self.filled.notify_one();
        Fate::Queued
    }

    /// A reader has come to its end.
    pub(super) fn leave(&self) {
        self.lock().writers -= 1;
        self.filled.notify_one();
    }

    /// The next piece; absent when there will be none.
    pub(super) fn pop(&self) -> Option<Piece> {
        let state = self.lock();
        let waited = self.filled.wait_while(state, |state| state.pieces.is_empty() && state.writers > 0);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        let piece = state.pieces.pop_front()?;
        if let Piece::Lines { text, .. } = &piece {
            state.bytes -= text.len() + PIECE;
        }
        // Let the one who shows get ahead before the readers wait for him again.
        if state.bytes < BOUND / 2 {
            state.full = false;
            self.room.notify_all();
        }
        Some(piece)
    }

    /// Nobody shows anything any more.
    pub(super) fn give_up(&self) {
        let mut state = self.lock();
        state.broken = true;
        state.pieces.clear();
        state.bytes = 0;
        self.room.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_small_pieces_are_bounded_too() {
        let queue = Queue::new(1);
        let push = |_: &usize| queue.push(Source::Launcher, Stream::Out, b".", 0) == Fate::Queued;
        assert_eq!((0..BOUND).take_while(push).count(), BOUND / (PIECE + 1));
        assert_eq!(queue.push(Source::Launcher, Stream::Out, b"", 7), Fate::Queued, "it is told in any case");
        // Room is made by showing.
        while queue.lock().bytes > 0 {
            assert!(matches!(queue.pop(), Some(Piece::Lines { .. })));
        }
        assert!(push(&0));
    }
}
