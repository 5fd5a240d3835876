//! Between the supervisor, which knows processes, and whoever judges what they do.

use super::event::Event;
use super::outcome::{Ending, Outcome};

/// Judges a run while it goes on. The supervisor calls it from one thread.
pub trait Watch {
    /// Process `pid` was started by ranklint itself, as this rank or as a launcher of ranks.
    fn started(&mut self, pid: u32, rank: Option<u32>) {
        let _ = (pid, rank);
    }

    /// Process `pid` has written this to its log. Lines of one process come in their order; the first is its start.
    fn event(&mut self, pid: u32, event: &Event);

    /// Process `pid` has ended. Everything it wrote was handed over before.
    fn ended(&mut self, pid: u32, ending: &Ending);

    /// Called after every batch of events and at least every 50 ms: the verdict, when one can be told by now. The first one
    /// ends the run. `now_us` is the monotonic clock.
    fn verdict(&mut self, now_us: u64) -> Option<Outcome>;

    /// Whether some rank waits in a call, so that silence is suspicious.
    fn is_anyone_waiting(&self) -> bool;

    /// When the last event happened, in microseconds of the monotonic clock; absent before the first.
    fn last_event_us(&self) -> Option<u64>;
}
