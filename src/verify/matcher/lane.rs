//! What reports show of one process: its last calls.

use std::collections::VecDeque;

use crate::verify::outcome::LaneCall;

use super::calls::CallId;

/// The last calls of a process.
#[derive(Debug)]
pub(super) struct Track {
    calls: VecDeque<LaneCall>,
    left_out: u64,
    /// At least so many are kept, at most twice as many.
    tail: usize,
}

impl Track {
    pub fn new(tail: usize) -> Track {
        Track { calls: VecDeque::new(), left_out: 0, tail: tail.max(8) }
    }

    /// A call is entered. `position` counts from 1; 0 for messages.
    pub fn enter(&mut self, number: u64, call: CallId, position: u64, entered_us: u64) {
        if self.calls.len() >= 2 * self.tail {
            self.calls.drain(..self.tail);
            self.left_out += self.tail as u64;
        }
        let call = call.0 as usize;
        self.calls.push_back(LaneCall { number, call, position, entered_us, left_us: None, raised: false });
    }

    /// A call has come back, or its handle was waited for.
    pub fn leave(&mut self, number: u64, time_us: u64, raised: bool) {
        // Threads may write their lines in another order than they count their calls.
        if let Some(call) = self.calls.iter_mut().rev().find(|call| call.number == number) {
            call.left_us = Some(time_us);
            call.raised |= raised;
        }
    }

    /// A call is open again: its handle is waited for.
    pub fn reopen(&mut self, number: u64) {
        if let Some(call) = self.calls.iter_mut().rev().find(|call| call.number == number) {
            call.left_us = None;
        }
    }

    /// The calls that are kept, and how many are not.
    pub fn finish(&self) -> (Vec<LaneCall>, u64) {
        (self.calls.iter().cloned().collect(), self.left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_calls_are_kept_and_the_others_counted() {
        let mut track = Track::new(8);
        for number in 0..100 {
            track.enter(number, CallId(0), number, number);
        }
        let (calls, left_out) = track.finish();
        assert!((8..=16).contains(&calls.len()), "{}", calls.len());
        assert_eq!((calls.len() as u64 + left_out, calls.last().map(|call| call.number)), (100, Some(99)));
    }

    #[test]
    fn calls_come_back_in_any_order() {
        let mut track = Track::new(8);
        (0..3).for_each(|number| track.enter(number, CallId(0), number, number));
        track.leave(0, 7, true);
        track.leave(2, 8, false);
        track.reopen(2);
        let ends: Vec<_> = track.finish().0.iter().map(|call| (call.left_us, call.raised)).collect();
        assert_eq!(ends, [(Some(7), true), (None, false), (None, false)]);
    }
}
